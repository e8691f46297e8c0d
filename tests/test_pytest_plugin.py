"""The pytest plug-in: tests over instances, run by pytest inside pytest."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import merula
import merula.show.terminal
from keys import KEYS, TABLE
from merula.cli import main
from merula.query.cases import Case, TooMany, cases_of
from merula.query.occurrences import Occurrence, Pair
from merula.testing import merula_cases

IMPORTS = "import merula, pytest\nfrom merula.testing import merula_cases\n"


def saved(path: Path, text: str = KEYS) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.with_name("keys.csv").write_text(TABLE, encoding="utf-8")
    return path


@pytest.fixture
def inner(pytester: pytest.Pytester) -> pytest.Pytester:
    """Pytest in a folder with a grammar of six instances."""
    saved(pytester.path / "keys.merula")
    return pytester


@pytest.fixture(scope="module")
def only() -> merula.Grammar:
    return merula.load("npi/only")


def run(inner: pytest.Pytester, test: str, *args: str) -> pytest.RunResult:
    inner.makepyfile(test_it=IMPORTS + test)
    return inner.runpytest("-p", "no:cacheprovider", *args)


def ids(result: pytest.RunResult) -> list[str]:
    """What stands in brackets of the tests that --collect-only lists, or -rA at the end."""
    line = r"^(?:[A-Z]+ )?test_it\.py::[\w:]+\[([^ \n]+)\](?: - .*)?$"
    return re.findall(line, str(result.stdout), re.M)


def addresses(data: merula.Data) -> list[str]:
    return list(dict.fromkeys(data.to_table()["address"].to_pylist()))


def cases(grammar: str | merula.Grammar, **options: Any) -> list[Case]:
    (wanted,) = merula_cases(grammar, **options).args
    return cases_of(wanted, merula.load(grammar) if isinstance(grammar, str) else grammar)


# --- the plug-in ---------------------------------------------------------------------------------


def test_pytest_finds_it() -> None:
    (entry,) = entry_points(group="pytest11", name="merula")
    assert entry.value == "merula.pytest_plugin"


def test_runs_that_have_no_use_for_it_load_nothing() -> None:
    program = (
        "import pytest, sys; before = set(sys.modules); import merula.pytest_plugin;"
        "print(*sorted(set(sys.modules) - before))"
    )
    assert python(program).split() == ["merula", "merula.pytest_plugin"]


def test_hypothesis_need_not_be_there() -> None:
    program = (
        "import sys; sys.modules['hypothesis'] = None; import merula.query.cases; print('fine')"
    )
    assert python(program) == "fine\n"


def python(program: str) -> str:
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


# --- which cases there are -----------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 7])
def test_cases_are_the_first_rows_of_the_data(only: merula.Grammar, seed: int) -> None:
    found = cases(only, n=20, seed=seed, of="sentences")
    whole = cases(only, n=20, seed=seed)
    for name, design in only.items():
        data = design.generate(20, seed=seed)
        assert [str(case.address) for case in whole if case.design.name == name] == addresses(data)
        texts = [texts_of(case)[0] for case in found if case.design.name == name]
        assert texts == data.to_table()["sentence"].to_pylist()


def texts_of(case: Case) -> list[str]:
    """The sentences that a case is about."""
    value = case.value()
    if isinstance(value, Pair):
        return [value.good.text, value.bad.text]
    if isinstance(value, Occurrence):
        return [value.text]
    return [cell.text for cell in value.cells]


CHOICES: dict[str, list[Any]] = {
    "frame": ["after", "before", ("after", "before")],
    "N1.number": ["sg", "pl"],
    "H1.tense": ["prs", "past", ("prs", "past")],
    "N1.band": ["4", ("3", "5")],
}
CELLS: dict[str, list[Any]] = {"licensor": ["yes", "no"], "any": ["yes", "no"]}


@settings(max_examples=15)
@given(
    where=st.fixed_dictionaries({}, optional={k: st.sampled_from(v) for k, v in CHOICES.items()}),
    cell=st.fixed_dictionaries({}, optional={k: st.sampled_from(v) for k, v in CELLS.items()}),
    kind=st.sampled_from(["instances", "pairs", "sentences"]),
    n=st.integers(1, 8),
    seed=st.integers(0, 5),
)
def test_cases_have_what_is_asked_for(
    only: merula.Grammar, where: dict[str, Any], cell: dict[str, Any], kind: str, n: int, seed: int
) -> None:
    asked = where | (cell if kind == "sentences" else {})
    found = cases(only, n=n, seed=seed, design="any", where=asked, of=kind)
    assert len({case.id for case in found}) == len(found)
    of_address = {case.address: only["any"][case.address] for case in found}
    assert len(of_address) == n
    for case in found:
        instance = of_address[case.address]
        assert instance.frame in where.get("frame", instance.frame)
        for name in ("N1.number", "H1.tense"):
            assert instance.choices[name] in where.get(name, instance.choices[name])
        cells = [instance.cells[place] for place in case.places] or instance.cells
        assert texts_of(case) == [cell.text for cell in cells]
        if kind == "pairs":
            assert [cell.acceptable for cell in cells] == [True, False]
        elif kind == "sentences":
            assert cell.items() <= dict(cells[0].factors).items()


def test_a_part_knows_its_instance(only: merula.Grammar) -> None:
    for case in [*cases(only, n=2, of="pairs"), *cases(only, n=2, of="sentences")]:
        value = case.value()
        assert isinstance(value, Pair | Occurrence)
        assert (value.design, value.address) == (case.design.name, case.address)
        assert value.instance == only[case.design.name][case.address]


def test_fewer_than_are_asked_for_are_all() -> None:
    grammar = merula.compile(KEYS, tables={"keys.csv": TABLE})
    for n in (100, None):
        assert {case.address for case in cases(grammar, n=n)} == set(range(6))
        for asked, left in (({"subj.number": "pl"}, {3, 4, 5}), ({"set": "letter"}, {1, 4})):
            assert {case.address for case in cases(grammar, n=n, where=asked)} == left


def test_pairs_and_sentences_are_chosen(only: merula.Grammar) -> None:
    pairs = [case.value() for case in cases(only, n=3, of="pairs", contrast="licensor")]
    assert {pair.contrast for pair in pairs if isinstance(pair, Pair)} == {"licensor"}
    bad = [case.value() for case in cases("blm/agreement_fr", of="sentences", acceptable=False)]
    assert not any(value.acceptable for value in bad if isinstance(value, Occurrence))
    assert {value.label for value in bad if isinstance(value, Occurrence)} >= {"AE", "AE+WN1"}


def test_designs_that_have_nothing_of_it_are_passed_over(only: merula.Grammar) -> None:
    assert {c.design.name for c in cases(only, n=2, of="pairs", contrast="any")} == {"any"}


def test_too_many_are_refused(only: merula.Grammar) -> None:
    for options in ({"n": None}, {"n": 20_000, "of": "sentences"}):
        with pytest.raises(TooMany, match=r"n=.+ cases or more"):
            cases(only, **options)


# --- what they are called ------------------------------------------------------------------------


def test_ids_are_readable(inner: pytest.Pytester) -> None:
    test = "@merula_cases('keys', n=2, of='pairs', contrast='verb.number')\ndef test_a(case): pass"
    assert ids(run(inner, test, "--collect-only", "-q")) == [
        "attraction-1-clause-subj.number:sg-verb.number-sg_sg-sg_pl",
        "attraction-1-clause-subj.number:sg-verb.number-pl_sg-pl_pl",
        "attraction-3-clause-subj.number:pl-verb.number-sg_pl-sg_sg",
        "attraction-3-clause-subj.number:pl-verb.number-pl_pl-pl_sg",
    ]


def test_ids_choose_tests(inner: pytest.Pytester) -> None:
    test = "@merula_cases('keys')\ndef test_a(case): assert case.address == 4"
    name = "attraction-4-clause-subj.number:pl"
    for args in (("-k", "attraction-4"), ("-k", name), (f"test_it.py::test_a[{name}]",)):
        run(inner, test, *args).assert_outcomes(passed=1, deselected=5 * (args[0] == "-k"))
    run(inner, test, "-k", "subj.number:pl").assert_outcomes(passed=1, failed=2, deselected=3)


def test_names_in_other_letters_are_escaped(inner: pytest.Pytester) -> None:
    saved(inner.path / "clés.merula", KEYS.replace("attraction", "accordé"))
    found = ids(run(inner, "@merula_cases('clés')\ndef test_a(case): pass", "-rA"))
    assert r"accord\xe9-4-clause-subj.number:pl" in found


# --- failures ------------------------------------------------------------------------------------

FAILURES = """
ONE = merula_cases("keys", where={"set": "letter", "subj.number": "sg"})

