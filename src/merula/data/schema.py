"""Schemas of tables: one that several have in common, and batches fitted to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from merula.rows.columns import row_schema

# Columns of texts that hardly repeat; other texts are words of a dictionary.
TEXTS = frozenset({"address", "sentence", "sentence_good", "sentence_bad", "masked", "spillover"})


def common_schema(schemas: Iterable[Any]) -> Any:
    """Return the schema that holds the rows of several designs: groups have the fields of all."""
    fields: dict[str, Any] = {}
    for schema in schemas:
        for field in schema:
            before = fields.get(field.name)
            fields[field.name] = field.type if before is None else _merged(before, field.type)
    return pa.schema(list(fields.items()))


def _merged(first: Any, second: Any) -> Any:
    """Return a type that holds values of two: groups with the fields of both, also in lists."""
    if pa.types.is_struct(first):
        inner = {f.name: f.type for f in first}
        for field in second:
            before = inner.get(field.name)
            inner[field.name] = field.type if before is None else _merged(before, field.type)
        return pa.struct(list(inner.items()))
    if pa.types.is_list(first):
        return pa.list_(_merged(first.value_type, second.value_type))
    return first


def fitted(batch: Any, schema: Any) -> Any:
    """Return a batch as rows of a schema that has all its columns; nulls where it lacks one."""
    rows = batch.num_rows
    columns = {name: batch.column(name) for name in batch.schema.names}
    arrays = [_fitted(columns.get(field.name), field.type, rows) for field in schema]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _fitted(array: Any, kind: Any, rows: int) -> Any:
    if array is None:
        return _nulls(kind, rows)
    if array.type == kind:
        return array
    if pa.types.is_list(kind):
        offsets = pc.subtract(array.offsets, array.offsets[0])
        values = array.flatten()
        return pa.ListArray.from_arrays(offsets, _fitted(values, kind.value_type, len(values)))
    children: Mapping[str, Any] = {
        field.name: child for field, child in zip(array.type, array.flatten(), strict=True)
    }
    made = [_fitted(children.get(field.name), field.type, rows) for field in kind]
    return pa.StructArray.from_arrays(made, fields=list(kind))


def _nulls(kind: Any, rows: int) -> Any:
    if pa.types.is_struct(kind):
        return pa.StructArray.from_arrays(
            [_nulls(field.type, rows) for field in kind], fields=list(kind)
        )
    return pa.nulls(rows, kind)


def typed(schema: Any) -> Any:
    """Return a schema of plain values with words in dictionaries, as `BlockHasher` takes it."""
    words = row_schema(schema)
    return pa.schema([pa.field(f.name, pa.string()) if f.name in TEXTS else f for f in words])


BLOCK = 65_536  # rows of a suite that are hashed together; it decides the digests in manifests
