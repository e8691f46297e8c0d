"""A grammar in parts, with its names marked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, replace

from merula.core.frozen import frozen
from merula.strategies.tables import TableText

NAME = re.compile(r"~([^~\n]+)~")
Section = tuple[str, tuple[str, ...]]  # its head line, and the entries under it


@frozen
class Parts:
    """A grammar in parts, so that it can be written with other names or without some of them.

    Names that the grammar chooses stand between marks (``~subj~``), in the tables too.
    """

    sections: tuple[Section, ...]
    lexicons: tuple[TableText, ...]
    names: Mapping[str, str] = field(default_factory=dict)

    def _named(self, text: str) -> str:
        return NAME.sub(lambda found: self.names.get(found[1], found[1]), text)

    @property
    def marked_names(self) -> tuple[str, ...]:
        """The names that can be changed, in a fixed order."""
        texts = [t for head, entries in self.sections for t in (head, *entries)]
        texts += [t for table in self.lexicons for t in (table.kind, *table.header)]
        texts += [cell for table in self.lexicons for row in table.rows for cell in row]
        return tuple(sorted({name for text in texts for name in NAME.findall(text)}))

    @property
    def lines(self) -> list[str]:
        """The lines of the source text."""
        lines = []
        for head, entries in self.sections:
            lines += [self._named(head), *(f"  {self._named(entry)}" for entry in entries)]
        return lines

    @property
    def text(self) -> str:
        """The source text."""
        return "".join(f"{line}\n" for line in self.lines)

    @property
    def tables(self) -> dict[str, str]:
        """The contents of the tables, by name."""
        return {table.name: self._named(table.text) for table in self.lexicons}

    def renamed(self, names: Mapping[str, str]) -> Parts:
        """The same grammar with other names."""
        return replace(self, names=names)

    def place(self, line: int) -> tuple[int, int | None]:
        """Which section a line stands in (both from 0), and which of its entries it is."""
        for number, (_, entries) in enumerate(self.sections):
            if line <= len(entries):
                return number, line - 1 if line else None
            line -= 1 + len(entries)
        raise IndexError(line)

    def with_section(self, number: int, section: Section | None) -> Parts:
        """The grammar with another section, or without it."""
        rest = self.sections[number + 1 :]
        new = () if section is None else (section,)
        return replace(self, sections=(*self.sections[:number], *new, *rest))

    def without(self, number: int, entry: int) -> Parts:
        """The grammar without an entry, and without its section if nothing else is in it."""
        head, entries = self.sections[number]
        left = entries[:entry] + entries[entry + 1 :]
        return self.with_section(number, (head, left) if left else None)