@ONE
def test_assertion(case):
    assert 0

@ONE
def test_exception(case):
    1 / 0

@ONE
def test_fail(case):
    pytest.fail("x")

@ONE
def test_fail_without_traceback(case):
    pytest.fail("x", pytrace=False)

@pytest.mark.xfail(strict=True)
@ONE
def test_strict_xfail(case):
    pass

@pytest.fixture
def score(case):
    return len(case.no_such_thing)

@ONE
def test_fixture(score):
    pass

@pytest.fixture
def after():
    yield
    assert 0

@ONE
def test_teardown(case, after):
    pass

@ONE
class TestA:
    def test_method(self, case):
        assert 0

@pytest.mark.merula_cases("keys", where={"set": "letter", "subj.number": "sg"})
def test_mark(case):
    assert 0

@merula_cases("keys", where={"set": "letter", "subj.number": "sg"}, name="other")
def test_name(other):
    assert 0
"""


def test_a_failure_shows_its_paradigm_and_what_remakes_it(inner: pytest.Pytester) -> None:
    inner.makepyfile(test_it=IMPORTS + FAILURES)
    reports = inner.inline_run().getreports("pytest_runtest_logreport")
    failed = [report for report in reports if report.failed]
    assert len(failed) == FAILURES.count("def test_")
    told = [
        str(merula.load("keys")["attraction"][1]),
        "",
        'merula.load("keys.merula")["attraction"][1]',
        "merula show keys.merula -d attraction -i 1",
    ]
    for report in failed:
        text = dict(report.sections).get("merula", report.longreprtext)
        assert "\n".join(told) in text, report.nodeid


def test_what_remakes_an_instance_does(only: merula.Grammar, tmp_path: Path) -> None:
    file = saved(tmp_path / "Ma thèse" / 'it\'s "one".merula')
    for grammar in (only, merula.load(file)):
        for case in cases(grammar, n=1)[:1]:
            line, command = case.remade(Path("elsewhere"))
            again = eval(line, {"merula": merula})
            assert again == case.value()
            words = shlex.split(command)
            assert words[0] == "merula"
            shown = CliRunner().invoke(main, words[1:], env={"COLUMNS": "300"})
            lines = [line.rstrip() for line in shown.output.rstrip().split("\n")]
            assert "\n".join(lines) == str(again)


def test_all_cases_of_a_test_are_told(inner: pytest.Pytester) -> None:
    where = "where={'set': 'letter', 'subj.number': '%s'}"
    test = (
        f"@merula_cases('keys', {where % 'sg'})\n@merula_cases('keys', {where % 'pl'}, name='b')\n"
        "def test_a(case, b): assert 0"
    )
    output = str(run(inner, test).stdout)
    assert {*re.findall(r"^merula\.load.*\[(\d)\]$", output, re.M)} == {"1", "4"}


@pytest.mark.parametrize(
    ("grammar", "design", "kind"),
    [
        ("npi/only", "any", "pairs"),
        ("npi/only", "ever", "sentences"),
        ("blm/agreement_fr", "six", "sentences"),
    ],
)
def test_the_sentences_in_question_are_marked(grammar: str, design: str, kind: str) -> None:
    for case in cases(grammar, n=1, design=design, of=kind):
        marked = [line[2:] for line in case.drawn().split("\n") if line.startswith("> ")]
        cells = case.design[case.address].cells
        for line, place in zip(marked, sorted(case.places), strict=True):
            cell = cells[place]
            head = str(place + 1) if cell.role == "cell" else cell.label
            assert re.match(rf"{re.escape(head)}\s", line)
            assert letters(cell.text) in letters(line)


def letters(text: str) -> str:
    return re.sub(r"\W", "", text).lower()


def test_nothing_is_told_of_tests_that_do_not_fail(inner: pytest.Pytester) -> None:
    test = (
        "@merula_cases('keys', n=2)\ndef test_a(case): pass\n"
        "@pytest.mark.xfail(strict=True)\n@merula_cases('keys', n=2)\n"
        "def test_b(case): assert 0\n"
        "@merula_cases('keys', n=2)\ndef test_c(case): pytest.skip('no')\n"
    )
    result = run(inner, test, "-rA")
    result.assert_outcomes(passed=2, xfailed=2, skipped=2)
    assert "merula.load" not in str(result.stdout)


def test_the_address_stands_in_a_summary(inner: pytest.Pytester) -> None:
    test = "@merula_cases('keys', where={'set': 'letter'})\ndef test_a(case): assert 0"
    result = run(inner, test, "--tb=no", "-q")
    result.stdout.fnmatch_lines(["FAILED test_it.py::test_a[[]attraction-4-clause-*"])
    assert "merula.load" not in str(result.stdout)
    run(inner, test, "--tb=short", "--show-capture=no").stdout.fnmatch_lines(
        ["merula show keys.merula -d attraction -i 4"]
    )


def test_a_test_that_breaks_drawing_is_reported_all_the_same(inner: pytest.Pytester) -> None:
    test = (
        "import merula.show.drawing\n@merula_cases('keys', n=1)\ndef test_a(case, monkeypatch):\n"
        "    monkeypatch.setattr(merula.show.drawing, 'draw_instance', None)\n    assert 0"
    )
    result = run(inner, test)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["it cannot be drawn here: *", "merula show keys.merula *"])


# --- with the rest of pytest ---------------------------------------------------------------------


def test_it_goes_with_what_pytest_has(inner: pytest.Pytester) -> None:
    test = """
