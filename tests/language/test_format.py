"""Laying out grammars: what a text means and says stays, and there is one layout for it."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import assume, event, given
from hypothesis import strategies as st

from grammar_texts import readable, texts, tree
from merula.cli import main
from merula.cli.reformat import reformat
from merula.core.diagnostics import Report
from merula.core.source import Source, display_width
from merula.language import layout
from merula.language.format import formatted
from merula.language.layout import MAX_COLUMNS
from merula.language.parse import parse
from merula.language.tokens import KEYWORDS, Token, entries, scan
from merula.strategies import GrammarText, grammars
from merula.strategies.inventing.parts import Parts
from merula.strategies.inventing.whole import grammar_parts
from random_grammars import examples


def laid_out(text: str) -> str:
    report = Report()
    done = formatted(Source("x.merula", text), report)
    assert done is not None, [problem.render() for problem in report.items]
    assert not report.items
    return done


# --- what holds for every text -----------------------------------------------------------------


@dataclass(frozen=True)
class Comment:
    """A comment with the word before and the entry after it; ``own`` if its line has no word."""

    text: str
    entry: int
    word: int
    own: bool


def comments(text: str) -> list[Comment]:
    """Where the comments of a text stand, found without the formatter."""
    source = Source("x.merula", text)
    groups = [(e.head, *e.tokens) if e.inline else e.tokens for e in entries(source)]
    found = []
    for start, line in zip(source.line_starts, text.split("\n"), strict=True):
        bare = re.sub(r'"(?:[^"\\]|\\.)*"', lambda m: "x" * len(m[0]), line)
        before, sign, _ = bare.partition("#")
        if not sign:
            continue
        at, own = start + len(before), not before.strip()
        entry = next((i for i, e in enumerate(groups) if at < end(text, e, own)), len(groups))
        words = sum(token.start < at for token in groups[entry]) if entry < len(groups) else 0
        found.append(Comment(line[len(before) :].strip(), entry, words, own))
    return found


def end(text: str, tokens: Sequence[Token], own: bool) -> int:
    """Up to where comments are an entry's: its last word, or the end of the line with that."""
    last = tokens[-1].end
    return last if own else (text + "\n").index("\n", last)


def check(text: str) -> str:
    """The text laid out; fails if that is not as it should be."""
    done = laid_out(text)
    assert tree(done) == tree(text)
    assert comments(done) == comments(text)
    assert strings(done) == strings(text)
    assert laid_out(done) == done
    assert "\n\n\n" not in done
    assert not done.startswith("\n")
    assert not done or re.search(r"[^\n]\n\Z", done)
    for line in done.split("\n"):
        assert line == line.rstrip()
        assert not re.search(r"[^\S ]", re.sub(r'"(?:[^"\\]|\\.)*"|#.*', "", line))
    return done


def strings(text: str) -> list[str]:
    return [token.text for token in scan(text) if token.kind == "STRING"]


@pytest.mark.slow
def test_all_grammars_are_laid_out() -> None:
    for text in readable():
        check(text)


NOTES = ("# a", "#b", '# "c', "#", "# matrix m = 8 items | é  猫")
SPACES = ("", " ", " ", "   ", "\t", " \t ", "\u00a0")
WORDS = frozenset({"NAME", "INT", "DASH"})
GOES_ON = frozenset({"COMMA", "EQUALS", "TIMES", "ARROW", "COLON", "DIFFERS", "BAR"})
BEGINS = frozenset({"COMMA", "EQUALS", "TIMES", "ARROW", "COLON", "BAR"})


@st.composite
def other_layouts(draw: st.DrawFn, text: str, *, notes: bool) -> str:
    """A text with other spaces and line ends, and with comments and blank lines if wanted."""
    source = Source("x.merula", text)
    made = between(draw, notes=notes)
    for entry in entries(source):
        depth = 0
        last = entry.head if entry.inline else None
        made += (
            entry.head.text if entry.inline else draw(st.sampled_from((" ", "  ", "\t", "      ")))
        )
        for token in entry.tokens:
            if last is not None:
                depth += (last.kind in ("LPAR", "LSQB")) - (last.kind in ("RPAR", "RSQB"))
                gap = draw(st.sampled_from(SPACES))
                apart = text[last.end : token.start] != ""
                if not gap and apart and {last.kind, token.kind} <= WORDS:
                    gap = " "
                if (
                    can_break(entry.head, entry.tokens, last, token, depth)
                    and draw(st.integers(0, 7)) > 5
                ):
                    gap = line_end(draw, notes=notes) + between(draw, notes=notes) + "     "
                made += gap
            made += token.text
            last = token
        made += line_end(draw, notes=notes) + between(draw, notes=notes)
    return made.rstrip("\n") + draw(st.sampled_from(("", "\n", "\n \n")))


