"""What raters have filled in, beside what the published data say of the sentences.

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
from merula.core.frozen import frozen
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
DIFFERENT = 12  # ratings that are counted one by one
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)")


@frozen
class Scale:
    """The ratings that were found: each with how often, and how many were left empty."""

    counts: tuple[tuple[float | str, int], ...]
    empty: int
    raters: int

    @property
    def number(self) -> int:
        """How many ratings there are."""
        return sum(count for _, count in self.counts)

    def __str__(self) -> str:
        said = ", ".join(f"{_said(own)} ({count:,})" for own, count in self.counts[:DIFFERENT])
        if len(self.counts) <= DIFFERENT:
            return said
        if isinstance(self.counts[0][0], str):
            return f"{said} … ({len(self.counts):,} different ones)"
        return f"numbers from {_said(self.counts[0][0])} to {_said(self.counts[-1][0])}"


@frozen(eq=False)
class Rated:
    """The lines of lists, each with what the published row says, and the scale they use.

    ``fillers`` is how many lines were left out, for they name no row.
    """

    rows: tuple[dict[str, Any], ...]
    scale: Scale
    fillers: int


def merge_ratings(folder: str | Path, files: Iterable[str | Path]) -> list[dict[str, Any]]:
    """The lines of lists that were filled in, each with what the published row says.

    A line keeps all its columns, also those that were added. To them are added ``file``,
    ``rater`` (the column ``rater`` or ``participant``, or else the name of the file), and of the
    row ``config``, ``split``, ``address``, ``cell``, ``item``, ``sentence``, ``acceptable``,
    ``broken`` and ``factors``. ``rating`` is a number where all are numbers (``4,5`` too), else a
    text, and None where it is empty. Raises `MerulaError` with all that is wrong: files that are no
    lists, sentences that are not in the published data, that were changed or rated twice, and
    numbers among words or words among numbers. Lines that name no row are left out.
    """
    return list(rated(Path(folder), [Path(file) for file in files]).rows)


def rated(folder: Path, files: Sequence[Path]) -> Rated:
    """What `merge_ratings` gives, with the scale; raises `MerulaError`."""
    published = Published.open(folder)
    read, faults = _read(files)
    lines = [line for own in read for line in own.lines]
    rows = _Rows(published, lines)
    found = {line.place: rows.find(line) for line in lines}
    for own in read:
        wrong = [*own.faults, *_misfits(own.lines, found, rows)]
        if wrong:
            faults += fewer(wrong, wrong[0].place.rpartition(":")[0] or wrong[0].place)
    fitting = [line for line in lines if found[line.place] is not None]
    faults += _repeated(read, fitting, found)
    faults += _mixed([line for line in lines if line.rating])
    if not faults and not any(line.rating for line in lines):
        where = str(files[0])
        faults.append(fault("M748", "there is not one rating", "fill in the column rating", where))
    if faults:
        raise MerulaError(faults)
    merged = tuple(_merged(line, found[line.place] or {}) for line in lines)
    counts = Counter(row["rating"] for row in merged if row["rating"] is not None)
    empty = sum(row["rating"] is None for row in merged)
    scale = Scale(tuple(sorted(counts.items())), empty, len({row["rater"] for row in merged}))
    return Rated(merged, scale, sum(own.fillers for own in read))


def _read(files: Sequence[Path]) -> tuple[list[RatedFile], list[Diagnostic]]:
    """The files, and those of them that are named twice."""
    stems = Counter(path.stem for path in files)
    seen: dict[str, Path] = {}
    read, faults = [], []
    for path in files:
        real = os.path.realpath(path)
        if real in seen:
            message = f"{path} is named twice"
            faults.append(fault("M749", message, "name each file once", str(path)))
            continue
        seen[real] = path
        read.append(read_file(path, path.stem if stems[path.stem] == 1 else str(path)))
    return read, faults


class _Rows:
    """The published rows that some lines name: by code, by address, by item.

    A spreadsheet rounds long addresses; then the item (the number of the instance) tells the row.
    """

    def __init__(self, published: Published, lines: Sequence[RatingLine]) -> None:
        self.folder = published.folder
        self.known = [own.name for own in published.about.configs]
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
                for own in part.paradigms(("cell", "factors", "broken")):
                    named = {(config.name, own.address), (config.name, str(own.number))}
                    self._take(own, part, bool(named & (addresses | items)))

    def _take(self, own: ParadigmInstance, part: ConfigSplit, named: bool) -> None:
        for i, cell in enumerate(own.more["cell"]):
            key = part.config.name, own.address, cell
            code = code_of(*key) if self.codes else ""
            if not named and code not in self.codes:
                continue
            row = {
                **dict(zip(ROW, key, strict=True)),
                "item": str(own.number),
                "split": part.split,
                "sentence": own.sentences[i],
                "acceptable": own.acceptable[i],
                "broken": own.more["broken"][i],
                "factors": own.more["factors"][i],
            }
            self.by_code[code] = self.by_address[key] = row
            self.by_item.setdefault((key[0], str(own.number), cell), []).append(row)

    def find(self, line: RatingLine) -> dict[str, Any] | None:
        """The row of a line."""
        if line.cells.get("code", "").strip():
            return self.by_code.get(line.cells["code"].strip())
        same = self.by_item.get(_item_key(line), [])
        by_item = next((row for row in same if row["sentence"] == line.sentence), None)
        return self.by_address.get(_key(line)) or by_item


def _key(line: RatingLine) -> Key:
    return line.cells.get("config", ""), line.cells.get("address", ""), line.cells.get("cell", "")


def _item_key(line: RatingLine) -> Key:
    return line.cells.get("config", ""), line.cells.get("item", ""), line.cells.get("cell", "")


# --- what does not fit --------------------------------------------------------------------------


def _misfits(
    lines: Iterable[RatingLine], found: Mapping[str, dict[str, Any] | None], rows: _Rows
) -> Iterator[Diagnostic]:
    """Lines that name no published row, or another sentence than it has."""
    lines = list(lines)
    if len(lines) > 1 and not any(found[line.place] for line in lines):
        file = lines[0].file
        message = f"{rows.folder} has none of the sentences of {file}"
        yield fault("M747", message, _unknown(lines[0], rows).remedy, file)
        return
    for line in lines:
        row = found[line.place]
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
    elif config not in rows.known:
        remedy = did_you_mean(config, rows.known) or remedy
    return fault("M747", f"{rows.folder} has no {what}", remedy, line.place)


def _repeated(
    read: Iterable[RatedFile],
    lines: Iterable[RatingLine],
    found: Mapping[str, dict[str, Any] | None],
) -> Iterator[Diagnostic]:
    """Sentences that one rater has rated twice, and files that say the same."""
    seen: dict[tuple[str, int], RatingLine] = {}
    twice: dict[str, list[Diagnostic]] = {}
    for line in lines:
        row = found[line.place] or {}
        key = line.rater, id(row)
        if key in seen:
            message = f"{line.rater} rates `{row['sentence']}` twice: see {seen[key].place}"
            remedy = "keep one of the two, or say in a column rater who has rated"
            problem = fault("M749", message, remedy, line.place)
            twice.setdefault(line.file, []).append(problem)
        seen.setdefault(key, line)
    for file, problems in twice.items():
        yield from fewer(problems, file)
    copies: dict[tuple[object, ...], str] = {}
    for own in read:
        said = tuple((id(found[line.place]), line.rating) for line in own.lines)
        fitting = all(found[line.place] for line in own.lines)
        if own.named or not fitting or not any(line.rating for line in own.lines):
            continue
        file = own.lines[0].file
        if said in copies:
            remedy = "name one of them; if two raters do agree in everything, add a column rater"
            yield fault("M749", f"{file} has the ratings of {copies[said]}", remedy, file)
        copies.setdefault(said, file)


def _mixed(lines: Sequence[RatingLine]) -> Iterator[Diagnostic]:
    """Words among numbers, or numbers among words: whichever there are fewer of."""
    numbers = [line for line in lines if _NUMBER.fullmatch(line.rating)]
    words = [line for line in lines if not _NUMBER.fullmatch(line.rating)]
    if not numbers or not words:
        return
    odd, what = (words, "no number") if len(words) <= len(numbers) else (numbers, "a number")
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


def _said(value: float | str) -> str:
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)


def write_ratings(found: Rated, out: Path, source: Path) -> None:
    """Write a table of rated sentences, a rating a line; raises `MerulaError`.

    Columns that were added to the lists come last. The file must not be there.
    """
    demand_outside(out, source)
    if out.exists() or out.is_symlink():
        what = "is a folder" if out.is_dir() else "is there already"
        raise MerulaError.of("M742", f"{out} {what}", remedy="name a new file", place=str(out))
    factors = list(dict.fromkeys(name for row in found.rows for name in row["factors"]))
    known = {*BEFORE, *AFTER, "file", "code", "acceptable", "factors"}
    own = list(dict.fromkeys(name for row in found.rows for name in row if name not in known))
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with replacing(out) as made, made.open("x", encoding="utf-8", newline="") as file:
            names = [*BEFORE, *(f"factors.{name}" for name in factors), *AFTER, *own]
            file.write(BYTE_ORDER_MARK + csv_line(names))
            for row in found.rows:
                said = [row.get(name) for name in BEFORE]
                said += [row["factors"].get(name) for name in factors]
                said += [LABELS[row["acceptable"]], "; ".join(row["broken"]), row["sentence"]]
                said += ["" if row["rating"] is None else _said(row["rating"])]
                file.write(csv_line([*said, *(row.get(name) for name in own)]))
    except OSError as error:
        raise unwritable("M608", out, error) from error
