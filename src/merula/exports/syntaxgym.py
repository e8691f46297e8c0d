"""Test suites for SyntaxGym: a JSON file for each frame of a paradigm.

In goes an `ExportRequest`, out come the files; ``make.FORMATS`` has `write`. An item is an
instance, a condition a cell. All sentences of a suite share its regions, which are the words of
objects and fixed words between them; where a sentence lacks an object the content is empty.

A prediction is about a bad cell and a good one that differ in one factor: the bad one has the
higher surprisal at the critical region, where the bad sentence first differs from all good cells of
its instance. Whole sentences are compared if the good sentence lacks this region, or has both
different words in it and a different beginning. A suite has the same predictions for all its items;
so instances whose cells are judged differently are in suites of their own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TextIO

from merula.design.pairs import MinimalPair
from merula.exports.instances import ConfigSplit, Grid, ParadigmInstance
from merula.exports.pairs import goes_wrong, no_contrasts
from merula.exports.regions import Alignment, Piece, pieces
from merula.exports.request import ExportRequest, Made
from merula.exports.texts import ascii_name, distinct, name_of, new_file

COLUMNS = ("frame", "variant", "spans")
Judged = tuple[bool, ...]


class SyntaxGymSuite:
    """A suite of the items added so far: their regions, and the critical regions of each pair."""

    def __init__(self, frame: str, judged: Judged, pairs: Sequence[MinimalPair]) -> None:
        self.frame, self.judged, self.pairs = frame, judged, pairs
        self.regions = Alignment()
        self.variants: dict[str, None] = {}
        self.critical: dict[str, set[int | None]] = {pair.condition: set() for pair in pairs}

    def add(self, instance: ParadigmInstance, cut: Sequence[Sequence[Piece]]) -> None:
        """Add an instance, its sentences cut into pieces."""
        self.variants[instance.more["variant"][0]] = None
        for sentence in cut:
            self.regions.add(unit for unit, _ in sentence)
        fine = [text for text, good in zip(instance.sentences, self.judged, strict=True) if good]
        wrong: dict[int, int] = {}
        for pair in self.pairs:
            if pair.bad not in wrong:
                at = goes_wrong(instance.sentences[pair.bad], fine)
                wrong[pair.bad] = _piece_at(cut[pair.bad], at)
            region = self._critical(cut[pair.bad], cut[pair.good], wrong[pair.bad])
            self.critical[pair.condition].add(region)

    def _critical(self, bad: Sequence[Piece], good: Sequence[Piece], at: int) -> int | None:
        """Return the region of a piece of a bad sentence, or None if the good one has no match."""
        region = self.regions.numbers(unit for unit, _ in bad)[at]
        regions_of_good = self.regions.numbers(unit for unit, _ in good)
        if region not in regions_of_good:
            return None
        i = regions_of_good.index(region)
        same_words = bad[at][1] == good[i][1]
        same_start = [words for _, words in bad[:at]] == [words for _, words in good[:i]]
        return region if same_words or same_start else None

    def formula(self, pair: MinimalPair, conditions: Sequence[str]) -> str:
        """Return the prediction about a pair, in the region that is critical for all items."""
        regions = self.critical[pair.condition]
        bad, good = conditions[pair.bad], conditions[pair.good]
        region = next(iter(regions)) if len(regions) == 1 else None
        if region is None:
            return f"{self._whole(bad)} > {self._whole(good)}"
        number = self.regions.place_of(region) + 1
        return f"({number};%{bad}%) > ({number};%{good}%)"

    def _whole(self, condition: str) -> str:
        """Return the surprisal of a whole sentence: a formula adds two values at a time."""
        total = f"(1;%{condition}%)"
        for number in range(2, len(self.regions.row) + 1):
            total = f"({total} + ({number};%{condition}%))"
        return total


def write(request: ExportRequest, folder: Path) -> Iterator[Made]:
    """Write the suites; raises `MerulaError` where none has a prediction."""
    request.demand_files()
    any_suites = False
    for part in request.parts():
        prefix = request.folder_of(part.split)
        grid = part.grid()
        suites = _suites(part, grid)
        if not suites:
            yield Made.nothing(part.config)
            continue
        any_suites = True
        (folder / prefix).mkdir(exist_ok=True)
        names = _names(part, list(suites.values()))
        count = _write(part, grid, suites, names, folder / prefix)
        name = f"{names[0] if len(names) == 1 else f'{name_of(part.config.name)}-*'}.json"
        yield Made(prefix + name, count, "item", len(names))
    if not any_suites:
        raise no_contrasts(request.parts(), request.place)


def _suites(part: ConfigSplit, grid: Grid) -> dict[tuple[str, Judged], SyntaxGymSuite]:
    """Return the suites of a part that have predictions, with all their items added."""
    pairs = {judged: grid.pairs(judged) for judged in grid.patterns}
    suites: dict[tuple[str, Judged], SyntaxGymSuite] = {}
    for instance in part.paradigms(COLUMNS):
        if pairs[instance.acceptable]:
            key = instance.more["frame"][0], instance.acceptable
            if key not in suites:
                suites[key] = SyntaxGymSuite(*key, pairs[instance.acceptable])
            suites[key].add(instance, _cut(instance))
    return suites


def _cut(instance: ParadigmInstance) -> list[list[Piece]]:
    return [
        pieces(text, spans)
        for text, spans in zip(instance.sentences, instance.more["spans"], strict=True)
    ]


def _piece_at(sentence: Sequence[Piece], at: int) -> int:
    """Return the index of the piece that contains a character."""
    end = 0
    for i, (_, words) in enumerate(sentence):
        end += len(words) + 1
        if at < end:
            return i
    return len(sentence) - 1


def _names(part: ConfigSplit, suites: Sequence[SyntaxGymSuite]) -> list[str]:
    """Return the names of suites: configuration, frame, and the choices that tell them apart."""
    frames = {suite.frame for suite in suites}
    names = []
    for suite in suites:
        siblings = [sibling for sibling in suites if sibling.frame == suite.frame]
        words = [part.config.name]
        words += [suite.frame] if len(frames) > 1 else []
        words += _own_choices(suite, siblings) if len(siblings) > 1 else []
        names.append(name_of("-".join(words)))
    return distinct(names)


def _own_choices(suite: SyntaxGymSuite, siblings: Sequence[SyntaxGymSuite]) -> list[str]:
    """Return the choices that all variants of a suite share, but not all of its siblings do."""

    def shared(suite: SyntaxGymSuite) -> list[str]:
        variants = [variant.split("; ") for variant in suite.variants]
        return [choice for choice in variants[0] if all(choice in v for v in variants)]

    common = set.intersection(*(set(shared(sibling)) for sibling in siblings))
    return [choice for choice in shared(suite) if choice and choice not in common]


# --- files -------------------------------------------------------------------------------------


def _write(
    part: ConfigSplit,
    grid: Grid,
    suites: dict[tuple[str, Judged], SyntaxGymSuite],
    names: Sequence[str],
    folder: Path,
) -> int:
    """Write the files; return the count of items."""
    conditions = distinct(
        (ascii_name(label) or f"cell_{i + 1}" for i, label in enumerate(grid.cells)), fold=False
    )
    counts = dict.fromkeys(suites, 0)
    with ExitStack() as stack:
        files = {}
        for (key, suite), name in zip(suites.items(), names, strict=True):
            files[key] = stack.enter_context(new_file(folder / f"{name}.json"))
            _begin(files[key], _head(part, grid, suite, name, conditions))
        for instance in part.paradigms(COLUMNS):
            key = instance.more["frame"][0], instance.acceptable
            if key in suites:
                counts[key] += 1
                item = _item(suites[key], instance, counts[key], conditions)
                files[key].write(",\n" if counts[key] > 1 else "\n")
                files[key].write(json.dumps(item, ensure_ascii=False))
        for file in files.values():
            file.write("\n]}\n")
    return sum(counts.values())


def _begin(file: TextIO, head: dict[str, Any]) -> None:
    """Write all but the items, up to where these begin."""
    text = json.dumps(head, ensure_ascii=False, indent=1)
    file.write(text.removesuffix("\n}") + ',\n "items": [')


def _head(
    part: ConfigSplit, grid: Grid, suite: SyntaxGymSuite, name: str, conditions: Sequence[str]
) -> dict[str, Any]:
    about, config = part.published.about, part.config
    return {
        "meta": {
            "name": name,
            "metric": "sum",
            **({"author": ", ".join(about.authors)} if about.authors else {}),
            **({"reference": about.citation} if about.citation else {}),
            "comment": f"{about.title}: {config.about or config.name}",
            "language": config.language,
            "config": config.name,
            "split": part.split,
            "frame": suite.frame,
            "conditions": {
                condition: {
                    "cell": grid.cells[i],
                    "factors": dict(zip(grid.factors, grid.values[i], strict=True)),
                    "acceptable": suite.judged[i],
                }
                for i, condition in enumerate(conditions)
            },
        },
        "region_meta": {str(i): region for i, region in enumerate(suite.regions.names(), start=1)},
        "predictions": [
            {"type": "formula", "formula": suite.formula(pair, conditions)} for pair in suite.pairs
        ],
    }


def _item(
    suite: SyntaxGymSuite, instance: ParadigmInstance, number: int, conditions: Sequence[str]
) -> dict[str, Any]:
    return {
        "item_number": number,
        "instance": instance.number,
        "address": instance.address,
        "conditions": [
            {"condition_name": condition, "regions": _regions(suite, cut)}
            for condition, cut in zip(conditions, _cut(instance), strict=True)
        ],
    }


def _regions(suite: SyntaxGymSuite, cut: Sequence[Piece]) -> list[dict[str, Any]]:
    contents = [""] * len(suite.regions.row)
    for place, (_, words) in zip(suite.regions.places(unit for unit, _ in cut), cut, strict=True):
        contents[place] = words
    return [{"region_number": i, "content": words} for i, words in enumerate(contents, start=1)]