def can_break(head: Token, tokens: Sequence[Token], last: Token, token: Token, depth: int) -> bool:
    if depth > 0:
        return True
    if head.text == "matrix" and (token.kind == "BAR" or tokens[0].kind in ("INT", "BAR")):
        return False
    return last is not head and (last.kind in GOES_ON or token.kind in BEGINS)


def line_end(draw: st.DrawFn, *, notes: bool) -> str:
    note = draw(st.sampled_from(("", "", *NOTES))) if notes else ""
    return draw(st.sampled_from(("", " ", "\t"))) + note + "\n"


def between(draw: st.DrawFn, *, notes: bool) -> str:
    """Blank lines and comments on lines of their own, or nothing."""
    if not notes:
        return ""
    lines = st.lists(
        st.sampled_from(("", "  ", *NOTES, *(f"   {note}" for note in NOTES))), max_size=2
    )
    return "".join(f"{line}\n" for line in draw(lines))


@pytest.mark.slow
@examples(20)
@given(grammars(answers=True), st.data())
def test_the_layout_of_random_grammars(program: GrammarText, data: st.DataObject) -> None:
    assume(tree(program.text) is not None)
    text = data.draw(other_layouts(program.text, notes=True))
    assert tree(text) == tree(program.text)
    event("with comments" if "#" in text else "without comments")
    check(text)


@examples(15)
@given(grammars(), st.data())
def test_the_words_alone_decide_the_layout(program: GrammarText, data: st.DataObject) -> None:
    assume(tree(program.text) is not None)
    text = data.draw(other_layouts(program.text, notes=False))
    assert laid_out(text) == laid_out(program.text)


@examples(20)
@given(st.sampled_from(readable()), st.data())
def test_the_layout_of_the_grammars_there_are(text: str, data: st.DataObject) -> None:
    other = data.draw(other_layouts(text, notes=True))
    assert tree(other) == tree(text)
    check(other)


@examples(15)
@given(
    grammar_parts(),
    st.lists(st.sampled_from(sorted(KEYWORDS)), min_size=12, unique=True),
    st.data(),
)
def test_names_may_be_key_words(program: Parts, new: list[str], data: st.DataObject) -> None:
    names = dict(zip(program.marked_names, new, strict=False))
    text = data.draw(other_layouts(program.renamed(names).text, notes=True))
    assume(tree(text) is not None)
    check(text)


@examples(15)
@given(grammar_parts(), st.data())
def test_long_lines_are_folded(program: Parts, data: st.DataObject) -> None:
    """Names of 40 characters make long lines. One that is too long has no operator to cut at."""
    names = {
        name: name + "x" * data.draw(st.integers(0, 40)) if name.isidentifier() else name
        for name in program.marked_names
    }
    text = program.renamed(names).text
    assume(tree(text) is not None)
    for line in check(text).split("\n"):
        event("folded" if line.startswith("    ") and "|" not in line[:7] else "one line")
        if display_width(line) > MAX_COLUMNS:
            signs = [token for token in scan(line) if token.kind in ("TIMES", "ARROW")]
            words = re.findall(r"\b(?:or|else|varying)\b", line)
            assert len(signs) + len(words) <= 1, line


@examples(40)
@given(st.one_of(grammars().map(lambda p: p.text), st.sampled_from(texts())), st.data())
def test_a_faulty_text_is_refused_with_its_problems(text: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(text)))
    sign = data.draw(st.sampled_from(('"', "(", "|", ":", "\n", " ", "#", "\x0c", "x", "\\", "。")))
    text = text[:place] + sign + text[place + data.draw(st.integers(0, 3)) :]
    if tree(text) is not None:
        check(text)
        return
    report, alone = Report(), Report()
    assert formatted(Source("x.merula", text), report) is None
    parse(Source("x.merula", text), alone)
    assert report.sorted() == alone.sorted()


