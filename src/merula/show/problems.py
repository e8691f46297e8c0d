"""Problems as a reader of a shell or a notebook sees them."""

from __future__ import annotations

from typing import Any

from merula.core.diagnostics import Diagnostic
from merula.core.wording import counted


class Problems(tuple[Diagnostic, ...]):
    """A tuple of problems. ``print`` writes them as `merula check` does; notebooks show them.

    >>> import merula
    >>> problems = merula.check("no/such/grammar.merula")
    >>> problems
    <Problems: 1 error, 0 warnings>
    >>> print(problems)
    error[M601]: the grammar no/such/grammar.merula does not exist
      --> no/such/grammar.merula
      = help: check the path
    <BLANKLINE>
    1 error, 0 warnings
    """

    __slots__ = ()

    @property
    def errors(self) -> Problems:
        """The problems that are errors."""
        return Problems(problem for problem in self if problem.severity == "error")

    @property
    def warnings(self) -> Problems:
        """The problems that are warnings."""
        return Problems(problem for problem in self if problem.severity == "warning")

    @property
    def summary(self) -> str:
        """The number of errors and of warnings."""
        if not self:
            return "no problems"
        errors, warnings = len(self.errors), len(self.warnings)
        return f"{counted(errors, 'error')}, {counted(warnings, 'warning')}"

    def __repr__(self) -> str:
        return f"<Problems: {self.summary}>"

    def __str__(self) -> str:
        return "\n\n".join([*(problem.render() for problem in self), self.summary])

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text("<Problems>" if cycle else str(self))

    def _repr_html_(self) -> str:
        from merula.show.html import problems_html

        return problems_html(self, self.summary)