@pytest.fixture
def text(case):
    return case.text

@pytest.mark.parametrize("x", [1, 2])
@merula_cases("keys", n=2, of="sentences")
class TestA:
    def test_one(self, case, x):
        assert case.text in [cell.text for cell in case.instance.cells]
    def test_two(self, text, x, request):
        assert text == request.getfixturevalue("case").text
"""
    run(inner, test).assert_outcomes(passed=32)


def test_failed_ones_come_again(inner: pytest.Pytester) -> None:
    inner.makepyfile(f"{IMPORTS}@merula_cases('keys')\ndef test_a(case): assert case.address != 4")
    inner.runpytest().assert_outcomes(passed=5, failed=1)
    inner.runpytest("--lf").assert_outcomes(failed=1)


def test_given_goes_with_it(inner: pytest.Pytester) -> None:
    test = """
from hypothesis import given, strategies as st
@merula_cases("keys", n=2)
@given(x=st.integers(0, 3))
def test_a(case, x):
    assert case.cells[x].label
"""
    run(inner, test).assert_outcomes(passed=2)


def test_a_seed_takes_the_place_of_all_others(inner: pytest.Pytester) -> None:
    test = "@merula_cases('keys', n=5, seed=3)\ndef test_a(case): pass"
    design = merula.load("keys")["attraction"]
    for args, seed in (((), 3), (("--merula-seed", "7"), 7), (("--merula-seed=0",), 0)):
        result = run(inner, test, "-rA", *args)
        assert [name.split("-")[1] for name in ids(result)] == addresses(
            design.generate(5, seed=seed)
        )
        assert (f"merula: seed {seed}\n" in str(result.stdout)) == bool(args)


def test_sentences_are_made_when_their_test_runs(
    inner: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []
    value = Case.value

    def noted(self: Case) -> object:
        made.append(self.address)
        return value(self)

    monkeypatch.setattr(Case, "value", noted)
    test = "@merula_cases('keys', of='pairs')\ndef test_a(case): pass"
    (first, *others) = ids(run(inner, test, "--collect-only", "-q"))
    assert not made
    run(inner, test, "-k", first).assert_outcomes(passed=1, deselected=len(others))
    assert len(made) == 1


def test_a_grammar_is_read_once(inner: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    load = merula.load

    def noted(path: str) -> merula.Grammar:
        read.append(Path(path).name)
        return load(path)

    monkeypatch.setattr("merula.api.load", noted)
    test = "".join(f"@merula_cases('keys')\ndef test_{i}(case): pass\n" for i in range(3))
    run(inner, test).assert_outcomes(passed=18)
    assert read == ["keys.merula"]


def test_it_works_in_several_processes(inner: pytest.Pytester) -> None:
    test = "@merula_cases('keys', of='sentences')\ndef test_a(case): assert case.acceptable"
    inner.makepyfile(test_it=IMPORTS + test)
    result = inner.runpytest_subprocess("-n", "2", "--merula-seed=5", "--junit-xml=report.xml")
    result.assert_outcomes(passed=12, failed=12)
    result.stdout.fnmatch_lines(["merula: seed 5", "> 2   sg            pl *"])
    told = [failure.text or "" for failure in ElementTree.parse("report.xml").iter("failure")]
    assert len(told) == 12
    for text in told:
        assert re.search(r'merula\.load\("keys\.merula"\)\["attraction"\]\[\d\]', text)
        assert "(one of the tests of --merula-seed 5)" in text


# --- grammars ------------------------------------------------------------------------------------


def test_files_are_looked_for_beside_the_test_then_in_the_root(
    inner: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = inner.path
    tests = saved(root / "tests" / "own.merula").parent
    (root / "own.merula").write_text("not this one")
    (tests / "test_it.py").write_text(
        f"{IMPORTS}@merula_cases('keys.merula', n=1, name='a')\n"
        "@merula_cases('own', n=1, name='b')\n"
        "@merula_cases('npi/only', n=1, design='any', name='c')\ndef test_a(a, b, c): assert 0"
    )
    for folder, names in (
        (root, {"keys.merula", "tests/own.merula", "npi/only"}),
        (tests, {str(root / "keys.merula"), "own.merula", "npi/only"}),
    ):
        monkeypatch.chdir(folder)
        result = inner.runpytest("-p", "no:cacheprovider", f"--rootdir={root}", str(tests))
        found = re.findall(r'^merula\.load\("(.+)"\)', str(result.stdout), re.M)
        assert {*found} == names


def test_a_grammar_may_be_handed_over(tmp_path: Path) -> None:
    path = saved(tmp_path / "sub" / "keys.merula")
    (tmp_path / "more.csv").write_text(TABLE.replace("the key,", "the door,"), encoding="utf-8")
    tables = merula.TableOptions(files={"": str(tmp_path / "more.csv")})
    where = {"set": "letter", "subj.number": "sg"}
    for grammar, line in (
        (merula.load(path), 'merula.load("sub/keys.merula")["attraction"][1]'),
        (merula.load(path, tables=tables), 'grammar["attraction"][1]'),
        (merula.compile(KEYS, tables={"keys.csv": TABLE}), 'grammar["attraction"][1]'),
    ):
        (case,) = cases(grammar, where=where)
        assert case.remade(tmp_path)[0] == line


def test_a_file_that_has_changed_since_is_not_named(tmp_path: Path) -> None:
    for change in ("phenomenon", KEYS.replace("varying", "×")):
        path = saved(tmp_path / "keys.merula")
        (case, *_) = cases(merula.load(path))
        path.write_text(change, encoding="utf-8")
        assert case.remade(tmp_path) == [f'grammar["attraction"][{case.address}]']


FAULTS = {
    "no such grammar": ("'npi/onyl'", "M601", "did you mean npi/only"),
    "nowhere": ("'sub/keys.merula'", "M601", "neither beside the test nor in"),
    "a faulty grammar": ("'faulty'", "M103", "verb.nmber"),
    "no table": ("'bare'", "M607", "no lexicon is named"),
    "no design": ("'empty'", "M607", "no paradigm"),
    "another design": ("'keys', design='attractoin'", "M610", "did you mean attraction"),
    "an unknown name": ("'keys', where={'subj.nubmer': 'sg'}", "M750", "did you mean subj.number"),
    "nothing left": ("'keys', where={'subj.number': 'dual'}", "M751", "it is pl or sg"),
    "nothing asked": ("'keys', where={'subj.number': ()}", "where=", "names no value"),
    "a cell": ("'keys', where={'attr.number': 'sg'}", "M751", 'of="sentences"'),
    "no such pair": ("'keys', of='pairs', contrast='subj'", "M751", "differ in subj"),
    "too many": ("'npi/only', n=None", "n=None", "100,000"),
}


def test_faults_are_told_when_tests_are_collected(inner: pytest.Pytester) -> None:
    saved(inner.path / "faulty.merula", KEYS.replace("verb.number =", "verb.nmber ="))
    saved(inner.path / "bare.merula", KEYS.replace('lexicon sets "keys.csv"\n', ""))
    saved(inner.path / "empty.merula", KEYS.partition("paradigm")[0])
    for number, (arguments, _, _) in enumerate(FAULTS.values()):
        test = f"{IMPORTS}@merula_cases({arguments})\ndef test_a(case): pass"
        Path(f"test_{number}.py").write_text(test)
    reports = inner.inline_run().getreports("pytest_collectreport")
    told = {report.nodeid: report.longreprtext for report in reports if report.failed}
    for number, (_, code, remedy) in enumerate(FAULTS.values()):
        text = told[f"test_{number}.py"]
        assert re.match(rf"(error\[)?{code}", text)
        assert remedy in text
        assert text.endswith(f"\n\nin @merula_cases of test_{number}.py::test_a")


WRONG: dict[str, tuple[Any, dict[str, Any], str]] = {
    "no grammar": (3, {}, "3 is neither a file nor a grammar"),
    "bare": (print, {}, "@merula_cases"),
    "n": ("keys", {"n": 0}, "n=0"),
    "no number": ("keys", {"n": "3"}, "n='3'"),
    "seed": ("keys", {"seed": 0.5}, "seed=0.5"),
    "of": ("keys", {"of": "pair"}, "of='pair'"),
    "contrast": ("keys", {"contrast": "any"}, 'of="pairs"'),
    "acceptable": ("keys", {"acceptable": True, "of": "pairs"}, 'of="sentences"'),
    "design": ("keys", {"design": 3}, "design=3"),
    "where": ("keys", {"where": "subj"}, "where='subj'"),
    "values": ("keys", {"where": {"subj": 3}}, "where={'subj': 3}"),
}


@pytest.mark.parametrize(("grammar", "options", "message"), WRONG.values(), ids=WRONG)
def test_wrong_arguments_are_refused(grammar: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=re.escape(message)):
        merula_cases(grammar, **options)


def test_wrong_marks_are_refused(inner: pytest.Pytester) -> None:
    result = run(inner, "@pytest.mark.merula_cases\ndef test_a(case): pass")
    result.stdout.fnmatch_lines(["*'grammar'*", "in @merula_cases of test_it.py::test_a"])
    result = run(inner, "@merula_cases('keys')\ndef test_a(): pass")
    result.stdout.fnmatch_lines(["*function uses no argument 'case'*"])