# --- layouts, one by one -----------------------------------------------------------------------

LAYOUTS = {
    "spaces, signs and blank lines": (
        """\


phenomenon\tx   "a  b"


objects
    a , b ? :NP( number,kind=k )
\tc:X


select
  a  and   b differ
external
  r:a.number!=b . number
  s: a≠b, not( a or b )→c
frames
  f = @ x [ y  "z z" (not a and b = c :d|e) ]
paradigm p=a * b ( x|y ) in f
""",
        """\
phenomenon x "a  b"

objects
  a, b? : NP (number, kind = k)
  c     : X

select
  a and b differ
external
  r: a.number != b.number
  s: a != b, not (a or b) -> c
frames
  f = @x [y "z z" (not a and b = c: d | e)]
paradigm p = a × b(x | y) in f
""",
    ),
    "columns": (
        """\
lexicon sets "a.csv"
  set = "ID"
  subj.sg = "Sujet"
objects
  verb : VP (voice)
  agent, theme : NP

  by? : position
attributes
  neg = yes "never" | no "often"
  npi = yes "ever" | no "always", "now"
  any = no "the" | yes "any"
  own = yes "mine" | no "my"
external
  one: a = b
  three "with a doc": a = b
  four: a = b
select
  a, b is c
  d is e
  a, b differ
paradigm one = a
paradigm three "with a doc" = a
paradigm four = a
matrix m = items in f
 | a.b | c
 1 | x | -

 10 | yyyy | z
matrix n = 4 items
  a cycles sg | pl every 1
  b.number cycles 2 of absent | sg every 2 under I
answers for n
  A breaks E x: flip a
  BB breaks R: drop b
  "C d": add c
  D "doc" breaks I: drop b
""",
        """\
lexicon sets "a.csv"
  set     = "ID"
  subj.sg = "Sujet"
objects
  verb         : VP (voice)
  agent, theme : NP

  by? : position
attributes
  neg = yes "never" | no "often"
  npi = yes "ever"  | no "always", "now"
  any = no "the" | yes "any"
  own = yes "mine" | no "my"
external
  one:  a = b
  three "with a doc": a = b
  four: a = b
select
  a, b is c
  d    is e
  a, b differ
paradigm one  = a
paradigm three "with a doc" = a
paradigm four = a
matrix m = items in f
     | a.b  | c
   1 | x    | -

  10 | yyyy | z
matrix n = 4 items
  a        cycles sg | pl          every 1
  b.number cycles 2 of absent | sg every 2 under I
answers for n
  A  breaks E x: flip a
  BB breaks R:   drop b
  "C d":         add c
  D "doc" breaks I: drop b
""",
    ),
    "comments": (
        """\
# of the file
phenomenon x # of x
language en  # of en

import "a" # of a
objects # of objects
# of a
  a : NP   # after a

      # of b
  bbbb : NP# after b
  # at the end of objects
# of attributes
attributes
  a = yes "y"  # after yes
    # of no
    | no "n", # after no
     "m"
answers
  A breaks E x, # of x
      R: drop b
  BB breaks R: drop b
# at the end
""",
        """\
# of the file
phenomenon x  # of x
language en   # of en

import "a"  # of a
objects   # of objects
  # of a
  a : NP  # after a

  # of b
  bbbb : NP  # after b
  # at the end of objects
# of attributes
attributes
  a = yes "y"  # after yes
      # of no
    | no "n",  # after no
      "m"
answers
  A  breaks E x,  # of x
      R: drop b
  BB breaks R: drop b
# at the end
""",
    ),
    "long lines": (
        """\
lexicon "a table with a long name.csv", "another table with a long name.csv",
  "third.csv", "4.csv"
external
  agreement: n1.link = a or n2.link = a or n3.link = a ->
    verb.number = pl else verb.number = s.number
  doc "A doc string": n1.link = c or n2.link = c ->
    verb.number = pl else verb.number = s.number, a = b
frames
  clause =
    "the guests who had" @relative [relative "met the pilot"] "had" @main [main ever "left"] x
paradigm p = licensor × ever × licensor.site × kind × tense
  in late | early varying N1.number, N2.number
attributes
  a = one "recently", "previously", "often", "sometimes" |
    two "now", "then" | three "here and there"
objects
  subj, attr : NP (number)
  one, two : NP (an_attribute_with_a_long_name, another_attribute_with_a_long_name,
    the_third_attribute)
  the_first_object, the_second_object, the_third_object, the_fourth_object : NP (number)
  the_fifth_object_with_a_long_name, the_sixth_object_with_a_long_name,
    the_seventh_object : position
answers
  the_answer_of_a_longish_name breaks E agreement: flip subj.number, # comment
     flip attr.number
  AE breaks E agreement, R subj.number: flip subj.number keeping verb.number
    else set verb.number = sg
  AN breaks E agreement, R subj.number, R attr.number:
    flip attr.number, flip verb.number, flip subj.number keeping verb.number else drop attr
matrix m = 4 items in a_frame_with_a_long_name |
  another_frame_with_a_long_name | the_third_frame_with_a_long_name
  a.number cycles a_value_with_a_long_name | another_value_with_a_long_name |
    the_third_value_with_a_long_name every 1
  a.tense cycles a_value_with_a_long_name | another_value_with_a_long_name |
    the_third_value_with_a_name every 1
matrix wide = items
    | subj.an_attribute_with_a_long_name attr.an_attribute_with_a_long_name x
  1 | a b c
attributes
  one = first_value "with a long word" | second_value "with a long word" |
    third_value "with a long word"
  two = first_value "" | second_value "" | third_value ""
""",
        """\
lexicon "a table with a long name.csv", "another table with a long name.csv", "third.csv", "4.csv"
external
  agreement: n1.link = a or n2.link = a or n3.link = a -> verb.number = pl
             else verb.number = s.number
  doc "A doc string": n1.link = c or n2.link = c -> verb.number = pl else verb.number = s.number,
                      a = b
frames
  clause =
      "the guests who had" @relative [relative "met the pilot"] "had" @main [main ever "left"] x
paradigm p = licensor × ever × licensor.site × kind × tense
             in late | early varying N1.number, N2.number
attributes
  a = one "recently", "previously", "often", "sometimes" | two "now", "then"
    | three "here and there"
objects
  subj, attr : NP (number)
  one, two   : NP (an_attribute_with_a_long_name, another_attribute_with_a_long_name,
               the_third_attribute)
  the_first_object, the_second_object, the_third_object, the_fourth_object : NP (number)
  the_fifth_object_with_a_long_name, the_sixth_object_with_a_long_name, the_seventh_object :
      position
answers
  the_answer_of_a_longish_name breaks E agreement: flip subj.number,  # comment
      flip attr.number
  AE                           breaks E agreement, R subj.number:
      flip subj.number keeping verb.number else set verb.number = sg
  AN                           breaks E agreement, R subj.number, R attr.number:
      flip attr.number, flip verb.number, flip subj.number keeping verb.number else drop attr
matrix m = 4 items
           in a_frame_with_a_long_name | another_frame_with_a_long_name |
           the_third_frame_with_a_long_name
  a.number cycles a_value_with_a_long_name | another_value_with_a_long_name |
      the_third_value_with_a_long_name every 1
  a.tense  cycles a_value_with_a_long_name | another_value_with_a_long_name |
      the_third_value_with_a_name every 1
matrix wide = items
    | subj.an_attribute_with_a_long_name  attr.an_attribute_with_a_long_name  x
  1 | a                                   b                                   c
attributes
  one = first_value "with a long word" | second_value "with a long word"
      | third_value "with a long word"
  two = first_value "" | second_value "" | third_value ""
""",
    ),
    "columns that make a line too long": (
        f"""\
external
  short: a = b
  {"a" * 50}: bbbbbbbbbbbbbb.number = cccccccccccccc.number
  longer: {"bbbbbbbbb.number = cccccccc.number and " * 2}d
objects
  x : y  # {"a" * 80}
  {"x" * 30} : y  # b
""",
        f"""\
external
  short:  a = b
  {"a" * 50}: bbbbbbbbbbbbbb.number = cccccccccccccc.number
  longer: {"bbbbbbbbb.number = cccccccc.number and " * 2}d
objects
  x{" " * 29} : y  # {"a" * 80}
  {"x" * 30} : y  # b
""",
    ),
    "designs of other files and crossed answers": (
        """\
import  "a.merula"   with   designs
import "b.merula",
  "c.merula"
  with designs
matrix b "doc"=a
matrix long  =  a   swap 1 ,8
matrix c= a
answers   for b , c   crossed
  AE breaks E r:flip x.y
  WN1   breaks R:set n2=unshown
""",
        """\
import "a.merula" with designs
import "b.merula", "c.merula" with designs
matrix b "doc" = a
matrix long = a swap 1, 8
matrix c    = a
answers for b, c crossed
  AE  breaks E r: flip x.y
  WN1 breaks R:   set n2 = unshown
""",
    ),
    "names of any script": (
        "objects\n  猫 : NP\n  e\u0301te\u0301 : NP\n  abcd : NP\n",
        "objects\n  猫   : NP\n  e\u0301te\u0301  : NP\n  abcd : NP\n",
    ),
    "nothing": ("\n \n\t\n", ""),
    "comments only": ("\n  # a\n\n\n# b", "  # a\n\n# b\n"),
}


