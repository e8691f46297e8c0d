"""Ratings beside the published rows of their sentences.

In go a folder of published data and the lists that raters have filled in, out come the lines of the
lists, each with the columns of its row, or all faults of the lists at once. ``merula ratings``
calls `rated` and `write_ratings`, programs call `merge_ratings`. A line is of the row that its code
names, or else its address, or else its item and sentence; its sentence is always the published one.

>>> from merula.exports.ratings import merge_ratings  # doctest: +SKIP
>>> rows = merge_ratings("data", ["anna.csv", "ben.csv"])  # doctest: +SKIP
>>> rows[0]["rating"], rows[0]["acceptable"], rows[0]["factors"]  # doctest: +SKIP
(6.0, True, {'licensor': 'yes', 'ever': 'yes', 'licensor.site': 'upper'})
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from merula.core.diagnostics import Diagnostic, MerulaError
from merula.core.files import replacing, unwritable
from merula.core.frozen import ById, frozen
from merula.core.wording import did_you_mean
from merula.data.features import LABELS
from merula.data.folder import demand_outside
from merula.data.opened import Published
from merula.exports.instances import ConfigSplit, ParadigmInstance
from merula.exports.latin_square import code_of
from merula.exports.rating_files import RATERS, ROW, RatedFile, RatingLine, fault, fewer, read_file
from merula.exports.request import PARADIGM
from merula.exports.texts import BYTE_ORDER_MARK, csv_line

Key = tuple[str, str, str]  # configuration, address, cell
BEFORE = ("rater", "list", "position", "item", "config", "split", "address", "cell")
AFTER = ("label", "broken", "sentence", "rating")
MAX_RATINGS_SHOWN = 12  # values that are counted one by one: a scale has 11 points at most, 0 to 10
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)")


@frozen
class Scale:
    """The values of ratings, each with its count; ``empty`` counts lines without a rating."""

    counts: tuple[tuple[float | str, int], ...]
    empty: int
    raters: int

    @property
    def count(self) -> int:
        """Return the count of ratings."""
        return sum(count for _, count in self.counts)

    def __str__(self) -> str:
        shown = ", ".join(
            f"{_text(value)} ({count:,})" for value, count in self.counts[:MAX_RATINGS_SHOWN]
        )
        if len(self.counts) <= MAX_RATINGS_SHOWN:
            return shown
        if isinstance(self.counts[0][0], str):
            return f"{shown} … ({len(self.counts):,} different ones)"
        return f"numbers from {_text(self.counts[0][0])} to {_text(self.counts[-1][0])}"


@frozen(eq=False)
class Rated:
    """The lines of lists, each with its published row, and the scale they use.

    ``fillers`` counts the lines that were left out, since they name no row.
    """

    rows: tuple[dict[str, Any], ...]
    scale: Scale
    fillers: int


def merge_ratings(folder: str | Path, files: Iterable[str | Path]) -> list[dict[str, Any]]:
    """Return the lines of lists that were filled in, each with its published row.

    A line keeps all its columns, also those that were added to the list. It gets ``file``,
    ``rater`` (the column ``rater`` or ``participant``, or else the name of the file), and of the
    row ``config``, ``split``, ``address``, ``cell``, ``item``, ``sentence``, ``acceptable``,
    ``broken`` and ``factors``. ``rating`` is a number where all are numbers (``4,5`` too), else a
    text, and None where it is empty. Lines that name no row are left out. Raises `MerulaError` with
    all faults: files that are not lists, sentences that are not in the published data, that were
    changed or rated twice, and numbers among words or words among numbers.
    """
    return list(rated(Path(folder), [Path(file) for file in files]).rows)


def rated(folder: Path, files: Sequence[Path]) -> Rated:
    """Return the rows of `merge_ratings` with their scale; raises `MerulaError`."""
    published = Published.open(folder)
    lists, faults = _read(files)
    lines = [line for rated_list in lists for line in rated_list.lines]
    rows = _Rows(published, lines)
    row_of = {line.place: rows.find(line) for line in lines}
    for rated_list in lists:
        wrong = [*rated_list.faults, *_misfits(rated_list.lines, row_of, rows)]
        if wrong:
            faults += fewer(wrong, wrong[0].place.rpartition(":")[0] or wrong[0].place)
    fitting = [line for line in lines if row_of[line.place] is not None]
    faults += _repeated(lists, fitting, row_of)
    faults += _mixed([line for line in lines if line.rating])
    if not faults and not any(line.rating for line in lines):
        remedy = "fill in the column rating"
        faults.append(fault("M748", "there are no ratings in these lists", remedy, str(files[0])))
    if faults:
        raise MerulaError(faults)
    merged = tuple(_merged(line, row_of[line.place] or {}) for line in lines)
    counts = Counter(row["rating"] for row in merged if row["rating"] is not None)
    empty = sum(row["rating"] is None for row in merged)
    scale = Scale(tuple(sorted(counts.items())), empty, len({row["rater"] for row in merged}))
    return Rated(merged, scale, sum(rated_list.fillers for rated_list in lists))


def _read(files: Sequence[Path]) -> tuple[list[RatedFile], list[Diagnostic]]:
    """Return the lists of some files, and a fault for each file that is named twice."""
    stems = Counter(path.stem for path in files)
    real_paths: dict[str, Path] = {}
    lists, faults = [], []
    for path in files:
        real = os.path.realpath(path)
        if real in real_paths:
            message = f"{path} is named twice"
            faults.append(fault("M749", message, "name each file once", str(path)))
            continue
        real_paths[real] = path
        lists.append(read_file(path, path.stem if stems[path.stem] == 1 else str(path)))
    return lists, faults


class _Rows:
    """The published rows that some lines name: by code, by address, by item.

    A spreadsheet rounds long addresses; then the item (the number of the instance) and the sentence
    tell the row.
    """

    def __init__(self, published: Published, lines: Sequence[RatingLine]) -> None:
        self.folder = published.folder
        self.configs = [config.name for config in published.about.configs]
        self.codes = {line.cells["code"].strip() for line in lines if "code" in line.cells}
        self.by_code: dict[str, dict[str, Any]] = {}
        self.by_address: dict[Key, dict[str, Any]] = {}
        self.by_item: dict[Key, list[dict[str, Any]]] = {}
        addresses = {_key(line)[:2] for line in lines}
        items = {_item_key(line)[:2] for line in lines}
        for config in published.about.configs:
            if config.kind != PARADIGM:
                continue
            for split in config.splits:
                part = ConfigSplit(published, config, split.name)
                for instance in part.paradigms(("cell", "factors", "broken")):
                    named = {(config.name, instance.address), (config.name, str(instance.number))}
                    self._take(instance, part, bool(named & (addresses | items)))

    def _take(self, instance: ParadigmInstance, part: ConfigSplit, named: bool) -> None:
        for i, cell in enumerate(instance.more["cell"]):
            key = part.config.name, instance.address, cell
            code = code_of(*key) if self.codes else ""
            if not named and code not in self.codes:
                continue
            row = {
                **dict(zip(ROW, key, strict=True)),
                "item": str(instance.number),
                "split": part.split,
                "sentence": instance.sentences[i],
                "acceptable": instance.acceptable[i],
                "broken": instance.more["broken"][i],
                "factors": instance.more["factors"][i],
            }
            self.by_code[code] = self.by_address[key] = row
            self.by_item.setdefault((key[0], str(instance.number), cell), []).append(row)

    def find(self, line: RatingLine) -> dict[str, Any] | None:
        """Return the published row of a line, or None."""
        if line.cells.get("code", "").strip():
            return self.by_code.get(line.cells["code"].strip())
        same = self.by_item.get(_item_key(line), [])
        by_item = next((row for row in same if row["sentence"] == line.sentence), None)
        return self.by_address.get(_key(line)) or by_item


def _key(line: RatingLine) -> Key:
    return line.cells.get("config", ""), line.cells.get("address", ""), line.cells.get("cell", "")


def _item_key(line: RatingLine) -> Key:
    return line.cells.get("config", ""), line.cells.get("item", ""), line.cells.get("cell", "")


# --- faults of lines ----------------------------------------------------------------------------


def _misfits(
    lines: Iterable[RatingLine], row_of: Mapping[str, dict[str, Any] | None], rows: _Rows
) -> Iterator[Diagnostic]:
    """Yield a fault for each line that names no published row, or has a different sentence."""
    lines = list(lines)
    if len(lines) > 1 and not any(row_of[line.place] for line in lines):
        file = lines[0].file
        message = f"none of the sentences of {file} is in {rows.folder}"
        yield fault("M747", message, _unknown(lines[0], rows).remedy, file)
        return
    for line in lines:
        row = row_of[line.place]
        if row is None:
            yield _unknown(line, rows)
        elif "sentence" in line.cells and row["sentence"] != line.sentence:
            yield fault(
                "M747",
                f"the sentence is `{line.sentence}` here",
                f"it was shown as `{row['sentence']}`: restore it, so that the rating is of what"
                " was published",
                line.place,
            )


def _unknown(line: RatingLine, rows: _Rows) -> Diagnostic:
    config, address, cell = _key(line)
    what = f"sentence `{cell}` of {config} at address {address}"
    remedy = "name the published data that the lists were made of"
    if line.cells.get("code", "").strip():
        what = f"sentence with the code {line.cells['code'].strip()}"
    elif config not in rows.configs:
        remedy = did_you_mean(config, rows.configs) or remedy
    return fault("M747", f"{rows.folder} has no {what}", remedy, line.place)


def _repeated(
    lists: Iterable[RatedFile],
    lines: Iterable[RatingLine],
    row_of: Mapping[str, dict[str, Any] | None],
) -> Iterator[Diagnostic]:
    """Yield a fault for each sentence that a rater has rated twice, and for copies of a list."""
    first: dict[tuple[str, ById], RatingLine] = {}  # by rater and sentence
    twice: dict[str, list[Diagnostic]] = {}
    for line in lines:
        row = row_of[line.place] or {}
        key = line.rater, ById(row)
        if key in first:
            message = f"{line.rater} rates `{row['sentence']}` twice: see {first[key].place}"
            remedy = "keep one of the two, or add a column rater with the name of each rater"
            problem = fault("M749", message, remedy, line.place)
            twice.setdefault(line.file, []).append(problem)
        first.setdefault(key, line)
    for file, problems in twice.items():
        yield from fewer(problems, file)
    copies: dict[tuple[object, ...], str] = {}
    for rated_list in lists:
        lines = rated_list.lines
        ratings = tuple((ById(row_of[line.place]), line.rating) for line in lines)
        fitting = all(row_of[line.place] for line in lines)
        if rated_list.names_raters or not fitting or not any(line.rating for line in lines):
            continue
        file = lines[0].file
        if ratings in copies:
            message = f"{file} has the same ratings as {copies[ratings]}"
            remedy = "name one of them; if two raters do agree in everything, add a column rater"
            yield fault("M749", message, remedy, file)
        copies.setdefault(ratings, file)


def _mixed(lines: Sequence[RatingLine]) -> Iterator[Diagnostic]:
    """Yield a fault for each word among numbers, or number among words, whichever are fewer."""
    numbers = [line for line in lines if _NUMBER.fullmatch(line.rating)]
    words = [line for line in lines if not _NUMBER.fullmatch(line.rating)]
    if not numbers or not words:
        return
    odd, what = (words, "not a number") if len(words) <= len(numbers) else (numbers, "a number")
    by_file: dict[str, list[Diagnostic]] = {}
    for line in odd:
        message = (
            f"the rating `{line.rating}` is {what}, unlike the other {len(lines) - len(odd):,}"
        )
        remedy = "write what the rater meant, or leave it empty"
        by_file.setdefault(line.file, []).append(fault("M748", message, remedy, line.place))
    for file, problems in by_file.items():
        yield from fewer(problems, file)


# --- rows ---------------------------------------------------------------------------------------


def _merged(line: RatingLine, row: Mapping[str, Any]) -> dict[str, Any]:
    cells = {name: text for name, text in line.cells.items() if name not in RATERS}
    rating = _value(line.rating)
    return {"file": line.file, "rater": line.rater, **cells, "rating": rating, **row}


def _value(text: str) -> float | str | None:
    if not text:
        return None
    return float(text.replace(",", ".")) if _NUMBER.fullmatch(text) else text


def _text(value: float | str) -> str:
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)


def write_ratings(ratings: Rated, out: Path, source: Path) -> None:
    """Write a table of rated sentences, a rating a line, to a new file; raises `MerulaError`.

    ``source`` is the folder of the published data, in which nothing is written. Columns that were
    added to the lists come last.
    """
    demand_outside(out, source)
    if out.exists() or out.is_symlink():
        what = "is a folder" if out.is_dir() else "is there already"
        raise MerulaError.of("M742", f"{out} {what}", remedy="name a new file", place=str(out))
    factors = list(dict.fromkeys(name for row in ratings.rows for name in row["factors"]))
    usual = {*BEFORE, *AFTER, "file", "code", "acceptable", "factors"}
    added = list(dict.fromkeys(name for row in ratings.rows for name in row if name not in usual))
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with replacing(out) as made, made.open("x", encoding="utf-8", newline="") as file:
            names = [*BEFORE, *(f"factors.{name}" for name in factors), *AFTER, *added]
            file.write(BYTE_ORDER_MARK + csv_line(names))
            for row in ratings.rows:
                cells = [row.get(name) for name in BEFORE]
                cells += [row["factors"].get(name) for name in factors]
                cells += [LABELS[row["acceptable"]], "; ".join(row["broken"]), row["sentence"]]
                cells += ["" if row["rating"] is None else _text(row["rating"])]
                file.write(csv_line([*cells, *(row.get(name) for name in added)]))
    except OSError as error:
        raise unwritable("M608", out, error) from error
