"""The types of published columns, and the conversion of rows to them and back.

Published rows are those of `merula.rows.maker`, typed for Hugging Face Datasets: labels, cells
and error types are class labels (numbers with names), the items and the answers of matrices are
lists of a fixed length. `Fields.encode` converts rows to these types, `Fields.decode` converts them
back.

>>> features = Fields((("label", ClassNames(("unacceptable", "acceptable"))),))
>>> features.to_json()
{'label': {'names': ['unacceptable', 'acceptable'], '_type': 'ClassLabel'}}
>>> Fields.of_json(features.to_json()) == features
True
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from merula.compiler.compiled import CompiledDesign
from merula.core.frozen import frozen
from merula.data.schema import common_schema
from merula.grammar.model import LETTERS
from merula.rows.columns import TEXT_COLUMNS, WORD
from merula.rows.maker import RowMaker

LABEL, ACCEPTABLE = "label", "acceptable"  # the name of one column when published, and in rows
LABELS = ("unacceptable", "acceptable")
DTYPES = ("string", "int32", "int64", "float64", "bool")
NO_CLASS = "none"  # the class of answers that break nothing; rows leave it empty


@frozen
class Value:
    """A plain value of one of `DTYPES`."""

    dtype: str


@frozen
class ClassNames:
    """A class label: one of some names, stored as its number; null where a row has none."""

    names: tuple[str, ...]


@frozen
class Items:
    """A list; ``length`` is its number of items, -1 if that differs from row to row."""

    of: Feature
    length: int = -1


@frozen
class Fields:
    """Named features: all columns of a table, or those inside one column."""

    fields: tuple[tuple[str, Feature], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the fields."""
        return tuple(name for name, _ in self.fields)

    def __getitem__(self, name: str) -> Feature:
        return self._by_name[name]

    @cached_property
    def _by_name(self) -> Mapping[str, Feature]:
        return dict(self.fields)

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def arrow_schema(self) -> Any:
        """Return the Arrow schema of published rows, with the metadata that Datasets looks for."""
        fields = [pa.field(name, _arrow(feature)) for name, feature in self.fields]
        info = json.dumps({"info": {"features": self.to_json()}}, ensure_ascii=False)
        return pa.schema(fields, {"huggingface": info})

    def table(self, batches: Iterable[Any]) -> Any:
        """Return rows of `merula.rows.maker` (record batches) as a table of published rows."""
        return pa.Table.from_batches(map(self.encode, batches), self.arrow_schema())

    @cached_property
    def _schema(self) -> Any:
        return self.arrow_schema()

    def encode(self, batch: Any) -> Any:
        """Convert a record batch of `merula.rows.maker` to a record batch of published rows."""
        columns = [
            _encoded(batch.column(ACCEPTABLE if name == LABEL else name), feature)
            for name, feature in self.fields
        ]
        return pa.RecordBatch.from_arrays(columns, schema=self._schema)

    def decode(self, batch: Any) -> Any:
        """Convert published rows, or some of their columns, to rows of `merula.rows.maker`.

        Raises ValueError or pyarrow's errors where the columns do not have these features.
        """
        names, columns = [], []
        for name, stored in zip(batch.schema.names, batch.columns, strict=True):
            kind = _arrow(self[name])
            column = stored if stored.type == kind else stored.cast(kind)
            if name == LABEL:
                names.append(ACCEPTABLE)
                columns.append(column.cast(pa.bool_()))
            else:
                names.append(name)
                columns.append(_decoded(column, self[name], text=name in TEXT_COLUMNS))
        return pa.RecordBatch.from_arrays(columns, names=names)

    def to_json(self) -> dict[str, Any]:
        """Return the features as Hugging Face Datasets writes them into ``dataset_info``."""
        return {name: _json(feature) for name, feature in self.fields}

    @staticmethod
    def of_json(value: Any) -> Fields:
        """Return the features that `to_json` wrote; raises ValueError for any other value."""
        if not isinstance(value, Mapping):
            raise ValueError(f"features are {value!r}"[:80])
        return Fields(tuple((str(name), _of_json(own)) for name, own in value.items()))

    def to_yaml(self) -> list[dict[str, Any]]:
        """Return the features as the YAML of a card has them."""
        return [{"name": name, **_yaml(feature)} for name, feature in self.fields]

    def differences(self, before: Fields) -> Iterator[str]:
        """Yield in words what has changed since ``before``, the features published earlier."""
        for name in before.names:
            if name not in self:
                yield f"the column {name} is there and not here"
        for name, feature in self.fields:
            if name not in before:
                yield f"the column {name} is here and not there"
            elif before[name] != feature:
                yield f"the column {name} has other values or another type"


