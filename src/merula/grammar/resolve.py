"""The typed tree → a resolved grammar: every name looked up, every rule typed.

Problems are collected; an entry with a problem is left out, so that one slip is one diagnostic.
The order is that of dependence: objects and attributes, constituents, rules, frames, designs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from merula.core.diagnostics import Diagnostic, Label, Report
from merula.grammar import model as g
from merula.grammar.designs import Designs
from merula.grammar.frames import Frames
from merula.grammar.names import Names
from merula.grammar.rules import Rules
from merula.language import syntax as s
from merula.lexicon.table import Lexicon


def resolve(files: Sequence[s.File], lexicon: Lexicon | None, report: Report) -> g.Grammar | None:
    """Return the grammar of a file and its imports (``files[-1]`` is the file itself).

    ``lexicon`` is None where a grammar has no tables: a path that may be a column then is one.
    """
    every = Report()
    grammar = _resolve(files, lexicon, every)
    report.extend(without_consequences(every.items, files, tables=lexicon is not None))
    return grammar


def _resolve(files: Sequence[s.File], lexicon: Lexicon | None, report: Report) -> g.Grammar | None:
    main = files[-1]
    phenomenon = _phenomenon(main, report)
    language = _language(files, report)
    names = Names(files, lexicon, report)
    frames = Frames(names)
    typed = Rules(names, frames.brackets, frames.owners)
    frames.expand(typed)
    rules, equations = typed.rules()
    contested = typed.contested()
    selections = tuple(names.each(names.all_nodes("selections"), typed.selection))
    designs = Designs(names, frames, typed, files).resolve()
    names.report_unused()
    frames.report_unplaced()
    if phenomenon is None:
        return None
    return g.Grammar(
        main.source,
        phenomenon.name.text,
        phenomenon.doc,
        language,
        names.objects,
        names.variables,
        rules,
        equations,
        contested,
        tuple(x for many in selections for x in many),
        frames.by_name,
        designs,
        tuple(g.Example(x.accept, x.text.text, x.span) for x in main.examples),
    )


def _phenomenon(main: s.File, report: Report) -> s.Phenomenon | None:
    if not main.phenomena:
        source = main.source
        end = source.line_starts[1] - 1 if len(source.line_starts) > 1 else len(source.text)
        report.error(
            "M109",
            "this grammar has no `phenomenon`",
            source.span(0, end),
            remedy='begin the file with `phenomenon NAME "what it is about"`',
        )
        return None
    first = main.phenomena[0]
    for again in main.phenomena[1:]:
        report.error(
            "M102",
            "two phenomena are declared",
            Label(again.span, f"{again.name} here"),
            Label(first.span, f"{first.name} here"),
            remedy="a file has one phenomenon: keep one",
        )
    return first


def _language(files: Sequence[s.File], report: Report) -> str:
    nodes = [x for file in files for x in file.languages]
    for node in nodes[:-1]:
        if node.name != nodes[-1].name:
            report.error(
                "M102",
                "two languages are declared",
                Label(nodes[-1].span, f"{nodes[-1].name} here"),
                Label(node.span, f"{node.name} here"),
                remedy="keep one",
            )
    return nodes[-1].name.text if nodes else ""


# --- one fault, one diagnostic: what only follows from another fault is not reported --------

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
    """Yield the problems of a grammar that are faults of their own.

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
    """Return a key of a fault that is one wherever it shows; None for a name misspelt each time."""
    if problem.code == "M107":
        return frozenset(problem.about)
    if problem.code in ("M125", "M126"):
        return problem.code
    if problem.meant is None and problem.code in ("M101", "M103", "M106"):
        return problem.about if problem.code == "M103" else problem.about[0]
    return None


def _incomplete(problems: Iterable[Diagnostic], files: Iterable[s.File]) -> set[str]:
    """Return the objects that list an attribute which is not declared."""
    places = {p.labels[0].span for p in problems if p.code == "M101" and p.labels}
    return {
        name.name.text
        for file in files
        for entry in file.objects
        if any(feature.name.span in places for feature in entry.features)
        for name in entry.names
    }
