"""Sentences and minimal pairs that know their instance: a design and an address.

Strategies draw them, and tests over instances are given them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from merula.api import Design, Grammar, Instance, Sentence
from merula.core.diagnostics import MerulaError
from merula.core.wording import did_you_mean, listing
from merula.design.pairs import MinimalPair, pairs_of
from merula.plan.planner import phrases
from merula.query.narrowing import Restriction


@dataclass(frozen=True, repr=False)
class Occurrence(Sentence):
    """A sentence of the instance of a design at an address."""

    design: str
    _of: tuple[Design, Restriction, tuple[int, ...]] | int = field(compare=False)

    @property
    def address(self) -> int:
        """The address of its instance."""
        if isinstance(self._of, int):
            return self._of
        design, narrow, chosen = self._of
        return narrow.address(design._design, chosen)

    @property
    def instance(self) -> Instance:
        """Its instance, with all cells. A sentence that has been pickled has only the address."""
        if isinstance(self._of, int):
            raise AttributeError(f"it is instance {self._of} of {self.design}: ask the grammar")
        return self._of[0][self.address]

    def __deepcopy__(self, memo: dict[int, Any]) -> Occurrence:
        del memo
        return self  # it is not changed

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_of": self.address}

    def __str__(self) -> str:
        return self.text

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        del cycle
        printer.text(repr(self))

    def __repr__(self) -> str:
        star = "" if self.acceptable else "*"
        return f"<{self.design}[{self.address}] {self.label!r}: {star}{self.text}>"


@dataclass(frozen=True, repr=False)
class Pair:
    """Two sentences of an instance that differ in one thing; ``contrast`` says in what."""

    good: Occurrence
    bad: Occurrence
    contrast: str

    @property
    def design(self) -> str:
        """The design of their instance."""
        return self.good.design

    @property
    def address(self) -> int:
        """The address of their instance."""
        return self.good.address

    @property
    def instance(self) -> Instance:
        """Their instance, with all cells."""
        return self.good.instance

    def __repr__(self) -> str:
        return f"<{self.contrast}: {self.good!r} {self.bad!r}>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        del cycle
        printer.text(repr(self))


def occurrence(
    design: Design, narrow: Restriction, place: int, chosen: tuple[int, ...]
) -> Occurrence:
    """Return the sentence of a cell of a plan, for a choice of the lexemes left."""
    plan = narrow.plan
    plan_cell = plan.cells[place]
    cell = plan_cell.cell
    return Occurrence(
        cell.role,
        cell.label,
        design._compiled.surface.composed(phrases(plan.slots, plan_cell, chosen)),
        cell.acceptable,
        cell.broken,
        cell.letter,
        dict(cell.factors),
        dict(cell.scopes),
        design.name,
        (design, narrow, chosen),
    )


def pair_of(
    design: Design, narrow: Restriction, cells: MinimalPair, chosen: tuple[int, ...]
) -> Pair:
    """Return two cells of a plan as a pair, for a choice of the lexemes left."""
    good, bad = (occurrence(design, narrow, i, chosen) for i in (cells.good, cells.bad))
    return Pair(good, bad, cells.contrast)


def sentences_in(narrow: Restriction, acceptable: bool | None = None) -> list[int]:
    """Return the places of the cells that show the lexemes asked for.

    ``acceptable`` keeps those that are (True) or are not (False); None keeps both.
    """
    places = []
    for place in narrow.cells:
        fine = acceptable in (None, narrow.plan.cells[place].cell.acceptable)
        if fine and narrow.asked <= _shown(narrow, place):
            places.append(place)
    return places


def pairs_in(narrow: Restriction, contrast: str | None = None) -> list[MinimalPair]:
    """Return the minimal pairs among the cells wanted, in the order of the cells.

    ``contrast`` is the factor that they differ in, None for any. At least one sentence of each
    pair shows the lexemes that are asked for. A matrix has no pairs.
    """
    cells = [cell.cell for cell in narrow.plan.cells]
    if any(cell.role != "cell" for cell in cells):
        return []
    names = [name for name, _ in cells[0].factors]
    values = [[value for _, value in cell.factors] for cell in cells]
    pairs = pairs_of(names, values, [cell.acceptable for cell in cells])
    return [
        pair
        for pair in sorted(pairs, key=lambda pair: (pair.good, pair.bad))
        if contrast in (None, pair.contrast)
        and {pair.good, pair.bad} <= set(narrow.cells)
        and narrow.asked <= _shown(narrow, pair.good) | _shown(narrow, pair.bad)
    ]


def _shown(narrow: Restriction, place: int) -> set[int]:
    """Return the slots that a cell shows."""
    return {piece.slot for piece in narrow.plan.cells[place].pieces}


def designs_of(grammar: Grammar, name: str | None) -> list[Design]:
    """Return the design of a name, or all for None; raises `MerulaError` for an unknown name."""
    if name is None:
        return list(grammar.values())
    if not isinstance(name, str):
        raise TypeError(f"design={name!r} should be the name of a paradigm or a matrix")
    if name not in grammar:
        raise MerulaError.of(
            "M610",
            f"there is no paradigm or matrix named {name}",
            remedy=did_you_mean(name, grammar) or f"there is {listing(grammar)}",
            place=grammar._compiled.source.name,
        )
    return [grammar[name]]
