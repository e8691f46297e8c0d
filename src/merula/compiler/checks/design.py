"""What a compiler tells the author of a design: claims, contrasts, determinacy, examples."""

from __future__ import annotations

from merula.compiler.checks.answers import (
    check_claims,
    check_crossing,
    check_right_answer,
    check_senseless,
)
from merula.compiler.checks.cells import (
    check_contested,
    check_equal,
    check_misplaced,
    check_same_variants,
    check_verdicts,
)
from merula.compiler.checks.cycles import check_context, check_determinacy
from merula.compiler.checks.empty import check_empty
from merula.compiler.checks.left_out import check_readable
from merula.compiler.checks.observations import DesignReport
from merula.core.diagnostics import Report
from merula.grammar import model as g


def check_design(seen: DesignReport, report: Report) -> None:
    """Report what was seen: senseless edits, contradicted claims, equal cells, empty variants."""
    if isinstance(seen.design, g.Matrix):
        if check_right_answer(seen, seen.design, report):
            return  # what the others break means nothing then
        for answer in seen.design.answers:
            check_senseless(seen, answer, report)
            check_claims(seen, answer, report)
        check_crossing(seen, seen.design, report)
        check_context(seen, report)
        for cycle in seen.design.cycles:
            check_determinacy(seen.design, cycle, report)
    check_misplaced(seen, report)
    check_verdicts(seen, report)
    check_contested(seen, report)
    check_equal(seen, report)
    check_readable(seen, report)
    check_same_variants(seen, report)
    check_empty(seen, report)
