"""One fault, one diagnostic: what only follows from another fault is not reported.

A name is not missing if an entry that could not be read may declare it; an object has no wrong
attributes if one of those it lists is unknown; an undeclared name is reported once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from merula.language import syntax as s
from merula.language.diagnostics import Diagnostic

# Problems about a name that is not there: the last name of their first place may be elsewhere.
_MISSING = frozenset({"M101", "M103", "M104", "M106", "M203", "M204"})
# Problems that follow where entries of a section are left out, with words of their message.
_FOLLOWS = {
    "M104": ("has no values to go through", {"tables"}),
    "M105": ("", {"objects"}),
    "M106": ("nothing says", {"frames", "frame"}),
    "M109": ("", {"phenomenon", ""}),
    "M120": ("", {"attributes"}),
    "M124": ("", {"frames", "frame", "a part of a frame"}),
    "M203": ("no value", {"frames", "frame"}),
    "M204": ("nothing can", {"objects"}),
    "M410": ("nothing changes", {"matrix"}),
    "M414": ("", {"matrix"}),
    "M415": ("", {"matrix"}),
}


def without_consequences(
    problems: Sequence[Diagnostic], files: Sequence[s.File], *, tables: bool
) -> Iterator[Diagnostic]:
    """The problems of a grammar that are faults of their own.

    ``tables`` says whether its tables could be read.
    """
    unread = frozenset().union(*(file.unread for file in files))
    lost = set().union(*(file.lost for file in files))
    if any("both a frame and an object" in problem.message for problem in problems):
        lost.add("frames")
    if any(problem.code in ("M106", "M107", "M125", "M126") for problem in problems):
        lost.add("a part of a frame")
    if not tables and any(file.lexicons for file in files):
        lost.add("tables")
    incomplete = _incomplete(problems, files)
    sites = {_misspelt_site(problem) for problem in problems} - {None}
    reported: set[object] = set()
    for problem in problems:
        words, sections = _FOLLOWS.get(problem.code, ("", set()))
        names = _names(problem) if problem.code in _MISSING else [""]
        follows = (
            (lost & sections and words in problem.message)
            or names[-1] in unread
            or (problem.code in ("M103", "M104") and names[0] in incomplete)
            or _other_end(problem) in sites
        )
        fault = _fault(problem, names)
        if follows or fault in reported:
            continue
        if fault is not None:
            reported.add(fault)
        yield problem


def _fault(problem: Diagnostic, names: Sequence[str]) -> object:
    """What is wrong, if that is one fault wherever it shows; a misspelt name is wrong each time."""
    if problem.code == "M107":
        return frozenset(_NAME.findall(problem.message.partition(":")[2]))
    if problem.code in ("M125", "M126"):
        return problem.code
    if problem.remedy.startswith("did you mean"):
        return None
    if problem.code == "M103":
        return problem.message
    return names[0] if problem.code in ("M101", "M106") else None


def _misspelt_site(problem: Diagnostic) -> tuple[str, str] | None:
    """A site at which nothing can stand, and the value that is probably meant."""
    if problem.code != "M204" or not problem.message.startswith("nothing"):
        return None
    return _names(problem)[0], problem.remedy.removeprefix("did you mean ").removesuffix("?")


def _other_end(problem: Diagnostic) -> tuple[str, str] | None:
    """The misspelt site, and the value, of a value that has no site."""
    if problem.code != "M204" or problem.message.startswith("nothing"):
        return None
    return problem.remedy.removeprefix("did you mean ").removesuffix("?"), _names(problem)[0]


_NAME = re.compile(r"[^\W\d][\w-]*")


def _names(problem: Diagnostic) -> list[str]:
    """The names in the first place of a problem, or what it says is missing; never empty."""
    if problem.code in ("M203", "M204"):
        return re.findall(r"(?:called `|`@)([^`]+)`", problem.message) or [""]
    text = problem.labels[0].span.text if problem.labels else ""
    return _NAME.findall(text) or [""]


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
