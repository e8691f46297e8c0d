"""The legend of a folder of tables: what every column is for, and what may be in it.

A file ``legend.toml`` beside tables of lexemes describes them: the categories, and for each
column its kind, its values and the lexemes that need it. The bytes of that file go in; a `Legend`
comes out, or None and problems. `merula.lexicon.conformity` checks that tables keep to it, and the
profile of a table (`merula.lexicon.profile`) takes kinds of columns from it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast, get_args

from merula.core.diagnostics import Report
from merula.core.frozen import frozen
from merula.core.wording import did_you_mean, listing
from merula.language import syntax as s
from merula.lexicon.table import CATEGORY, LEMMA, Rows, Table, clean

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
        """Return the columns that a category has."""
        return tuple(c for c in self.columns.values() if category in c.categories)

    def words(self, categories: Collection[str]) -> dict[str, str]:
        """Return the columns and values that a selection may ask for, each with its gloss."""
        words: dict[str, str] = {}
        for column in self.columns.values():
            if column.is_feature and not set(categories).isdisjoint(column.categories):
                words.setdefault(column.name, column.gloss)
                for value, gloss in column.values.items():
                    words.setdefault(value, gloss)
        return words

    def features(self, table: Table, categories: tuple[str, ...]) -> Rows:
        """Return rows with what a condition may ask for only: features, and the category.

        A condition never means a form or a lemma.
        """
        features = {name for name, column in self.columns.items() if column.is_feature}
        cells = {name: cells for name, cells in table.columns.items() if name in features}
        return Rows("lexeme", {**cells, CATEGORY: categories}, ("",) * len(table))


# --- expressions ---------------------------------------------------------------------------


def asked_words(text: str) -> list[str] | None:
    """Return the columns and values that an expression over features names; None if it is none."""
    from merula.lexicon.selection import cell_expression

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


# --- reading a ``legend.toml``: each fault is reported with its line and the remedy ---------

LEGEND = "legend.toml"


def legend_beside(table: Path) -> Path | None:
    """Return the legend in the folder of a table, if there is one."""
    path = table.parent / LEGEND
    try:
        return path if path.is_file() else None
    except (OSError, ValueError):
        return None


def load_legend(table: Path, name: str, report: Report) -> Legend | None:
    """Return the legend beside a table that a reader knows as ``name``, if there is one."""
    path = legend_beside(table)
    if path is None:
        return None
    shown = Path(name).with_name(LEGEND).as_posix()
    try:
        return read_legend(shown, path.read_bytes(), report)
    except OSError as error:
        text = f"the legend {shown} cannot be read: {error.strerror}"
        report.error("M660", text, remedy="check the file's rights", place=shown)
        return None


def read_legend(name: str, data: bytes, report: Report) -> Legend | None:
    """Return the legend in a file's bytes; what is wrong with it goes to the report."""
    reader = _Reader(name, report)
    legend = reader.legend(data)
    return None if reader.failed else legend


# --- reading -------------------------------------------------------------------------------

_TOP: Mapping[str, type] = {"language": str, "order": list, "category": dict, "column": dict}
_COLUMN: Mapping[str, type | tuple[type, ...]] = {
    "kind": str,
    "gloss": str,
    "categories": list,
    "values": dict,
    "several": bool,
    "asks": list,
    "required": (bool, str),
    "only": str,
    "least": (int, float),
    "most": (int, float),
    "made": (str, dict),
}
_OF_KIND: Mapping[str, tuple[Kind, ...]] = {
    "values": ("values",),
    "several": ("values",),
    "asks": ("selection",),
    "least": ("number",),
    "most": ("number",),
}
_SHAPES: Mapping[object, str] = {
    str: "a text in quotes",
    list: 'a list of texts: ["noun", "name"]',
    dict: "a table of names and texts",
    bool: "true or false",
    (bool, str): "true, or a condition in quotes",
    (int, float): "a number",
    (str, dict): "a text in quotes, or a table of conditions and texts",
}


