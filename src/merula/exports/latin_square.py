"""Lists for rating studies: a Latin square over the cells of paradigms.

Of a paradigm with *k* cells there are *k* lists. In each list an item (an instance) stands in one
cell, and every cell is shown equally often; over all lists an item is in every cell once. So that
this holds, there is a multiple of *k* items; `items` chooses them. Paradigms with the same number
of cells share their lists, as fillers of each other.

A list is a sheet for a rater, who is not to know of cells: a ``code`` of letters says which row a
sentence is. A table of all lists has everything.

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
from typing import Any, NamedTuple, TypeVar

from merula.core.diagnostics import MerulaError
from merula.core.wording import listing
from merula.exports.items import ChosenItems, ItemSource, choose, notes, sources_of
from merula.exports.request import ExportRequest, Made
from merula.exports.texts import BYTE_ORDER_MARK, csv_line, new_file

# What a rater is shown, and all there is to know. In the table the column that a program may
# misread, for the byte order mark before it, is not the list.
SHEET = ("list", "position", "code", "sentence", "rating")
TABLE = ("item", "list", "position", "config", "address", "cell", "code", "sentence", "rating")
LETTERS = "bcdfghjklmnpqrstvwxz"  # no vowels: no words, and nothing that looks like a number
CODE = 12  # letters of a code: as good as never the same for two of a million sentences
SHUFFLES = 10
T = TypeVar("T")


class Trial(NamedTuple):
    """A sentence of a list."""

    item: int
    config: str
    address: str
    cell: str
    sentence: str


def code_of(config: str, address: str, cell: str) -> str:
    """A row of the published data, in letters that tell a rater nothing and that no program alters.

    >>> code_of("keys-attraction", "7", "sg pl")
    'jxjndplklsqr'
    """
    said = f"merula sentence\0{config}\0{address}\0{cell}".encode()
    number = int.from_bytes(hashlib.sha256(said).digest(), "big")
    letters = []
    for _ in range(CODE):
        number, at = divmod(number, len(LETTERS))
        letters.append(LETTERS[at])
    return "".join(letters)


def write(asked: ExportRequest, folder: Path) -> Iterator[Made]:
    """Write the lists; raises `MerulaError` where there are fewer instances than cells."""
    sources = sources_of(asked.parts())
    for source in sources:
        _demand_enough(source, asked)
    for width in sorted({source.width for source in sources}):
        own = [source for source in sources if source.width == width]
        chosen = choose(own, asked.options.instances, share=asked.options.share_lexemes)
        yield from _write_lists(own, chosen, asked.options.seed, folder)


def _write_lists(
    sources: Sequence[ItemSource], chosen: Sequence[ChosenItems], seed: int, folder: Path
) -> Iterator[Made]:
    """Write the lists of paradigms with the same number of cells."""
    width = sources[0].width
    digits = len(str(width))
    total = 0
    whole = f"all-lists-of-{width}.csv"
    with new_file(folder / whole) as table:
        table.write(BYTE_ORDER_MARK + csv_line(TABLE))
        for number in range(1, width + 1):
            trials = [
                trial
                for source, items in zip(sources, chosen, strict=True)
                for trial in _trials(source, items, number - 1)
            ]
            with new_file(folder / f"list-{number:0{digits}}-of-{width}.csv") as sheet:
                sheet.write(BYTE_ORDER_MARK + csv_line(SHEET))
                for position, trial in enumerate(arranged(trials, seed, number - 1), start=1):
                    said = _said(number, position, trial)
                    sheet.write(csv_line(said[name] for name in SHEET))
                    table.write(csv_line(said[name] for name in TABLE))
            total += len(trials)
    yield Made(f"list-*-of-{width}.csv", total, "sentence", width)
    yield Made(whole, total, "sentence", notes=tuple(notes(sources, chosen)))


def _said(number: int, position: int, trial: Trial) -> dict[str, Any]:
    """What may be written of a sentence, by column."""
    code = code_of(trial.config, trial.address, trial.cell)
    return {
        **trial._asdict(),
        "list": number,
        "position": position,
        "code": code,
        "rating": "",
    }


def _demand_enough(source: ItemSource, asked: ExportRequest) -> None:
    """Refuse a paradigm with fewer instances than cells, or than are asked for."""
    most, width = asked.options.instances, source.width
    if most is not None and most < width:
        message = f"{source.name} has {width} cells, and no more than {most} items are wanted (-n)"
        remedy = f"name a multiple of {width}"
    elif source.instances < width:
        splits = listing(part.split for part in source.parts)
        message = (
            f"{source.name} has {width} cells, and there are only {source.instances} instances in"
            f" {splits}"
        )
        remedy = "publish more, or name other configurations (--config)"
        if len(source.parts) < sum(bool(own.rows) for own in source.parts[0].config.splits):
            remedy = "leave --split out, since a study can use all splits; or publish more"
    else:
        return
    raise MerulaError.of(
        "M746",
        message,
        remedy=f"{width} lists that show every cell need {width} instances or a multiple of that:"
        f" {remedy}",
        place=asked.place,
    )


def _trials(source: ItemSource, items: ChosenItems, number: int) -> Iterator[Trial]:
    """The sentences of a paradigm in the list of a number, counted from 0."""
    wanted = {place: i for i, place in enumerate(items.places)}
    last = max(wanted, default=-1)
    for place, own in enumerate(source.paradigms(("cell",))):
        if place > last:
            return
        if place in wanted:
            cell = (wanted[place] + number) % source.width
            told = own.more["cell"][cell], own.sentences[cell]
            yield Trial(own.number, source.name, own.address, *told)


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
