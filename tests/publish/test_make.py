"""Publishing: what is loaded is what was made, what was there stays whole, all can be remade."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import merula
from merula.cli import main
from merula.data.features import CLASSES, ClassNames, Fields, Items, Value, features_of
from merula.data.formats import plain
from merula.data.manifests.publication import Publication, read_publication
from merula.data.opened import Published
from merula.data.publication_folder import finish_commit
from merula.data.published_rows import stored_digest
from merula.data.verify import verify
from merula.publish.audit import sample_of
from merula.rows.maker import RowChoice, RowMaker
from merula.rows.variation import AddressSpace, Variation
from merula.strategies import GrammarText, grammars
from random_grammars import compiled_grammar, examples

GRAMMARS = sorted(
    path.relative_to(Path("grammars")).with_suffix("").as_posix()
    for path in Path("grammars").glob("*/*.merula")
)
TABLE = "subj.sg,subj.pl,verb.sg,verb.pl\nthe dog,the dogs,barks,bark\nthe cat,the cats,sits,sit\n"
TOY = """phenomenon toys "how toys agree"
lexicon sets "toy.csv"
objects
  subj : NP (number)
  verb : VP (number)
attributes
  number = sg | pl
external
  agreement: verb.number = subj.number
frames
  clause = subj verb
paradigm agree = subj.number × verb.number
"""
LICENCE = ("--licence", "cc-by-4.0")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a small grammar."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "toy.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "toy.merula").write_text(TOY, encoding="utf-8")
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words), catch_exceptions=False)


def published(*words: str, out: str = "out") -> Result:
    ran = run("publish", *words, "--out", out, *LICENCE)
    assert ran.exit_code == 0, ran.output
    return ran


def about(out: Path | str = "out") -> Publication:
    """What the manifest of a folder says."""
    found = read_publication(Path(out))
    assert found is not None
    return found


def refused(*words: str, out: str = "out") -> str:
    ran = run("publish", *words, "--out", out, *LICENCE)
    assert ran.exit_code == 1, ran.output
    return ran.output


def contents(out: Path) -> dict[str, bytes]:
    """All files of a folder."""
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file()
    }


def verified(out: Path | str = "out") -> dict[str, str]:
    """What is wrong with each file."""
    return {check.file: check.fault for check in merula.verify(out) if check.fault}


# --- features ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GRAMMARS)
def test_published_rows_are_the_rows(name: str) -> None:
    """Encoding and decoding give back every value of every column, in order."""
    grammar = merula.load(name)
    for design in grammar:
        for kind in ("I", "III") if grammar[design].kind == "matrix" else ("I",):
            selection = RowChoice(
                min(40, grammar[design].count(variation=kind)), 3, Variation(kind), spans=True
            )
            made = RowMaker(grammar._compiled, grammar._compiled.designs[design], selection)
            features = features_of([made])
            assert Fields.of_json(json.loads(json.dumps(features.to_json()))) == features
            for batch in made.batches():
                encoded = features.encode(batch)
                encoded.validate(full=True)
                assert plain(features.decode(encoded)).to_pylist() == plain(batch).to_pylist()


@given(grammars(answers=True), st.integers(0, 3))
@examples(40)
def test_published_rows_of_random_grammars(grammar: GrammarText, seed: int) -> None:
    found = compiled_grammar(grammar)
    for design in found.designs.values():
        for kind in ("I", "III") if design.kind == "matrix" else ("I",):
            count = AddressSpace(design, Variation(kind), strict=False).count
            if design.plans and count:
                selection = RowChoice(min(count, 12), seed, Variation(kind), spans=True)
                made = RowMaker(found, design, selection)
                features = features_of([made])
                for batch in made.batches():
                    encoded = features.encode(batch)
                    encoded.validate(full=True)
                    assert plain(features.decode(encoded)).to_pylist() == plain(batch).to_pylist()


def test_types_say_what_columns_hold() -> None:
    paradigm = merula.load("npi/only")["any"].generate(1, spans=True)._maker
    matrix = merula.load("blm/agreement_fr")["eight"].generate(1, spans=True)._maker
    own, other = features_of([paradigm]), features_of([matrix])
    assert own["label"] == ClassNames(("unacceptable", "acceptable"))
    assert isinstance(own["cell"], ClassNames)
    assert len(own["cell"].names) == 8
    assert own["factors"] == Fields(
        (
            ("licensor", ClassNames(("yes", "no"))),
            ("any", ClassNames(("no", "yes"))),
            ("licensor.site", ClassNames(("upper", "lower"))),
        )
    )
    assert own["spans"] == Items(
        Fields((("object", Value("string")), ("start", Value("int32")), ("end", Value("int32"))))
    )
    assert other["context"] == Items(Value("string"), 7)
    assert other["answers"] == Items(Value("string"), 8)
    assert other["classes"] == Items(CLASSES, 8)
    labels = other["labels"]
    assert isinstance(labels, Items)
    assert isinstance(labels.of, ClassNames)
    assert labels.of.names[0] == "Correct"


WORDS = st.text(max_size=8)


@given(st.data())
@examples(150)
def test_any_words_survive(data: st.DataObject) -> None:
    """Names that look like our own, empty ones, any Unicode."""
    names = data.draw(st.lists(WORDS | st.sampled_from(["none", "", "E"]), min_size=1, unique=True))
    width = data.draw(st.integers(1, 3))
    features = Fields(
        (
            ("cell", ClassNames(tuple(names))),
            ("labels", Items(ClassNames(tuple(names)), width)),
            ("broken", Items(Items(ClassNames(tuple(names))), width)),
            ("classes", Items(CLASSES, width)),
            ("sentence", Value("string")),
            ("lexemes", Fields((("a", Value("string")),))),
        )
    )
    word, letter = st.sampled_from(names), st.sampled_from(["", "E", "I", "R"])
    row = st.fixed_dictionaries(
        {
            "cell": st.none() | word,
            "labels": st.lists(word, min_size=width, max_size=width),
            "broken": st.lists(st.lists(word, max_size=2), min_size=width, max_size=width),
            "classes": st.lists(letter, min_size=width, max_size=width),
            "sentence": WORDS,
            "lexemes": st.fixed_dictionaries({"a": st.none() | WORDS}),
        }
    )
    rows = data.draw(st.lists(row, max_size=5))
    encoded = pa.Table.from_pylist(rows, schema=_words_schema(features))
    for batch in encoded.combine_chunks().to_batches():
        assert plain(features.decode(features.encode(batch))).to_pylist() == batch.to_pylist()


def _words_schema(features: Fields) -> Any:
    """The schema of rows with plain words."""

    def kind(feature: Any) -> Any:
        if isinstance(feature, Items):
            return pa.list_(kind(feature.of))
        if isinstance(feature, Fields):
            return pa.struct([(name, kind(own)) for name, own in feature.fields])
        return pa.string()

    return pa.schema([(name, kind(feature)) for name, feature in features.fields])


# --- loading -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A paradigm and matrices, with three splits, in several files each."""
    out = tmp_path_factory.mktemp("both") / "out"
    words = "npi/only blm/agreement_fr -n 60 --split 80:10:10 --rows-per-file 100 --seed 5"
    published(*words.split(), "--design", "any", "--design", "six", out=str(out))
    return out


