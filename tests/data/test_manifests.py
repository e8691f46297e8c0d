"""Manifests on the disk: the three layouts, read back as what was written, or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from merula.core.diagnostics import MerulaError
from merula.core.records import left_record, read_as
from merula.data.features import ClassNames, Fields, Items, Value
from merula.data.manifests import publication as p
from merula.data.manifests import run as r
from merula.data.manifests import suite as s
from merula.data.manifests.read import manifest_in, read_manifest

DIGEST = "0f" * 32
RUN = r.RunManifest(
    merula="1.0",
    schema=1,
    order=1,
    format="jsonl",
    seed=-3,
    variation="I",
    answers="one",
    spans=False,
    columns=["sentence"],
    part=100,
    designs=[
        r.DesignRecord("keys", "six", "paradigm", "en", 5, 20, str(10**30), 64, "ab", "cd", DIGEST)
    ],
    files=[
        r.PartRecord("a.jsonl", "keys", "six", 0, 3, 12, 900, DIGEST, DIGEST),
        r.PartRecord("b.jsonl", "keys", "six", 3, 2, 8, 600, DIGEST),
    ],
)
SUITE = s.SuiteManifest(
    suite="npi",
    about="",
    merula="1.0",
    recipe=DIGEST,
    options={"seed": -1, "split": {"train": 8, "test": 2}},
    designs=(
        s.ParadigmRecord(
            part="one",
            design="six",
            grammar="npi/x",
            grammar_digest="ab",
            lexicon_digest="cd",
            language="en",
            paradigms=4,
            sentences=16,
            of=str(10**30),
            splits={"train": 3, "test": 1},
            orders={},
            word_types=9,
            largest=s.Largest("dog", "subj", 2, 0.5),
        ),
    ),
    matrices=(
        s.MatrixRecord(
            part="two",
            design="four",
            grammar="blm/x",
            grammar_digest="ab",
            lexicon_digest="cd",
            language="",
            set="four",
            type="I",
            matrices=("four", "more"),
            instances=2,
            of="2",
            splits={},
            units={"train": 1},
            answers={"shares": [0.5, {"any": None}]},
        ),
    ),
    word_types=9,
    files=(
        s.FileRecord("a.tsv", 16, 700, sha256=DIGEST),
        s.FileRecord("b.parquet", 2, 80, digest=DIGEST),
    ),
)
FEATURES = Fields(
    (
        ("instance", Value("int64")),
        ("address", Value("string")),
        ("sentence", Value("string")),
        ("label", ClassNames(("unacceptable", "acceptable"))),
        ("broken", Items(Value("string"))),
    )
)
PART = p.PartEntry("keys/test.parquet", "six", 0, 2, 8, 60, 90, DIGEST, DIGEST)
CONFIG = p.ConfigEntry(
    name="keys-six",
    phenomenon="keys",
    design="six",
    designs=["six"],
    about="",
    kind="paradigm",
    language="en",
    variation="",
    answers="",
    instances=2,
    of=str(10**30),
    cells=4,
    block=64,
    features=FEATURES.to_json(),
    splits=[p.SplitEntry("test", 2, 8, [PART])],
)
PUBLICATION = p.Publication(
    publication=p.VERSION,
    name="keys",
    title="Keys",
    licence="cc0-1.0",
    authors=["A"],
    citation="",
    date="2026-11-30",
    merula="1.0",
    schema=1,
    order=1,
    seed=-7,
    split="test",
    command="merula publish",
    default="keys-six",
    grammars=[p.GrammarEntry("keys", "", "en", "x", "", "ab", "cd", {"encoding": None})],
    configs=[CONFIG],
    others=[p.FileEntry("README.md", 10, DIGEST)],
    suite=p.SuiteEntry(
        "x", "", "x", "", [], 0.25, ["main"], DIGEST, None, 0, "test", ["I"], "sets"
    ),
)
AnyManifest: TypeAlias = r.RunManifest | s.SuiteManifest | p.Publication
MANIFESTS: list[tuple[str, AnyManifest]] = [
    (r.MANIFEST, RUN),
    (r.MANIFEST, SUITE),
    (p.PUBLICATION, PUBLICATION),
]
each_kind = pytest.mark.parametrize(
    ("file", "manifest"), MANIFESTS, ids=["run", "suite", "publication"]
)


def write(folder: Path, file: str, value: Any) -> None:
    (folder / file).write_text(json.dumps(value), encoding="utf-8")


def fault(folder: Path, place: str = "cannot be understood") -> str:
    """What is wrong with the manifest of a folder, without its path."""
    with pytest.raises(MerulaError) as error:
        manifest_in(folder)
    (problem,) = error.value.problems
    assert problem.code == "M618"
    assert place in problem.message
    return problem.message.partition(f"{place}: ")[2]


@each_kind
def test_what_is_written_is_read_back(tmp_path: Path, file: str, manifest: AnyManifest) -> None:
    write(tmp_path, file, manifest.to_json())
    again = manifest_in(tmp_path)
    assert type(again) is type(manifest)
    assert again == manifest
    if file == r.MANIFEST:
        assert read_manifest(tmp_path / file) == manifest


@pytest.mark.parametrize(
    "unfinished", [replace(RUN, files=[], columns=None), replace(SUITE, files=())]
)
def test_a_manifest_may_have_no_files_yet(tmp_path: Path, unfinished: AnyManifest) -> None:
    write(tmp_path, r.MANIFEST, unfinished.to_json())
    assert manifest_in(tmp_path) == unfinished


def test_no_digest_of_a_file_is_left_out_of_its_record() -> None:
    first, second = RUN.to_json()["files"]
    assert "sha256" in first
    assert "sha256" not in second
    first, second = SUITE.to_json()["files"]
    assert ("sha256" in first, "digest" in first) == (True, False)
    assert ("sha256" in second, "digest" in second) == (False, True)


def test_a_folder_without_a_manifest_has_none(tmp_path: Path) -> None:
    assert manifest_in(tmp_path) is None
    write(tmp_path, "other.json", RUN.to_json())
    assert manifest_in(tmp_path) is None


def test_a_publication_goes_before_what_else_is_in_its_folder(tmp_path: Path) -> None:
    for file, manifest in MANIFESTS:
        write(tmp_path, file, manifest.to_json())
    assert manifest_in(tmp_path) == PUBLICATION


@each_kind
def test_a_field_too_many_or_missing(tmp_path: Path, file: str, manifest: AnyManifest) -> None:
    value = manifest.to_json()
    write(tmp_path, file, {**value, "more": 1})
    assert fault(tmp_path) == "`more` is unknown"
    write(tmp_path, file, {name: item for name, item in value.items() if name != "merula"})
    assert fault(tmp_path) == "`merula` is missing"
    write(tmp_path, file, [value])
    assert fault(tmp_path) == "it is not an object"
    (tmp_path / file).write_text("{", encoding="utf-8")
    assert fault(tmp_path) == "it is not JSON"
    (tmp_path / file).write_bytes(b'"\xff"')
    assert "utf-8" in fault(tmp_path)


@each_kind
def test_a_field_of_another_type(tmp_path: Path, file: str, manifest: AnyManifest) -> None:
    """At the top, in a record and in a list of records."""
    inner, name = {
        "RunManifest": ("files", "first"),
        "SuiteManifest": ("designs", "paradigms"),
        "Publication": ("others", "bytes"),
    }[type(manifest).__name__]
    for new in ("1", None, True, 1.0, -1, [1], {"a": 1}):
        changed = json.loads(json.dumps(manifest.to_json()))
        changed[inner][0][name] = new
        write(tmp_path, file, changed)
        assert fault(tmp_path) == f"`{name}` is {new!r}"
    others: tuple[object, ...] = (3, {"a": []}, "x", None)
    for other in others:
        write(tmp_path, file, {**manifest.to_json(), inner: other})
        assert fault(tmp_path) == f"`{inner}` is {other!r}"
    changed = json.loads(json.dumps(manifest.to_json()))
    changed[inner][0]["more"] = 1
    write(tmp_path, file, changed)
    assert fault(tmp_path) == "`more` is unknown"
    changed[inner][0] = [1]
    write(tmp_path, file, changed)
    assert fault(tmp_path) == "it is not an object"


def test_a_publication_of_another_version_is_not_understood(tmp_path: Path) -> None:
    write(tmp_path, p.PUBLICATION, {**PUBLICATION.to_json(), "publication": p.VERSION + 1})
    assert fault(tmp_path) == "it is of another version of Merula"


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        (replace(CONFIG, instances=3), "its instances and rows do not add up"),
        (replace(CONFIG, kind="pairs"), "`kind` is 'pairs'"),
        (replace(CONFIG, designs=["other"]), "a file holds a design that is not its own"),
        (replace(CONFIG, cells=0), "an instance has no sentences"),
    ],
)
def test_a_publication_that_does_not_add_up_is_not_believed(
    tmp_path: Path, changed: p.ConfigEntry, what: str
) -> None:
    write(tmp_path, p.PUBLICATION, replace(PUBLICATION, configs=[changed]).to_json())
    assert fault(tmp_path) == f"keys-six: {what}"


def test_the_digest_of_a_design_is_the_sum_of_its_files() -> None:
    one, other = RUN.files
    files = [replace(one, digest="f" * 64), replace(other, digest="0" * 63 + "3")]
    elsewhere = replace(other, design="other", digest="0" * 63 + "9")
    (design,) = RUN.done([*files, elsewhere]).designs
    assert design.digest == "0" * 63 + "2"  # modulo 2 ** 256
    assert RUN.done(files).files == files


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"seed": 1_000}, ["seed: 1,000 there, -3 asked for"]),
        ({"spans": True}, ["spans: yes there, no asked for"]),
        ({"columns": None}, ["columns: all there, sentence asked for"]),
        ({"part": 5}, ["sentences in a file: 5 there, 100 asked for"]),
        ({"files": []}, []),
        ({"designs": []}, ["keys-six is asked for and not there"]),
        (
            {"designs": [replace(RUN.designs[0], lexicon="x", instances=9, digest="")]},
            [
                "keys-six: the tables or the surface rules have changed",
                "keys-six: 9 instances there, 5 asked for",
            ],
        ),
        (
            {"designs": [*RUN.designs, replace(RUN.designs[0], design="four")]},
            ["keys-four is there and not asked for"],
        ),
    ],
)
def test_runs_differ_in_words(changed: Mapping[str, Any], what: list[str]) -> None:
    assert list(RUN.differences(replace(RUN, **changed))) == what


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"merula": "0.9"}, ["merula: 0.9 there, 1.0 now"]),
        ({"recipe": "x"}, ["the recipe has changed"]),
        (
            {"options": {"seed": 5, "split": {"train": 9, "test": 1}}},
            ["seed: 5 there, -1 asked for", "split: 9:1 there, 8:2 asked for"],
        ),
        (
            {"matrices": (replace(SUITE.matrices[0], grammar_digest="x"),)},
            ["changed since then: the grammar of two"],
        ),
        ({"files": (), "word_types": 1}, []),
    ],
)
def test_suites_differ_in_words(changed: Mapping[str, Any], what: list[str]) -> None:
    assert list(SUITE.differences(replace(SUITE, **changed))) == what


# --- records -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Leaf:
    """A record inside another one."""

    name: str
    digest: str = ""


@dataclass(frozen=True)
class Tree:
    """All that a field can be."""

    pair: tuple[int, ...]
    names: list[str]
    leaves: tuple[Leaf, ...]
    by_name: Mapping[str, Leaf]
    shares: Mapping[str, float]
    anything: Any
    leaf: Leaf | None = None
    seed: int = 0
    block: int = 1


TREE = {
    "pair": [1, 2],
    "names": [],
    "leaves": [{"name": "a"}, {"name": "b", "digest": DIGEST}],
    "by_name": {"x": {"name": "c"}},
    "shares": {"a": 1, "b": 0.5},
    "anything": [{"a": None}],
}


def test_lists_mappings_and_records_are_what_their_fields_say() -> None:
    tree = read_as(Tree, TREE)
    assert tree == Tree(
        (1, 2),
        [],
        (Leaf("a"), Leaf("b", DIGEST)),
        {"x": Leaf("c")},
        {"a": 1.0, "b": 0.5},
        [{"a": None}],
    )
    assert type(tree.pair) is tuple
    assert type(tree.names) is list
    assert type(tree.shares["a"]) is float
    assert read_as(Tree, {**TREE, "leaf": None}).leaf is None
    assert read_as(Tree, {**TREE, "leaf": {"name": "d"}, "seed": -5}).leaf == Leaf("d")


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("pair", [1, "2"], "`pair` is '2'"),
        ("pair", {"1": 2}, "`pair` is {'1': 2}"),
        ("pair", [1, -2], "`pair` is -2"),
        ("leaves", [{"name": 1}], "`name` is 1"),
        ("leaves", [{"name": "a", "digest": "xyz"}], "`digest` is 'xyz'"),
        ("leaves", [{"name": "a", "digest": "ab"}], "`digest` is 'ab'"),
        ("by_name", [{"name": "c"}], "`by_name` is [{'name': 'c'}]"),
        ("by_name", {"x": {}}, "`name` is missing"),
        ("shares", {"a": "1"}, "`a` is '1'"),
        ("shares", {"a": True}, "`a` is True"),
        ("names", None, "`names` is None"),
        ("block", 0, "`block` is 0"),
        ("seed", True, "`seed` is True"),
    ],
)
def test_what_does_not_fit_is_named(name: str, value: Any, said: str) -> None:
    with pytest.raises(ValueError, match="`") as error:
        read_as(Tree, {**TREE, name: value})
    assert str(error.value) == said


def test_what_an_interrupted_run_has_left_is_whole_or_none(tmp_path: Path) -> None:
    path = tmp_path / "leaf.json"
    assert left_record(Leaf, path) is None
    path.write_text('{"name": "a"}')
    assert left_record(Leaf, path) == Leaf("a")
    for text in ('{"name": "a"', '{"name": 1}', "[]", ""):
        path.write_text(text)
        assert left_record(Leaf, path) is None
