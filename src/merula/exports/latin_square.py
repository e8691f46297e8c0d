"""Lists for rating studies: a Latin square over the cells of paradigms.

Of a paradigm with *k* cells there are *k* lists. In each list an item (an instance) stands in one
cell, and every cell is shown equally often; over all lists an item is in every cell once. So that
this holds, the last instances are left out where their number cannot be divided by *k*. Paradigms
with the same number of cells share their lists, as fillers of each other.

A list is shuffled by the seed. Then neighbours are of different configurations and of different
cells as far as their numbers allow: the next sentence is the first in the shuffled order that is
neither of the configuration nor of the cell before, and one of which more than half of the rest is
comes first. What is left of the same cell side by side is exchanged with sentences elsewhere, and
of a few shuffles the best is taken.
"""

from __future__ import annotations

import hashlib
from collections import Counter, deque
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, TypeVar

from merula.exports.asked import Asked, Made
from merula.exports.instances import Part
from merula.exports.texts import BYTE_ORDER_MARK, csv_line, new_file
from merula.language.diagnostics import MerulaError

COLUMNS = ("list", "position", "item", "config", "address", "cell", "sentence", "rating")
SHUFFLES = 10
T = TypeVar("T")


class Trial(NamedTuple):
    """A sentence of a list."""

    item: int
    config: str
    address: str
    cell: str
    sentence: str


def write(asked: Asked, folder: Path) -> Iterator[Made]:
    """Write the lists; raises `MerulaError` where there are fewer instances than cells."""
    for split in asked.splits:
        parts = [part for part in asked.parts() if part.split == split]
        before = asked.folder_of(split)
        (folder / before).mkdir(exist_ok=True)
        for width in sorted({part.config.cells for part in parts}):
            own = [part for part in parts if part.config.cells == width]
            yield from _write_lists(own, asked, folder, before)


def _write_lists(parts: Sequence[Part], asked: Asked, folder: Path, before: str) -> Iterator[Made]:
    """Write the lists of paradigms with the same number of cells."""
    width = parts[0].config.cells
    items = {part.config.name: _items(part, asked.place) for part in parts}
    digits = len(str(width))
    total = 0
    for number in range(width):
        trials = [trial for part in parts for trial in _trials(part, items, number)]
        order = arranged(trials, asked.options.seed, number)
        name = f"{before}list-{number + 1:0{digits}}-of-{width}.csv"
        with new_file(folder / name) as file:
            file.write(BYTE_ORDER_MARK + csv_line(COLUMNS))
            for position, trial in enumerate(order, start=1):
                file.write(csv_line([number + 1, position, *trial, ""]))
        total += len(order)
    yield Made(f"{before}list-*-of-{width}.csv", total, "sentence", width)


def _items(part: Part, place: str) -> int:
    """How many instances are taken: as many as can be divided by the number of cells."""
    name, width = part.config.name, part.config.cells
    there = next(own.instances for own in part.config.splits if own.name == part.split)
    number = there if part.limit is None else min(there, part.limit)
    if number < width:
        raise MerulaError.of(
            "M746",
            f"{name} has {width} cells, and there are only {number} instances",
            remedy=f"{width} lists that show every cell need {width} instances or a multiple"
            f" of that",
            place=place,
        )
    return number // width * width


def _trials(part: Part, items: Mapping[str, int], number: int) -> Iterator[Trial]:
    """The sentences of a part in the list of a number, counted from 0."""
    name, width = part.config.name, part.config.cells
    for place, own in enumerate(part.paradigms(("cell",))):
        if place == items[name]:
            return
        cell = (place + number) % width
        yield Trial(own.number, name, own.address, own.more["cell"][cell], own.sentences[cell])


# --- orders ------------------------------------------------------------------------------------


def arranged(trials: Sequence[Trial], seed: int, number: int) -> list[Trial]:
    """The trials of a list (of a number, from 0) in the order in which they are shown."""
    best: list[Trial] = []
    fewest = len(trials) + 1
    for shuffle in range(SHUFFLES):
        chance = partial(_random, f"merula list {seed} {number} {shuffle}")
        found = _spread(sorted(trials, key=chance))
        left = repeats([trial.cell for trial in found])
        if left < fewest:
            best, fewest = found, left
        if not left:
            break
    return best


def _random(said: str, trial: Trial) -> bytes:
    return hashlib.sha256(f"{said}\0{trial.config}\0{trial.address}".encode()).digest()


def _spread(shuffled: Sequence[Trial]) -> list[Trial]:
    """Shuffled trials in an order in which neighbours differ, if that can be."""
    waiting: dict[tuple[str, str], deque[int]] = {}
    for i, trial in enumerate(shuffled):
        waiting.setdefault((trial.config, trial.cell), deque()).append(i)
    configs = Counter(trial.config for trial in shuffled)
    cells = Counter(trial.cell for trial in shuffled)
    found: list[Trial] = []
    last = ("", "")
    for left in range(len(shuffled), 0, -1):
        key = _next(waiting, last, _urgent(configs, left), _urgent(cells, left))
        found.append(shuffled[waiting[key].popleft()])
        configs[key[0]] -= 1
        cells[key[1]] -= 1
        last = key
    _exchange(found)
    return found


def _next(
    waiting: Mapping[tuple[str, str], deque[int]],
    last: tuple[str, str],
    config: str | None,
    cell: str | None,
) -> tuple[str, str]:
    """What comes after the last configuration and cell; some may be urgent."""
    return min(
        (key for key, own in waiting.items() if own),
        key=lambda key: (
            key[0] == last[0],
            key[1] == last[1],
            key[0] != config,
            key[1] != cell,
            waiting[key][0],
        ),
    )


def _urgent(counts: Mapping[T, int], left: int) -> T | None:
    """What has to come now, if it is not to stand beside itself at the end: more than a half."""
    return next((own for own, count in counts.items() if 2 * count > left), None)


def _exchange(order: list[Trial]) -> None:
    """Exchange sentences of a configuration so that no two neighbours are of the same cell."""
    for i in range(1, len(order)):
        if order[i].cell != order[i - 1].cell:
            continue
        for j in range(len(order)):
            if order[j].config == order[i].config and _better(order, i, j):
                order[i], order[j] = order[j], order[i]
                break


def _better(order: list[Trial], i: int, j: int) -> bool:
    """Whether fewer neighbours are of the same cell after an exchange."""

    def same() -> int:
        bounds = {at for k in (i, j) for at in (k, k + 1) if 0 < at < len(order)}
        return sum(order[at].cell == order[at - 1].cell for at in bounds)

    before = same()
    order[i], order[j] = order[j], order[i]
    after = same()
    order[i], order[j] = order[j], order[i]
    return after < before


def repeats(values: Sequence[Hashable]) -> int:
    """How many neighbours are the same.

    >>> repeats(["a", "a", "b", "b", "b"])
    3
    """
    return sum(one == other for one, other in pairwise(values))
