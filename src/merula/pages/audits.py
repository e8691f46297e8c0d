"""The findings of an audit (``audit.json``) as a page shows them: the verdict, faults first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from merula.core.frozen import frozen

NOTES = {
    "sentences": "accuracy / what the design itself forces, where that is known",
    "pairs": "how often the good sentence is guessed",
    "matrices": "how often the right answer is guessed / how often it may be, if not by chance",
}


@frozen
class FindingExample:
    """An example of a finding, and its place in the data."""

    text: str
    place: str


@frozen
class Checked:
    """A check with its findings.

    ``found`` counts the findings among ``of`` things. ``number`` counts the checks that fail from
    1; it is 0 for one that does not.
    """

    name: str
    meaning: str
    said: str
    result: str
    fails: bool
    found: int
    of: int
    examples: tuple[FindingExample, ...]
    number: int


@frozen
class Reached:
    """The accuracy of a probe, and whether the data leak."""

    text: str
    leaks: bool


@frozen
class ProbeRow:
    """The accuracies of all probes on a part of the data."""

    part: str
    number: int
    chance: str
    cells: tuple[Reached, ...]


@frozen
class Shortcuts:
    """The accuracies of probes that do not know the rules, on sentences, pairs or matrices.

    ``base`` names the accuracy of a guess, ``probes`` has the name of each probe and its meaning.
    """

    title: str
    note: str
    base: str
    probes: tuple[tuple[str, str], ...]
    rows: tuple[ProbeRow, ...]


@frozen
class Findings:
    """The findings of an audit as the page shows them."""

    clean: bool
    verdict: str
    looked_at: str
    faults: tuple[tuple[str, str], ...]  # names, and their anchors on the page
    checks: tuple[Checked, ...]
    idle: tuple[str, ...]
    shortcuts: tuple[Shortcuts, ...]
    complete: bool


def findings(audit: Mapping[str, Any]) -> Findings:
    """Return an audit as the page shows it; raises `KeyError` or `TypeError` if it is not one."""
    faults = [str(name) for name in audit["faults"]]
    ran = [check for check in audit["checks"] if check["ran"]]
    ran.sort(key=lambda check: (not check["fails"], not check["found"]))
    names = {str(check["check"]) for check in ran}
    numbers = {name: i for i, name in enumerate(faults, 1) if name in names}
    places = [f"check-{numbers[name]}" if name in names else "shortcuts" for name in faults]
    return Findings(
        bool(audit["clean"]),
        _verdict(faults),
        _looked_at(audit),
        tuple(zip(faults, places, strict=True)),
        tuple(_checked(check, numbers) for check in ran),
        tuple(str(check["check"]) for check in audit["checks"] if not check["ran"]),
        tuple(_shortcuts(audit["shortcuts"], float(audit["tolerance"]))),
        bool(audit["shortcuts_complete"]),
    )


def _verdict(faults: Sequence[str]) -> str:
    if not faults:
        return "No faults found"
    return "1 check finds faults" if len(faults) == 1 else f"{len(faults)} checks find faults"


def _looked_at(audit: Mapping[str, Any]) -> str:
    """Return a sentence on what was audited, and whether that was all."""
    inside = f" in {audit['paradigms']:,} paradigms" if audit["paradigms"] else ""
    nouns = {"sentences": inside, "pairs": "", "matrices": ""}
    things = ", ".join(
        f"{audit[noun]:,} {noun}{more}" for noun, more in nouns.items() if audit[noun]
    )
    parts = audit.get("publication", {}).get("sample", ())
    audited, every = (sum(part[name] for part in parts) for name in ("instances", "of"))
    if not parts:
        scope = "Looked at:"
    elif audited == every:
        scope = "All the data were looked at:"
    else:
        scope = f"A sample was looked at, {audited:,} of {every:,} instances:"
    checks = sum(1 for check in audit["checks"] if check["ran"])
    probes = len({probe["probe"] for probe in audit["shortcuts"]})
    by = f"{checks} checks" + (
        f" and {probes} ways to guess without knowing the rules" if probes else ""
    )
    return f"{scope} {things}, by {by}."


def _checked(check: Mapping[str, Any], numbers: Mapping[str, int]) -> Checked:
    count = int(check["found"])
    if check["fails"]:
        result = "fault"
    elif not count:
        result = "fine"
    else:
        result = "allowed" if check["allowed"] else "noted"
    examples = tuple(
        FindingExample(str(example["text"]), _place(example["place"], example["other"]))
        for example in check["examples"]
    )
    name = str(check["check"])
    return Checked(
        name,
        str(check["meaning"]),
        str(check["said"]),
        result,
        bool(check["fails"]),
        count,
        int(check["of"]),
        examples,
        numbers.get(name, 0),
    )


def _place(*places: Mapping[str, Any] | None) -> str:
    """Return places without the folder of the data: ``only-ever/test-00000-of-00001.parquet:7``."""
    return ", ".join(
        f"{'/'.join(PurePosixPath(str(place['file'])).parts[-2:])}:{place['row']}"
        for place in places
        if place is not None
    )


def _shortcuts(probes: Iterable[Mapping[str, Any]], tolerance: float) -> Iterator[Shortcuts]:
    from merula.audit.probes.sentences import PROBES
    from merula.audit.probes.solvers import MEANINGS

    probes = list(probes)
    for kind, note in NOTES.items():
        meanings = MEANINGS if kind == "matrices" else {p.name: p.meaning for p in PROBES}
        these = [probe for probe in probes if probe["of"] == kind]
        names = list(dict.fromkeys(str(probe["probe"]) for probe in these))
        parts: dict[str, dict[str, Mapping[str, Any]]] = {}
        for probe in these:
            parts.setdefault(str(probe["part"]), {})[str(probe["probe"])] = probe
        rows = tuple(_row(part, row, names) for part, row in parts.items())
        if rows:
            base = "most frequent label" if kind == "sentences" else "chance"
            described = tuple((name, meanings.get(name, "")) for name in names)
            more = f"{note}; ! exceeds this by more than {tolerance:.0%}"
            yield Shortcuts(kind.capitalize(), more, base, described, rows)


def _row(part: str, row: Mapping[str, Mapping[str, Any]], names: Sequence[str]) -> ProbeRow:
    first = next(iter(row.values()))
    cells = tuple(_reached(row.get(name)) for name in names)
    return ProbeRow(part or "all", int(first["number"]), f"{first['majority']:.1%}", cells)


def _reached(probe: Mapping[str, Any] | None) -> Reached:
    if probe is None:
        return Reached("", False)
    plain = probe["of"] != "sentences" and probe["forced"] == probe["majority"]
    forced = "" if plain or probe["forced"] is None else f" / {probe['forced']:.1%}"
    return Reached(
        f"{probe['accuracy']:.1%}{forced}", bool(probe["leaks"] and not probe["allowed"])
    )
