"""A compiled grammar and its designs, as values."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping

from merula.core.diagnostics import Diagnostic
from merula.core.frozen import frozen
from merula.core.source import Source
from merula.design.cells import Cell, Variant
from merula.grammar import model as g
from merula.lexicon.surface import Surface
from merula.plan.planner import Plan


@frozen(eq=False)
class CompiledDesign:
    """A paradigm or a matrix, with the cells and the plan of each variant.

    ``plans`` is empty where the grammar has no lexicon or the design has an error.
    """

    design: g.Design
    cells: tuple[tuple[Variant, tuple[Cell, ...]], ...]
    plans: tuple[Plan, ...]
    starts: tuple[int, ...]  # first address of each plan
    count: int

    @property
    def name(self) -> str:
        """The design's name."""
        return self.design.name

    @property
    def kind(self) -> str:
        """``paradigm`` or ``matrix``."""
        return "paradigm" if isinstance(self.design, g.Paradigm) else "matrix"

    def locate(self, address: int) -> tuple[int, int]:
        """Return the plan that holds an address, and the address inside it."""
        number = bisect_right(self.starts, address) - 1
        return number, address - self.starts[number]


@frozen(eq=False)
class Compiled:
    """A grammar that has been read and checked; ``problems`` are all that was found."""

    source: Source
    grammar: g.Grammar | None
    surface: Surface
    designs: Mapping[str, CompiledDesign]
    problems: tuple[Diagnostic, ...]
    grammar_digest: str
    lexicon_digest: str

    @property
    def failed(self) -> bool:
        """Whether a problem is an error."""
        return any(problem.severity == "error" for problem in self.problems)
