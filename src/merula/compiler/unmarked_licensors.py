"""Words that open a domain which no frame marks, so that a label could not see them.

The plans of a design go in; problems go to the report, each once. `merula.compiler.compile` calls
this for every design. A cell is good if *some* licensor licenses the polarity item, an accidental
one too. So a word that the tables mark as a licensor has to be a kind of an object, and the frames
have to bracket its domains.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from merula.core.diagnostics import Report
from merula.core.source import Span
from merula.core.wording import listing
from merula.design.placement import Item, Lexical, OneOf, Placed
from merula.grammar import model as g
from merula.grammar.conditions import parts
from merula.lexicon.table import ANY, LEMMA, SETS, Lexicon, members
from merula.plan.planner import Plan
from merula.plan.slots import Slot

MAX_WORDS = 4  # of a lexeme that is looked for among other words: *at no time at all* is not found
_WORD = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*|[^\w\s]")


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
    if not tests:
        return
    net = _Net(grammar, lexicon, design, tests, report)
    for plan in plans:
        net.look_at(plan)


class _Net:
    """A search of a design's sentences for words that are marked; each is reported once."""

    def __init__(
        self,
        grammar: g.Grammar,
        lexicon: Lexicon,
        design: g.Design,
        tests: Iterable[g.Licensed],
        report: Report,
    ) -> None:
        self.grammar, self.lexicon = grammar, lexicon
        self.design, self.report = design, report
        self.columns = tuple(dict.fromkeys(column for test in tests for column in test.columns))
        self.opening = {test.columns[0] for test in tests}
        self.marked = _marked(lexicon, self.columns)
        self.done: set[object] = set()

    def look_at(self, plan: Plan) -> None:
        """Report what is unseen in the sentences of a variant."""
        names = frozenset(_brackets(plan.variant.frame.items))
        for cell in plan.cells:
            item = cell.cell.item
            for placed in item.words if self._first(item) else ():
                self._word(placed, item, plan.variant.frame, names)
        for slot in plan.slots:
            if slot.rows is not None and self._first(slot):
                self._lexemes(slot)
                self._forms(slot)

    def _first(self, key: object) -> bool:
        """Return whether something has not been asked for before."""
        new = key not in self.done
        self.done.add(key)
        return new

    # --- words that are in the grammar

    def _word(self, placed: Placed, item: Item, frame: g.Frame, names: frozenset[str]) -> None:
        word = placed.word
        if isinstance(word, Lexical):
            if word.column is not None:
                self.done.add(("column", word.object.name, word.column))
            return
        owner = self._owner(placed.object, item)
        kinds = self._kinds(owner, item)
        for text in word.texts if isinstance(word, OneOf) else (word.text,):
            if owner is not None and text in kinds:
                self._domains(owner, text, placed.inside, frame, names)
            else:
                whose = f" of `{owner.name}`" if owner is not None else ""
                span = owner.span if owner is not None else self.design.span
                self._text(text, f'the words "{text}"{whose}', span)

    def _owner(self, item: g.Object | None, of: Item) -> g.Object | None:
        """Return the object that words belong to: of those of a position, what fills it."""
        own = self.grammar.own(item) if item is not None and item.position else None
        return self.grammar.objects[of.solved.values[own]] if own is not None else item

    def _kinds(self, item: g.Object | None, of: Item) -> frozenset[str]:
        """Return the words of an object's kind that its category's table has."""
        own = self.grammar.own(item) if item is not None else None
        rows = self.lexicon.lexemes.get(item.category) if item is not None else None
        if own is None or rows is None:
            return frozenset()
        words = own.words.get(of.solved.values.get(own, ""), ())
        return frozenset(w for w in words if isinstance(w, str) and w in rows.columns[LEMMA])

    def _domains(
        self,
        item: g.Object,
        word: str,
        inside: Sequence[str],
        frame: g.Frame,
        names: frozenset[str],
    ) -> None:
        """Report the domains of a kind's word that a frame does not mark."""
        rows = self.lexicon.lexemes[item.category]
        places = self._places(item)
        for column in self.columns:
            declared = self.grammar.variables.get((item, column))
            if column not in rows.columns or (declared is not None and not declared.lexical):
                continue
            if column not in self.opening and not _in_another(inside, places):
                continue  # what intervenes outside all domains spoils none
            cell = rows.columns[column][rows.columns[LEMMA].index(word)]
            for domain in _domains(cell):
                marks = {f"{place}.{domain}" for place in places}
                if domain == ANY or marks & names or not self._first((item, word, column, domain)):
                    continue
                own = self.grammar.own(item)
                self.report.error(
                    "M430",
                    f"`{item.name}` may be `{word}`, with `{domain}` in the column `{column}`, but"
                    f" the frame {frame.name} has no constituent `[{places[0]}.{domain} …]`",
                    own.span if own is not None else item.span,
                    remedy=f"bracket the words that are its {domain}: [{places[0]}.{domain} …]",
                )

    def _places(self, item: g.Object) -> tuple[str, ...]:
        """Return the names that the owner of a constituent may have where an object is meant."""
        site = self.grammar.variables.get((item, "site"))
        return (*(site.values if site is not None else ()), item.name)

    # --- words that are chosen from tables

    def _lexemes(self, slot: Slot) -> None:
        assert slot.rows is not None
        for column in self.columns:
            cells = slot.rows.columns.get(column)
            marked = [i for i, row in enumerate(slot.candidates) if cells and _domains(cells[row])]
            if not marked or not self._first((slot.name, column)):
                continue
            shown = listing(f"`{slot.titles[i]}`" for i in marked[:5])
            more = f" and {len(marked) - 5} more" if marked[5:] else ""
            domain = _domains(cells[slot.candidates[marked[0]]])[0] if cells else ""
            self.report.error(
                "M430",
                f"`{slot.name}` may be {shown}{more}, marked in the column `{column}`, but no"
                f" constituent in the frames of {self.design.name} can be"
                f" {'its' if len(marked) == 1 else 'their'} domain",
                self.design.span,
                remedy=f"leave {'it' if len(marked) == 1 else 'them'} out: {slot.name} is not"
                f" {column}; or list such words as kinds of an object, and bracket what is their"
                f" {domain}: [OBJECT.{domain} …]",
                place=slot.places[marked[0]],
            )

    def _forms(self, slot: Slot) -> None:
        """Look at words that are not lexemes: those of lexical sets, and of named columns."""
        assert slot.rows is not None
        for column, texts in slot.forms.items():
            named = any(("column", name, column) in self.done for name in slot.objects)
            if slot.rows.kind != SETS and not named:
                continue
            for text, place in zip(texts, slot.places, strict=True):
                what = f'the words "{text}" in the column `{column}` of {place}'
                if self._text(text, what, self.design.span):
                    break

    # --- any words

    def _text(self, text: str, what: str, span: Span) -> bool:
        """Report a marked word among others, if there is one."""
        words = _words(text)
        for start in range(len(words)):
            for stop in range(start + 1, min(start + MAX_WORDS, len(words)) + 1):
                marked = self.marked.get(words[start:stop])
                if marked is None:
                    continue
                lemma, column, domain = marked
                if self._first((what, column)):
                    holds = f"hold `{lemma}`, which is" if what != f'the words "{lemma}"' else "are"
                    self.report.error(
                        "M431",
                        f"{what} {holds} marked in the column `{column}`, but no constituent in"
                        f" the frames of {self.design.name} can be its domain",
                        span,
                        remedy=f"take another word; or make it the kind of an object (NAME = yes"
                        f' "{lemma}" | …), and bracket what is its {domain}: [NAME.{domain} …]',
                    )
                return True
        return False


