"""Each slip in ``slips.tsv`` gives its message when it is in a real file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

import pytest

from merula.compiler.compile import compile_source
from merula.core.diagnostics import Diagnostic, Report
from merula.core.source import Source
from merula.language.parse import parse, parse_cell
from merula.language.slips import COLUMNS, FOREIGN, Sample, samples
from merula.language.tokens import HEADS, scan

SAMPLES = samples()

# Where an entry of each kind stands: what comes before it in the file.
BEFORE = {
    "phenomenon": "phenomenon ",
    "language": "language ",
    "lexicon": "lexicon ",
    "mapping": 'lexicon sets "t.tsv"\n  ',
    "imports": "import ",
    "object": "objects\n  ",
    "attribute": "attributes\n  ",
    "rule": "external\n  ",
    "selection": "select\n  ",
    "frame": "frames\n  ",
    "paradigm": "paradigm ",
    "matrix": "matrix ",
    "cycle": "matrix agrf = 8 items\n  ",
    "table_header": "matrix alt = items\n  ",
    "table_row": "matrix alt = items\n  | subj verb.voice\n  ",
    "answers": "answers ",
    "answer": "answers\n  ",
    "example": "examples\n  ",
}
AROUND = ("phenomenon before\nlanguage en\n\n", '\n\nexamples\n  accept "The dog barks."\n')


def diagnose(start: str, entry: str) -> tuple[Diagnostic, ...]:
    report = Report()
    if start == "cell_expression":
        parse_cell(Source("t.tsv:2 (subject)", entry), report)
    else:
        parse(Source("x.merula", AROUND[0] + BEFORE[start] + entry + AROUND[1]), report)
    return report.sorted()


def pattern(sample: Sample) -> str:
    """The sample's message, with any token for the parts that the entry decides."""
    parts = re.split(r"\{(?:found|previous)\}", sample.message)
    return "(?:`[^`]+`|the end of the line|the beginning)".join(map(re.escape, parts))


def ids(sample: Sample) -> str:
    return f"{sample.start}: {sample.text}"


@pytest.mark.parametrize("sample", SAMPLES, ids=ids)
def test_a_slip_has_its_message(sample: Sample) -> None:
    problems = diagnose(sample.start, sample.text)
    assert [p.code for p in problems] == ["M010"], [p.render() for p in problems]
    (problem,) = problems
    assert re.fullmatch(pattern(sample), problem.message), problem.message
    assert problem.remedy == sample.remedy


def marked(sample: Sample) -> str:
    """The slip with its caret: ``answer: AE «flip» verb.number``."""
    (problem,) = diagnose(sample.start, sample.text)
    before = 0 if sample.start == "cell_expression" else len(AROUND[0] + BEFORE[sample.start])
    span = problem.labels[0].span
    start, end = max(span.start - before, 0), max(span.end - before, 0)
    assert start <= end <= len(sample.text)
    if "{found}" in sample.message:
        assert f"`{span.text}`" in problem.message
    text = sample.text
    return f"{sample.start}: {text[:start]}«{text[start:end]}»{text[end:]}"


def test_carets(pytestconfig: pytest.Config) -> None:
    """``slips.txt`` shows where the caret of each slip stands; ``--rewrite`` makes it anew."""
    file = Path(__file__).with_name("slips.txt")
    now = "".join(f"{marked(sample)}\n" for sample in SAMPLES)
    if pytestconfig.getoption("rewrite"):
        file.write_text(now, encoding="utf-8")
    assert file.read_text(encoding="utf-8").splitlines() == now.splitlines()


TABLE = resources.files("merula.language").joinpath("slips.tsv").read_text(encoding="utf-8")


def faults(table: str) -> list[str]:
    """What is wrong with the lines of a table of slips, each fault with the number of its line."""
    header, *lines = table.splitlines()
    problems = [] if header.split("\t") == list(COLUMNS) else ["1: header"]
    seen = set()
    for number, line in enumerate(lines, start=2):
        cells = line.split("\t")
        start, text = cells[:2]
        if not 4 <= len(cells) <= len(COLUMNS) or not all(cells[2:4]):
            problems.append(f"{number}: cells")
        elif not re.fullmatch(r"\d*,\d*,(yes)?", ",".join([*cells[5:], "", "", ""][:3])):
            problems.append(f"{number}: numbers")
        elif start not in {*BEFORE, "cell_expression"}:
            problems.append(f"{number}: start")
        elif (start, text) in seen:
            problems.append(f"{number}: twice")
        elif not diagnose(start, text):
            problems.append(f"{number}: no slip")
        seen.add((start, text))
    return problems


