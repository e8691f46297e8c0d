"""Words that open a domain which no frame marks, so that a label could not see them.

A cell is good if *some* licensor licenses the polarity item, an accidental one too. So a word that
the tables mark as one has to be an object with kinds, whose domains the frames bracket.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from merula import grammar as g
from merula.items import objects_in
from merula.language.diagnostics import Report, listing
from merula.lexicon import LEMMA, Lexicon
from merula.plan import Plan
from merula.settings import parts

MAX_WORDS = 4  # of a lexeme that is looked for in quoted words


def check_unseen(
    grammar: g.Grammar, lexicon: Lexicon, design: g.Design, plans: Sequence[Plan], report: Report
) -> None:
    """Report the words of a design that open domains, or intervene, unseen by its frames."""
    tests = [
        part
        for rule in (*grammar.rules, *grammar.contested)
        for test in rule.tests
        for part in parts(test)
        if isinstance(part, g.Licensed)
    ]
    columns = tuple(dict.fromkeys(column for test in tests for column in test.columns))
    if not columns:
        return
    _lexemes(plans, columns, design, report)
    seen = {d.opened.variable.object for t in tests for d in _domains(t) if d.opened is not None}
    items = [item for frame in design.frames for item in frame.items]
    placed = objects_in(grammar, items)
    for item in placed - seen:
        _kinds(grammar, lexicon, item, columns, report)
    marked = _marked(lexicon, columns)
    for text in dict.fromkeys(_quoted(items)):
        _text(text, marked, design, report)


def _domains(test: g.Licensed) -> Iterable[g.Domain]:
    return (*test.domains, *test.barriers)


def _lexemes(
    plans: Sequence[Plan], columns: Sequence[str], design: g.Design, report: Report
) -> None:
    told: set[tuple[str, str]] = set()
    for slot in (slot for plan in plans for slot in plan.slots):
        for column in columns:
            cells = slot.rows.columns.get(column) if slot.rows is not None else None
            if cells is None or (slot.name, column) in told:
                continue
            marked = [i for i, row in enumerate(slot.candidates) if cells[row]]
            if marked:
                told.add((slot.name, column))
                shown = listing(slot.titles[i] for i in marked[:5])
                more = f" and {len(marked) - 5} more" if marked[5:] else ""
                report.error(
                    "M430",
                    f"`{slot.name}` may be {shown}{more}, marked in the column `{column}`, but no"
                    f" frame of {design.name} says what it {column}",
                    design.span,
                    remedy=f"leave them out: {slot.name} is not {column}; or give an object these"
                    " words as kinds, and mark their domains: [OBJECT.DOMAIN …]",
                    place=slot.places[marked[0]],
                )


def _kinds(
    grammar: g.Grammar, lexicon: Lexicon, item: g.Object, columns: Sequence[str], report: Report
) -> None:
    """Report words of kinds that open a domain where no constituent belongs to their object."""
    rows = lexicon.lexemes.get(item.category)
    own = grammar.own(item)
    if rows is None or own is None:
        return
    for column in columns:
        cells = rows.columns.get(column, ())
        marked = {
            lemma: cell for lemma, cell in zip(rows.columns[LEMMA], cells, strict=False) if cell
        }
        words = [w for texts in own.words.values() for w in texts if isinstance(w, str)]
        for word in words:
            if word in marked:
                report.error(
                    "M430",
                    f"`{item.name}` may be `{word}`, marked in the column `{column}`, but no frame"
                    f" says what it {column}",
                    own.span,
                    remedy=f"mark the constituent: [{item.name}.{marked[word].split()[0]} …]",
                )


def _marked(lexicon: Lexicon, columns: Sequence[str]) -> dict[tuple[str, ...], str]:
    """The words of all lexemes that a column marks, with the column."""
    found: dict[tuple[str, ...], str] = {}
    for rows in lexicon.lexemes.values():
        for column in columns:
            for lemma, cell in zip(rows.columns[LEMMA], rows.columns.get(column, ()), strict=False):
                if cell:
                    found.setdefault(tuple(lemma.lower().split()), column)
    return found


def _quoted(items: Iterable[g.Item]) -> Iterator[str]:
    for item in items:
        match item:
            case g.Literal(text=text):
                yield text
            case g.Bracket(items=inner):
                yield from _quoted(inner)
            case g.Guarded(options=options):
                for _, inner in options:
                    yield from _quoted(inner)


def _text(text: str, marked: dict[tuple[str, ...], str], design: g.Design, report: Report) -> None:
    words = text.lower().split()
    for start in range(len(words)):
        for stop in range(start + 1, min(start + MAX_WORDS, len(words)) + 1):
            column = marked.get(tuple(words[start:stop]))
            if column is not None:
                word = " ".join(words[start:stop])
                report.error(
                    "M431",
                    f'the words "{text}" in a frame of {design.name} hold `{word}`, which the'
                    f" column `{column}` marks, so labels do not see it",
                    design.span,
                    remedy=f'make it an object with kinds (NAME = yes "{word}"), and mark its'
                    " domain: [NAME.DOMAIN …]",
                )
                return
