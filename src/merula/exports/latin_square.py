"""Lists for rating studies: a Latin square over the cells of paradigms.

In goes an `ExportRequest`, out come the lists and a table of all of them; ``make.FORMATS`` has
`write`, and ``ratings`` finds the row of a line by `code_of`. A paradigm with *k* cells has *k*
lists. In each list an item (an instance) is in one cell, and every cell is shown equally often;
over all lists an item is in every cell once. This needs a multiple of *k* items; `items` chooses
them. Paradigms with the same count of cells share their lists, as fillers of each other.

A list is a sheet for a rater, who should not know of cells: a ``code`` of letters says which row a
sentence is. The table of all lists has all columns.

A list is shuffled by the seed. Then neighbours get different configurations and different cells as
far as their counts allow: the next sentence is the first in the shuffled order that differs from
the last one in both, but a configuration or cell that makes up more than half of what is left goes
first, since it would end beside itself. Neighbours of the same cell that are left are exchanged
with sentences elsewhere, and the best of a few shuffles is taken.
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

# The columns for a rater, and those of the table. A program that does not know the byte order mark
# misreads the first column's name: in the table that is not ``list``, by which it is filtered.
SHEET = ("list", "position", "code", "sentence", "rating")
TABLE = ("item", "list", "position", "config", "address", "cell", "code", "sentence", "rating")
LETTERS = "bcdfghjklmnpqrstvwxz"  # no vowels: no words, and nothing that looks like a number
# Two of a million sentences share a code with a probability of 1e12 / (2 · 20 ** 12), or 0.0001.
CODE_LETTERS = 12
# The search ends at the first shuffle without neighbours of the same cell; ten bound its time where
# there is none.
MAX_SHUFFLES = 10
T = TypeVar("T")


class Trial(NamedTuple):
    """A sentence of a list."""

    item: int
    config: str
    address: str
    cell: str
    sentence: str


def code_of(config: str, address: str, cell: str) -> str:
    """Return letters for a row, which tell a rater nothing and which no program alters.

    >>> code_of("keys-attraction", "7", "sg pl")
    'jxjndplklsqr'
    """
    row = f"merula sentence\0{config}\0{address}\0{cell}".encode()
    digest = int.from_bytes(hashlib.sha256(row).digest(), "big")
    letters = []
    for _ in range(CODE_LETTERS):
        digest, letter = divmod(digest, len(LETTERS))
        letters.append(LETTERS[letter])
    return "".join(letters)


def write(request: ExportRequest, folder: Path) -> Iterator[Made]:
    """Write the lists; raises `MerulaError` where there are fewer instances than cells."""
    sources = sources_of(request.parts())
    for source in sources:
        _demand_enough(source, request)
    for width in sorted({source.width for source in sources}):
        same_width = [source for source in sources if source.width == width]
        chosen = choose(same_width, request.options.instances, share=request.options.share_lexemes)
        yield from _write_lists(same_width, chosen, request.options.seed, folder)


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
                    cells = _cells(number, position, trial)
                    sheet.write(csv_line(cells[name] for name in SHEET))
                    table.write(csv_line(cells[name] for name in TABLE))
            total += len(trials)
    yield Made(f"list-*-of-{width}.csv", total, "sentence", width)
    yield Made(whole, total, "sentence", notes=tuple(notes(sources, chosen)))


def _cells(number: int, position: int, trial: Trial) -> dict[str, Any]:
    """Return the value of each column for a sentence."""
    code = code_of(trial.config, trial.address, trial.cell)
    return {
        **trial._asdict(),
        "list": number,
        "position": position,
        "code": code,
        "rating": "",
    }


def _demand_enough(source: ItemSource, request: ExportRequest) -> None:
    """Raise for a paradigm whose instances, or as many as are wanted, are fewer than its cells."""
    most, width = request.options.instances, source.width
    if most is not None and most < width:
        message = f"-n {most} is fewer than the {width} cells of {source.name}"
        remedy = f"name a multiple of {width}"
    elif source.instances < width:
        splits = listing(part.split for part in source.parts)
        message = (
            f"{source.name} has {width} cells, but only {source.instances} instances in {splits}"
        )
        remedy = "publish more, or name other configurations (--config)"
        if len(source.parts) < sum(bool(entry.rows) for entry in source.parts[0].config.splits):
            remedy = "leave --split out, since a study can use all splits; or publish more"
    else:
        return
    raise MerulaError.of(
        "M746",
        message,
        remedy=f"{width} lists that show every cell need {width} instances or a multiple of that:"
        f" {remedy}",
        place=request.place,
    )


def _trials(source: ItemSource, items: ChosenItems, number: int) -> Iterator[Trial]:
    """Yield the sentences of a paradigm in the list of a number, counted from 0.

    Item *i* is shown in cell (*i* + ``number``) modulo the count of cells: of four items in the
    second list of a 2 × 2 paradigm the cells are 1, 2, 3, 0.
    """
    item_at = {place: i for i, place in enumerate(items.places)}
    last = max(item_at, default=-1)
    for place, instance in enumerate(source.paradigms(("cell",))):
        if place > last:
            return
        if place in item_at:
            i = (item_at[place] + number) % source.width
            cell, sentence = instance.more["cell"][i], instance.sentences[i]
            yield Trial(instance.number, source.name, instance.address, cell, sentence)


# --- orders ------------------------------------------------------------------------------------


def arranged(trials: Sequence[Trial], seed: int, number: int) -> list[Trial]:
    """Return the trials of a list in the order in which they are shown; lists count from 0."""
    best: list[Trial] = []
    fewest = len(trials) + 1
    for shuffle in range(MAX_SHUFFLES):
        shuffled = partial(_random, f"merula list {seed} {number} {shuffle}")
        order = _spread(sorted(trials, key=shuffled))
        left = repeats([trial.cell for trial in order])
        if left < fewest:
            best, fewest = order, left
        if not left:
            break
    return best


def _random(prefix: str, trial: Trial) -> bytes:
    return hashlib.sha256(f"{prefix}\0{trial.config}\0{trial.address}".encode()).digest()


def _spread(shuffled: Sequence[Trial]) -> list[Trial]:
    """Return shuffled trials in an order in which neighbours differ, as far as possible."""
    waiting: dict[tuple[str, str], deque[int]] = {}
    for i, trial in enumerate(shuffled):
        waiting.setdefault((trial.config, trial.cell), deque()).append(i)
    configs = Counter(trial.config for trial in shuffled)
    cells = Counter(trial.cell for trial in shuffled)
    order: list[Trial] = []
    last = ("", "")
    for left in range(len(shuffled), 0, -1):
        key = _next(waiting, last, _urgent(configs, left), _urgent(cells, left))
        order.append(shuffled[waiting[key].popleft()])
        configs[key[0]] -= 1
        cells[key[1]] -= 1
        last = key
    _exchange(order)
    return order


def _next(
    waiting: Mapping[tuple[str, str], deque[int]],
    last: tuple[str, str],
    config: str | None,
    cell: str | None,
) -> tuple[str, str]:
    """Return the next configuration and cell; ``config`` and ``cell`` are urgent if not None."""
    return min(
        (key for key, places in waiting.items() if places),
        key=lambda key: (
            key[0] == last[0],
            key[1] == last[1],
            key[0] != config,
            key[1] != cell,
            waiting[key][0],
        ),
    )


def _urgent(counts: Mapping[T, int], left: int) -> T | None:
    """Return what makes up more than half of the rest: put off, it would end beside itself."""
    return next((value for value, count in counts.items() if 2 * count > left), None)


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
    """Return whether fewer neighbours are of the same cell after an exchange of two trials."""

    def same() -> int:
        bounds = {at for k in (i, j) for at in (k, k + 1) if 0 < at < len(order)}
        return sum(order[at].cell == order[at - 1].cell for at in bounds)

    before = same()
    order[i], order[j] = order[j], order[i]
    after = same()
    order[i], order[j] = order[j], order[i]
    return after < before


def repeats(values: Sequence[Hashable]) -> int:
    """Return how many neighbours are the same.

    >>> repeats(["a", "a", "b", "b", "b"])
    3
    """
    return sum(one == other for one, other in pairwise(values))