def test_each_line_of_the_table_is_sound() -> None:
    assert faults(TABLE) == []
    assert {sample.start for sample in SAMPLES} == {*BEFORE, "cell_expression"}


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("rules\tnpi needs\tmessage\tremedy", "start"),
        ("language\t= en\tmessage\tremedy", "twice"),
        ("language\tde\tmessage\tremedy", "no slip"),
        ("language\tde, en", "cells"),
        ("language\tde, en\tmessage", "cells"),
        ("language\tde, en\tmessage\t", "cells"),
        ("language\tde, en\tmessage\tremedy\t\t\t\tyes\tmore", "cells"),
        ("language\tde, en\tmessage\tremedy\t\tone", "numbers"),
        ("language\tde, en\tmessage\tremedy\t\t\t\tno", "numbers"),
    ],
)
def test_a_broken_line_of_the_table_is_found(line: str, fault: str) -> None:
    assert faults(f"{TABLE}{line}\n") == [f"{len(SAMPLES) + 2}: {fault}"]


@pytest.mark.parametrize("sign", FOREIGN)
def test_a_sign_of_another_notation_has_a_translation(sign: str) -> None:
    for entry in (f"agreement: verb.number {sign} subj.number", f"{sign} agreement: n1"):
        (problem,) = diagnose("rule", entry)
        assert problem.code == "M006"
        assert problem.message == f"`{sign}` has no meaning in a grammar"
        assert problem.labels[0].span.text == sign
        assert problem.remedy == FOREIGN[sign]


@pytest.mark.parametrize(
    ("start", "entry", "caret", "remedy"),
    [
        ("cycle", "n1.number cycles 2 of sg | pl evry 2", "evry", "did you mean every?"),
        ("cycle", "n1.number cycle 2 of sg | pl every 2", "cycle", "did you mean cycles?"),
        ("answer", "AE brakes E: flip n1.number", "brakes", "did you mean breaks?"),
        ("answer", "AE: flipp n1.number", "flipp", "did you mean flip?"),
        ("answer", "AE: flip n1.number keep n2.number", "keep", "did you mean keeping?"),
        ("answer", "AE: embed n1 into n2", "into", "did you mean in?"),
        ("rule", "licensing: npi need licensor", "need", "did you mean needs?"),
        ("rule", "attraction: verb.number ignore n1.number", "ignore", "did you mean ignores?"),
        ("selection", "N1, N2 differs", "differs", "did you mean differ?"),
        ("selection", "N1, N2 shares scene", "shares", "did you mean share?"),
        ("matrix", "agrf = 8 item in main", "item", "did you mean items?"),
        ("matrix", "alt = atl swapped 1, 8", "swapped", "did you mean swap?"),
        ("paradigm", "agree = n1 × n2 vary n3", "vary", "did you mean varying?"),
        ("paradigm", "agree = n1 × n2 wher n1 = sg", "wher", "did you mean where?"),
        ("lexicon", '"n.csv" separate by ";"', "separate", "did you mean separated?"),
        ("lexicon", '"n.csv" encoding "cp1252"', "encoding", "did you mean encoded?"),
        ("example", 'Accept "The dog barks."', "Accept", "did you mean accept?"),
        ("example", 'rejected "The dog bark."', "rejected", "did you mean reject?"),
    ],
)
def test_a_misspelt_key_word(start: str, entry: str, caret: str, remedy: str) -> None:
    (problem,) = diagnose(start, entry)
    assert (problem.code, problem.labels[0].span.text) == ("M010", caret)
    assert problem.remedy == remedy


