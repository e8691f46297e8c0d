"""ARCHITECTURE.md names the rooms that there are, in the order of the contract."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import defaultdict
from itertools import chain
from pathlib import Path

import merula

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "merula"
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
# Two forms of one thing, before and after names are looked up; a grammar and what Python has of it.
TWINS = (
    {"language/syntax", "grammar/model"},
    {"language/syntax", "lexicon/table"},
    {"api", "grammar/model"},
)
# What the audit reads of anybody's data has its plain name.
READ = ("Sentence", "Pair", "Matrix", "Cell")


def layers() -> list[list[str]]:
    """The floors of the contract, from the top."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        (contract,) = (
            c
            for c in tomllib.load(file)["tool"]["importlinter"]["contracts"]
            if c["type"] == "layers"
        )
    return [[name.strip() for name in floor.split("|")] for floor in contract["layers"]]


def test_the_column_is_the_contract() -> None:
    column = TEXT.split("```text\n")[1].split("```")[0]
    known = set(chain.from_iterable(layers()))
    rooms = [[word for word in line[:30].split() if word in known] for line in column.splitlines()]
    assert [sorted(floor) for floor in rooms] == [sorted(floor) for floor in layers()]


def test_each_room_is_there_and_says_what_it_is_for() -> None:
    for room in chain.from_iterable(layers()):
        path = SOURCE / room / "__init__.py"
        path = path if path.is_file() else SOURCE / f"{room}.py"
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        assert docstring, room


def test_places_are_there() -> None:
    table = TEXT.split("## Where to look")[1].split("## Invariants")[0]
    places = 0
    for line in table.splitlines():
        room = ""
        for name in re.findall(r"`([a-z_]+(?:/[a-z_]+)*(?:\.[a-z]+)?)`", line.partition("|")[2]):
            if name.partition("/")[0] in ("grammars", "lexicons", "templates", "docs", "tests"):
                assert (ROOT / name).exists(), name
                continue
            inside = [SOURCE / name, SOURCE / f"{name}.py"]
            inside += [SOURCE / room / name, SOURCE / room / f"{name}.py"] if room else []
            assert any(path.exists() for path in inside), f"{name} in: {line}"
            room = name.partition("/")[0] if (SOURCE / name.partition("/")[0]).is_dir() else room
            places += 1
    assert places > 40


def test_a_public_class_has_its_name_alone() -> None:
    places: dict[str, set[str]] = defaultdict(set)
    for path in SOURCE.rglob("*.py"):
        module = path.relative_to(SOURCE).with_suffix("").as_posix()
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                if module == "audit/corpus" and node.name in READ:
                    continue
                places[node.name].add(module)
    several = {
        name: modules
        for name, modules in places.items()
        if len(modules) > 1 and modules not in TWINS
    }
    assert not several


def test_the_documented_names_are_there() -> None:
    from merula.audit import audit, read_corpus
    from merula.exports import ratings
    from merula.testing import merula_cases

    for name in merula.__all__:
        assert getattr(merula, name) is not None
    assert all(map(callable, (audit, read_corpus, ratings.merge_ratings, merula_cases)))
