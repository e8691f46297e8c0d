"""One writer a format, all from the same batches; files appear whole or not at all."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

from merula.compiler import Compiled
from merula.language.diagnostics import MerulaError
from merula.rows import SCHEMA_VERSION, RowMaker, Selection

MANIFEST = "manifest.json"
Progress = Callable[[str, int, int], None]


def generate_files(
    compiled: Sequence[Compiled],
    out: Path,
    selection: Selection,
    form: str,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Write every design of some grammars into a new folder; returns its manifest.

    ``form`` is ``parquet``, ``arrow``, ``jsonl`` or ``csv``. The folder must not exist, or be
    empty: it is written under a temporary name and moved, so that it is whole or not there.
    Raises `MerulaError` where that cannot be done.
    """
    jobs = [
        (f"{c.grammar.name}-{design.name}", RowMaker(c, design))
        for c in compiled
        if c.grammar is not None
        for design in c.designs.values()
        if design.plans
    ]
    if not jobs:
        raise MerulaError.of(
            "M607",
            "there is nothing to generate",
            remedy="give the grammar a paradigm or a matrix, and a lexicon",
        )
    names = [name for name, _ in jobs]
    for name in names:
        if names.count(name) > 1:
            raise MerulaError.of(
                "M613",
                f"two designs would be written to the file {name}.{form}",
                remedy="rename one phenomenon or design, or write them into two folders",
                place=str(out),
            )
    numbers = [selection.number(maker.design) for _, maker in jobs]
    partial = out.parent / f".{out.name}.partial"
    manifest: dict[str, Any] = {
        "merula": version("merula"),
        "schema": SCHEMA_VERSION,
        "format": form,
        "seed": selection.seed,
        "files": [],
    }
    made: list[Path] = []  # folders on the way that are new
    try:
        _check_folder(out)
        made = [path for path in (out.parent, *out.parent.parents) if not path.exists()]
        out.parent.mkdir(parents=True, exist_ok=True)
        if partial.exists():
            shutil.rmtree(partial)
        partial.mkdir()
        for (name, maker), number in zip(jobs, numbers, strict=True):
            path = partial / f"{name}.{form}"
            rows = _write(path, maker, selection, form, number, progress)
            manifest["files"].append(_entry(path.name, maker, number, rows))
        (partial / MANIFEST).write_text(
            json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        if out.exists():
            out.rmdir()
        partial.rename(out)
    except OSError as error:
        _clear(partial, made)
        raise MerulaError.of(
            "M608",
            f"{out} cannot be written: {error.strerror or error}",
            remedy="nothing was left there; check the folder's rights and the free space",
            place=str(out),
        ) from error
    except BaseException:
        _clear(partial, made)
        raise
    return manifest


def _clear(partial: Path, made: Sequence[Path]) -> None:
    """Take away what was written, and the folders made for it."""
    shutil.rmtree(partial, ignore_errors=True)
    for folder in made:
        with suppress(OSError):
            folder.rmdir()


def _check_folder(out: Path) -> None:
    if "\0" in str(out):
        raise MerulaError.of("M608", "the name of the folder holds the character U+0000")
    if out.is_dir() and not any(out.iterdir()):
        return
    if out.exists() or out.is_symlink():
        what = "is not empty" if out.is_dir() else "is a file"
        raise MerulaError.of(
            "M609",
            f"{out} exists and {what}",
            remedy="choose another folder, or delete this one",
            place=str(out),
        )


def _entry(name: str, maker: RowMaker, instances: int, rows: int) -> dict[str, Any]:
    compiled, design = maker.compiled, maker.design
    assert compiled.grammar is not None
    return {
        "file": name,
        "phenomenon": compiled.grammar.name,
        "design": design.name,
        "kind": design.kind,
        "instances": instances,
        "rows": rows,
        "of": str(design.count),
        "grammar": compiled.grammar_digest,
        "lexicon": compiled.lexicon_digest,
    }


def _write(
    path: Path,
    maker: RowMaker,
    selection: Selection,
    form: str,
    number: int,
    progress: Progress | None,
) -> int:
    rows = done = 0
    with WRITERS[form](path, maker) as write:
        for batch in maker.batches(selection):
            write(batch)
            rows += int(batch.num_rows)
            done += int(batch.num_rows) // maker.rows_per_instance
            if progress is not None:
                progress(maker.design.name, done, number)
    return rows


# --- formats -------------------------------------------------------------------------------

Write = Callable[[Any], None]


@contextmanager
def _parquet(path: Path, maker: RowMaker) -> Iterator[Write]:
    import pyarrow.parquet as pq

    with pq.ParquetWriter(path, maker.schema, compression="zstd") as writer:
        yield writer.write_batch


@contextmanager
def _arrow(path: Path, maker: RowMaker) -> Iterator[Write]:
    """An Arrow IPC stream, as Hugging Face Datasets keeps its own data."""
    import pyarrow as pa

    with path.open("wb") as file, pa.ipc.new_stream(file, plain_schema(maker.schema)) as writer:
        yield lambda batch: writer.write_batch(plain(batch))


@contextmanager
def _jsonl(path: Path, maker: RowMaker) -> Iterator[Write]:
    del maker
    with path.open("w", encoding="utf-8", newline="\n") as file:

        def write(batch: Any) -> None:
            for row in batch.to_pylist():
                file.write(json.dumps(row, ensure_ascii=False) + "\n")

        yield write


@contextmanager
def _csv(path: Path, maker: RowMaker) -> Iterator[Write]:
    """Nested columns flattened: ``factors.npi``, ``answers.0``; lists of rules joined by ``; ``.

    The byte order mark makes spreadsheets read UTF-8 as UTF-8.
    """
    (sample,) = maker.batches(Selection(1))  # names the columns, also where no row follows
    header = list(dict(_flat(sample.to_pylist()[0])))
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)

        def write(batch: Any) -> None:
            for row in batch.to_pylist():
                flat = dict(_flat(row))
                writer.writerow([flat.get(name, "") for name in header])

        yield write


def _flat(row: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    for name, value in row.items():
        if isinstance(value, dict):
            yield from ((f"{name}.{key}", item or "") for key, item in value.items())
        elif (
            isinstance(value, list)
            and name == "broken"
            and not any(isinstance(item, list) for item in value)
        ):
            yield name, "; ".join(value)
        elif isinstance(value, list):
            for i, item in enumerate(value):  # from 0, as `correct` counts
                yield f"{name}.{i}", "; ".join(item) if isinstance(item, list) else item
        elif isinstance(value, bool):
            yield name, int(value)
        else:
            yield name, value


WRITERS: Mapping[str, Callable[[Path, RowMaker], AbstractContextManager[Write]]] = {
    "parquet": _parquet,
    "arrow": _arrow,
    "jsonl": _jsonl,
    "csv": _csv,
}


def plain_schema(schema: Any) -> Any:
    """A schema with dictionaries replaced by their values (a stream cannot change them)."""
    import pyarrow as pa

    def plain_type(kind: Any) -> Any:
        if pa.types.is_dictionary(kind):
            return kind.value_type
        if pa.types.is_struct(kind):
            return pa.struct([(f.name, plain_type(f.type)) for f in kind])
        return kind

    fields = [pa.field(f.name, plain_type(f.type)) for f in schema]
    return pa.schema(fields, metadata=schema.metadata)


def plain(batch: Any) -> Any:
    """A batch with dictionaries replaced by their values."""
    return batch.cast(plain_schema(batch.schema))