@pytest.mark.parametrize(("text", "wanted"), LAYOUTS.values(), ids=LAYOUTS)
def test_a_layout(text: str, wanted: str) -> None:
    assert check(text) == wanted


# --- files -------------------------------------------------------------------------------------

UGLY, FINE = "phenomenon  x\nobjects\n a:NP\n", "phenomenon x\nobjects\n  a : NP\n"
FAULTY = "phenomenon x\nobjects\n  a NP\n"


def fmt(*arguments: str | Path, given: bytes | None = None) -> Result:
    return CliRunner().invoke(
        main, ["fmt", *map(str, arguments)], input=given, catch_exceptions=False
    )


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "x.merula"
    path.write_text(UGLY, encoding="utf-8")
    return path


def test_a_file_is_written(file: Path) -> None:
    file.chmod(0o640)
    os.utime(file, (1, 1))
    done = fmt("x.merula")
    assert (done.exit_code, done.output) == (0, "formatted x.merula\n")
    assert file.read_text(encoding="utf-8") == FINE
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert file.stat().st_mtime > 1
    assert [path.name for path in file.parent.iterdir()] == ["x.merula"]


def test_a_file_that_is_fine_is_not_written(file: Path) -> None:
    file.write_text(FINE, encoding="utf-8")
    os.utime(file, (1, 1))
    done = fmt("x")
    assert (done.exit_code, done.output) == (0, "nothing to change\n")
    assert file.stat().st_mtime == 1


