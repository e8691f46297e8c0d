"""Problems as values: one shape, collected and sorted, rendered as text or JSON.

Every stage adds what is wrong with a user's files to a `Report` and goes on; the command line, the
Python interface and notebooks show the report at the end. A problem that stops a request is raised
as `MerulaError`. A problem is reported once, however often it is met.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from merula.core.frozen import frozen
from merula.core.source import Span, display_width

Severity = Literal["error", "warning"]
MAX_LINE_SHOWN = 160  # characters of a source line: about two lines of a terminal


@frozen
class Label:
    """A place that a problem is about, with a word on what is there."""

    span: Span
    message: str = ""


@frozen
class Diagnostic:
    """One problem: a code, the fault in a linguist's words, its places and the remedy.

    ``labels[0]`` is the place to mend; further labels are places that disagree with it.
    ``place`` names a position outside any source text (a table cell, a folder). ``about`` are
    the names at fault and ``meant`` the known name near the last one; neither is printed, they
    are for what follows from a problem (`merula.grammar.resolve`).
    """

    code: str
    message: str
    labels: tuple[Label, ...] = ()
    remedy: str = ""
    notes: tuple[str, ...] = ()
    severity: Severity = "error"
    place: str = ""
    about: tuple[str, ...] = ()
    meant: str | None = None

    def sort_key(self) -> tuple[str, int, str, str]:
        """Return the key of a report's order: source, place, code and text."""
        if not self.labels:
            return ("\U0010ffff" + self.place, 0, self.code, self.message)
        span = self.labels[0].span
        return (span.source.name, span.start, self.code, self.message)

    def to_json(self) -> dict[str, Any]:
        """Return the problem as plain JSON values; lines and columns count from one."""
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "place": self.place or None,
            "labels": [_label_json(label) for label in self.labels],
            "remedy": self.remedy or None,
            "notes": list(self.notes),
        }

    def render(self) -> str:
        """Return the problem as text: title, source line with carets, notes, remedy."""
        parts = [f"{self.severity}[{self.code}]: {self.message}"]
        if self.place:
            parts.append(f"  --> {self.place}")
        parts.extend(_render_label(label, first=i == 0) for i, label in enumerate(self.labels))
        parts.extend(f"  = {note}" for note in self.notes)
        if self.remedy:
            parts.append(f"  = help: {self.remedy}")
        return "\n".join(parts)


def _label_json(label: Label) -> dict[str, Any]:
    span = label.span
    line, column = span.source.position(span.start)
    end_line, end_column = span.source.position(span.end)
    return {
        "file": span.source.name,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "message": label.message or None,
    }


def _render_label(label: Label, *, first: bool) -> str:
    span = label.span
    line_number, column = span.source.position(span.start)
    line = _printable(span.source.line(line_number))
    number = "" if span.source.cell else str(line_number)
    width = max(len(number), 1)
    line, at = _window(line, column - 1)
    marked = line[at : at + span.end - span.start]
    gap = " " * display_width(line[:at])
    mark = ("^" if first else "-") * max(display_width(marked), 1)
    where = span.source.name + ("" if span.source.cell else f":{line_number}:{column}")
    return "\n".join(
        [
            f"{' ' * width} --> {where}",
            f"{' ' * width} |",
            f"{number:{width}} | {line}".rstrip(),
            f"{' ' * width} | {gap}{mark} {label.message}".rstrip(),
        ]
    )


def _window(line: str, at: int) -> tuple[str, int]:
    """Return a line, or what is near a place in a long one, and where the place is in that."""
    if len(line) <= MAX_LINE_SHOWN:
        return line, at
    start = max(at - MAX_LINE_SHOWN // 2, 0)
    before = "…" if start else ""
    after = "…" if start + MAX_LINE_SHOWN < len(line) else ""
    return before + line[start : start + MAX_LINE_SHOWN] + after, at - start + len(before)


def _printable(line: str) -> str:
    """Return the line with each control character as one that is visible (a tab as one space)."""
    return "".join(_visible(c) for c in line)


def _visible(char: str) -> str:
    if char == "\t":
        return " "
    if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
        return "\N{REPLACEMENT CHARACTER}"
    return char


@dataclass
class Report:
    """The problems met so far; every stage adds to one."""

    items: list[Diagnostic] = field(default_factory=list)
    _known: set[Diagnostic] = field(default_factory=set, repr=False)

    def error(
        self,
        code: str,
        message: str,
        *labels: Label | Span,
        remedy: str = "",
        notes: Iterable[str] = (),
        place: str = "",
        about: tuple[str, ...] = (),
        meant: str | None = None,
    ) -> None:
        """Add an error."""
        self._add("error", code, message, labels, remedy, notes, place, about, meant)

    def warning(
        self,
        code: str,
        message: str,
        *labels: Label | Span,
        remedy: str = "",
        notes: Iterable[str] = (),
        place: str = "",
        about: tuple[str, ...] = (),
        meant: str | None = None,
    ) -> None:
        """Add a warning: the data can be made, but the author should know."""
        self._add("warning", code, message, labels, remedy, notes, place, about, meant)

    def _add(
        self,
        severity: Severity,
        code: str,
        message: str,
        labels: Sequence[Label | Span],
        remedy: str,
        notes: Iterable[str],
        place: str,
        about: tuple[str, ...],
        meant: str | None,
    ) -> None:
        placed = tuple(x if isinstance(x, Label) else Label(x) for x in labels)
        noted = tuple(notes)
        self.extend(
            [Diagnostic(code, message, placed, remedy, noted, severity, place, about, meant)]
        )

    def extend(self, problems: Iterable[Diagnostic]) -> None:
        """Add problems that are not there yet."""
        for item in problems:
            if item not in self._known:
                self._known.add(item)
                self.items.append(item)

    @property
    def errors(self) -> int:
        """The number of problems that are errors."""
        return sum(item.severity == "error" for item in self.items)

    @property
    def failed(self) -> bool:
        """Whether any problem is an error."""
        return self.errors > 0

    def sorted(self) -> tuple[Diagnostic, ...]:
        """Return all problems in the order of their places."""
        return tuple(sorted(self.items, key=Diagnostic.sort_key))


class MerulaError(Exception):
    """A grammar, a table or a request that cannot be used; ``problems`` says why.

    ::

        MerulaError
        └── raised by load, compile, generate; carries every Diagnostic found
    """

    def __init__(self, problems: Iterable[Diagnostic]) -> None:
        self.problems: tuple[Diagnostic, ...] = tuple(problems)
        super().__init__("\n\n".join(problem.render() for problem in self.problems))

    @classmethod
    def of(
        cls,
        code: str,
        message: str,
        *,
        remedy: str = "",
        place: str = "",
        notes: Iterable[str] = (),
    ) -> MerulaError:
        """Return the error of a single problem without a place in a source text."""
        return cls([Diagnostic(code, message, (), remedy, tuple(notes), "error", place)])