CONFIGS = ("only-any", "agreement_fr-six-type_I", "agreement_fr-six-type_III")


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("config", CONFIGS)
def test_a_data_set_is_loaded_in_one_line(
    both: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, config: str, streaming: bool
) -> None:
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path)
    found = Published.open(both)
    entry = found.about.config(config)
    loaded = datasets.load_dataset(
        str(both), config, streaming=streaming, cache_dir=str(tmp_path / "cache")
    )
    assert list(loaded) == ["train", "validation", "test"]
    for split in entry.splits:
        own = loaded[split.name]
        assert own.features.to_dict() == datasets.Features.from_dict(entry.features).to_dict()
        rows = list(own)
        assert len(rows) == split.rows
        expected = [
            row
            for batch in found.rows(entry, split.name)
            for row in plain(entry.fields.decode(entry.fields.encode(batch))).to_pylist()
        ]
        assert [_as_words(row, own.features) for row in rows] == expected


def _as_words(row: dict[str, Any], features: Any) -> dict[str, Any]:
    """A row of Datasets with names for numbers, as `merula.rows.maker` has it."""

    def words(value: Any, feature: Any) -> Any:
        if value is None:
            return None
        if hasattr(feature, "int2str"):
            name = feature.int2str(value)
            return "" if name == "none" and feature.names == ["none", "E", "I", "R"] else name
        if hasattr(feature, "feature"):
            return [words(item, feature.feature) for item in value]
        if isinstance(feature, dict):
            return {name: words(value[name], own) for name, own in feature.items()}
        return value

    found = {name: words(value, features[name]) for name, value in row.items()}
    if "label" in found:
        places = list(found)
        found["acceptable"] = found.pop("label") == "acceptable"
        order = ["acceptable" if name == "label" else name for name in places]
        found = {name: found[name] for name in order}
    return found