@pytest.mark.parametrize("option", ["--check", "--diff"])
def test_nothing_is_written(file: Path, option: str) -> None:
    done = fmt("x.merula", option)
    assert done.exit_code == (1 if option == "--check" else 0)
    assert file.read_text(encoding="utf-8") == UGLY


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (UGLY.replace("\n", "\r\n"), FINE.replace("\n", "\r\n")),
        (UGLY.replace("\n", "\r\n", 1), FINE.replace("\n", "\r\n")),
        (UGLY + "# a\r\n", FINE + "# a\n"),
        ("\ufeff" + UGLY, "\ufeff" + FINE),
        (UGLY.replace("\n", "\r"), FINE),
        (UGLY.rstrip(), FINE),
    ],
    ids=["CRLF", "first CRLF", "first LF", "byte order mark", "CR", "no last line end"],
)
def test_line_ends_are_those_of_the_first_line(file: Path, before: str, after: str) -> None:
    file.write_bytes(before.encode())
    assert fmt(file).exit_code == 0
    assert file.read_bytes() == after.encode()
    assert fmt(file, "--check").exit_code == 0


def test_what_a_link_points_to_is_written(file: Path) -> None:
    link = file.with_name("link.merula")
    link.symlink_to("x.merula")
    assert fmt(link).exit_code == 0
    assert link.is_symlink()
    assert file.read_text(encoding="utf-8") == FINE


