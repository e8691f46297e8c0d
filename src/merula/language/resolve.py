"""The typed tree → a resolved grammar: every name looked up, every rule typed.

Problems are collected; an entry with a problem is left out, so that one slip is one diagnostic.
The order is that of dependence: objects and attributes, constituents, rules, frames, designs.
"""

from __future__ import annotations

from collections.abc import Sequence

from merula import grammar as g
from merula.language import syntax as s
from merula.language.consequences import without_consequences
from merula.language.designs import Designs
from merula.language.diagnostics import Label, Report
from merula.language.frames import Frames
from merula.language.names import Names
from merula.language.rules import Rules
from merula.lexicon import Lexicon


def resolve(files: Sequence[s.File], lexicon: Lexicon | None, report: Report) -> g.Grammar | None:
    """The grammar of a file and its imports (``files[-1]`` is the file itself).

    ``lexicon`` is None where a grammar has no tables: a path that may be a column then is one.
    """
    found = Report()
    grammar = _resolve(files, lexicon, found)
    report.extend(without_consequences(found.items, files, tables=lexicon is not None))
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
    designs = Designs(names, frames, files).resolve()
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
