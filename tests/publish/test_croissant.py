"""Croissant: the validator has nothing to say, and reads the rows that were published."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import merula
from merula.data.features import ClassNames
from merula.data.manifests.publication import Publication
from merula.data.opened import Published
from merula.publish.croissant import Ids, croissant
from merula.publish.make import publish
from toy_publication import SPLITS, toy

pytestmark = [
    pytest.mark.skipif(
        find_spec("mlcroissant") is None, reason="mlcroissant validates what is published"
    ),
    # The validator's own: it is deprecated usage in what it builds on.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
DATE = "2026-01-31"


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published folder."""
    made = tmp_path_factory.mktemp("published") / "keys"
    publish(toy(tmp_path_factory.mktemp("grammar"), **SPLITS), made)
    return made


@pytest.fixture(scope="module")
def about(out: Path) -> Publication:
    """What is published, with everything that Croissant recommends."""
    return replace(Published.open(out).about, citation="@misc{keys, title = {Keys}}")


def dataset_at(jsonld: Path | dict[str, Any]) -> Any:
    """The data set that a file or a value describes.

    The validator is imported here: it takes a second and 100 MB, which other tests do without.
    """
    import mlcroissant

    return mlcroissant.Dataset(jsonld=jsonld)


def dataset(value: dict[str, Any]) -> Any:
    return dataset_at(json.loads(json.dumps(value)))