class _Reader:
    """Reads one legend, and reports each fault at its line."""

    def __init__(self, name: str, report: Report) -> None:
        self.name, self.report, self.failed, self.text = name, report, False, ""

    def fault(self, message: str, remedy: str, line: int | None = None, column: str = "") -> None:
        """Report a fault at a line, or where a column is described."""
        self.failed = True
        line = line or self._line(column)
        place = f"{self.name}:{line}" if line else self.name
        self.report.error("M660", message, remedy=remedy, place=place)

    def legend(self, data: bytes) -> Legend | None:
        tree = self._tree(data)
        if tree is None or not self._shaped(tree, _TOP, "the legend", ""):
            return None
        categories = self._glosses(tree.get("category", {}), "the table `category`", "")
        if not categories:
            self.fault(
                "the legend names no categories",
                'write them under [category], each with a gloss: noun = "a common noun"',
            )
        columns = {}
        for title, entry in tree.get("column", {}).items():
            column = self._column(clean(title), entry, categories)
            if column is not None:
                columns[column.name] = column
        if not columns:
            self.fault("the legend describes no columns", "write one as [column.NAME]")
        order = self._names(tree.get("order", list(OWN[::-1])), {*columns, *OWN}, "`order`", "")
        legend = Legend(self.name, categories, columns, tree.get("language", ""), order)
        if not self.failed:
            self._conditions(legend)
        return legend

    def _tree(self, data: bytes) -> dict[str, Any] | None:
        try:
            self.text = data.decode("utf-8-sig")
            return tomllib.loads(self.text.replace("\r\n", "\n"))
        except UnicodeDecodeError as error:
            line = data.count(10, 0, error.start) + 1
            self.fault("the legend is not written in UTF-8", "save it as UTF-8", line)
        except tomllib.TOMLDecodeError as error:
            at = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)", str(error))
            reason = str(error).replace(at[0], "") if at else str(error)
            line = int(at[1]) if at and at[1] else self.text.count("\n") + 1
            self.fault(
                f"the legend cannot be read as TOML: {reason[:1].lower()}{reason[1:]}",
                "mend that line; texts are in quotes, and so are names with a dot or an accent:"
                ' [column."prs.sg"]',
                line,
            )
        return None

    def _shaped(
        self,
        data: object,
        keys: Mapping[str, type | tuple[type, ...]],
        what: str,
        column: str,
    ) -> bool:
        """Return whether a table has only known keys, with values of the right type."""
        if not isinstance(data, dict):
            self.fault(f"{what} is not a table", "write it as [column.NAME]", column=column)
            return False
        fine = True
        for key, value in data.items():
            if key not in keys:
                hint = did_you_mean(key, keys) or f"it has {listing(f'`{k}`' for k in keys)}"
                self.fault(f"{what} has no `{key}`", hint, column=column)
                fine = False
            elif not isinstance(value, keys[key]) or (
                isinstance(value, bool) and keys[key] == (int, float)
            ):
                self.fault(
                    f"`{key}` of {what} is not what it should be",
                    f"write {_SHAPES[keys[key]]}",
                    column=column,
                )
                fine = False
        return fine

    def _column(
        self, name: str, entry: object, categories: Mapping[str, str]
    ) -> ColumnLegend | None:
        what = f"the column `{name}`"
        if not self._is_column(name, entry, what) or not self._shaped(entry, _COLUMN, what, name):
            return None
        data = cast("dict[str, Any]", entry)
        kind = self._kind(data, what, name)
        if kind is None:
            return None
        self._fitting(data, kind, what, name)
        required = data.get("required", "")
        made = data.get("made", {})
        return ColumnLegend(
            name,
            kind,
            data.get("gloss", ""),
            self._names(data.get("categories", list(categories)), categories, what, name),
            self._values(data, what, name) if kind == "values" else {},
            data.get("several", False),
            self._asked(data, categories, what, name) if kind == "selection" else (),
            (ALWAYS if required else "") if isinstance(required, bool) else required,
            data.get("only", ""),
            data.get("least"),
            data.get("most"),
            {"": made} if isinstance(made, str) else self._glosses(made, f"`made` of {what}", name),
        )

    def _is_column(self, name: str, entry: object, what: str) -> bool:
        """Return whether an entry describes a column, and one that a legend describes."""
        if name in OWN:
            self.fault(
                f"{what} is described, though every table has it",
                "delete its description; categories are named under [category]",
                column=name,
            )
            return False
        parts = entry if isinstance(entry, dict) else {}
        nested = next((key for key, value in parts.items() if isinstance(value, dict)), None)
        if nested is not None and parts.keys().isdisjoint(_COLUMN):
            self.fault(
                f"{what} is a table of others, not a column",
                f'put a name that has a dot into quotes: [column."{name}.{nested}"]',
                column=f"{name}.{nested}",
            )
            return False
        return True

    def _kind(self, data: Mapping[str, Any], what: str, name: str) -> Kind | None:
        kind = data.get("kind")
        if kind in KINDS:
            return cast(Kind, kind)
        fault = f"no kind `{kind}`" if "kind" in data else "no kind"
        hint = did_you_mean(str(kind), KINDS)
        self.fault(
            f"{what} has {fault}",
            hint or 'write kind = "…" with one of ' + listing(KINDS),
            column=name,
        )
        return None

    def _fitting(self, data: Mapping[str, Any], kind: Kind, what: str, name: str) -> None:
        """Report keys that a column of a kind has no use for, and those that it lacks."""
        if not data.get("gloss", "").strip():
            self.fault(f"{what} has no gloss", "say in a few words what it is for", column=name)
        for key, kinds in _OF_KIND.items():
            if key in data and kind not in kinds:
                self.fault(
                    f"{what} is of the kind {kind}, which has no `{key}`",
                    f'delete `{key}`, or write kind = "{kinds[0]}"',
                    column=name,
                )
        if "least" in data and "most" in data and data["least"] > data["most"]:
            self.fault(
                f"no number is from {data['least']:g} to {data['most']:g}, the bounds of {what}",
                "exchange `least` and `most`",
                column=name,
            )

    def _values(self, data: Mapping[str, Any], what: str, name: str) -> dict[str, str]:
        values = self._glosses(data.get("values", {}), f"`values` of {what}", name)
        if not values:
            self.fault(
                f"{what} has no values",
                f'list them with glosses under [column.{_quoted(name)}.values]: small = "…"',
                column=name,
            )
        return values

    def _asked(
        self, data: Mapping[str, Any], categories: Mapping[str, str], what: str, name: str
    ) -> tuple[str, ...]:
        asks = self._names(data.get("asks", []), categories, f"`asks` of {what}", name)
        if not asks and "asks" not in data:
            self.fault(
                f"{what} is a selection and does not say what it asks about",
                'write the categories it selects from: asks = ["noun"]',
                column=name,
            )
        return asks

    def _glosses(self, data: object, what: str, column: str) -> dict[str, str]:
        """Return a table of names and texts, cleaned as cells are."""
        entries = data if isinstance(data, dict) else {}
        for key, gloss in entries.items():
            if not isinstance(gloss, str) or not gloss.strip():
                self.fault(
                    f"`{key}` in {what} has no text", f'write {key} = "…", in quotes', column=column
                )
        return {clean(key): str(gloss) for key, gloss in entries.items()}

    def _names(
        self, names: Sequence[object], allowed: Collection[str], what: str, column: str
    ) -> tuple[str, ...]:
        for name in names:
            if not isinstance(name, str) or clean(name) not in allowed:
                self.fault(
                    f"{what} names `{name}`, which is not in the legend",
                    did_you_mean(str(name), allowed) or f"it has {listing(allowed)}",
                    column=column,
                )
        return tuple(clean(name) for name in names if isinstance(name, str))

    def _conditions(self, legend: Legend) -> None:
        """Report conditions that cannot be read, or that ask for what no column has."""
        for column in legend.columns.values():
            conditions = [("required", column.required), ("only", column.only)]
            conditions += [("made", condition) for condition in column.made]
            conditions = [(key, text) for key, text in conditions if text not in ("", ALWAYS)]
            words = {**legend.words(column.categories), **legend.categories} if conditions else {}
            for key, text in conditions:
                what = f"`{key}` of the column `{column.name}`"
                for word in asked_words(text) or [""]:
                    if not word:
                        self.fault(
                            f"{what} is not a condition: `{text}`",
                            "write features of the lexeme, joined by and, or, not: count and not"
                            " proper",
                            column=column.name,
                        )
                    elif word not in words:
                        self.fault(
                            f"{what} asks for `{word}`, which is neither a column nor a value of"
                            f" {listing(column.categories, 'or')}",
                            did_you_mean(word, words) or "check the word",
                            column=column.name,
                        )

    def _line(self, column: str) -> int | None:
        """Return the line where a column is described."""
        if not column:
            return None
        name = r"\s*\.\s*".join(("column", rf'(?:"{re.escape(column)}"|{_bare(column)})'))
        found = re.search(rf"^\s*\[\s*{name}\s*\]", self.text, re.MULTILINE)
        return self.text.count("\n", 0, found.end()) + 1 if found else None


def _bare(name: str) -> str:
    return r"\s*\.\s*".join(re.escape(part) for part in name.split("."))


def _quoted(name: str) -> str:
    return name if re.fullmatch(r"[\w-]+", name, re.ASCII) else f'"{name}"'