@pytest.mark.parametrize(
    ("start", "entry", "code", "carets"),
    [
        ("example", 'accept "The dog barks.', "M005", ['"The dog barks.']),
        ("frame", 'main = subj "the verb', "M005", ['"the verb']),
        ("object", "1st : NP", "M006", ["1st"]),
        ("cycle", "n1.number cycles sg | pl every 2nd", "M006", ["2nd"]),
        ("frame", "main = 'the' subj", "M006", ["'"]),
        ("frame", "main = l'ami", "M006", ["'"]),
        ("frame", "main = l’ami", "M006", ["’"]),
        ("example", "accept “The dog barks.”", "M006", ["“"]),
        ("object", "subj : NP (number", "M007", ["("]),
        ("frame", "main = [domain subj (n1 | n2) verb", "M007", ["["]),
        ("frame", "main = subj verb]", "M007", ["]"]),
        ("frame", "main = [domain (n1 | n2] verb)", "M007", ["]", "("]),
        ("rule", "agreement: (verb.number = subj.number", "M007", ["("]),
        ("frame", "main = " + "[a " * 1000 + "subj" + "]" * 1000, "M008", ["["]),
        ("frame", "main = " + "(" * 1000 + "subj" + ")" * 1000, "M008", ["("]),
        ("frame", "main = " + "[" * 100_000, "M008", ["["]),
        ("rule", "agreement: " + "not " * 1000 + "n1", "M008", ["not"]),
        ("rule", "agreement: " + "not (" * 30 + "n1" + ")" * 30, "M008", ["not"]),
        ("cell_expression", "(" * 60 + "person" + ")" * 60, "M008", ["("]),
        ("cell_expression", "not " * 60 + "person", "M008", ["not"]),
        ("matrix", "m = " + "9" * 5000 + " items", "M009", ["9" * 5000]),
        ("cycle", "n1 cycles 99999999999999999999 of a | b every 1", "M009", ["9" * 20]),
        ("cycle", "n1 cycles a | b every " + "9" * 20, "M009", ["9" * 20]),
    ],
)
def test_signs_brackets_and_numbers(start: str, entry: str, code: str, carets: list[str]) -> None:
    (problem,) = diagnose(start, entry)
    assert problem.code == code
    assert [label.span.text for label in problem.labels] == carets
    assert problem.remedy
    for line in problem.render().splitlines():
        assert len(line) < 300


@pytest.mark.parametrize("deep", ["[a " * 45 + "verb" + "]" * 45, "(" * 45 + "verb" + ")" * 45])
def test_what_is_deep_but_not_too_deep_is_read(deep: str) -> None:
    assert not check(TOY.replace("npi verb", f"npi {deep}"))


TOY = """\
phenomenon toy "Agreement"
language en

objects
  subj, n1 : NP (number)
  npi?     : adverb
  verb     : VP (number, tense)
  neg      : negation

attributes
  number   = sg | pl
  tense    = past | present
  neg      = yes "not" | no "also"
  neg.site = inner | outer

external
  agreement: verb.number = subj.number
  licensing: npi needs neg and npi inside neg.site
internal
  attraction: verb.number ignores n1.number

frames
  inner  = npi verb
  clause = subj n1 @outer [outer "that" @inner [inner inner]]
  short  = subj n1 @outer @inner verb

matrix m = 4 items in clause | short varying verb.tense
  subj.number cycles 2 of sg | pl every 1
  n1.number   cycles sg | pl      every 2
answers for m
  AE breaks E agreement: flip verb.number
  WN breaks R: flip n1.number
"""


def check(text: str) -> list[str]:
    """The codes of all errors of a grammar, in the order of their places."""
    problems = compile_source(Source("x.merula", text)).problems
    return [problem.code for problem in problems if problem.severity == "error"]


def test_the_toy_grammar_is_fine() -> None:
    assert not check(TOY)


SIX = {
    "subj, n1 : NP (number)": "subj, n1 NP (number)",
    "tense    = past | present": "tense    = past, present",
    "agreement: verb.number": "agreement verb.number",
    "inner  = npi verb": "inner  = npi [verb",
    "sg | pl every 1": "sg | pl evry 1",
    "AE breaks E agreement: flip verb.number": "AE breaks E agreement: flip verb.number = sg",
}


def test_six_faults_are_six_diagnostics() -> None:
    text = TOY
    for old, new in SIX.items():
        assert old in text
        text = text.replace(old, new)
    problems = compile_source(Source("x.merula", text)).problems
    assert [(p.code, p.labels[0].span.text) for p in problems] == [
        ("M010", "NP"),
        ("M010", ","),
        ("M010", "verb"),
        ("M007", "["),
        ("M010", "evry"),
        ("M010", "="),
    ]


OTHERS = {
    "objects\n": "object\n",  # a misspelt section is read as the one that is meant
    "(number, tense)": "(number, tence)",
    "tense    = past | present": "tense    = past | present | past",
    "npi needs neg and": "npii needs neg and",
    '"that" @inner': '"that @inner',
    "WN breaks R: flip n1.number": "WN breaks R: drop n1",
}


def test_faults_of_all_stages_are_reported_together() -> None:
    text = TOY
    for old, new in OTHERS.items():
        assert old in text
        text = text.replace(old, new)
    assert check(text) == ["M001", "M101", "M102", "M101", "M005", "M419"]


@pytest.mark.parametrize("fault", [*SIX.items(), *OTHERS.items()], ids=lambda pair: pair[1].strip())
def test_one_fault_is_one_diagnostic(fault: tuple[str, str]) -> None:
    assert len(check(TOY.replace(*fault))) == 1


