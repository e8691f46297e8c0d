"""The legend of a folder of tables: what every column is for, and what may stand in it.

A file ``legend.toml`` beside tables of lexemes describes them: the categories, and for each
column its kind, its values and the lexemes that need it. It is read by
`merula.lexicography.legend_file`; that tables keep to it is checked by
`merula.lexicography.conformity`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field
from typing import Literal, TypeAlias, get_args

from merula.language import syntax as s
from merula.lexicon import CATEGORY, LEMMA, Rows, Table
from merula.values import frozen

ALWAYS = "always"
OWN = (LEMMA, CATEGORY)  # columns that every table of lexemes has, so that no legend describes them

Kind: TypeAlias = Literal["form", "values", "flag", "selection", "number", "text"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@frozen
class ColumnLegend:
    """What a legend says of one column.

    ``required`` and ``only`` are expressions over the lexeme's own features, `ALWAYS`, or empty:
    which lexemes must have a cell here, and which may. ``made`` says how a script fills the
    column: a recipe for all lexemes (under the empty name) or one for each expression.
    """

    name: str
    kind: Kind
    gloss: str
    categories: tuple[str, ...]
    values: Mapping[str, str] = field(default_factory=dict)
    several: bool = False
    asks: tuple[str, ...] = ()
    required: str = ""
    only: str = ""
    least: float | None = None
    most: float | None = None
    made: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_feature(self) -> bool:
        """Whether a selection can ask for the column or for what stands in it."""
        return self.kind in ("values", "flag", "number")


@frozen
class Legend:
    """A legend: the categories and the columns, each with a gloss.

    ``name`` is the file as a reader knows it; ``language`` a code such as ``en``; ``order`` the
    columns that rows are sorted by.
    """

    name: str
    categories: Mapping[str, str]
    columns: Mapping[str, ColumnLegend]
    language: str = ""
    order: tuple[str, ...] = OWN[::-1]

    def of(self, category: str) -> tuple[ColumnLegend, ...]:
        """The columns that a category has."""
        return tuple(c for c in self.columns.values() if category in c.categories)

    def words(self, categories: Collection[str]) -> dict[str, str]:
        """What a selection may ask of some categories: columns and values, with their glosses."""
        known: dict[str, str] = {}
        for column in self.columns.values():
            if column.is_feature and not set(categories).isdisjoint(column.categories):
                known.setdefault(column.name, column.gloss)
                for value, gloss in column.values.items():
                    known.setdefault(value, gloss)
        return known

    def features(self, table: Table, categories: tuple[str, ...]) -> Rows:
        """Rows with nothing but what a condition may ask for: features, and the category.

        A condition never means a form or a lemma.
        """
        known = {name for name, column in self.columns.items() if column.is_feature}
        own = {name: cells for name, cells in table.columns.items() if name in known}
        return Rows("lexeme", {**own, CATEGORY: categories}, ("",) * len(table))


# --- expressions ---------------------------------------------------------------------------


def asked_words(text: str) -> list[str] | None:
    """The columns and values that an expression over features names; None if it is none."""
    from merula.selection import cell_expression

    node = cell_expression(text)
    return None if node is None else _asked_by(node)


def _asked_by(node: s.Expression) -> list[str] | None:
    match node:
        case s.Truth(path=path) if path.attribute is None:
            return [path.owner.text]
        case s.Equal(path=path, terms=terms) if path.attribute is None:
            return [path.owner.text, *(str(term) for term in terms)]
        case s.Not(item=item):
            return _asked_by(item)
        case s.And(items=items) | s.Or(items=items):
            parts = [_asked_by(item) for item in items]
            return None if None in parts else [word for part in parts for word in part or ()]
        case _:
            return None
