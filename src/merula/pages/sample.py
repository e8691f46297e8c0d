"""Some instances of a data set, drawn at random, while all of its rows are counted.

The files are read twice: once to count, column by column, and once for the rows of the instances
that are shown, of which only the row groups are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from merula.core.diagnostics import MerulaError
from merula.core.frozen import frozen
from merula.core.progress import Progress
from merula.data.opened import OWNER, Config, DataFile, DataSet, owners
from merula.pages.tally import COLUMNS, RowTally
from merula.plan.order import Permutation


@frozen
class ShownInstance:
    """An instance: its rows as Python values, and its split."""

    config: Config
    split: str
    rows: tuple[Mapping[str, Any], ...]


@frozen
class Survey:
    """The tally of each configuration's rows, and the instances of it that are shown."""

    tallies: Mapping[str, RowTally]
    shown: Mapping[str, Sequence[ShownInstance]]


def survey(data: DataSet, size: int, seed: int, progress: Progress | None = None) -> Survey:
    """Count all rows, and draw ``size`` instances of each configuration.

    Raises `MerulaError` where a file cannot be read or does not have the rows that it should.
    """
    counting = _Counting(data, size, seed)
    done = 0
    for file in data.files:
        for rows in counting.read(file):
            done += rows
            if progress is not None:
                progress("rows read", done, data.rows)
    for config in data.configs:
        _demand_rows(data, config, counting.tallies[config.name].rows)
    taken: dict[str, list[tuple[str, Mapping[str, Any]]]] = {c.name: [] for c in data.configs}
    for file in data.files:
        for owner, row in _rows(file, counting.wanted.get(file.path, ())):
            taken[owner].append((file.split, row))
    shown = {c.name: list(_instances(c, taken[c.name])) for c in data.configs}
    return Survey(counting.tallies, shown)


class _Counting:
    """A count of the rows of files, with the places of those that belong to chosen instances."""

    def __init__(self, data: DataSet, size: int, seed: int) -> None:
        self.configs = {config.name: config for config in data.configs}
        self.tallies = {name: RowTally(config) for name, config in self.configs.items()}
        self.chosen = {name: _chosen(config, size, seed) for name, config in self.configs.items()}
        self.wanted: dict[Any, list[tuple[str, int]]] = {}  # by file: configuration and row

    def read(self, file: DataFile) -> Iterator[int]:
        """Count a file; yield the count of rows of each batch."""
        start = 0
        wanted = self.wanted.setdefault(file.path, [])
        columns = COLUMNS if file.config else [*COLUMNS, *OWNER]
        for batch in file.batches(columns):
            for name, rows in self._shares(file, batch):
                tally = self.tallies[name]
                wanted += self._picked(name, tally.rows, start, rows)
                tally.add(batch if len(rows) == batch.num_rows else batch.take(rows))
            start += batch.num_rows
            yield batch.num_rows

    def _shares(self, file: DataFile, batch: Any) -> Iterator[tuple[str, Any]]:
        """Yield the rows of each configuration in a batch."""
        if file.config:
            yield file.config, np.arange(batch.num_rows)
            return
        coded = owners(batch).dictionary_encode()
        for number, name in enumerate(coded.dictionary.to_pylist()):
            if name in self.configs:
                yield name, np.flatnonzero(np.asarray(coded.indices) == number)

    def _picked(self, name: str, before: int, start: int, rows: Any) -> list[tuple[str, int]]:
        """Return those of the ``rows`` of a batch that are shown; it begins at row ``start``.

        ``before`` rows of the configuration came before. With three rows an instance, instances 0
        and 2 chosen and 4 rows before, the next four rows have the numbers 4 to 7 in the
        configuration: 6 and 7 are wanted, of instance 2.
        """
        each = self.configs[name].rows_each
        chosen = self.chosen[name]
        first, last = before // each, (before + len(rows) - 1) // each
        near = chosen[np.searchsorted(chosen, first) : np.searchsorted(chosen, last, "right")]
        numbers = (near[:, None] * each + np.arange(each)).reshape(-1) - before
        inside = numbers[(numbers >= 0) & (numbers < len(rows))]
        return [(name, start + int(row)) for row in rows[inside]]


def _chosen(config: Config, size: int, seed: int) -> Any:
    """Return the numbers of the instances that are shown, in order."""
    wanted = min(size, config.instances)
    if not wanted:
        return np.zeros(0, dtype=np.int64)
    chosen = Permutation(config.instances, seed).rows(0, wanted)
    return np.sort(chosen.astype(np.int64))


def _rows(
    file: DataFile, row_numbers: Sequence[tuple[str, int]]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield some rows of a file, each with its configuration; reads only their row groups."""
    at = 0
    start = 0
    owner = [name for name, _ in sorted(row_numbers, key=lambda pair: pair[1])]
    places = np.array(sorted(row for _, row in row_numbers), dtype=np.int64)
    for group, length in enumerate(file.groups() if row_numbers else ()):
        in_group = places[(places >= start) & (places < start + length)] - start
        start += length
        if not len(in_group):
            continue
        before = 0
        for batch in file.batches(groups=[group]):
            inside = in_group[(in_group >= before) & (in_group < before + batch.num_rows)] - before
            before += batch.num_rows
            for row in batch.take(inside).to_pylist() if len(inside) else ():
                yield owner[at], row
                at += 1


def _instances(
    config: Config, rows: Sequence[tuple[str, Mapping[str, Any]]]
) -> Iterator[ShownInstance]:
    each = config.rows_each
    for first in range(0, len(rows) - each + 1, each):
        instance = rows[first : first + each]
        yield ShownInstance(config, instance[0][0], tuple(row for _, row in instance))


def _demand_rows(data: DataSet, config: Config, rows: int) -> None:
    if rows != config.rows:
        raise MerulaError.of(
            "M733",
            f"{config.name} has {rows:,} rows in its files instead of {config.rows:,}",
            remedy="`merula verify` says which file is at fault; make or fetch the data again",
            place=data.title,
        )
