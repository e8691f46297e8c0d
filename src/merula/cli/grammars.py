"""The grammars, designs and instances that a command was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from merula.core.wording import counted

if TYPE_CHECKING:
    from merula.compiler.compiled import Compiled, CompiledDesign
    from merula.core.diagnostics import Diagnostic
    from merula.lexicon.table import TableOptions


def compiled(file: str, options: TableOptions) -> Compiled | tuple[Diagnostic, ...]:
    """Return a compiled grammar, or the problems where its file cannot be read."""
    from merula.compiler.compile import compile_source
    from merula.core.diagnostics import Report
    from merula.grammar.program import read_grammar

    report = Report()
    source = read_grammar(file, report)
    if source is None:
        return report.sorted()
    return compile_source(source, options, report=report)


def usable(file: str, options: TableOptions, *, quiet: bool = False) -> Compiled:
    """Return the compiled grammar of a file; errors are raised, warnings are counted.

    With ``quiet`` warnings are not printed.
    """
    from merula.core.diagnostics import MerulaError

    grammar = compiled(file, options)
    if isinstance(grammar, tuple):
        raise MerulaError(grammar)
    if grammar.failed:
        raise MerulaError(grammar.problems)
    if grammar.problems and not quiet:
        warnings = counted(len(grammar.problems), "warning")
        click.echo(f"{file}: {warnings}; `merula check {file}` shows them", err=True)
    return grammar


def chosen(compiled: Compiled, name: str | None) -> list[CompiledDesign]:
    """Return the design that is named, or all designs without a name; raises `MerulaError`."""
    from merula.core.diagnostics import MerulaError
    from merula.core.wording import did_you_mean, listing

    if name is None:
        return list(compiled.designs.values())
    if name not in compiled.designs:
        raise MerulaError.of(
            "M610",
            f"there is no paradigm or matrix named {name}",
            remedy=did_you_mean(name, compiled.designs) or f"there is {listing(compiled.designs)}",
            place=compiled.source.name,
        )
    return [compiled.designs[name]]


def address_in(design: CompiledDesign, address: int) -> int:
    """Return the address if the design has an instance there; raises `MerulaError`."""
    from merula.core.diagnostics import MerulaError

    if not 0 <= address < design.count:
        raise MerulaError.of(
            "M611",
            f"{design.name} has no instance {address:,}",
            remedy=f"addresses are 0 to {design.count - 1:,}",
            place=design.design.span.source.name,
        )
    return address
