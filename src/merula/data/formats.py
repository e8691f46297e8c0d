"""One writer and one reader a file format, all of the same rows."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

ROW_GROUP = 131_072  # rows

Write = Callable[[Any], None]


def plain_schema(schema: Any) -> Any:
    """Return a schema with the types of values in the place of dictionaries."""
    fields = [pa.field(f.name, _plain_type(f.type)) for f in schema]
    return pa.schema(fields, metadata=schema.metadata)


def _plain_type(kind: Any) -> Any:
    if pa.types.is_dictionary(kind):
        return kind.value_type
    if pa.types.is_struct(kind):
        return pa.struct([(f.name, _plain_type(f.type)) for f in kind])
    if pa.types.is_list(kind):
        return pa.list_(_plain_type(kind.value_type))
    return kind


def plain(batch: Any) -> Any:
    """Return a batch with values in the place of dictionaries."""
    return batch.cast(plain_schema(batch.schema))


def encoded(column: Any, kind: Any) -> Any:
    """Convert a column of plain values to a type of Merula's rows, which may have dictionaries.

    Raises ValueError where a value is null; only in columns of words may values be null.
    """
    if column.type == kind:
        return column
    column = column.cast(_plain_type(kind))
    if column.null_count and not pa.types.is_dictionary(kind):
        raise ValueError("a value is missing")
    if pa.types.is_dictionary(kind):
        return column.dictionary_encode()
    if pa.types.is_struct(kind):
        children = [
            encoded(child, field.type) for child, field in zip(column.flatten(), kind, strict=True)
        ]
        return pa.StructArray.from_arrays(children, names=[field.name for field in kind])
    if pa.types.is_list(kind):
        start = column.offset
        offsets = pa.array(column.offsets.to_numpy() - column.offsets[0].as_py(), pa.int32())
        assert len(offsets) == len(column) + 1, start
        return pa.ListArray.from_arrays(offsets, encoded(column.flatten(), kind.value_type))
    return column


# --- writers -------------------------------------------------------------------------------


@contextmanager
def _parquet(path: Path, schema: Any, sample: Any) -> Iterator[Write]:
    """Write Parquet with Snappy; its logical types are plain, so that every reader knows them."""
    import pyarrow.parquet as pq

    del sample
    repeated = [
        path
        for name in schema.names
        for path in _paths(name, schema.field(name).type)
        if name not in ("sentence", "context", "answers")
    ]
    with pq.ParquetWriter(
        path,
        schema,
        compression="snappy",
        use_dictionary=repeated,
        write_statistics=["instance"],  # nobody looks for sentences by their first letters
        store_schema=False,
    ) as writer:
        writer.add_key_value_metadata(
            {k.decode(): v.decode() for k, v in (schema.metadata or {}).items()}
        )
        group: list[Any] = []

        def write(batch: Any) -> None:
            group.append(batch)
            if sum(item.num_rows for item in group) >= ROW_GROUP:
                finish()

        def finish() -> None:
            if group:
                writer.write_table(pa.Table.from_batches(group))
                group.clear()

        yield write
        finish()


def _paths(name: str, kind: Any) -> Iterator[str]:
    """Yield the names that Parquet has for the columns inside a column."""
    if pa.types.is_struct(kind):
        for field in kind:
            yield from _paths(f"{name}.{field.name}", field.type)
    elif pa.types.is_list(kind):
        yield from _paths(f"{name}.list.element", kind.value_type)
    else:
        yield name


@contextmanager
def _arrow(path: Path, schema: Any, sample: Any) -> Iterator[Write]:
    """Write an Arrow IPC stream of plain types, as Hugging Face Datasets keeps its own data."""
    del sample
    with path.open("wb") as file, pa.ipc.new_stream(file, plain_schema(schema)) as writer:
        yield lambda batch: writer.write_batch(plain(batch))


@contextmanager
def _jsonl(path: Path, schema: Any, sample: Any) -> Iterator[Write]:
    """Write a JSON object a line, as ``json.dumps(row, ensure_ascii=False)`` does."""
    del schema, sample
    with path.open("wb") as file:

        def write(batch: Any) -> None:
            lines = json_texts(pa.StructArray.from_arrays(batch.columns, batch.schema.names))
            _write_lines(file, lines)

        yield write


@contextmanager
def _csv(path: Path, schema: Any, sample: Any) -> Iterator[Write]:
    """Write nested columns flat: ``factors.npi``, ``answers.0``; lists of rules joined by ``; ``.

    The byte order mark makes spreadsheets read UTF-8 as UTF-8. ``sample`` is a row, to name the
    columns where no row follows.
    """
    del schema
    header = pa.array([name for name, _ in _flat_batch(sample)], pa.string())
    with path.open("wb") as file:
        file.write("\ufeff".encode())
        file.write((",".join(_fields(header).to_pylist()) + "\n").encode())

        def write(batch: Any) -> None:
            fields = [_fields(column) for _, column in _flat_batch(batch)]
            _write_lines(file, pc.binary_join_element_wise(*fields, ","))

        yield write


def _write_lines(file: BinaryIO, lines: Any) -> None:
    """Write each text of a pyarrow string array as a line."""
    if len(lines):
        lines = pc.binary_join_element_wise(lines, "\n", "")
        _, offsets, characters = lines.buffers()
        bounds = memoryview(offsets).cast("i")[lines.offset :]
        file.write(memoryview(characters)[bounds[0] : bounds[len(lines)]])


WRITERS: Mapping[str, Callable[[Path, Any, Any], AbstractContextManager[Write]]] = {
    "parquet": _parquet,
    "arrow": _arrow,
    "jsonl": _jsonl,
    "csv": _csv,
}


# --- readers -------------------------------------------------------------------------------


def read_batches(path: Path, format_name: str, schema: Any, rows: int) -> Iterator[Any]:
    """Yield the batches of a Parquet or Arrow file, ``rows`` in each but the last.

    Raises ValueError or pyarrow's errors where Merula did not write the file.
    """
    for table in in_blocks(_stored(path, format_name), rows):
        yield as_batch(table, schema)


def in_blocks(batches: Iterable[Any], rows: int) -> Iterator[Any]:
    """Yield batches as tables of so many rows each but the last, none of them empty."""
    pending: list[Any] = []
    for batch in batches:
        pending.append(batch)
        while sum(b.num_rows for b in pending) >= rows:
            table = pa.Table.from_batches(pending).combine_chunks()
            yield table.slice(0, rows).combine_chunks()
            pending = table.slice(rows).to_batches()
    if sum(b.num_rows for b in pending):
        yield pa.Table.from_batches(pending).combine_chunks()


def _stored(path: Path, format_name: str) -> Iterator[Any]:
    if format_name == "parquet":
        import pyarrow.parquet as pq

        with pq.ParquetFile(path) as file:
            yield from file.iter_batches(batch_size=65_536, use_threads=False)
    else:
        with path.open("rb") as file, pa.ipc.open_stream(file) as reader:
            for batch in reader:
                batch.validate(full=True)  # a damaged offset would be followed anywhere
                yield batch


def stored_schema(path: Path, format_name: str) -> Any:
    """Return the schema of a Parquet or Arrow file."""
    if format_name == "parquet":
        import pyarrow.parquet as pq

        return pq.read_schema(path)
    with path.open("rb") as file, pa.ipc.open_stream(file) as reader:
        return reader.schema


def as_batch(table: Any, schema: Any) -> Any:
    """Return a table of plain values as one batch of a schema; raises ValueError."""
    if table.schema.names != schema.names:
        raise ValueError(f"its columns are {', '.join(table.schema.names)}")
    columns = [
        encoded(pa.concat_arrays(column.chunks), field.type)
        if column.num_chunks
        else pa.array([], field.type)
        for column, field in zip(table.columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


# --- JSON a column at a time ---------------------------------------------------------------


def json_texts(array: Any) -> Any:
    """Return each value of an array as ``json.dumps(value, ensure_ascii=False)`` writes it.

    >>> import pyarrow as pa
    >>> json_texts(pa.array([{"a": ["x", 'y"'], "b": None}])).to_pylist()
    ['{"a": ["x", "y\\\\""], "b": null}']
    """
    kind = array.type
    if pa.types.is_dictionary(kind):
        return _filled(json_texts(array.dictionary).take(array.indices), array)
    if pa.types.is_struct(kind):
        parts: list[Any] = []
        for i, (field, child) in enumerate(zip(kind, array.flatten(), strict=True)):
            start = "{" if i == 0 else ", "
            parts += [f"{start}{json.dumps(field.name, ensure_ascii=False)}: ", json_texts(child)]
        return _filled(pc.binary_join_element_wise(*parts, "}", ""), array)
    if pa.types.is_list(kind):
        offsets = pa.array(array.offsets.to_numpy() - array.offsets[0].as_py(), pa.int32())
        items = pa.ListArray.from_arrays(offsets, json_texts(array.flatten()))
        joined = pc.binary_join(items, ", ")
        return _filled(pc.binary_join_element_wise("[", joined, "]", ""), array)
    if pa.types.is_string(kind):
        return _filled(_json_strings(array), array)
    return _filled(array.cast(pa.string()), array)


def _filled(texts: Any, array: Any) -> Any:
    if not array.null_count:
        return texts
    return pc.if_else(array.is_valid(), texts, "null")


def _json_strings(array: Any) -> Any:
    """Return strings as JSON: in quotes; `json` writes those with characters to be escaped."""
    odd = pc.match_substring_regex(array, '["\\\\\\x00-\\x1f]')
    if pc.any(odd).as_py():
        texts = [
            None if s is None else json.dumps(s, ensure_ascii=False) for s in array.to_pylist()
        ]
        return pa.array(texts, pa.string())
    return pc.binary_join_element_wise('"', array, '"', "")


# --- flat columns --------------------------------------------------------------------------


def _flat_batch(batch: Any) -> Iterator[tuple[str, Any]]:
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        yield from _flat(name, column)


def _flat(name: str, column: Any) -> Iterator[tuple[str, Any]]:
    """Yield the flat columns, with their names, that a nested column becomes in a table."""
    kind = column.type
    if pa.types.is_struct(kind):
        for field, child in zip(kind, column.flatten(), strict=True):
            yield from _flat(f"{name}.{field.name}", child)
    elif pa.types.is_list(kind) and _is_joined(name, kind):
        offsets = pa.array(column.offsets.to_numpy() - column.offsets[0].as_py(), pa.int32())
        items = pa.ListArray.from_arrays(offsets, _member(column.flatten()))
        yield name, pc.binary_join(items, "; ")
    elif pa.types.is_list(kind):
        items = column.flatten()
        width = len(items) // max(len(column), 1)
        for i in range(width):  # from 0, as `correct` counts
            places = np.arange(i, len(items), width, dtype=np.int64)
            yield from _flat(f"{name}.{i}", items.take(pa.array(places)))
    else:
        yield name, column


def _is_joined(name: str, kind: Any) -> bool:
    """Return whether lists differ in length from row to row: broken rules, spans."""
    first = name.partition(".")[0]
    if pa.types.is_struct(kind.value_type):
        return first in ("spans", "context_spans", "answer_spans")
    return first == "broken" and not pa.types.is_list(kind.value_type)


def _member(items: Any) -> Any:
    """Return the texts of members of a list: the name of a rule, or a span as ``N1 4-10``."""
    if not pa.types.is_struct(items.type):
        return items.cast(pa.string())
    name, start, end = (child.cast(pa.string()) for child in items.flatten())
    return pc.binary_join_element_wise(name, " ", start, "-", end, "")


def _fields(column: Any) -> Any:
    """Return values as fields of CSV: in quotes if they contain a comma, a quote or a line end."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        texts = _fields(column.dictionary).take(column.indices)
    elif pa.types.is_boolean(kind):
        texts = column.cast(pa.int8()).cast(pa.string())
    elif pa.types.is_string(kind):
        quoted = pc.binary_join_element_wise('"', pc.replace_substring(column, '"', '""'), '"', "")
        texts = pc.if_else(pc.match_substring_regex(column, '[",\\n\\r]'), quoted, column)
    else:
        texts = column.cast(pa.string())
    return texts.fill_null("")


# --- what is on the disk -------------------------------------------------------------------


@dataclass(frozen=True)
class Stored:
    """A file's size and the SHA-256 of its bytes."""

    size: int
    sha256: str

    @staticmethod
    def of(path: Path) -> Stored:
        """Read a file; raises OSError."""
        total, size = hashlib.sha256(), 0
        with path.open("rb") as file:
            while block := file.read(io.DEFAULT_BUFFER_SIZE * 128):
                total.update(block)
                size += len(block)
        return Stored(size, total.hexdigest())


def one_arrow_thread() -> None:
    """Let Arrow use one thread in this process, where several processes share the work."""
    pa.set_cpu_count(1)
