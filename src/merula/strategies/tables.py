"""A table of words as a text, as strategies draw it."""

from __future__ import annotations

from typing import Any

from merula.core.frozen import frozen


@frozen
class TableText:
    """A table: the name of its file, the kind of its rows, its header and cells.

    ``kind`` is the word between ``lexicon`` and the file: ``sets``, a category, or empty where
    the table has a column ``category``.

    >>> nouns = TableText("nouns.tsv", "noun", ("lemma", "sg"), (("dog", "dog"),))
    >>> print(nouns.declaration)
    lexicon noun "nouns.tsv"
    >>> nouns.text
    'lemma\\tsg\\ndog\\tdog\\n'
    """

    name: str
    kind: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def text(self) -> str:
        """Return the contents of the file, with tabs between cells."""
        return "".join("\t".join(cells) + "\n" for cells in (self.header, *self.rows))

    @property
    def declaration(self) -> str:
        """Return the line of a grammar that names the table."""
        kind = f"{self.kind} " if self.kind else ""
        return f'lexicon {kind}"{self.name}"'

    def column(self, title: str) -> tuple[str, ...]:
        """Return the cells of a column; raises `KeyError` where there is none of the title."""
        if title not in self.header:
            raise KeyError(f"{self.name} has the columns {', '.join(self.header)}, not {title!r}")
        place = self.header.index(title)
        return tuple(row[place] for row in self.rows)

    def __str__(self) -> str:
        return f"--- {self.name}\n{self.text}"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        del cycle
        printer.text(repr(self))

    def __repr__(self) -> str:
        rows = "".join(f"        {row!r},\n" for row in self.rows)
        body = f"(\n{rows}    )" if rows else "()"
        return (
            f"TableText(\n    {self.name!r},\n    {self.kind!r},\n    {self.header!r},\n"
            f"    {body},\n)"
        )