@pytest.mark.parametrize("failing", ["replace", "fsync"])
def test_a_file_that_cannot_be_written_stays(
    file: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, failing, refuse)
    done = fmt("x.merula")
    assert done.exit_code == 1
    assert "error[M620]: x.merula cannot be written: No space left on device" in done.output
    assert "formatted" not in done.output
    assert file.read_text(encoding="utf-8") == UGLY
    assert [path.name for path in file.parent.iterdir()] == ["x.merula"]


def test_a_read_only_file_stays(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may do all
    done = fmt("x.merula")
    assert done.exit_code == 1
    assert "error[M620]: x.merula cannot be written: it is read-only" in done.output
    assert file.read_text(encoding="utf-8") == UGLY


def test_a_file_that_was_changed_in_the_meantime_stays(file: Path) -> None:
    report = Report()
    done = reformat("x.merula", report)
    assert done is not None
    file.write_text("phenomenon  y\n", encoding="utf-8")
    assert not done.write(report)
    assert [problem.code for problem in report.items] == ["M620"]
    assert file.read_text(encoding="utf-8") == "phenomenon  y\n"


def test_a_faulty_file_stays_and_others_are_written(file: Path) -> None:
    bad = file.with_name("bad.merula")
    bad.write_text(FAULTY, encoding="utf-8")
    done = fmt("bad.merula", "x.merula")
    assert done.exit_code == 1
    assert "bad.merula:3:5" in done.output
    assert "formatted x.merula\n1 of 2 files changed\n" in done.output
    assert (bad.read_text(encoding="utf-8"), file.read_text(encoding="utf-8")) == (FAULTY, FINE)


def test_a_folder_stands_for_the_grammars_below_it(file: Path) -> None:
    for name in ("b/y.merula", "b/c/z.merula", ".venv/h.merula", "b/table.csv"):
        path = file.parent / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(UGLY, encoding="utf-8")
    (file.parent / "b" / "loop").symlink_to(file.parent)
    (file.parent / "x2.merula").symlink_to("x.merula")
    done = fmt(".", "b", "x.merula", "--check")
    assert done.output.splitlines() == [
        "would format x.merula",
        "would format b/y.merula",
        "would format b/c/z.merula",
        "3 of 3 files would change",
    ]


def test_a_folder_that_cannot_be_read_is_named(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scandir = os.scandir

    def refuse(path: str) -> object:
        if path.endswith("secret"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    (file.parent / "secret").mkdir()
    monkeypatch.setattr(os, "scandir", refuse)
    done = fmt("secret", ".")
    assert done.exit_code == 1
    assert done.stdout == "formatted x.merula\n"
    assert re.findall(r"error\[(\w+)\]: (.*)", done.stderr) == [
        ("M624", "the folder ./secret cannot be read: Permission denied"),
        ("M624", "the folder secret cannot be read: Permission denied"),
    ]


def test_a_layout_that_means_something_else_is_refused(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "SPELLINGS", {"COLON": ","})
    done = fmt("x.merula")
    assert done.exit_code == 1
    assert "error[M621]" in done.output
    assert file.read_text(encoding="utf-8") == UGLY


def test_standard_input_goes_to_standard_output() -> None:
    crlf = UGLY.replace("\n", "\r\n").encode()
    assert fmt("-", given=crlf).stdout_bytes == FINE.replace("\n", "\r\n").encode()
    assert fmt("-", given=b"").stdout_bytes == b""
    assert fmt("-", "--check", given=FINE.encode()).exit_code == 0
    done = fmt("-", "--check", given=UGLY.encode())
    assert (done.exit_code, done.stdout) == (1, "would format <stdin>\n")
    for faulty in (FAULTY.encode(), b"phenomenon \xe9"):
        done = fmt("-", given=faulty)
        assert (done.exit_code, done.stdout) == (1, "")
        assert "<stdin>" in done.stderr
    assert fmt("-", "-", given=b"").exit_code == 2


def test_a_diff_says_where_the_last_line_does_not_end() -> None:
    done = fmt("-", "--diff", given=b"phenomenon x")
    assert done.output.splitlines()[3:] == [
        "-phenomenon x",
        "\\ No newline at end of file",
        "+phenomenon x",
    ]
