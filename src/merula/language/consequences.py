"""One fault, one diagnostic: what only follows from another fault is not reported.

A name is not missing if an entry that could not be read may declare it; an object has no wrong
attributes if one of those it lists is unknown; an undeclared name is reported once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from merula.language import syntax as s
from merula.language.diagnostics import Diagnostic

# Problems about a name that is not there: it may be in an entry that could not be read.
_MISSING = frozenset({"M101", "M103", "M104", "M106", "M203", "M204", "M128", "M130", "M213"})
# Problems that follow where something is lost: entries of a section, a part of a frame, tables.
_FOLLOWS = {
    "M105": {"objects"},
    "M109": {"phenomenon", ""},
    "M120": {"attributes"},
    "M124": {"frames", "frame", "a part of a frame"},
    "M127": {"frames", "frame"},
    "M128": {"objects"},
    "M130": {"tables"},
    "M414": {"matrix"},
    "M415": {"matrix"},
    "M428": {"matrix"},
}


def without_consequences(
    problems: Sequence[Diagnostic], files: Sequence[s.File], *, tables: bool
) -> Iterator[Diagnostic]:
    """The problems of a grammar that are faults of their own.

    ``tables`` says whether its tables could be read.
    """
    codes = {problem.code for problem in problems}
    unread = frozenset().union(*(file.unread for file in files))
    lost = set().union(*(file.lost for file in files))
    if "M129" in codes:
        lost.add("frames")
    if codes & {"M106", "M107", "M120", "M125", "M126"}:
        lost.add("a part of a frame")
    if not tables and any(file.lexicons for file in files):
        lost.add("tables")
    incomplete = _incomplete(problems, files)
    sites = {(p.about[0], p.meant) for p in problems if p.code == "M128"}
    reported: set[object] = set()
    for problem in problems:
        name = problem.about[-1] if problem.about and problem.code in _MISSING else None
        follows = (
            bool(lost & _FOLLOWS.get(problem.code, set()))
            or name in unread
            or (problem.code in ("M103", "M104") and incomplete.issuperset(problem.about[:1]))
            or (problem.code == "M204" and (problem.meant, name) in sites)
        )
        fault = _fault(problem)
        if follows or fault in reported:
            continue
        if fault is not None:
            reported.add(fault)
        yield problem


def _fault(problem: Diagnostic) -> object:
    """What is wrong, if that is one fault wherever it shows; a misspelt name is wrong each time."""
    if problem.code == "M107":
        return frozenset(problem.about)
    if problem.code in ("M125", "M126"):
        return problem.code
    if problem.meant is None and problem.code in ("M101", "M103", "M106"):
        return problem.about if problem.code == "M103" else problem.about[0]
    return None


def _incomplete(problems: Iterable[Diagnostic], files: Iterable[s.File]) -> set[str]:
    """The objects that list an attribute which is not declared."""
    places = {p.labels[0].span for p in problems if p.code == "M101" and p.labels}
    return {
        name.name.text
        for file in files
        for entry in file.objects
        if any(feature.name.span in places for feature in entry.features)
        for name in entry.names
    }
