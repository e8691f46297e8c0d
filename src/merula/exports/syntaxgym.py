"""Test suites for SyntaxGym: a JSON file for each frame of a paradigm.

An item is an instance, a condition a cell. All sentences of a suite share its regions, which are
the words of objects and fixed words between them; where a sentence lacks an object the content is
empty. A prediction says of a bad cell and a good one that differ in one factor that the bad one
surprises more at the critical region: where the bad sentence goes on as no good cell of its
instance does. Where the good sentence has no such region, or other words after another beginning
there, whole sentences are compared. Instances whose cells are judged in another way are a suite
of their own, for a suite has the same predictions for all its items.
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
    """A suite as far as its items have been seen: its regions, and where its pairs differ."""

    def __init__(self, frame: str, judged: Judged, pairs: Sequence[MinimalPair]) -> None:
        self.frame, self.judged, self.pairs = frame, judged, pairs
        self.regions = Alignment()
        self.variants: dict[str, None] = {}
        self.critical: dict[str, set[int | None]] = {pair.condition: set() for pair in pairs}

    def add(self, own: ParadigmInstance, cut: Sequence[Sequence[Piece]]) -> None:
        """Take an instance in, its sentences cut into pieces."""
        self.variants[own.more["variant"][0]] = None
        for sentence in cut:
            self.regions.add(unit for unit, _ in sentence)
        fine = [text for text, good in zip(own.sentences, self.judged, strict=True) if good]
        wrong: dict[int, int] = {}
        for pair in self.pairs:
            if pair.bad not in wrong:
                at = goes_wrong(own.sentences[pair.bad], fine)
                wrong[pair.bad] = _piece_at(cut[pair.bad], at)
            found = self._critical(cut[pair.bad], cut[pair.good], wrong[pair.bad])
            self.critical[pair.condition].add(found)

    def _critical(self, bad: Sequence[Piece], good: Sequence[Piece], at: int) -> int | None:
        """The region of a piece of a bad sentence, if the good one can be compared there."""
        region = self.regions.numbers(unit for unit, _ in bad)[at]
        theirs = self.regions.numbers(unit for unit, _ in good)
        if region not in theirs:
            return None
        other = theirs.index(region)
        same_words = bad[at][1] == good[other][1]
        same_start = [words for _, words in bad[:at]] == [words for _, words in good[:other]]
        return region if same_words or same_start else None

    def formula(self, pair: MinimalPair, conditions: Sequence[str]) -> str:
        """The prediction about a pair."""
        found = self.critical[pair.condition]
        bad, good = conditions[pair.bad], conditions[pair.good]
        region = next(iter(found)) if len(found) == 1 else None
        if region is None:
            return f"{self._whole(bad)} > {self._whole(good)}"
        number = self.regions.place_of(region) + 1
        return f"({number};%{bad}%) > ({number};%{good}%)"

    def _whole(self, condition: str) -> str:
        """The surprisal of a whole sentence: a sum of two at a time, as its grammar has it."""
        total = f"(1;%{condition}%)"
        for number in range(2, len(self.regions.row) + 1):
            total = f"({total} + ({number};%{condition}%))"
        return total


def write(asked: ExportRequest, folder: Path) -> Iterator[Made]:
    """Write the suites; raises `MerulaError` where none has a prediction."""
    found = False
    for part in asked.parts():
        before = asked.folder_of(part.split)
        grid = part.grid()
        suites = _suites(part, grid)
        if not suites:
            yield Made.nothing(part.config)
            continue
        found = True
        (folder / before).mkdir(exist_ok=True)
        names = _names(part, list(suites.values()))
        number = _write(part, grid, suites, names, folder / before)
        name = f"{names[0] if len(names) == 1 else f'{name_of(part.config.name)}-*'}.json"
        yield Made(before + name, number, "item", len(names))
    if not found:
        raise no_contrasts(asked.parts(), asked.place)


def _suites(part: ConfigSplit, grid: Grid) -> dict[tuple[str, Judged], SyntaxGymSuite]:
    """The suites of a part that have predictions, with all that is to be known of their items."""
    pairs = {judged: grid.pairs(judged) for judged in grid.patterns}
    suites: dict[tuple[str, Judged], SyntaxGymSuite] = {}
    for own in part.paradigms(COLUMNS):
        if pairs[own.acceptable]:
            key = own.more["frame"][0], own.acceptable
            if key not in suites:
                suites[key] = SyntaxGymSuite(*key, pairs[own.acceptable])
            suites[key].add(own, _cut(own))
    return suites


def _cut(own: ParadigmInstance) -> list[list[Piece]]:
    return [
        pieces(text, spans) for text, spans in zip(own.sentences, own.more["spans"], strict=True)
    ]


def _piece_at(sentence: Sequence[Piece], at: int) -> int:
    """The number of the piece in which a character stands."""
    start = 0
    for number, (_, words) in enumerate(sentence):
        start += len(words) + 1
        if at < start:
            return number
    return len(sentence) - 1


def _names(part: ConfigSplit, suites: Sequence[SyntaxGymSuite]) -> list[str]:
    """What suites are called: the configuration, the frame, the choices that tell them apart."""
    frames = {suite.frame for suite in suites}
    found = []
    for suite in suites:
        siblings = [own for own in suites if own.frame == suite.frame]
        words = [part.config.name]
        words += [suite.frame] if len(frames) > 1 else []
        words += _own_choices(suite, siblings) if len(siblings) > 1 else []
        found.append(name_of("-".join(words)))
    return distinct(found)


def _own_choices(suite: SyntaxGymSuite, siblings: Sequence[SyntaxGymSuite]) -> list[str]:
    """The choices that all variants of a suite share, and not all of the others do."""

    def shared(own: SyntaxGymSuite) -> list[str]:
        every = [variant.split("; ") for variant in own.variants]
        return [choice for choice in every[0] if all(choice in other for other in every)]

    common = [set(shared(own)) for own in siblings]
    return [x for x in shared(suite) if x and not all(x in other for other in common)]


# --- files -------------------------------------------------------------------------------------


def _write(
    part: ConfigSplit,
    grid: Grid,
    suites: dict[tuple[str, Judged], SyntaxGymSuite],
    names: Sequence[str],
    folder: Path,
) -> int:
    """Write the files; returns how many items there are."""
    conditions = distinct(
        (ascii_name(label) or f"cell_{i + 1}" for i, label in enumerate(grid.cells)), fold=False
    )
    numbers = dict.fromkeys(suites, 0)
    with ExitStack() as stack:
        files = {}
        for (key, suite), name in zip(suites.items(), names, strict=True):
            files[key] = stack.enter_context(new_file(folder / f"{name}.json"))
            _begin(files[key], _head(part, grid, suite, name, conditions))
        for own in part.paradigms(COLUMNS):
            key = own.more["frame"][0], own.acceptable
            if key in suites:
                numbers[key] += 1
                item = _item(suites[key], own, numbers[key], conditions)
                files[key].write(",\n" if numbers[key] > 1 else "\n")
                files[key].write(json.dumps(item, ensure_ascii=False))
        for file in files.values():
            file.write("\n]}\n")
    return sum(numbers.values())


def _begin(file: TextIO, head: dict[str, Any]) -> None:
    """Write all but the items, and where these begin."""
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
        "region_meta": {str(i): own for i, own in enumerate(suite.regions.names(), start=1)},
        "predictions": [
            {"type": "formula", "formula": suite.formula(pair, conditions)} for pair in suite.pairs
        ],
    }


def _item(
    suite: SyntaxGymSuite, own: ParadigmInstance, number: int, conditions: Sequence[str]
) -> dict[str, Any]:
    return {
        "item_number": number,
        "instance": own.number,
        "address": own.address,
        "conditions": [
            {"condition_name": condition, "regions": _regions(suite, cut)}
            for condition, cut in zip(conditions, _cut(own), strict=True)
        ],
    }


def _regions(suite: SyntaxGymSuite, cut: Sequence[Piece]) -> list[dict[str, Any]]:
    contents = [""] * len(suite.regions.row)
    for place, (_, words) in zip(suite.regions.places(unit for unit, _ in cut), cut, strict=True):
        contents[place] = words
    return [{"region_number": i, "content": words} for i, words in enumerate(contents, start=1)]