def _domains(cell: str) -> tuple[str, ...]:
    """Return the domains in a cell; `no` says that there are none, as an empty cell does."""
    return members(cell) if cell != "no" else ()


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.lower()))


def _marked(
    lexicon: Lexicon, columns: Sequence[str]
) -> Mapping[tuple[str, ...], tuple[str, str, str]]:
    """Return the words of all lexemes that a column marks: the lemma, the column, a domain."""
    marked: dict[tuple[str, ...], tuple[str, str, str]] = {}
    for rows in lexicon.lexemes.values():
        for column in columns:
            for lemma, cell in zip(rows.columns[LEMMA], rows.columns.get(column, ()), strict=False):
                if _domains(cell):
                    marked.setdefault(_words(lemma), (lemma, column, _domains(cell)[0]))
    return marked


def _brackets(items: Iterable[g.Item]) -> Iterator[str]:
    for item in items:
        match item:
            case g.Bracket(name=name, items=inner):
                yield name
                yield from _brackets(inner)
            case g.Guarded(options=options):
                for _, inner in options:
                    yield from _brackets(inner)


def _in_another(around: Iterable[str], places: Sequence[str]) -> bool:
    """Return whether one of the constituents around an object may be the domain of another."""
    owners = (name.partition(".")[0] for name in around if "." in name)
    return any(owner not in places for owner in owners)
