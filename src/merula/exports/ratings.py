"""What raters have filled in, beside what the published data say of the sentences.

>>> from merula.exports.ratings import merge_ratings  # doctest: +SKIP
>>> rows = merge_ratings("data", ["anna.csv", "ben.csv"])  # doctest: +SKIP
>>> rows[0]["rating"], rows[0]["acceptable"], rows[0]["factors"]  # doctest: +SKIP
(6.0, True, {'licensor': 'yes', 'ever': 'yes', 'licensor.site': 'upper'})
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from merula.exports.asked import PARADIGM
from merula.exports.instances import Paradigm, Part
from merula.language.diagnostics import MerulaError, did_you_mean, listing
from merula.publish.reading import Published

NEEDED = ("config", "address", "cell", "sentence", "rating")
SEPARATORS = (",", ";", "\t")

Key = tuple[str, str, str]  # configuration, address, cell


class _Line(NamedTuple):
    """A line of a list: where it stands, its cells by their headers."""

    place: str
    cells: dict[str, str]

    @property
    def key(self) -> Key:
        return self.cells["config"], self.cells["address"], self.cells["cell"]

    @property
    def item_key(self) -> Key:
        return self.cells["config"], self.cells.get("item", ""), self.cells["cell"]

    @property
    def sentence(self) -> str:
        return self.cells["sentence"]


def merge_ratings(folder: str | Path, files: Iterable[str | Path]) -> list[dict[str, Any]]:
    """The lines of lists that were filled in, each with what the published row says.

    A line keeps all its columns, also those that were added, such as the name of a rater. To them
    are added ``file``, and of the row ``split``, ``acceptable``, ``broken`` and ``factors``.
    ``rating`` is a number where it looks like one (``4,5`` too), None where it is empty. Cells may
    be separated by commas, semicolons or tabs. Raises `MerulaError` where a file is no such list,
    and where a sentence is not in the published data, was changed, or is in a file twice.
    """
    published = Published.open(Path(folder))
    lines = [line for file in files for line in _lines(Path(file))]
    rows = _Rows(published, lines)
    return [_merged(line, rows, published) for line in lines]


def _lines(path: Path) -> Iterator[_Line]:
    """The lines of a file that have anything in them."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not in UTF-8"
        raise _fault(str(path), f"{path} cannot be read: {reason}", "save it as UTF-8") from error
    head = text.partition("\n")[0]
    separator = max(SEPARATORS, key=head.count)
    reader = csv.reader(text.splitlines(keepends=True), delimiter=separator)
    names = [name.strip() for name in next(reader, [])]
    for name in NEEDED:
        if name not in names:
            remedy = did_you_mean(name, names) or f"a list has {listing(NEEDED)}"
            raise _fault(str(path), f"{path} has no column {name}", remedy)
    seen: set[Key] = set()
    for cells in reader:
        if any(cells):
            line = _Line(f"{path}:{reader.line_num}", dict(zip(names, cells, strict=False)))
            if len(cells) < len(names):
                raise _fault(line.place, "this line has fewer cells than the first", "restore it")
            if line.key in seen:
                raise _fault(
                    line.place,
                    f"the sentence `{line.sentence}` is there twice",
                    "keep the line that the rater has filled in",
                )
            seen.add(line.key)
            yield line


class _Rows:
    """The published rows that some lines name, by address and by item.

    A spreadsheet rounds long addresses; then the item (the number of the instance) tells the row.
    """

    def __init__(self, published: Published, lines: Sequence[_Line]) -> None:
        self.by_address: dict[Key, dict[str, Any]] = {}
        self.by_item: dict[Key, list[dict[str, Any]]] = {}
        addresses = {line.key[:2] for line in lines}
        items = {line.item_key[:2] for line in lines}
        configs = {line.cells["config"] for line in lines}
        for config in published.about.configs:
            if config.kind != PARADIGM or config.name not in configs:
                continue
            for split in config.splits:
                part = Part(published, config, split.name)
                for own in part.paradigms(("cell", "factors", "broken")):
                    mine = config.name, own.address
                    if mine in addresses or (config.name, str(own.number)) in items:
                        self._take(own, config.name, split.name)

    def _take(self, own: Paradigm, config: str, split: str) -> None:
        for i, cell in enumerate(own.more["cell"]):
            row = {
                "sentence": own.sentences[i],
                "address": own.address,
                "split": split,
                "acceptable": own.acceptable[i],
                "broken": own.more["broken"][i],
                "factors": own.more["factors"][i],
            }
            self.by_address[config, own.address, cell] = row
            self.by_item.setdefault((config, str(own.number), cell), []).append(row)

    def find(self, line: _Line) -> dict[str, Any] | None:
        """The row of a line."""
        found = self.by_address.get(line.key)
        same = (r for r in self.by_item.get(line.item_key, []) if r["sentence"] == line.sentence)
        return found or next(same, None)


def _merged(line: _Line, rows: _Rows, published: Published) -> dict[str, Any]:
    row = rows.find(line)
    config, address, cell = line.key
    if row is None:
        known = [own.name for own in published.about.configs]
        raise _fault(
            line.place,
            f"{published.folder} has no sentence `{cell}` of {config} at address {address}",
            did_you_mean(config, known)
            if config not in known
            else "name the published data that the lists were made of",
        )
    if row["sentence"] != line.sentence:
        raise _fault(
            line.place,
            f"the sentence is `{line.sentence}` here",
            f"it was shown as `{row['sentence']}`: restore it, so that the rating is of what was"
            " published",
        )
    said = {**line.cells, "rating": _number(line.cells["rating"])}
    return {"file": line.place.rpartition(":")[0], **said, **row}


def _number(text: str) -> float | str | None:
    if not text.strip():
        return None
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return text


def _fault(place: str, message: str, remedy: str) -> MerulaError:
    return MerulaError.of("M747", message, remedy=remedy, place=place)
