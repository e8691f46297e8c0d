"""Grammars, designs, instances and problems as HTML: for notebooks, and as a whole page.

The templates are in ``templates/notebook``. Their styles hold for what they show and nothing else,
take their colours from the text around them, and need no script.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from merula.core.diagnostics import Diagnostic
from merula.core.frozen import frozen
from merula.core.resources import folder
from merula.show.drawing import Drawing, plain

if TYPE_CHECKING:
    from jinja2 import Environment

    from merula.show.overview import CountRow, Overview

# A colour for each value, and how it is underlined: colour alone tells nothing to many readers.
PALETTE = (
    ("#0891b2", ""),
    ("#c026d3", "dotted"),
    ("#b45309", "dashed"),
    ("#15803d", "double"),
    ("#4f46e5", "wavy"),
)


@frozen
class _View:
    """A drawing as the templates need it: which colour each value has, where writing begins."""

    drawing: Drawing
    legend: Mapping[str, int]
    language: str
    rtl: bool


def drawing_html(drawing: Drawing) -> str:
    """Return an instance."""
    return _render("instance", view=_view(drawing))


def design_html(
    name: str, kind: str, doc: str, counts: Sequence[CountRow], drawing: Drawing
) -> str:
    """Return a design: its numbers, and one of its instances."""
    instances = _instances(counts[0].instances)
    return _render(
        "design",
        name=name,
        kind=kind,
        doc=doc,
        instances=instances,
        counts=counts if counts[1:] else (),
        view=_view(drawing),
    )


def grammar_html(
    about: Overview,
    counts: Sequence[CountRow],
    instances: int,
    problems: Iterable[Diagnostic],
    summary: str,
) -> str:
    """Return a grammar: its numbers, its parts, its warnings."""
    return _render(
        "grammar",
        about=about,
        counts=counts,
        instances=_instances(f"{instances:,}"),
        problems=list(_problems(problems)),
        summary=summary,
    )


def problems_html(problems: Iterable[Diagnostic], summary: str) -> str:
    """Return problems as on the command line, with a line that sums them up."""
    return _render("problems", problems=list(_problems(problems)), summary=summary)


def page(title: str, drawings: Iterable[Drawing]) -> str:
    """Return a whole page with some instances."""
    return _render("page", title=title, views=[_view(drawing) for drawing in drawings])


def _problems(problems: Iterable[Diagnostic]) -> Iterator[dict[str, str]]:
    for problem in problems:
        rest = problem.render().partition("\n")[2]
        yield {
            "severity": problem.severity,
            "code": problem.code,
            "message": problem.message,
            "rest": rest,
        }


def _instances(number: str) -> str:
    return f"{number} instance" + "s" * (number != "1")


def _view(drawing: Drawing) -> _View:
    legend = {value: i % len(PALETTE) for i, value in enumerate(drawing.legend)}
    text = "".join(plain(row.sentence) for row in drawing.rows)
    return _View(drawing, legend, drawing.language, right_to_left(text))


def right_to_left(text: str) -> bool:
    """Return whether the first letter that has a direction is written from right to left."""
    directions = (unicodedata.bidirectional(char) for char in text)
    return next((d for d in directions if d in ("L", "R", "AL")), "L") != "L"


def _render(template: str, /, **values: Any) -> str:
    return _environment().get_template(f"{template}.html.j2").render(palette=PALETTE, **values)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(folder("templates") / "notebook", encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
