"""Each slip in `merula.language.malformed` gives its message when it stands in a real file."""

from __future__ import annotations

import re

import pytest

from merula.language.diagnostics import Diagnostic, Report
from merula.language.malformed import SAMPLES, Sample
from merula.language.parse import parse, parse_cell
from merula.language.source import Source

# Where an entry of each kind stands: what comes before it in the file.
BEFORE = {
    "phenomenon": "phenomenon ",
    "language": "language ",
    "lexicon": "lexicon ",
    "mapping": 'lexicon sets "t.tsv"\n  ',
    "imports": "import ",
    "object": "objects\n  ",
    "attribute": "attributes\n  ",
    "rule": "external\n  ",
    "selection": "select\n  ",
    "frame": "frames\n  ",
    "paradigm": "paradigm ",
    "matrix": "matrix ",
    "cycle": "matrix agrf = 8 items\n  ",
    "table_header": "matrix alt = items\n  ",
    "table_row": "matrix alt = items\n  | subj verb.voice\n  ",
    "answers": "answers ",
    "answer": "answers\n  ",
    "example": "examples\n  ",
}
AROUND = ("phenomenon before\nlanguage en\n\n", '\n\nexamples\n  accept "The dog barks."\n')


def diagnose(start: str, entry: str) -> tuple[Diagnostic, ...]:
    report = Report()
    if start == "cell_expression":
        parse_cell(Source("t.tsv:2 (subject)", entry), report)
    else:
        parse(Source("x.merula", AROUND[0] + BEFORE[start] + entry + AROUND[1]), report)
    return report.sorted()


def pattern(sample: Sample) -> str:
    """The sample's message, with any token for the parts that the entry decides."""
    parts = re.split(r"\{(?:found|previous)\}", sample.message)
    return "(?:`[^`]+`|the end of the line|the beginning)".join(map(re.escape, parts))


def ids(sample: Sample) -> str:
    return f"{sample.start}: {sample.text}"


@pytest.mark.parametrize("sample", SAMPLES, ids=ids)
def test_a_slip_has_its_message(sample: Sample) -> None:
    problems = diagnose(sample.start, sample.text)
    assert [p.code for p in problems] == ["M010"], [p.render() for p in problems]
    (problem,) = problems
    assert re.fullmatch(pattern(sample), problem.message), problem.message
    assert problem.remedy == sample.remedy


@pytest.mark.parametrize("sample", SAMPLES, ids=ids)
def test_the_caret_stands_under_a_token_of_the_slip(sample: Sample) -> None:
    (problem,) = diagnose(sample.start, sample.text)
    span = problem.labels[0].span
    before = "" if sample.start == "cell_expression" else AROUND[0] + BEFORE[sample.start]
    start, end = span.start - len(before), span.end - len(before)
    if span.text:
        assert 0 <= start < end <= len(sample.text)
        named = re.findall("`([^`]+)`", problem.message)
        if "{found}" in sample.message:
            assert span.text in named
    else:  # the end of the entry, just behind its last token
        assert start in (len(sample.text.rstrip()), len(sample.text), -1)