Feature: TypeAlias = Value | ClassNames | Items | Fields


# --- the features of a design ------------------------------------------------------------------


def features_of(makers: Sequence[RowMaker]) -> Fields:
    """Return the features of the rows of one or several designs of a kind."""
    typed = _DesignFeatures([maker.design for maker in makers], makers[0].paradigm)
    return Fields(
        tuple(
            (LABEL if field.name == ACCEPTABLE else field.name, typed.feature(field))
            for field in common_schema(maker.schema for maker in makers)
        )
    )


CLASSES = ClassNames((NO_CLASS, *LETTERS))


class _DesignFeatures:
    """A maker of features, with the names of class labels in some designs."""

    def __init__(self, designs: Sequence[CompiledDesign], paradigm: bool) -> None:
        self.paradigm = paradigm
        plans = [plan for design in designs for plan in design.plans]
        cells = [cell.cell for plan in plans for cell in plan.cells]
        first = designs[0].cells[0][1] if cells else ()
        answers = [cell for cell in cells if cell.role != "context"]
        self.cells = cells
        self.width = {
            role: sum(cell.role == role for cell in first) for role in ("context", "answer")
        }
        self.names = {
            "frame": _names(plan.variant.frame.name for plan in plans),
            "cell": _names(cell.label for cell in cells),
            "labels": _names(cell.label for cell in answers),
            "classes": CLASSES,
            "broken": _names(rule for cell in answers for rule in cell.broken),
            ACCEPTABLE: ClassNames(LABELS),
        }

    def feature(self, field: Any) -> Feature:
        """Return the feature of a column."""
        name = field.name
        if name == "factors":
            return self._struct(field, lambda cell: cell.factors)
        if name == "scope":
            return self._struct(field, lambda cell: cell.scopes)
        inner = self.names.get(name)
        if inner is not None and not inner.names:
            inner = None  # in Datasets a class label has at least one name
        if name in ("frame", "cell", ACCEPTABLE):
            return inner or _plain(field.type)
        role = name.partition("_")[0]
        length = self.width.get("context" if role == "context" else "answer", -1)
        if name == "broken":
            rules = Items(inner or Value("string"))
            return rules if self.paradigm else Items(rules, length)
        if name in ("labels", "classes"):
            return Items(inner or Value("string"), length)
        plain = _plain(field.type)
        if (
            not self.paradigm
            and isinstance(plain, Items)
            and role in ("context", "answer", "answers")
        ):
            return Items(plain.of, length)
        return plain

    def _struct(self, field: Any, pairs_of: Any) -> Fields:
        """Return the feature of a column of factors or scopes: a class label for each of them."""
        values = [dict(pairs_of(cell)) for cell in self.cells]
        return Fields(
            tuple(
                (inner.name, _names(of_cell.get(inner.name) for of_cell in values))
                for inner in field.type
            )
        )


def _names(texts: Any) -> ClassNames:
    return ClassNames(tuple(dict.fromkeys(text for text in texts if text is not None)))


def _plain(kind: Any) -> Feature:
    """Return the feature of an Arrow type, without class labels and fixed lengths."""
    if pa.types.is_dictionary(kind):
        return _plain(kind.value_type)
    if pa.types.is_struct(kind):
        return Fields(tuple((own.name, _plain(own.type)) for own in kind))
    if pa.types.is_list(kind):
        return Items(_plain(kind.value_type))
    return Value({"double": "float64"}.get(str(kind), str(kind)))


# --- Arrow -------------------------------------------------------------------------------------


def _arrow(feature: Feature) -> Any:
    if isinstance(feature, ClassNames):
        return pa.int64()
    if isinstance(feature, Items):
        return pa.list_(_arrow(feature.of), feature.length)
    if isinstance(feature, Fields):
        return pa.struct([(name, _arrow(own)) for name, own in feature.fields])
    return pa.bool_() if feature.dtype == "bool" else pa.type_for_alias(feature.dtype)