def plain(value: Any) -> Any:
    """What a reader gives, as values of Arrow: texts are bytes, numbers are numpy's."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return [plain(own) for own in value]
    if isinstance(value, dict):
        return {key.rpartition("/")[2]: plain(own) for key, own in value.items()}
    return value.item() if hasattr(value, "item") else value


def test_the_validator_has_nothing_to_say(about: Publication, caplog: Any) -> None:
    found = dataset({**croissant(about), "datePublished": DATE})
    assert not found.metadata.ctx.issues.errors
    assert not found.metadata.ctx.issues.warnings
    assert not caplog.records


def test_it_asks_for_nothing_but_a_date(out: Path) -> None:
    """The file as it is published: nobody but the user knows the day, so none is made up."""
    found = dataset_at(out / "croissant.json")
    assert not found.metadata.ctx.issues.errors
    said = " ".join(found.metadata.ctx.issues.warnings)
    assert re.findall('Property "(.+?)" is recommended', said) == [
        "https://schema.org/datePublished"
    ]


def test_the_rows_are_read_back(out: Path, about: Publication) -> None:
    import pyarrow.parquet as pq

    found = dataset_at(out / "croissant.json")
    for config in about.configs:
        (read,) = [[plain(own) for own in found.records(config.name)]]
        files = [part for split in config.splits for part in split.files]
        splits = {part.file: split.name for split in config.splits for part in split.files}
        rows = [
            {**row, "split": splits[part.file]}
            for part in sorted(files, key=lambda part: part.file)
            for row in pq.read_table(out / part.file).to_pylist()
        ]
        assert len(read) == config.rows
        deep = {"context_spans", "answer_spans"}  # lists of lists of structs
        names = [name for name in config.fields.names if name not in deep]
        for own, row in zip(read, rows, strict=True):
            # An id has no = in it; an empty list of structs is read as nothing.
            wanted = {name: _ided(row[name]) for name in ("split", *names)}
            assert {k: v for k, v in own.items() if v} == {k: v for k, v in wanted.items() if v}


def _ided(value: Any) -> Any:
    if isinstance(value, dict):
        return {re.sub(r"[^\w.-]", "_", key): _ided(own) for key, own in value.items()}
    return [_ided(own) for own in value] if isinstance(value, list) else value


def test_the_splits_can_be_asked_for(out: Path, about: Publication) -> None:
    found = dataset_at(out / "croissant.json")
    config = about.configs[0]
    names = [plain(own)["split_name"] for own in found.records(f"{config.name}_splits")]
    assert names == [split.name for split in config.splits]
    for split in config.splits:
        rows = list(found.records(config.name, filters={f"{config.name}/split": split.name}))
        assert [plain(row)["split"] for row in rows] == [split.name] * split.rows
        found = dataset_at(out / "croissant.json")  # a filter stays with its data set


def test_class_labels_have_their_names(out: Path, about: Publication) -> None:
    found = dataset_at(out / "croissant.json")
    fields = {own["@id"]: own["field"] for own in croissant(about)["recordSet"]}
    for config in about.configs:
        for name, feature in config.fields.fields:
            if isinstance(feature, ClassNames):
                (field,) = [own for own in fields[config.name] if own["name"] == name]
                assert field["description"].endswith(f" is in {config.name}_{name}_names")
                rows = [plain(own) for own in found.records(f"{config.name}_{name}_names")]
                assert rows == [{"number": i, "name": n} for i, n in enumerate(feature.names)]


def test_what_was_published_is_said(about: Publication) -> None:
    found = croissant(about)
    assert found["license"] == "https://creativecommons.org/licenses/by-sa/4.0/"
    assert found["creator"] == [
        {"@type": "sc:Person", "name": "Ann Ö"},
        {"@type": "sc:Person", "name": "Bo_b"},
    ]
    assert found["inLanguage"] == ["fr"]
    assert found["citeAs"].startswith("@misc{keys,")
    hashes = {own["contentUrl"]: own["sha256"] for own in found["distribution"] if "sha256" in own}
    parts = [part for c in about.configs for s in c.splits for part in s.files]
    assert hashes == {part.file: part.sha256 for part in parts}


def test_it_agrees_with_the_croissant_of_the_hub(about: Publication) -> None:
    """Names and types are those that the hub gives the same features (dataset-viewer)."""
    found = croissant(about)
    ids = [own["@id"] for own in found["distribution"] if own["@type"] == "cr:FileSet"]
    assert ids == [f"parquet-files-for-config-{config.name}" for config in about.configs]
    sets = {own["@id"]: own for own in found["recordSet"]}
    for config in about.configs:
        assert sets[f"{config.name}_splits"]["dataType"] == "cr:Split"
        fields = {own["@id"]: own for own in sets[config.name]["field"]}
        assert fields[f"{config.name}/split"]["references"] == {
            "field": {"@id": f"{config.name}_splits/split_name"}
        }
        assert fields[f"{config.name}/instance"]["dataType"] == "cr:Int64"
        assert fields[f"{config.name}/address"]["dataType"] == "sc:Text"
    fields = {own["name"]: own for own in sets["keys-four-type_I"]["field"]}
    assert (fields["answers"]["isArray"], fields["answers"]["arrayShape"]) == (True, "3")
    assert fields["broken"]["arrayShape"] == "3,-1"
    assert fields["labels"]["dataType"] == "sc:Integer"
    fields = {own["name"]: own for own in sets["keys-yes"]["field"]}
    assert [own["name"] for own in fields["factors"]["subField"]] == ["subj.number", "verb.number"]
    assert fields["spans"]["isArray"]


def test_no_clock_and_no_place(about: Publication) -> None:
    assert croissant(about) == croissant(about)
    assert "datePublished" not in croissant(about)
    assert str(Path.cwd()) not in json.dumps(croissant(about))


@given(st.lists(st.lists(st.text(max_size=3), min_size=1, max_size=3).map(tuple), unique=True))
def test_no_two_paths_have_one_id(paths: list[tuple[str, ...]]) -> None:
    ids = Ids()
    found = {path: ids(*path) for path in paths}
    assert len(set(found.values())) == len(paths)
    assert all(re.fullmatch(r"[\w./-]+|/*", own) for own in found.values())
    assert found == {path: ids(*path) for path in reversed(paths)}


def test_any_names_are_valid(tmp_path: Path) -> None:
    """Values and objects may have names in any script, and signs that no id may have."""
    plan = toy(tmp_path)
    text = (tmp_path / "keys.merula").read_text(encoding="utf-8")
    text = re.sub(r"attr\b", "Прил", text).replace("sg", "один").replace("yes", "да")
    table = (tmp_path / "keys.csv").read_text(encoding="utf-8")
    (tmp_path / "keys.csv").write_text(
        table.replace("attr", "Прил").replace(".sg", ".один"), encoding="utf-8"
    )
    (tmp_path / "keys.merula").write_text(text, encoding="utf-8")
    grammar = merula.load(tmp_path / "keys.merula")._compiled
    whole = replace(plan, grammars=(replace(plan.grammars[0], compiled=grammar),))
    publish(whole, tmp_path / "out")
    found = dataset_at(tmp_path / "out" / "croissant.json")
    assert not found.metadata.ctx.issues.errors
    rows = [plain(own) for own in found.records("keys-да")]
    assert rows[0]["label"] in (0, 1)
    assert "Прил.number" in rows[0]["variant"]
