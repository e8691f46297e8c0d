"""Published data made again: BLM-AgrF type I, main clauses, from its own seed table.

The published data set is not part of the project; without it these tests are skipped.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

import merula
from merula.compiler.compile import compile_source
from merula.core.source import Source
from merula.lexicon.table import TableOptions
from published_blm import AS_PUBLISHED, BLM, ROOT, needs_published


def normal(text: str) -> str:
    """Lower case, straight apostrophes without spaces, single spaces, no space at the stop."""
    text = re.sub(r"\s*['’]\s*", "'", text.lower())
    return " ".join(text.split()).replace(" .", ".")


@pytest.fixture(scope="module")
def published() -> list[list[str]]:
    with (BLM / "agrF_type_I_main.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]


@pytest.fixture(scope="module")
def grammar(tmp_path_factory: pytest.TempPathFactory) -> merula.Grammar:
    folder = tmp_path_factory.mktemp("published")
    path = folder / "agreement_published.merula"
    path.write_text(AS_PUBLISHED, encoding="utf-8")
    options = TableOptions(files={"": str(BLM / "fragments_FR.csv")})
    return merula.load(path, tables=options)


@needs_published
def test_counts_are_those_of_the_paper(grammar: merula.Grammar) -> None:
    design = grammar["published"]
    assert design.count() == 2304
    assert design.by_frame() == {"main": 768, "completive": 768, "relative": 768}
    assert [p.render() for p in grammar.problems] == []


@needs_published
def test_every_published_instance_is_made_again(
    grammar: merula.Grammar, published: list[list[str]]
) -> None:
    made: dict[tuple[str, ...], dict[str, str]] = {}
    for i in range(grammar.count()):
        instance = grammar["published"][i]
        if instance.frame == "main":
            context = tuple(normal(s.text) for s in instance.context)
            answers = {s.label.replace("Correct", "True"): normal(s.text) for s in instance.answers}
            assert context not in made
            made[context] = answers
    wanted = {
        tuple(normal(s) for s in row[1:8]): dict(
            zip(row[20:26], (normal(s) for s in row[8:14]), strict=True)
        )
        for row in published
    }
    assert len(published) == len(wanted) == len(made) == 768
    assert made == wanted


@needs_published
def test_our_own_design_takes_the_table(tmp_path: Path) -> None:
    """The packaged grammar, with the published table and the two numbers that this has not.

    The subjects of its prefixes and relative clauses are told from the forms.
    """
    path = ROOT / "grammars" / "blm" / "agreement_fr.merula"
    head, *lines = (BLM / "fragments_FR.csv").read_text(encoding="utf-8").splitlines()
    names = head.split(";")
    plural = re.compile(r"^(que |dont )?(les|mes) ", re.IGNORECASE)
    table = [f"{head};prefix.number;rc.number"]
    for line in lines:
        row = dict(zip(names, line.split(";"), strict=True))
        numbers = ("pl" if plural.match(row[name]) else "sg" for name in ("Prefix1", "ROC"))
        table.append(";".join((line, *numbers)))
    extended = tmp_path / "fragments.csv"
    extended.write_text("\n".join(table), encoding="utf-8")
    columns = dict(re.findall(r'^  ([\w.]+) *= "(.*)"$', AS_PUBLISHED, re.MULTILINE))
    options = TableOptions({"": str(extended)}, ";", None, columns)
    source = Source(path.name, path.read_text(encoding="utf-8"), path)
    compiled = compile_source(source, options)
    assert [p.render() for p in compiled.problems] == []
    for name in ("six", "eight", "balanced"):
        assert compiled.designs[name].count == 2304