def _encoded(column: Any, feature: Feature) -> Any:
    if isinstance(feature, ClassNames):
        return _numbers(column, ["", *LETTERS] if feature == CLASSES else feature.names)
    if isinstance(feature, Items):
        if isinstance(column, pa.ListArray) and feature.length < 0:
            offsets = pa.array(column.offsets.to_numpy() - column.offsets[0].as_py(), pa.int32())
            return pa.ListArray.from_arrays(offsets, _encoded(column.flatten(), feature.of))
        return pa.FixedSizeListArray.from_arrays(
            _encoded(column.flatten(), feature.of), feature.length
        )
    if isinstance(feature, Fields):
        children = [
            _encoded(child, own)
            for child, (_, own) in zip(column.flatten(), feature.fields, strict=True)
        ]
        return pa.StructArray.from_arrays(children, names=list(feature.names))
    return column.cast(_arrow(feature))


def _numbers(column: Any, names: Sequence[str]) -> Any:
    """Return the numbers of class labels for a column of their names."""
    if pa.types.is_boolean(column.type):
        return column.cast(pa.int64())
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    place = {name: i for i, name in enumerate(names)}
    # the dictionary may also have the words of cells that are not in this column
    words = column.dictionary.to_pylist()
    numbers = pa.array([place.get(word) for word in words], pa.int64()).take(column.indices)
    assert numbers.null_count == column.null_count, names
    return numbers


def _decoded(column: Any, feature: Feature, *, text: bool = False) -> Any:
    if isinstance(feature, ClassNames):
        values = pa.array(["", *LETTERS] if feature == CLASSES else feature.names, pa.string())
        return pa.DictionaryArray.from_arrays(column.cast(pa.int32()), values)
    if isinstance(feature, Items):
        values = _decoded(column.flatten(), feature.of, text=text)
        if pa.types.is_fixed_size_list(column.type):
            width = column.type.list_size
            offsets = pa.array(np.arange(len(column) + 1, dtype=np.int32) * width)
        else:
            offsets = pa.array(column.offsets.to_numpy() - column.offsets[0].as_py(), pa.int32())
        return pa.ListArray.from_arrays(offsets, values)
    if isinstance(feature, Fields):
        children = [
            _decoded(child, own, text=text)
            for child, (_, own) in zip(column.flatten(), feature.fields, strict=True)
        ]
        return pa.StructArray.from_arrays(children, names=list(feature.names))
    if feature.dtype == "string" and not text:
        return column.cast(pa.string()).dictionary_encode().cast(WORD)
    return column.cast(_arrow(feature))


# --- JSON and YAML -----------------------------------------------------------------------------


def _json(feature: Feature) -> dict[str, Any]:
    if isinstance(feature, ClassNames):
        return {"names": list(feature.names), "_type": "ClassLabel"}
    if isinstance(feature, Items):
        length = {} if feature.length < 0 else {"length": feature.length}
        return {"feature": _json(feature.of), **length, "_type": "List"}
    if isinstance(feature, Fields):
        return feature.to_json()
    return {"dtype": feature.dtype, "_type": "Value"}


def _of_json(value: Any) -> Feature:
    kind = value.get("_type") if isinstance(value, Mapping) else None
    if kind == "ClassLabel":
        names = value.get("names")
        if isinstance(names, list) and all(isinstance(name, str) for name in names):
            return ClassNames(tuple(names))
    elif kind == "List":
        length = value.get("length", -1)
        if type(length) is int and -1 <= length < 2**31:
            return Items(_of_json(value.get("feature")), length)
    elif kind == "Value":
        if value.get("dtype") in DTYPES:
            return Value(value["dtype"])
    elif not isinstance(kind, str):
        return Fields.of_json(value)
    raise ValueError(f"a feature is {value!r}"[:80])


def _yaml(feature: Feature) -> dict[str, Any]:
    """Return the entries of a field besides its name: its kind, names and length."""
    if isinstance(feature, Items):
        length = {} if feature.length < 0 else {"length": feature.length}
        return {"list": _inner(feature.of), **length}
    if isinstance(feature, Fields):
        return {"struct": feature.to_yaml()}
    return {"dtype": _inner(feature)}


def _inner(feature: Feature) -> Any:
    if isinstance(feature, ClassNames):
        return {"class_label": {"names": {str(i): name for i, name in enumerate(feature.names)}}}
    if isinstance(feature, Fields):
        return feature.to_yaml()
    if isinstance(feature, Items):
        return _yaml(feature)
    return feature.dtype
