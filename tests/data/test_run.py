"""Data sets on the disk: whole or absent, the same whoever makes them, gone on with, checked."""

from __future__ import annotations

import csv
import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import merula
from merula.compiler.compiled import Compiled
from merula.core.files import obstacle
from merula.data.digest import BlockHasher, summed
from merula.data.folder import STATE
from merula.data.formats import WRITERS, json_texts, read_batches
from merula.data.manifests.run import MANIFEST
from merula.data.run import FilePart, Run, RunOutcome, Shard, generate_files
from merula.data.verify import verify
from merula.rows.columns import row_schema
from merula.rows.maker import RowChoice, RowMaker
from merula.rows.variation import Variation

FORMATS = list(WRITERS)


@pytest.fixture(scope="module")
def agreement() -> Compiled:
    return merula.load("blm/agreement_fr")._compiled


@pytest.fixture(scope="module")
def negation() -> Compiled:
    return merula.load("npi/sentential_negation")._compiled


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a few instances, so that a little data has many parts."""
    monkeypatch.setattr("merula.rows.maker.CHUNK", 64)


def made(folder: Path, outcome: RunOutcome) -> dict[str, Any]:
    assert outcome.manifest is not None
    manifest = outcome.manifest.to_json()
    assert json.loads((folder / MANIFEST).read_text(encoding="utf-8")) == manifest
    names = {entry["file"] for entry in manifest["files"]}
    assert {p.name for p in folder.iterdir()} == {*names, MANIFEST}
    assert [c.fault for c in verify(folder)] == [""] * len(names)
    return manifest


def contents(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir()}


def read(path: Path, form: str) -> list[Any]:
    if form == "parquet":
        return list(pq.read_table(path).to_pylist())
    if form == "arrow":
        return list(pa.ipc.open_stream(path.read_bytes()).read_all().to_pylist())
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


# --- formats ---------------------------------------------------------------------------------


@pytest.mark.parametrize("spans", [False, True])
def test_formats_hold_the_same_rows(
    tmp_path: Path, agreement: Compiled, negation: Compiled, spans: bool
) -> None:
    found, digests = {}, {}
    for form in FORMATS:
        run = Run.of([agreement, negation], RowChoice(30, 4, spans=spans), form)
        manifest = made(tmp_path / form, generate_files(run, tmp_path / form))
        names = [entry["file"] for entry in manifest["files"]]
        digests[form] = [design["digest"] for design in manifest["designs"]]
        if form != "csv":
            found[form] = [read(tmp_path / form / name, form) for name in names]
    assert found["parquet"] == found["arrow"] == found["jsonl"]
    assert len({tuple(x) for x in digests.values()}) == 1
    assert [len(x) for x in found["jsonl"]] == [30, 30, 30, 240, 240]
    with (tmp_path / "csv" / "agreement_fr-six.csv").open(encoding="utf-8-sig", newline="") as file:
        for flat, row in zip(csv.DictReader(file), found["jsonl"][0], strict=True):
            assert [flat[f"context.{i}"] for i in range(7)] == row["context"]
            assert flat[f"labels.{row['correct']}"] == "Correct"
            assert flat["correct"] == str(row["correct"])
            assert flat["broken.2"] == "; ".join(row["broken"][2])
            assert flat["lexemes.set"] == row["lexemes"]["set"]
            if spans:
                span = row["answer_spans"][1][0]
                assert flat["answer_spans.1"].startswith(
                    f"{span['object']} {span['start']}-{span['end']}; "
                )
    path = tmp_path / "csv" / "sentential_negation-ever.csv"
    with path.open(encoding="utf-8-sig", newline="") as file:
        for flat, row in zip(csv.DictReader(file), found["jsonl"][3], strict=True):
            assert flat["sentence"] == row["sentence"]
            assert flat["acceptable"] == str(int(row["acceptable"]))
            assert flat["factors.ever"] == row["factors"]["ever"]
            assert flat["broken"] == "; ".join(row["broken"])


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("answers", ["one", "mixed"])
def test_type_iii_data_can_be_written(
    tmp_path: Path, agreement: Compiled, form: str, answers: str
) -> None:
    selection = RowChoice(20, 4, Variation("III", answers), spans=True)
    manifest = made(
        tmp_path / "x", generate_files(Run.of([agreement], selection, form), tmp_path / "x")
    )
    assert manifest["variation"] == "III"
    maker = RowMaker(agreement, agreement.designs["six"], selection)
    if form != "csv":
        assert (
            read(tmp_path / "x" / f"agreement_fr-six.{form}", form)
            == maker.batch(0, 20).to_pylist()
        )


@pytest.mark.parametrize("form", FORMATS)
def test_no_instance_at_all(tmp_path: Path, negation: Compiled, form: str) -> None:
    run = Run.of([negation], RowChoice(0), form)
    manifest = made(tmp_path / "x", generate_files(run, tmp_path / "x"))
    assert [d["rows"] for d in manifest["designs"]] == [0, 0]
    if form == "csv":
        text = (tmp_path / "x" / "sentential_negation-any.csv").read_text(encoding="utf-8-sig")
        assert text.startswith("instance,address,design,frame,variant,cell,factors.licensor,")
        assert text.count("\n") == 1


values = st.recursive(
    st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "a": st.none() | st.text(st.characters(exclude_categories=["Cs"])),
                "b": st.lists(st.text(max_size=3), max_size=3),
                "c": st.lists(st.lists(st.sampled_from(["x", 'y"', "\n", "é"]))),
                "d": st.booleans(),
                "e": st.integers(-(2**31), 2**31 - 1),
                "f": st.fixed_dictionaries({"g h": st.none() | st.sampled_from(["\\", "z"])}),
            }
        ),
        max_size=6,
    ),
    st.integers(0, 3),
)
def test_json_is_as_python_writes_it(rows: list[dict[str, Any]], start: int) -> None:
    word = pa.dictionary(pa.int32(), pa.string())
    kind = pa.struct(
        [
            ("a", pa.string()),
            ("b", pa.list_(pa.string())),
            ("c", pa.list_(pa.list_(word))),
            ("d", pa.bool_()),
            ("e", pa.int32()),
            ("f", pa.struct([("g h", word)])),
        ]
    )
    array = pa.array(rows, kind).slice(min(start, len(rows)))
    expected = [json.dumps(row, ensure_ascii=False) for row in array.to_pylist()]
    assert json_texts(array).to_pylist() == expected


# --- digests ---------------------------------------------------------------------------------


def test_a_digest_changes_with_any_value(negation: Compiled) -> None:
    """Every column takes part, and so does the number of a row."""
    maker = RowMaker(negation, negation.designs["ever"], RowChoice(100, 1, spans=True))
    batch = maker.batch(0, 10)
    other = maker.batch(10, 20)
    whole = BlockHasher(maker.schema).block(batch, 0)
    assert BlockHasher(maker.schema).block(batch, 0) == whole
    assert BlockHasher(maker.schema).block(batch, 8) != whole
    for i, name in enumerate(batch.schema.names):
        columns = list(batch.columns)
        columns[i] = other.columns[i]
        same = columns[i].to_pylist() == batch.columns[i].to_pylist()
        changed = pa.RecordBatch.from_arrays(columns, schema=batch.schema)
        assert (BlockHasher(maker.schema).block(changed, 0) == whole) == same, name
    assert summed([whole, 5]) == summed([5, whole])


def test_a_digest_knows_the_names_of_columns() -> None:
    """The same values under another name are other data, and so are words that change columns."""
    lists = pa.array([["a"], ["b", "a"]], pa.list_(pa.dictionary(pa.int32(), pa.string())))
    columns = {
        "frame": pa.array(["a", "b"]).dictionary_encode(),
        "cell": pa.array(["b", "a"]).dictionary_encode(),
        "text": pa.array(["a", "b"]),
        "instance": pa.array([1, 2]),
        "broken": lists,
    }

    def digests(names: Sequence[str]) -> tuple[int, int]:
        """Of columns, and of the same as fields of one column."""
        flat = pa.RecordBatch.from_arrays(list(columns.values()), names=list(names))
        nested = pa.RecordBatch.from_arrays([flat.to_struct_array()], names=["lexemes"])
        one, other = (BlockHasher(batch.schema).block(batch, 0) for batch in (flat, nested))
        return one, other

    names = list(columns)
    whole = digests(names)
    swapped = ["cell", "frame", *names[2:]]
    renamed = [[*names[:i], "new", *names[i + 1 :]] for i in range(len(names))]
    for others in (swapped, *renamed):
        assert not set(digests(others)) & set(whole), others


def test_a_digest_of_a_long_column_knows_the_order() -> None:
    """Long columns are folded; values that change places, in whatever steps, are found."""
    schema = pa.schema([("instance", pa.int64())])
    values = np.arange(40_000)

    def digest(column: Any) -> int:
        return BlockHasher(schema).block(pa.RecordBatch.from_arrays([pa.array(column)], ["x"]), 0)

    whole = digest(values)
    for step in (1, 4_096, 8_192):
        assert digest(np.roll(values, step)) != whole
        swapped = values.copy()
        swapped[[5, 5 + step]] = swapped[[5 + step, 5]]
        assert digest(swapped) != whole
    for place in (0, 4_095, 4_096, 36_864, 39_999):
        changed = values.copy()
        changed[place] += 1
        assert digest(changed) != whole


def test_a_digest_does_not_depend_on_dictionaries(tmp_path: Path, negation: Compiled) -> None:
    maker = RowMaker(negation, negation.designs["any"], RowChoice(100, 1, spans=True))
    batch = maker.batch(0, 100)
    with WRITERS["parquet"](tmp_path / "x.parquet", maker.schema, None) as write:
        write(batch)
    schema = row_schema(pq.read_schema(tmp_path / "x.parquet"))
    (again,) = read_batches(tmp_path / "x.parquet", "parquet", schema, 10_000)
    assert again.column("frame").dictionary.to_pylist() != []
    assert BlockHasher(schema).block(again, 0) == BlockHasher(maker.schema).block(batch, 0)


# --- workers, shards, parts ------------------------------------------------------------------


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("form", FORMATS)
def test_shards_make_the_same_files(
    tmp_path: Path, agreement: Compiled, negation: Compiled, form: str
) -> None:
    run = Run.of([agreement, negation], RowChoice(37, 3), form, sentences_per_file=128)
    assert len(run.parts) > 8
    whole = made(tmp_path / "whole", generate_files(run, tmp_path / "whole"))
    for number in (3, 1, 2):
        outcome = generate_files(run, tmp_path / "shards", shard=Shard(number, 3))
        assert (outcome.manifest is None) == (number != 2)
    shards = made(tmp_path / "shards", generate_files(run, tmp_path / "shards"))
    assert shards == whole
    if form in ("jsonl", "csv"):
        assert contents(tmp_path / "shards") == contents(tmp_path / "whole")
    other = Run.of([agreement, negation], RowChoice(37, 3), form, sentences_per_file=64)
    assert len(other.parts) > len(run.parts)
    finer = made(tmp_path / "finer", generate_files(other, tmp_path / "finer"))
    assert [d["digest"] for d in finer["designs"]] == [d["digest"] for d in whole["designs"]]
    names = [e["file"] for e in whole["files"] if e["design"] == "any"]
    assert names[0] == f"sentential_negation-any-00000-of-{len(names):05d}.{form}"
    if form == "jsonl":
        joined = b"".join((tmp_path / "whole" / n).read_bytes() for n in names)
        finest = [e["file"] for e in finer["files"] if e["design"] == "any"]
        assert joined == b"".join((tmp_path / "finer" / n).read_bytes() for n in finest)


def test_workers_make_the_same_files(tmp_path: Path, negation: Compiled) -> None:
    run = Run.of([negation], RowChoice(20_000, 3), "jsonl", sentences_per_file=65_536)
    assert len(run.parts) == 6
    alone = made(tmp_path / "alone", generate_files(run, tmp_path / "alone"))
    seen: list[tuple[str, int, int]] = []
    both = generate_files(
        run, tmp_path / "both", workers=2, progress=lambda *what: seen.append(what)
    )
    assert made(tmp_path / "both", both) == alone
    assert contents(tmp_path / "both") == contents(tmp_path / "alone")
    assert {what for what in seen if what[1] == what[2]} == {
        ("ever", 20_000, 20_000),
        ("any", 20_000, 20_000),
    }


def test_shards_share_the_parts() -> None:
    parts = [FilePart(0, f"{i}", i, 1) for i in range(11)]
    for total in (1, 2, 3, 5, 11, 20):
        shares = [list(Shard(k, total).of(parts)) for k in range(1, total + 1)]
        assert [part for share in shares for part in share] == parts
        assert max(map(len, shares)) - min(map(len, shares)) <= 1


# --- going on --------------------------------------------------------------------------------


@pytest.mark.usefixtures("small_blocks")
def test_a_run_goes_on(tmp_path: Path, negation: Compiled, monkeypatch: pytest.MonkeyPatch) -> None:
    """It makes what is missing, and leaves alone what is there."""
    run = Run.of([negation], RowChoice(40, 3), "jsonl", sentences_per_file=64)
    whole = made(tmp_path / "whole", generate_files(run, tmp_path / "whole"))
    out, count = tmp_path / "out", 0
    make = Run.make

    def stop_after_three(self: Run, *args: Any) -> Any:
        nonlocal count
        count += 1
        if count == 4:
            raise KeyboardInterrupt
        return make(self, *args)

    monkeypatch.setattr(Run, "make", stop_after_three)
    with pytest.raises(KeyboardInterrupt):
        generate_files(run, out)
    done = {p.name: p.stat().st_mtime_ns for p in out.iterdir() if p.name != STATE}
    assert len(done) == 3
    with pytest.raises(merula.MerulaError, match="M676"):
        list(verify(out))
    outcome = generate_files(run, out)
    assert len(outcome.made) == len(run.parts) - 3
    assert made(out, outcome) == whole
    assert {name: (out / name).stat().st_mtime_ns for name in done} == done
    again = generate_files(run, out)
    assert again.made == ()
    assert again.manifest is not None
    assert again.manifest.to_json() == whole


@pytest.mark.usefixtures("small_blocks")
def test_a_damaged_part_is_made_again(tmp_path: Path, negation: Compiled) -> None:
    run = Run.of([negation], RowChoice(40, 3), "jsonl", sentences_per_file=64)
    whole = made(tmp_path / "whole", generate_files(run, tmp_path / "whole"))
    out = tmp_path / "out"
    generate_files(run, out, shard=Shard(1, 2))
    files = sorted(p.name for p in out.iterdir() if p.name != STATE)
    (out / files[0]).unlink()
    (out / files[1]).write_text("", encoding="utf-8")
    (out / STATE / f"{files[2]}.json").write_text("{", encoding="utf-8")
    outcome = generate_files(run, out)
    assert set(files[:3]) <= set(outcome.made)
    assert not set(files[3:]) & set(outcome.made)
    assert made(out, outcome) == whole


GENERATE = [
    *(sys.executable, "-m", "merula.cli", "generate", "npi/sentential_negation", "-n", "40000"),
    *("--sentences-per-file", "65536", "--format", "jsonl", "--quiet", "--out"),
]


# A process that makes some parts and then waits: it is always killed before it has made all.
HELD = """
import sys, time
from merula.cli import main
from merula.data.run import Run
make, left = Run.make, int(sys.argv.pop(1))
def held(self, *args):
    global left
    if not left:
        time.sleep(600)
    left -= 1
    return make(self, *args)