@pytest.mark.parametrize(
    ("old", "new", "codes"),
    [
        ("phenomenon toy", "phenomenon:", ["M010"]),
        ("\nattributes\n", "\n", ["M013"]),
        ("\nframes\n", "\n  frames\n", ["M004"]),
        ("internal\n", "  internal\n", ["M004"]),
        ("attributes\n", "atributes\n", ["M001"]),
        ("\nanswers for m\n", "\nanswers fur m\n", ["M010"]),
        ("matrix m = 4 items", "matrix m : 4 items", ["M010"]),
        ("matrix m = 4 items", "matrix m = items", ["M014"]),
        ("subj.number cycles 2 of sg | pl every 1", "| subj.number n1.number", ["M014"]),
        ("phenomenon toy", "  phenomenon toy", ["M002"]),
        ("language en", "language en\n  fr", ["M010"]),
        ("external", "foo\n  a: b\nexternal", ["M001"]),
        ("external", "language\n  a: b\nexternal", ["M010"]),
        ("frames\n", "frames\n  a = (\n", ["M007"]),
        ("frames\n", "frames\n  a = (subj\n      | verb\n", ["M007"]),
        ("  verb     : VP (number, tense)", "  verb : VP (number,\n    tense", ["M007"]),
    ],
)
def test_recovery_at_lines_and_sections(old: str, new: str, codes: list[str]) -> None:
    assert old in TOY
    assert check(TOY.replace(old, new)) == codes


def mutations(text: str) -> Mapping[str, str]:
    """The text with every token left out, written twice, and with a sign that has no meaning."""
    made = {}
    for token in scan(text):
        if token.kind != "NEWLINE":
            before, after = text[: token.start], text[token.end :]
            place = f"{token.start} {token.text}"
            made[f"without {place}"] = before + after
            made[f"twice {place}"] = f"{before}{token.text} {token.text}{after}"
            made[f"sign before {place}"] = f"{before}; {token.text}{after}"
    return made


@pytest.mark.slow
def test_a_fault_in_one_entry_is_one_diagnostic_nearly_always() -> None:
    """Two where the name that an entry declares is itself gone, more where a section's head is."""
    numbers: dict[int, list[str]] = {}
    for name, text in mutations(TOY).items():
        codes = check(text)
        if any(code < "M015" for code in codes):
            numbers.setdefault(len(codes), []).append(name)
    total = sum(map(len, numbers.values()))
    assert len(numbers[1]) > 0.96 * total
    assert {name.split()[0] for n in numbers if n > 1 for name in numbers[n]} <= {
        "without",
        "twice",
    }
    several = [name for n in numbers if n > 2 for name in numbers[n]]
    assert len(several) < 0.01 * total, several


INTERNAL = re.compile(
    r"\b(?:NAME|STRING|INT|UNKNOWN|OPEN|COLON|EQUALS|DIFFERS|BAR|COMMA|DOT|LPAR|RPAR|LSQB|RSQB|AT"
    r"|QUESTION|ARROW|TIMES|DASH|NEWLINE|END|[Tt]okens?|[Tt]erminals?|[Nn]on-?terminals?"
    r"|Unexpected\w*|LALR|Lark|lark|pars(?:e|er|ing)|None|Traceback|Error)\b|\$END|<merula|_\w+_"
)
# NAME in a remedy stands for the reader's own name; these remedies say so themselves.
PLACEHOLDER = re.compile(r"phenomenon NAME|paradigm NAME|`NAME|NAME :|NAME\.")


def texts(problem: Diagnostic) -> str:
    parts = [problem.message, problem.remedy, *problem.notes]
    return PLACEHOLDER.sub("", "\n".join([*parts, *(label.message for label in problem.labels)]))


@pytest.mark.slow
def test_no_message_speaks_of_the_parser() -> None:
    seen = 0
    for text in mutations(TOY).values():
        for problem in compile_source(Source("x.merula", text)).problems:
            seen += 1
            assert not INTERNAL.search(texts(problem)), problem.render()
    assert seen > 500
    for sample in SAMPLES:
        assert not INTERNAL.search(PLACEHOLDER.sub("", f"{sample.message} {sample.remedy}")), sample


def test_every_head_can_be_misspelt() -> None:
    for head in HEADS:
        text = TOY.replace(f"\n{head}", f"\n{head[:-1]}z", 1)
        if text != TOY:
            assert check(text) == ["M001"], head


def test_a_file_that_is_indented_as_a_whole() -> None:
    indented = "".join(f"  {line}\n" for line in TOY.splitlines())
    assert check(indented) == ["M002"]