def test_the_default_is_loaded_where_no_configuration_is_named(both: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    loaded = datasets.load_dataset(str(both), split="test", cache_dir=str(tmp_path))
    assert loaded.config_name == about(both).default


def test_published_rows_are_those_of_generate(both: Path, tmp_path: Path) -> None:
    """Splits are stretches of the seed's order."""
    ran = run(
        *"generate npi/only -d any -n 60 --seed 5 --spans --format parquet --out".split(),
        str(tmp_path / "rows"),
    )
    assert ran.exit_code == 0
    made = pq.read_table(tmp_path / "rows" / "only-any.parquet").to_pylist()
    found = Published.open(both)
    config = found.about.config("only-any")
    again = [
        row
        for split in config.splits
        for batch in found.rows(config, split.name)
        for row in plain(batch).to_pylist()
    ]
    assert again == made
    assert [split.instances for split in config.splits] == [48, 6, 6]
    assert len(config.splits[0].files) == 4


def test_columns_can_be_chosen(both: Path) -> None:
    found = Published.open(both)
    config = found.about.config("only-any")
    batch = next(iter(found.rows(config, "test", columns=["sentence", "acceptable"])))
    assert set(batch.schema.names) == {"sentence", "acceptable"}
    assert batch.column("acceptable").type == pa.bool_()


def test_files_are_the_same_whatever_the_workers(folder: Path) -> None:
    for number in ("1", "2"):
        published("toy.merula", "--rows-per-file", "4", "--workers", number, out=f"out{number}")
    one, two = contents(folder / "out1"), contents(folder / "out2")
    assert len([name for name in one if name.endswith(".parquet")]) > 1
    for name in one:
        if name not in ("README.md", "merula.json", "croissant.json"):
            assert one[name] == two[name], name
    texts = [x["README.md"].decode().replace("out2", "out1") for x in (one, two)]
    assert texts[0] == texts[1]


def test_the_number_of_instances_is_at_most_what_is_asked() -> None:
    ran = published("toy.merula", "blm/agreement_fr", "-d", "agree", "-d", "six", "-n", "30")
    assert "toys-agree test  2 instances, 8 sentences" in ran.output
    assert "agreement_fr-six-type_I test  30 instances" in ran.output


def test_the_audit_reads_published_data(both: Path) -> None:
    ran = run("audit", str(both), "--format", "json")
    found = json.loads(ran.output)
    assert (found["sentences"], found["matrices"]) == (480, 120)
    assert set(found["splits"]) == {"train", "validation", "test"}
    own = json.loads((both / "audit.json").read_text(encoding="utf-8"))
    assert own["sentences"] == 480
    assert {said["of"] for said in own["publication"]["sample"]} == {48, 6}


def test_a_sample_is_audited_and_said_to_be_one() -> None:
    published("npi/only", "-d", "any", "-n", "100", "--audit-sentences", "200")
    own = json.loads(Path("out/audit.json").read_text(encoding="utf-8"))
    assert own["sentences"] == 200
    assert own["publication"]["sample"] == [
        {"config": "only-any", "split": "test", "design": "any", "instances": 25, "of": 100}
    ]


# --- again -------------------------------------------------------------------------------------


def test_nothing_is_written_where_nothing_has_changed() -> None:
    published("toy.merula")
    before = {path: path.stat().st_mtime_ns for path in Path("out").rglob("*")}
    ran = published("toy.merula")
    assert "nothing has changed" in ran.output
    assert {path: path.stat().st_mtime_ns for path in Path("out").rglob("*")} == before


def test_only_what_has_changed_is_written() -> None:
    published("toy.merula", "npi/only", "-n", "20")
    before = contents(Path("out"))
    Path("toy.csv").write_text(TABLE + "the cow,the cows,moos,moo\n", encoding="utf-8")
    ran = published("toy.merula", "npi/only", "-n", "20")
    after = contents(Path("out"))
    changed = {name for name in after if after[name] != before.get(name)}
    assert {name for name in changed if name.endswith(".parquet")} == {
        "toys-agree/test-00000-of-00001.parquet"
    }
    assert "source/toy.csv" in changed
    assert f"{len(changed)} files written" in ran.output
    assert f"{len(after) - len(changed)} unchanged" in ran.output
    assert not verified()


def test_more_instances_keep_the_files_that_are_the_same() -> None:
    published("npi/only", "-d", "any", "-n", "20", "--rows-per-file", "80")
    before = contents(Path("out"))
    published("npi/only", "-d", "any", "-n", "40", "--rows-per-file", "80")
    names = set(contents(Path("out")))
    assert "only-any/test-00003-of-00004.parquet" in names
    assert not any("of-00002" in name for name in names), "old files are gone"
    assert before.keys() - names == {
        "only-any/test-00000-of-00002.parquet",
        "only-any/test-00001-of-00002.parquet",
    }
    assert not verified()


def test_files_of_git_stay() -> None:
    Path("out/.git").mkdir(parents=True)
    Path("out/.git/HEAD").write_text("ref", encoding="utf-8")
    Path("out/.gitattributes").write_text("x", encoding="utf-8")
    published("toy.merula")
    Path("out/picture.txt").write_text("mine", encoding="utf-8")
    Path("toy.csv").write_text(TABLE + "the cow,the cows,moos,moo\n", encoding="utf-8")
    published("toy.merula")
    assert Path("out/.git/HEAD").read_text(encoding="utf-8") == "ref"
    assert Path("out/picture.txt").read_text(encoding="utf-8") == "mine"


def test_a_folder_of_something_else_is_refused() -> None:
    Path("out").mkdir()
    Path("out/thesis.tex").write_text("mine", encoding="utf-8")
    assert "M609" in refused("toy.merula")
    assert contents(Path("out")) == {"thesis.tex": b"mine"}


def test_other_features_are_refused() -> None:
    published("toy.merula")
    before = contents(Path("out"))
    Path("toy.merula").write_text(TOY.replace("agreement:", "concord:"), encoding="utf-8")
    said = refused("toy.merula")
    assert "M722" in said
    assert "toys-agree: the column broken has other values" in said
    assert contents(Path("out")) == before
    published("toy.merula", "--replace")
    assert not verified()


def test_a_configuration_that_is_left_out_is_not_lost() -> None:
    published("toy.merula", "npi/only", "-n", "5")
    before = contents(Path("out"))
    said = refused("toy.merula", "-n", "5")
    assert "only-any is there and not among what is to be published" in said
    assert contents(Path("out")) == before
    published("toy.merula", "-n", "5", "--replace")
    assert not any("only" in name for name in contents(Path("out")))
    assert not verified()


def test_a_card_changed_by_hand_is_not_overwritten() -> None:
    published("toy.merula")
    card = Path("out/README.md")
    card.write_text(card.read_text(encoding="utf-8") + "\nMy own words.\n", encoding="utf-8")
    assert "M723" in refused("toy.merula")
    assert "My own words." in card.read_text(encoding="utf-8")
    published("toy.merula", "--replace")
    assert "My own words." not in card.read_text(encoding="utf-8")


def test_a_damaged_file_is_made_again() -> None:
    published("toy.merula")
    before = contents(Path("out"))
    Path("out/toys-agree/test-00000-of-00001.parquet").write_bytes(b"rubbish")
    Path("out/source/toy.csv").unlink()
    assert len(verified()) >= 2
    published("toy.merula")
    assert contents(Path("out")) == before


# --- interrupted -------------------------------------------------------------------------------


class Stopped(BaseException):
    """What a test stops a run with."""


def _stops(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """Let the run be stopped when it moves a file for the so-manieth time."""
    number = iter(range(10**6))
    real = Path.replace

    def replace(self: Path, target: Any) -> Path:
        if next(number) == after:
            raise Stopped
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)


def test_a_run_that_is_stopped_leaves_the_old_data_or_is_finished(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At every move of a file: before the list of moves is written nothing has changed."""
    Path("more.merula").write_text(TOY.replace("toys", "more"), encoding="utf-8")
    words = ("toy.merula", "more.merula", "--audit-sentences", "0")
    published(*words)
    old = contents(Path("out"))
    Path("toy.csv").write_text(TABLE + "the cow,the cows,moos,moo\n", encoding="utf-8")
    published(*words, out="new")
    new = contents(Path("new"))
    stages = set()
    for after in range(200):
        shutil.rmtree("again", ignore_errors=True)
        shutil.copytree("out", "again")
        with monkeypatch.context() as patched:
            _stops(patched, after)
            try:
                ran = run("publish", *words, "--out", "again", *LICENCE)
            except Stopped:
                ran = None
        if ran is not None:
            assert ran.exit_code == 0
            break
        here = {
            name: data
            for name, data in contents(Path("again")).items()
            if not name.startswith(".merula")
        }
        committed = Path("again/.merula/commit.json").is_file()
        stages.add(committed)
        if not committed:
            assert here == old
            assert not verified("again")
        else:
            assert "M676" in run("verify", "again").output
        published(*words, out="again")
        assert not verified("again")
        assert contents(Path("again")).keys() == new.keys()
        for name in ("toys-agree/test-00000-of-00001.parquet", "source/toy.csv"):
            assert contents(Path("again"))[name] == new[name]
    else:
        pytest.fail("it was never done")
    assert stages == {True, False}


def test_parts_of_a_killed_run_are_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("toy.merula", "--rows-per-file", "4")
    made: list[str] = []
    real = merula.data.published_rows.Maker.write

    def write(self: Any, part: Any, path: Path) -> Any:
        if made and made[-1] == "stop":
            raise Stopped
        made.append(part.file)
        return real(self, part, path)

    monkeypatch.setattr("merula.data.published_rows.Maker.write", write)
    first = real

    def once(self: Any, part: Any, path: Path) -> Any:
        if len(made) == 1:
            raise Stopped
        made.append(part.file)
        return first(self, part, path)

    monkeypatch.setattr("merula.data.published_rows.Maker.write", once)
    with pytest.raises(Stopped):
        run("publish", *words, "--out", "out", *LICENCE)
    assert not Path("out/merula.json").exists()
    monkeypatch.setattr("merula.data.published_rows.Maker.write", write)
    published(*words)
    assert len(made) == len(set(made)) == 2
    assert not verified()
    assert not Path("out/.merula").exists()


def test_a_failure_leaves_no_trace_in_a_new_folder() -> None:
    ran = run("publish", "toy.merula", "--out", "new/out", *LICENCE, "--default", "nothing")
    assert ran.exit_code == 1
    assert "M724" in ran.output
    assert not Path("new").exists()


def test_two_at_once_are_refused() -> None:
    fcntl = pytest.importorskip("fcntl")
    published("toy.merula")
    Path("out/.merula").mkdir()
    with Path("out/.merula/lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "M725" in refused("toy.merula")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
def test_a_killed_process_leaves_the_old_data() -> None:
    """A real process, killed at several moments; afterwards the same command finishes."""
    words = ["toy.merula", "npi/only", "-n", "30", "--out", "out", *LICENCE]
    published("toy.merula", "npi/only", "-n", "10")
    old = contents(Path("out"))
    for seconds in (0.6, 1.2):
        process = subprocess.Popen(
            [sys.executable, "-m", "merula.cli", "publish", *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        process.wait()
        if Path("out/.merula/commit.json").is_file():
            finish_commit(Path("out"))
            break
        here = {n: d for n, d in contents(Path("out")).items() if not n.startswith(".merula")}
        if here != old:
            assert about().configs[0].instances != 10
            break
    published("toy.merula", "npi/only", "-n", "30")
    assert not verified()


# --- verifying ---------------------------------------------------------------------------------


@pytest.fixture
def copy(both: Path, tmp_path: Path) -> Path:
    """A copy of the published folder, elsewhere."""
    out = tmp_path / "copy"
    shutil.copytree(both, out)
    return out


def test_a_copy_is_verified_from_its_own_sources(copy: Path) -> None:
    assert not verified(copy)
    assert {check.note for check in merula.verify(copy) if check.rows} == {"and made again"}


def test_rows_are_made_again_only_where_something_makes_them(copy: Path) -> None:
    assert {check.note for check in verify(copy)} == {""}
    shutil.rmtree(copy / "source")
    faults = {check.file: check.fault for check in verify(copy) if check.fault}
    assert faults
    assert set(faults.values()) == {"is missing"}
    assert all(file.startswith("source/") for file in faults)


def _rewritten(path: Path, change: Any) -> None:
    table = pq.read_table(path)
    pq.write_table(change(table), path, store_schema=True)


def test_other_parquet_bytes_of_the_same_rows_are_fine(copy: Path) -> None:
    path = copy / "only-any" / "test-00000-of-00001.parquet"
    before = path.read_bytes()
    _rewritten(path, lambda table: table)
    assert path.read_bytes() != before
    assert not verified(copy)


def _edited(table: Any, column: str, change: Any) -> Any:
    values = table.column(column).to_pylist()
    values[3] = change(values[3])
    at = table.schema.get_field_index(column)
    return table.set_column(
        at, table.schema.field(column), pa.array(values, table.schema.field(column).type)
    )


@pytest.mark.parametrize(
    ("column", "change"),
    [
        ("sentence", lambda text: text + " "),
        ("label", lambda label: 1 - label),
        ("cell", lambda cell: (cell + 1) % 8),
        ("spans", lambda spans: spans[1:]),
        ("broken", lambda broken: [*broken, 0]),
    ],
)
def test_one_changed_value_is_found(copy: Path, column: str, change: Any) -> None:
    path = copy / "only-any" / "test-00000-of-00001.parquet"
    _rewritten(path, lambda table: _edited(table, column, change))
    assert verified(copy) == {
        "only-any/test-00000-of-00001.parquet": "has other rows than were published"
    }


def test_swapped_rows_are_found(copy: Path) -> None:
    path = copy / "agreement_fr-six-type_I" / "test-00000-of-00001.parquet"
    _rewritten(path, lambda table: table.take([1, 0, *range(2, len(table))]))
    assert list(verified(copy).values()) == ["has other rows than were published"]


def test_rows_that_only_the_manifest_vouches_for_are_found(copy: Path) -> None:
    """Somebody has changed a row and the manifest with it: the grammar does not make that row."""
    name = "only-any/test-00000-of-00001.parquet"
    _rewritten(copy / name, lambda table: _edited(table, "sentence", lambda text: text + "!"))
    config = about(copy).config("only-any")
    (part,) = (p for split in config.splits for p in split.files if p.file == name)
    digest, rows = stored_digest(config, part, copy / name)
    assert rows == part.rows
    manifest = copy / "merula.json"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(text.replace(part.digest, digest), encoding="utf-8")
    assert verified(copy) == {name: "has other rows than its grammar makes"}


def test_what_does_not_come_from_the_sources_is_found(copy: Path) -> None:
    """Rows and manifest may agree with each other: the grammar is asked as well."""
    grammar = copy / "source" / "only.merula"
    grammar.write_text(grammar.read_text(encoding="utf-8") + "\n# more\n", encoding="utf-8")
    found = verified(copy)
    assert found["source/only.merula"] == "has other bytes than were published"
    parts = {fault for name, fault in found.items() if name.startswith("only-any/")}
    assert len(parts) == 1
    assert "has changed" in parts.pop()


def test_missing_and_strange_files_are_found(copy: Path) -> None:
    (copy / "only-any" / "test-00000-of-00001.parquet").unlink()
    (copy / "audit.json").write_text("{}", encoding="utf-8")
    shutil.copy(
        copy / "only-any" / "validation-00000-of-00001.parquet",
        copy / "only-any" / "test-00009-of-00010.parquet",
    )
    assert verified(copy) == {
        "only-any/test-00000-of-00001.parquet": "is missing",
        "audit.json": "has other bytes than were published",
        "only-any/test-00009-of-00010.parquet": "is not in the manifest",
    }


@pytest.mark.parametrize("text", ["", "{", "[]", '{"publication": 1}', '{"publication": 99}'])
def test_a_manifest_that_cannot_be_understood(copy: Path, text: str) -> None:
    (copy / "merula.json").write_text(text, encoding="utf-8")
    ran = run("verify", str(copy))
    assert ran.exit_code == 1
    assert "M618" in ran.output


# --- sources -----------------------------------------------------------------------------------


def _layout(folder: Path) -> Iterator[str]:
    source = folder / "source"
    return (p.relative_to(source).as_posix() for p in sorted(source.rglob("*")) if p.is_file())


def test_sources_are_named_from_where_they_are_used() -> None:
    """Imports and tables above the grammar, in other folders, surface rules of one's own."""
    Path("work/deep").mkdir(parents=True)
    Path("tables").mkdir()
    shutil.move("toy.csv", "tables/toy.csv")
    Path("work/parts.merula").write_text(
        TOY.partition("paradigm")[0]
        .replace("phenomenon toys", "phenomenon parts")
        .replace('"toy.csv"', '"../tables/toy.csv"'),
        encoding="utf-8",
    )
    rules = Path("work/deep/lexicons/tlh/surface.toml")
    rules.parent.mkdir(parents=True)
    rules.write_text('stop = "!"\n', encoding="utf-8")
    Path("work/deep/toy.merula").write_text(
        'phenomenon toys\nlanguage tlh\nimport "../parts.merula"\n'
        "paradigm agree = subj.number × verb.number\n",
        encoding="utf-8",
    )
    published("work/deep/toy.merula")
    assert list(_layout(Path("out"))) == [
        "grammars/grammars/lexicons/tlh/surface.toml",
        "grammars/grammars/toy.merula",
        "grammars/parts.merula",
        "tables/toy.csv",
    ]
    for name in ("work", "tables"):
        shutil.rmtree(name)
    shutil.move("out", "elsewhere")
    assert not verified("elsewhere")


def test_options_of_tables_are_kept() -> None:
    Path("other.txt").write_text(
        TABLE.replace(",", ";").replace("subj.sg", "Singular"), encoding="utf-16"
    )
    published(
        "toy.merula",
        *("--lexicon", "other.txt", "--separator", ";", "--encoding", "utf-16"),
        *("--column", "subj.sg=Singular"),
    )
    Path("other.txt").unlink()
    Path("toy.csv").unlink()
    assert "source/other.txt" in contents(Path("out"))
    assert not verified()


def test_sources_can_be_left_out() -> None:
    published("toy.merula", "--no-source")
    assert not Path("out/source").exists()
    assert not verified()
    (check,) = [c for c in merula.verify("out") if c.rows]
    assert check.note == "not made again: the grammar toy.merula was not published with it"
    published("npi/only", "-n", "5", "--no-source", out="npi")
    assert {c.note for c in merula.verify("npi") if c.rows} == {"and made again"}


def test_sources_that_differ_in_capitals_are_one_file(folder: Path) -> None:
    if (folder / "TOY.csv").exists():
        pytest.skip("here these are one file already")
    Path("TOY.csv").write_text(TABLE.replace("dog", "cow"), encoding="utf-8")
    tools = TOY.replace("toys", "tools").replace("toy.csv", "TOY.csv")
    Path("tools.merula").write_text(tools, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "merula.publish.make._parts", None
        )  # nothing is made before the sources are compared
        assert "M721" in refused("toy.merula", "tools.merula")
    assert not Path("out").exists()
    Path("TOY.csv").write_text(TABLE, encoding="utf-8")  # what they say is the same
    published("toy.merula", "tools.merula")
    assert {"source/toy.csv", "source/TOY.csv"} <= contents(Path("out")).keys()
    assert not verified()


def test_a_table_with_an_absolute_name_cannot_be_bundled(folder: Path) -> None:
    text = TOY.replace('"toy.csv"', f'"{(folder / "toy.csv").as_posix()}"')
    Path("toy.merula").write_text(text, encoding="utf-8")
    said = refused("toy.merula")
    assert "M721" in said
    assert "--no-source" in said
    assert not Path("out").exists()
    published("toy.merula", "--no-source")


def test_the_command_in_the_manifest_remakes_all_files(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run in the folder itself, which may be anywhere, it makes every file again."""
    Path("other.txt").write_text(TABLE.replace(",", ";").replace("subj.sg", "One"), "utf-16")
    Path("toys.bib").write_text("@misc{toys, title = {Toys}}", encoding="utf-8")
    Path("own.md.j2").write_text(
        '{% extends "card.md.j2" %}{% block limits %}Mine.\n{% endblock %}', encoding="utf-8"
    )
    published(
        "toy.merula",
        *("--lexicon", "other.txt", "--separator", ";", "--encoding", "utf-16"),
        *("--column", "subj.sg=One", "--title", "Toys' toys", "--author", "Ann", "--author", "Bo"),
        *("--citation", "toys.bib", "--template", "own.md.j2", "--split", "50:50", "--seed", "4"),
        *("--rows-per-file", "4", "--audit-sentences", "6"),
    )
    assert "Mine." in Path("out/README.md").read_text(encoding="utf-8")
    shutil.copytree("out", "elsewhere/data")
    for name in ("toy.merula", "toy.csv", "other.txt", "toys.bib", "own.md.j2"):
        Path(name).unlink()
    words = shlex.split(about(folder / "elsewhere" / "data").command)
    monkeypatch.chdir(folder / "elsewhere" / "data")
    ran = run(*words[1:])
    assert ran.exit_code == 0, ran.output
    assert contents(folder / "elsewhere" / "again" / "out") == contents(folder / "out")


def test_the_command_in_the_manifest_remakes_splits_and_types(
    folder: Path, both: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(both, folder / "data" / "out")
    monkeypatch.chdir(folder / "data" / "out")
    ran = run(*shlex.split(about(both).command)[1:])
    assert ran.exit_code == 0, ran.output
    assert contents(folder / "data" / "again" / "out") == contents(both)


# --- faults ------------------------------------------------------------------------------------


def test_no_licence_is_told() -> None:
    ran = run("publish", "toy.merula", "--out", "out")
    assert ran.exit_code == 1
    assert "M710" in ran.output
    assert not Path("out").exists()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_told() -> None:
    Path("out").mkdir(mode=0o500)
    assert "M608" in refused("toy.merula")


def test_a_file_in_the_way_is_told() -> None:
    Path("out").write_text("mine", encoding="utf-8")
    assert "M609" in refused("toy.merula")
    assert "M608" in refused("toy.merula", out="out/below")
    assert Path("out").read_text(encoding="utf-8") == "mine"


def test_a_grammar_of_nothing_is_told() -> None:
    Path("toy.merula").write_text(TOY.partition("paradigm")[0], encoding="utf-8")
    assert "M607" in refused("toy.merula")
    assert "M610" in refused("npi/only", "-d", "nothing")
    assert "M613" in refused("npi/only", "npi/only")


def test_two_configurations_that_are_one_folder_on_some_disk_are_told() -> None:
    Path("more.merula").write_text(TOY.replace("phenomenon toys", "phenomenon TOYS"), "utf-8")
    told = refused("toy.merula", "more.merula")
    assert "[M613]: toys-agree and TOYS-agree would be one folder on macOS and Windows" in told
    assert "--> toy.merula and more.merula" in told


def test_a_citation_that_cannot_be_read_is_told() -> None:
    assert "M726" in refused("toy.merula", "--citation", "nothing.bib")


@pytest.mark.parametrize(
    "words", [["--split", "a:b"], ["--dry-run"], ["--public"], ["-n", "0"], ["--split", "0:0"]]
)
def test_usage(words: list[str]) -> None:
    assert run("publish", "toy.merula", "--out", "out", *LICENCE, *words).exit_code == 2


# --- suites ------------------------------------------------------------------------------------

PARADIGMS = """name = "small"
n = 20
cap = 1.0
split = "50:25:25"
closed = ["determiner", "quantifier", "auxiliary", "modal", "complementizer", "conjunction",
          "preposition", "pronoun", "focus"]

[[parts]]
grammar = "npi/only"

[[parts]]
grammar = "npi/quantifiers"
designs = ["any"]
"""
MATRICES = """kind = "matrices"
name = "small"
n = 40
split = "80:20"

[[parts]]
grammar = "blm/spray_load_balanced"
unit = "verb"
sets = { both = ["alt_atl", "atl_alt"] }
"""


def _recipe(text: str) -> None:
    Path("suite.toml").write_text(text, encoding="utf-8")


def test_a_suite_of_paradigms_has_the_instances_of_its_suite(folder: Path) -> None:
    _recipe(PARADIGMS)
    ran = published("suite.toml", "--split", "60:20:20", "--seed", "3")
    assert "only-any train  12 instances, 96 sentences" in ran.output
    words = "suite suite.toml --out rows --split 60:20:20 --seed 3 --format parquet --quiet"
    assert run(*words.split()).exit_code == 0
    found = Published.open(folder / "out")
    for split, own in (("train", "train"), ("validation", "dev"), ("test", "test")):
        rows = pq.read_table(f"rows/sentences/{own}.parquet", partitioning=None).to_pylist()
        for config in found.about.configs:
            here = [
                (row["address"], row["cell"], row["sentence"], row["acceptable"])
                for batch in found.rows(config, split)
                for row in batch.to_pylist()
            ]
            there = [
                (row["address"], row["cell"], row["sentence"], row["acceptable"])
                for row in rows
                if (row["part"], row["design"]) == (config.phenomenon, config.design)
            ]
            assert here == there
    assert not verified()


def test_a_suite_of_matrices_keeps_together_what_belongs_together(folder: Path) -> None:
    _recipe(MATRICES)
    published("suite.toml", "--rows-per-file", "30")
    found = Published.open(folder / "out")
    names = [config.name for config in found.about.configs]
    assert names == [f"spray_load_balanced-both-type_{kind}" for kind in ("I", "III")]
    assert run("suite", "suite.toml", "--out", "rows", "--quiet").exit_code == 0
    for config, kind in zip(found.about.configs, ("I", "III"), strict=True):
        assert config.designs == ["alt_atl", "atl_alt"]
        numbers = []
        for split in config.splits:
            path = f"rows/spray_load_balanced/both/type_{kind}/{split.name}.parquet"
            there = pq.read_table(path, partitioning=None).to_pylist()
            here = [row for b in found.rows(config, split.name) for row in b.to_pylist()]
            assert [(r["address"], r["design"], r["context"]) for r in here] == [
                (r["address"], r["design"], r["context"]) for r in there
            ]
            numbers += [row["instance"] for row in here]
            for row in here:
                assert row["labels"][row["correct"]] == "Correct"
        assert numbers == list(range(80)), "instances are numbered through"
    own = json.loads(Path("out/audit.json").read_text(encoding="utf-8"))
    assert {said["design"] for said in own["publication"]["sample"]} == {"alt_atl", "atl_alt"}
    card = Path("out/README.md").read_text(encoding="utf-8")
    assert "No lexical set is in two splits." in card
    assert "### The matrix `atl_alt`" in card
    assert "nothing has changed" in published("suite.toml", "--rows-per-file", "30").output


def test_a_suite_is_remade_from_its_own_recipe(folder: Path, monkeypatch: Any) -> None:
    _recipe(MATRICES)
    published("suite.toml", "--type", "I", "-n", "20", "--disjoint", "answers")
    Path("suite.toml").unlink()
    shutil.move("out", "elsewhere")
    assert not verified("elsewhere")
    command = about(folder / "elsewhere").command
    monkeypatch.chdir(folder / "elsewhere")
    ran = run(*shlex.split(command)[1:])
    assert ran.exit_code == 0, ran.output
    assert contents(folder / "elsewhere") == contents(folder / "again" / "out")
    recipe = folder / "elsewhere" / "source" / "suite.toml"
    recipe.write_text(MATRICES.replace("n = 40", "n = 41"), encoding="utf-8")
    recipe.write_text(MATRICES.replace('"alt_atl", "atl_alt"', '"alt_atl"'), encoding="utf-8")
    faults = {fault for name, fault in verified(folder / "elsewhere").items() if "test" in name}
    assert faults == {"cannot be made again: the recipe of small has changed"}


def test_lexemes_are_apart_where_a_suite_keeps_them_apart() -> None:
    _recipe(PARADIGMS)
    published("suite.toml", "--disjoint", "lexemes")
    ran = run("audit", "out", "--disjoint", "lexemes", "--format", "json")
    checks = {check["check"]: check for check in json.loads(ran.output)["checks"]}
    own = checks["split-lexemes"]
    assert own["ran"]
    assert own["found"] == 0


@pytest.mark.parametrize(
    "words",
    [
        ["npi", "npi/only"],
        ["npi", "--design", "any"],
        ["npi", "--answers", "mixed"],
        ["npi", "--type", "I"],
        ["npi", "--disjoint", "sets"],
        ["blm", "--disjoint", "lexemes"],
        ["toy.merula", "--disjoint", "lexemes"],
    ],
)
def test_usage_of_suites(words: list[str]) -> None:
    assert run("publish", *words, "--out", "out", *LICENCE).exit_code == 2
    assert not Path("out").exists()


# --- what is known already ---------------------------------------------------------------------


def test_details_need_not_be_said_again() -> None:
    Path("toys.bib").write_text("@misc{toys, title = {Toys}}", encoding="utf-8")
    Path("own.md.j2").write_text(
        '{% extends "card.md.j2" %}{% block limits %}Mine.\n{% endblock %}', encoding="utf-8"
    )
    own = ("--title", "All toys", "--author", "Ann", "--author", " ", "--citation", "toys.bib")
    published("toy.merula", *own, "--template", "own.md.j2")
    before = contents(Path("out"))
    Path("own.md.j2").unlink()
    ran = run("publish", "toy.merula", "--out", "out")
    assert ran.exit_code == 0, ran.output
    assert "nothing has changed" in ran.output
    assert contents(Path("out")) == before
    assert about().authors == ["Ann"]


def test_a_dry_run_writes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("huggingface_hub")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.get_token", lambda: None)
    ran = run("publish", "toy.merula", "--out", "out", *LICENCE, "--push", "ann/toys", "--dry-run")
    assert ran.exit_code == 0, ran.output
    assert "toys-agree/test-00000-of-00001.parquet" in ran.output
    assert not Path("out").exists()
    published("toy.merula")
    before = contents(Path("out"))
    Path("toy.csv").write_text(TABLE + "the cow,the cows,moos,moo\n", encoding="utf-8")
    ran = run("publish", "toy.merula", "--out", "out", "--push", "ann/toys", "--dry-run")
    assert ran.exit_code == 0, ran.output
    assert contents(Path("out")) == before


def test_a_push_without_a_token_makes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("huggingface_hub")
    monkeypatch.setattr("huggingface_hub.get_token", lambda: None)
    assert "M702" in refused("toy.merula", "--push", "ann/toys")
    assert not Path("out").exists()


def test_an_audit_changed_by_hand_is_made_anew() -> None:
    published("toy.merula")
    path = Path("out/audit.json")
    good = path.read_bytes()
    path.write_bytes(good.replace(b'"clean": true', b'"clean": false'))
    assert path.read_bytes() != good
    published("toy.merula")
    assert path.read_bytes() == good


def test_other_words_are_made_anew() -> None:
    published("toy.merula")
    Path("toy.csv").write_text(TABLE.replace("the dog,", "a dog,"), encoding="utf-8")
    published("toy.merula")
    found = Published.open(Path("out"))
    rows = [
        row for batch in found.rows(found.about.configs[0], "test") for row in batch.to_pylist()
    ]
    assert any("A dog" in row["sentence"] for row in rows)
    assert not verified()


def test_a_split_that_would_be_empty_is_told() -> None:
    said = refused("toy.merula", "--split", "80:10:10")
    assert "M728" in said
    assert "toys-agree has 2 instances: none would be in validation" in said
    assert not Path("out").exists()


def test_another_data_set_is_called_so() -> None:
    published("toy.merula", "--title", "All toys")
    assert "out holds another data set: All toys" in refused("npi/only", "-n", "4")


def test_a_card_that_is_replaced_is_kept() -> None:
    published("toy.merula")
    card = Path("out/README.md")
    card.write_text("My own words.", encoding="utf-8")
    ran = published("toy.merula", "--replace")
    assert "README.before.md" in ran.output
    assert Path("out/README.before.md").read_text(encoding="utf-8") == "My own words."
    assert not verified()
    card.write_text("Other words.", encoding="utf-8")
    assert "README.before-2.md" in published("toy.merula", "--replace").output
    assert Path("out/README.before.md").read_text(encoding="utf-8") == "My own words."


def test_the_day_stays_that_of_the_first_time() -> None:
    published("toy.merula", "--date", "2020-02-29")
    published("toy.merula")
    assert about().date == "2020-02-29"
    assert "--date 2020-02-29" in about().command
    assert "year   = {2020}" in Path("out/README.md").read_text(encoding="utf-8")
    found = json.loads(Path("out/croissant.json").read_text(encoding="utf-8"))
    assert found["datePublished"] == "2020-02-29"
    published("toy.merula", out="new")
    assert about("new").date == datetime.now(UTC).date().isoformat()


def test_where_words_come_from_goes_with_the_tables() -> None:
    Path("sources.toml").write_text('[[source]]\ntitle = "My head"\n', encoding="utf-8")
    published("toy.merula")
    assert Path("out/source/sources.toml").is_file()
    assert "My head" in Path("out/README.md").read_text(encoding="utf-8")


def test_every_design_of_every_split_is_in_a_sample() -> None:
    published("npi/only", "-n", "20", "--split", "80:10:10")
    sample = sample_of(about(), 10)
    assert [said["instances"] for said in sample] == [1] * 6


def test_suites_are_named_in_any_case() -> None:
    ran = run("publish", "NPI", "--out", "out", *LICENCE, "--type", "I")
    assert ran.exit_code == 2
    assert "a suite of paradigms" in ran.output


def test_a_citation_that_is_none_is_told() -> None:
    assert "it does not contain an entry" in refused("toy.merula", "--citation", "toy.csv")


def test_a_type_of_paradigms_is_told() -> None:
    ran = run("publish", "toy.merula", "--out", "out", *LICENCE, "--type", "III")
    assert ran.exit_code == 2