Run.make = held
main()
"""


def test_a_killed_run_leaves_whole_parts_and_goes_on(tmp_path: Path, negation: Compiled) -> None:
    command = [*GENERATE[3:6], "24576", *GENERATE[7:]]  # six parts
    run = Run.of([negation], RowChoice(24_576), "jsonl", sentences_per_file=65_536)
    assert len(run.parts) == 6
    whole = made(tmp_path / "whole", generate_files(run, tmp_path / "whole"))
    sizes = {entry["file"]: entry["bytes"] for entry in whole["files"]}
    out = tmp_path / "out"
    for wanted, later in ((1, 0.0), (4, 0.1)):  # seconds, into the next part
        more = wanted + 1 - len(_parts(out))
        process = subprocess.Popen([sys.executable, "-c", HELD, str(more), *command, str(out)])
        while process.poll() is None and len(_parts(out)) < wanted:
            time.sleep(0.002)
        time.sleep(later)
        assert process.poll() is None
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert wanted <= len(_parts(out)) <= wanted + 1
        for path in _parts(out):
            assert path.stat().st_size == sizes[path.name]
        assert not (out / MANIFEST).exists()
    subprocess.run([*GENERATE[:3], *command, str(out)], check=True, capture_output=True)
    assert json.loads((out / MANIFEST).read_text(encoding="utf-8")) == whole
    assert contents(out) == contents(tmp_path / "whole")


def _parts(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.jsonl"))


# --- refusals --------------------------------------------------------------------------------


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("finished", [False, True])
def test_other_data_is_refused(
    tmp_path: Path, agreement: Compiled, negation: Compiled, finished: bool
) -> None:
    run = Run.of([negation], RowChoice(40, 3), "jsonl", sentences_per_file=64)
    out = tmp_path / "out"
    generate_files(run, out, shard=None if finished else Shard(1, 2))
    before = contents(out) if finished else None
    others = {
        "seed: 3 there, 4 asked for": Run.of(
            [negation], RowChoice(40, 4), "jsonl", sentences_per_file=64
        ),
        "format: jsonl there, csv asked for": Run.of(
            [negation], RowChoice(40, 3), "csv", sentences_per_file=64
        ),
        "sentential_negation-ever: 40 instances there, 41 asked for": Run.of(
            [negation], RowChoice(41, 3), "jsonl", sentences_per_file=64
        ),
        "agreement_fr-six is asked for and not there": Run.of(
            [agreement], RowChoice(40, 3), "jsonl", sentences_per_file=64
        ),
        "spans: no there, yes asked for": Run.of(
            [negation], RowChoice(40, 3, spans=True), "jsonl", sentences_per_file=64
        ),
        "columns: all there, sentence asked for": Run.of(
            [negation], RowChoice(40, 3, columns=("sentence",)), "jsonl", sentences_per_file=64
        ),
        "sentences in a file: 64 there, 128 asked for": Run.of(
            [negation], RowChoice(40, 3), "jsonl", sentences_per_file=128
        ),
    }
    for note, other in others.items():
        with pytest.raises(merula.MerulaError, match="holds other data") as error:
            generate_files(other, out)
        assert note in error.value.problems[0].notes
    if before is not None:
        assert contents(out) == before
    assert generate_files(run, out).manifest is not None


def test_a_changed_grammar_or_table_is_refused(tmp_path: Path) -> None:
    def run(text: str, table: str) -> Run:
        grammar = merula.compile(text, tables={"t.csv": table})
        return Run.of([grammar._compiled], RowChoice(2), "jsonl")

    text = (
        'phenomenon p\nlexicon noun "t.csv"\nobjects\n  a : noun (number)\nattributes\n'
        "  number = sg | pl\nframes\n  f = a\nparadigm n = a.number\n"
    )
    table = "lemma,sg,pl\ndog,dog,dogs\ncat,cat,cats\n"
    generate_files(run(text, table), tmp_path / "x")
    for other, note in (
        (run(text.replace("f = a", 'f = "the" a'), table), "p-n: the grammar has changed"),
        (run(text, table.replace("cats", "katz")), "p-n: the tables or the surface rules"),
    ):
        with pytest.raises(merula.MerulaError) as error:
            generate_files(other, tmp_path / "x")
        assert any(n.startswith(note) for n in error.value.problems[0].notes)
    assert generate_files(run(text, table), tmp_path / "x").made == ()


def test_a_foreign_folder_is_refused(tmp_path: Path, negation: Compiled) -> None:
    run = Run.of([negation], RowChoice(1), "jsonl")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    for name in ("mine", "file"):
        with pytest.raises(merula.MerulaError, match="M609"):
            generate_files(run, tmp_path / name)
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / MANIFEST).write_text("[1", encoding="utf-8")
    with pytest.raises(merula.MerulaError, match="M618"):
        generate_files(run, tmp_path / "bad")
    assert (tmp_path / "mine" / "thesis.txt").read_text(encoding="utf-8") == "mine"
    (tmp_path / "empty").mkdir()
    made(tmp_path / "empty", generate_files(run, tmp_path / "empty"))


def test_a_full_disk_keeps_what_is_done(
    tmp_path: Path, negation: Compiled, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run.of([negation], RowChoice(1), "jsonl")
    calls, replace = 0, Path.replace

    def full(self: Path, other: Path) -> None:
        nonlocal calls
        calls += 1
        if other.name.endswith(".jsonl") and calls > limit:
            raise OSError(28, "No space left on device")
        replace(self, other)

    monkeypatch.setattr(Path, "replace", full)
    limit = 3
    with pytest.raises(merula.MerulaError, match="No space left") as error:
        generate_files(run, tmp_path / "a" / "b")
    assert "the same command goes on" in error.value.problems[0].remedy
    assert len(list((tmp_path / "a" / "b").glob("*.jsonl"))) == 1
    limit = 100
    made(tmp_path / "a" / "b", generate_files(run, tmp_path / "a" / "b"))


# --- verify ----------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMATS)
def test_damage_is_found(tmp_path: Path, negation: Compiled, form: str) -> None:
    run = Run.of([negation], RowChoice(2_000), form)
    good = tmp_path / "good"
    generate_files(run, good)
    name = f"sentential_negation-any.{form}"

    def fault(folder: str) -> str:
        (found,) = [c.fault for c in verify(tmp_path / folder) if c.file == name]
        return found

    shutil.copytree(good, tmp_path / "gone")
    (tmp_path / "gone" / name).unlink()
    assert fault("gone") == "is missing"
    shutil.copytree(good, tmp_path / "short")
    raw = (good / name).read_bytes()
    (tmp_path / "short" / name).write_bytes(raw[:-7])
    assert ("bytes instead of" if form in ("jsonl", "csv") else "cannot be read") in fault("short")
    shutil.copytree(good, tmp_path / "flipped")
    middle = len(raw) // 3
    (tmp_path / "flipped" / name).write_bytes(
        raw[:middle] + bytes([raw[middle] ^ 1]) + raw[middle + 1 :]
    )
    assert fault("flipped")
    shutil.copytree(good, tmp_path / "noise")
    (tmp_path / "noise" / name).write_bytes(b"x" * len(raw))
    assert fault("noise")
    shutil.copytree(good, tmp_path / "more")
    shutil.copy(good / name, tmp_path / "more" / f"more.{form}")
    assert [c.fault for c in verify(tmp_path / "more") if c.fault] == ["is not in the manifest"]


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_a_changed_value_is_found(tmp_path: Path, negation: Compiled, form: str) -> None:
    """A file of other rows, whole and with the right size in the manifest."""
    run = Run.of([negation], RowChoice(50), form)
    generate_files(run, tmp_path / "x")
    path = tmp_path / "x" / f"sentential_negation-any.{form}"
    table = pa.Table.from_pylist(read(path, form))
    schema = RowMaker(negation, negation.designs["any"]).schema
    maker = RowMaker(negation, negation.designs["any"], RowChoice(50, 1))
    with WRITERS[form](path, schema, None) as write:
        write(maker.batch(0, 50))
    assert read(path, form) != table.to_pylist()
    manifest = json.loads((tmp_path / "x" / MANIFEST).read_text(encoding="utf-8"))
    for entry in manifest["files"]:
        entry["bytes"] = (tmp_path / "x" / entry["file"]).stat().st_size
    (tmp_path / "x" / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    faults = {c.file: c.fault for c in verify(tmp_path / "x")}
    assert faults[path.name] == "has other rows than were written"


def test_a_tampered_manifest_is_refused_or_found_out(tmp_path: Path, negation: Compiled) -> None:
    """Whatever a value of a manifest is exchanged for, there is an answer and no exception."""
    run = Run.of([negation], RowChoice(3), "parquet")
    whole = made(tmp_path / "x", generate_files(run, tmp_path / "x"))
    path = tmp_path / "x" / MANIFEST

    def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in items:
            yield (*at, key)
            if isinstance(inner, (dict, list)):
                yield from places(inner, (*at, key))

    def answer() -> None:
        with suppress(merula.MerulaError):
            list(verify(tmp_path / "x"))
        with suppress(merula.MerulaError):
            generate_files(run, tmp_path / "x")

    values: list[Any] = [..., None, -1, 0, 10**30, "x", "", [], {}, [None], True]
    for place in list(places(whole)):
        for new in values:
            changed = json.loads(json.dumps(whole))
            inner = changed
            for key in place[:-1]:
                inner = inner[key]
            if new is ...:
                del inner[place[-1]]
            else:
                inner[place[-1]] = new
            path.write_text(json.dumps(changed), encoding="utf-8")
            answer()
    path.write_text(json.dumps(whole), encoding="utf-8")
    assert [c.fault for c in verify(tmp_path / "x")] == ["", ""]


def test_there_is_nothing_to_verify(tmp_path: Path) -> None:
    with pytest.raises(merula.MerulaError, match="M675"):
        list(verify(tmp_path))
    (tmp_path / MANIFEST).write_text('{"designs": []}', encoding="utf-8")
    with pytest.raises(merula.MerulaError, match="M618"):
        list(verify(tmp_path))


def test_too_many_files_are_refused(negation: Compiled) -> None:
    with pytest.raises(merula.MerulaError, match="M619"):
        Run.of([negation], RowChoice(), "jsonl")
    assert Run.of([negation], RowChoice(10_000_000), "jsonl").parts


@pytest.mark.parametrize(
    ("one", "other"), [("dogs", "Dogs"), ("straße", "STRASSE"), ("élan", "Élan"), ("ǰ", "J\u030c")]
)
def test_two_designs_that_are_one_file_on_some_disk_are_told(one: str, other: str) -> None:
    """Also where this disk would take both: a data set is made alike everywhere."""
    text = (
        'phenomenon {}\nlexicon sets "t.csv"\nobjects\n  subj : NP (number)\nattributes\n'
        '  number = sg | pl\nframes\n  f = subj "slept"\nparadigm n = subj.number\n'
    )
    tables = {"t.csv": "subj.sg,subj.pl\nthe dog,the dogs\n"}
    grammars = [
        merula.compile(text.format(name), tables=tables, name=f"{place}.merula")._compiled
        for place, name in enumerate((one, other))
    ]
    with pytest.raises(merula.MerulaError) as told:
        Run.of(grammars, RowChoice(), "jsonl")
    (problem,) = told.value.problems
    names = [f"{c.grammar.name}-n" for c in grammars if c.grammar is not None]
    assert problem.code == "M613"
    assert problem.message == (
        f"{names[0]} and {names[1]} would be one file on macOS and Windows: {names[0]}.jsonl"
    )
    assert "0.merula and 1.merula" in str(told.value)
    assert Run.of(grammars[:1], RowChoice(), "jsonl").parts


def test_objects_may_be_called_like_spans(tmp_path: Path) -> None:
    """A CSV file has a column for each lexeme of an item, whatever its object is called."""
    text = (
        'phenomenon p\nlexicon "t.csv"\nobjects\n  start : noun (number)\n  end : verb (number)\n'
        "attributes\n  number = sg | pl\nexternal\n  agreement: end.number = start.number\n"
        "frames\n  f = start end\nmatrix m = 3 items\n  start.number cycles 2 of sg | pl every 1\n"
        "answers for m\n  AE breaks E agreement: flip end.number\n"
    )
    table = "lemma,category,sg,pl\n" + "".join(
        f"{n},noun,{n},{n}s\n{v},verb,{v}s,{v}\n" for n, v in [("dog", "bark"), ("cat", "run")]
    )
    grammar = merula.compile(text, tables={"t.csv": table})
    run = Run.of([grammar._compiled], RowChoice(variation=Variation("III")), "csv")
    generate_files(run, tmp_path / "x")
    with (tmp_path / "x" / "p-m.csv").open(encoding="utf-8-sig", newline="") as file:
        row = next(csv.DictReader(file))
    assert row["context_lexemes.0.start"] in ("dog", "cat")
    assert row["answer_lexemes.1.end"] in ("bark", "run")


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "a": st.text(st.characters(exclude_categories=["Cs"])),
                "b": st.none() | st.sampled_from(["x", 'y"', "\n", "é", "a,b", "\r", ""]),
            }
        ),
        min_size=1,
        max_size=6,
    )
)
def test_csv_is_read_back(rows: list[dict[str, Any]]) -> None:
    word = pa.dictionary(pa.int32(), pa.string())
    schema = pa.schema([("a", pa.string()), ("b", word), ("broken", pa.list_(word))])
    batch = pa.RecordBatch.from_pylist([{**row, "broken": ["E x", "I,y"]} for row in rows], schema)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "x.csv"
        with WRITERS["csv"](path, schema, batch) as write:
            write(batch)
        with path.open(encoding="utf-8-sig", newline="") as file:
            found = list(csv.reader(file))
    assert found[0] == ["a", "b", "broken"]
    assert found[1:] == [[row["a"], row["b"] or "", "E x; I,y"] for row in rows]


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_rows_decide_and_not_their_container(tmp_path: Path, negation: Compiled, form: str) -> None:
    """Files that another program has written again are fine if their rows are the same."""
    run = Run.of([negation], RowChoice(50, spans=True), form)
    generate_files(run, tmp_path / "x")
    path = tmp_path / "x" / f"sentential_negation-any.{form}"
    table = (
        pq.read_table(path)
        if form == "parquet"
        else pa.ipc.open_stream(path.read_bytes()).read_all()
    )
    large = pa.schema([(f.name, _large(f.type)) for f in table.schema])
    for other in (table, table.cast(large)):
        if form == "parquet":
            pq.write_table(other, path, compression="zstd", row_group_size=7)
        else:
            with pa.ipc.new_stream(path, other.schema) as writer:
                writer.write_table(other, max_chunksize=7)
        assert [c.fault for c in verify(tmp_path / "x")] == ["", ""]
    names = ("broken", "acceptable", "lexemes", "spans", "sentence", "instance")
    for name in names:
        column = pa.array([None, *table[name].to_pylist()[1:]], table.schema.field(name).type)
        at = table.schema.get_field_index(name)
        changed = table.set_column(at, table.schema.field(name), column)
        if form == "parquet":
            pq.write_table(changed, path)
        else:
            with pa.ipc.new_stream(path, changed.schema) as writer:
                writer.write_table(changed)
        assert [bool(c.fault) for c in verify(tmp_path / "x") if c.file == path.name] == [True]


def _large(kind: Any) -> Any:
    if pa.types.is_string(kind):
        return pa.large_string()
    if pa.types.is_list(kind):
        return pa.large_list(_large(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([(f.name, _large(f.type)) for f in kind])
    return kind


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_workers_end_with_their_run(tmp_path: Path, end: signal.Signals) -> None:
    command = [*GENERATE[:6], "400000", *GENERATE[7:], str(tmp_path / "out"), "--workers", "2"]
    process = subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE)
    try:
        while process.poll() is None and not _parts(tmp_path / "out"):
            time.sleep(0.02)
        os.kill(process.pid, end)
        _, said = process.communicate(timeout=120)
        assert process.returncode == (130 if end == signal.SIGINT else -end)
        assert (b"interrupted: the same command goes on" in said) == (end == signal.SIGINT)
        for _ in range(6_000):  # 120 seconds: the group is empty once its last process has ended
            try:
                os.killpg(process.pid, 0)
            except ProcessLookupError:
                break
            time.sleep(0.02)
        else:
            pytest.fail("a worker lives on")
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def test_a_lost_file_is_made_again(tmp_path: Path, agreement: Compiled, negation: Compiled) -> None:
    run = Run.of([negation, agreement], RowChoice(20), "jsonl")
    whole = made(tmp_path / "x", generate_files(run, tmp_path / "x"))
    names = [entry["file"] for entry in whole["files"]]
    before = contents(tmp_path / "x")
    (tmp_path / "x" / names[1]).unlink()
    (tmp_path / "x" / names[2]).write_bytes(b"")
    outcome = generate_files(run, tmp_path / "x")
    assert set(outcome.made) == {names[1], names[2]}
    assert made(tmp_path / "x", outcome) == whole
    assert contents(tmp_path / "x") == before


def test_two_runs_at_once_make_one_data_set(tmp_path: Path, negation: Compiled) -> None:
    run = Run.of([negation], RowChoice(40_000), "jsonl", sentences_per_file=65_536)
    both = [subprocess.Popen([*GENERATE, str(tmp_path / "x")]) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    assert [c.fault for c in verify(tmp_path / "x")] == [""] * len(run.parts)
    assert {p.name for p in (tmp_path / "x").iterdir()} == {
        MANIFEST,
        *(part.file for part in run.parts),
    }


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_any_flipped_bit_is_found_or_does_not_matter(
    tmp_path: Path, negation: Compiled, form: str
) -> None:
    """In a process of its own, since a bad offset could end it."""
    run = Run.of([negation], RowChoice(300), form)
    generate_files(run, tmp_path / "x")
    done = subprocess.run(
        [sys.executable, "-c", FLIP, str(tmp_path / "x"), f"sentential_negation-any.{form}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found, tried = map(int, done.stdout.split())
    assert tried == 150
    assert found > 75


FLIP = """
import sys
from pathlib import Path
from merula.data.verify import verify
folder, name = Path(sys.argv[1]), sys.argv[2]
raw = (folder / name).read_bytes()
found = 0
for i in range(150):
    at = i * len(raw) // 150
    (folder / name).write_bytes(raw[:at] + bytes([raw[at] ^ (1 << i % 8)]) + raw[at + 1 :])
    found += any(check.fault for check in verify(folder))
print(found, 150)
"""


SMALL = """
phenomenon small
language fr
lexicon sets "t.csv"
objects
  subj : NP (number)
  n1   : PP (number)
  verb : VP (number)
attributes
  number = sg | pl
external
  agreement: verb.number = subj.number
frames
  clause = subj n1 verb
paradigm agree = subj.number × verb.number varying n1.number
matrix four = 4 items
  subj.number cycles 2 of sg | pl every 1
  n1.number   cycles 2 of sg | pl every 2
answers
  AE breaks E agreement: flip verb.number
  WN breaks R: flip n1.number
"""
SMALL_TABLE = """subj.sg,subj.pl,n1.sg,n1.pl,verb.sg,verb.pl
le chat,les chats,de le voisin,de les voisins,dort,dorment
la amie,les amies,de le boulanger,de les boulangers,chante,chantent
le oiseau,les oiseaux,de la école,de les écoles,arrive,arrivent
le hôtel,les hôtels,de le port,de les ports,ferme,ferment
le fils,les fils,de la hôtesse,de les hôtesses,ment,mentent
"""


def test_a_data_set_means_the_same_rows_as_before(tmp_path: Path) -> None:
    """What no later version may change without raising `ORDER` or `SCHEMA_VERSION`."""
    grammar = merula.compile(SMALL, tables={"t.csv": SMALL_TABLE})
    found = {}
    for variation in ("I", "III"):
        for name in ("agree", "four") if variation == "I" else ("four",):
            some = grammar[name].generate(
                5 if variation == "I" else None, seed=3, variation=variation
            )
            manifest = some.write(tmp_path / f"{name}{variation}", form="jsonl")
            found[name, variation] = (
                manifest["designs"][0]["digest"],
                manifest["files"][0]["sha256"],
            )
    assert found == GOLDEN


GOLDEN = {
    ("agree", "I"): (
        "29ab43a0f1c726e041ae18a088646b5f18ea43f1571b9f382dc81199918f50c2",
        "2e8dfdbba2b7bd63c2dd4c87544ef77a86894ed8d1c59fb2bd0af0410b9b34e1",
    ),
    ("four", "I"): (
        "b3985437bf79fa163d586f5b55e11e77bec7624e3718a6cfb40c9888611498f4",
        "777e8c1eb1557e8fdf40376513b15a18933f1661cfc20e4655efef5a49228504",
    ),
    ("four", "III"): (
        "d3e598ffd9e4098c6049047bbaea581b7dfb7948504d79d17c12d7d9cba26ac3",
        "949c767bf55056567d60b29218ac9b9c0887bccb1714aeafba7a8eb1e8648ad8",
    ),
}


def test_a_full_disk_is_told_in_plain_words(tmp_path: Path) -> None:
    """Libraries add words of their own to those of the system."""
    error = OSError(errno.ENOSPC, "[Errno 28] Error writing bytes to file. Detail: [errno 28]")
    reason, remedy = obstacle(tmp_path / "out", error)
    assert reason == os.strerror(errno.ENOSPC)
    assert "make room" in remedy
