"""Designs: paradigms, matrices and their answer sets.

The syntax trees of designs go in; typed designs come out, whose axes, cycles and edits name
variables of the grammar. `merula.grammar.resolve` calls this last, since designs name frames,
objects and rules. A design with a problem is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, permutations
from math import perm

from merula.core.diagnostics import Label
from merula.core.source import Span
from merula.core.wording import counted, did_you_mean, listing, near
from merula.grammar import model as g
from merula.grammar.frames import Frames
from merula.grammar.names import Names, Unresolved
from merula.grammar.rules import Rules
from merula.language import syntax as s
from merula.lexicon.table import clean

MAX_ITEMS = 100  # of a matrix: far more than anybody reads
MAX_ORDERS = 10_000  # of the values of a cycle, each of which makes variants: 7 values in any order
MAX_CROSSED = 5  # edits of a crossed answer set, which make 2⁵ = 32 answers
UNSHOWN = "unshown"


class Designs:
    """Resolves the designs of a file, in the order they are written."""

    def __init__(self, names: Names, frames: Frames, rules: Rules, files: Sequence[s.File]) -> None:
        self.names, self.frames, self.rules = names, frames, rules
        self.files = [file for file in files if file.designs]
        self.left = {  # the files whose designs are not asked for, by the names of these
            node.name.text: file.source.name
            for file in files
            if not file.designs
            for node in (*file.paradigms, *file.matrices)
        }
        self.faulty: set[str] = set()  # names of the designs that cannot be resolved

    def resolve(self) -> tuple[g.Design, ...]:
        """Return the designs of all files that shall have them, with their answers."""
        files = self.files
        designs: dict[str, g.Design] = {}
        spans: dict[str, Span] = {}
        for node in (x for file in files for x in (*file.paradigms, *file.matrices)):
            if node.name.text in spans:
                self.names.twice("design", node.name.text, node.name.span, spans[node.name.text])
                continue
            spans[node.name.text] = node.name.span
            try:
                designs[node.name.text] = self._design(node, designs)
            except Unresolved:
                self.faulty.add(node.name.text)
        self._answers([x for file in files for x in file.answers], designs, spans)
        return tuple(designs.values())

    def _design(self, node: s.Paradigm | s.Matrix, designs: Mapping[str, g.Design]) -> g.Design:
        if isinstance(node, s.Copied):
            return self._copied(node, designs)
        frames = self.frames.named(node.tail.frames, node.name.span)
        varying = tuple(
            self.names.axis(f.path, f.values, take_absent=True) for f in node.tail.varying
        )
        fixed = [(f, self.names.point(f.path, f.value)) for f in node.tail.fixings]
        fixings = tuple(pair for _, point in fixed for pair in point.assignment)
        given = [(str(f.path), f.span, [point]) for f, point in fixed]
        given += [(axis.name, axis.span, [*axis.points]) for axis in varying]
        if isinstance(node, s.Paradigm):
            factors = tuple(self.names.axis(f.path, f.values) for f in node.factors)
            self._once([*((a.name, a.span, [*a.points]) for a in factors), *given])
            where = g.Where(self.rules.test(node.where), node.where.span) if node.where else None
            return g.Paradigm(
                node.name.text, node.doc, factors, frames, varying, fixings, node.span, where
            )
        if isinstance(node, s.ItemTable):
            rows = self._rows(node)
            columns = zip(node.columns, zip(*rows, strict=True), strict=True)
            self._once([*((str(p), p.span, [*points]) for p, points in columns), *given])
            return g.Matrix(
                node.name.text,
                node.doc,
                frames,
                varying,
                fixings,
                len(rows),
                (),
                rows,
                (),
                node.span,
            )
        if node.length > MAX_ITEMS:
            text = f"a matrix of {node.length:,} items is too long; {MAX_ITEMS} are the most"
            raise self.names.fail("M410", text, node.span, remedy="write `8 items`")
        if node.length < 2:
            raise self.names.fail(
                "M410", "a matrix needs at least 2 items", node.span, remedy="write `8 items`"
            )
        cycles = tuple(self.names.each(node.cycles, self._cycle))
        if len(cycles) < len(node.cycles):
            raise Unresolved
        if not cycles:
            raise self.names.fail(
                "M428",
                f"nothing changes from item to item of `{node.name}`",
                node.span,
                remedy="write a line such as `n1.number cycles 2 of sg | pl every 2` under it",
            )
        axes = [cycle.axis for cycle in cycles]
        self._once([*((a.name, a.span, [*a.points]) for a in axes), *given])
        return g.Matrix(
            node.name.text,
            node.doc,
            frames,
            varying,
            fixings,
            node.length,
            cycles,
            (),
            (),
            node.span,
        )

    def _once(self, given: Sequence[tuple[str, Span, Sequence[g.Point]]]) -> None:
        """Raise `Unresolved` for a design that gives something a value in two places."""
        first: dict[g.Variable, tuple[str, Span]] = {}
        for name, span, points in given:
            for variable in {v: None for point in points for v, _ in point.assignment}:
                if variable in first and first[variable][1] != span:
                    raise self.names.fail(
                        "M411",
                        f"`{variable}` is given twice",
                        Label(span, f"by `{name}` here"),
                        Label(first[variable][1], f"by `{first[variable][0]}` here"),
                        remedy="keep one",
                    )
                first[variable] = (name, span)

    def _cycle(self, node: s.Cycle) -> g.Cycle:
        axis = self.names.axis(node.path, node.values)
        letter = node.letter.text if node.letter else "R"
        if letter not in g.LETTERS:
            assert node.letter is not None
            raise self.names.fail(
                "M412",
                f"there is no error class `{letter}`",
                node.letter.span,
                remedy="classes are E (external), I (internal) and R (relational)",
            )
        if node.every < 1:
            raise self.names.fail(
                "M413",
                "a cycle changes every 1 item or more",
                node.every_span,
                remedy="write `every 1` or more",
            )
        if node.take > len(axis.points) or node.take == 1:
            raise self.names.fail(
                "M413",
                f"a cycle of {node.take} cannot be taken from {len(axis.points)} values",
                node.span,
                remedy="write a number from 2 up to that of the values, or leave it out",
            )
        if perm(len(axis.points), node.take) > MAX_ORDERS:
            raise self.names.fail(
                "M413",
                f"{node.take} of {len(axis.points)} values have"
                f" {perm(len(axis.points), node.take):,} orders; {MAX_ORDERS:,} are the most",
                node.span,
                remedy="take fewer, or leave the number out: then one order is taken",
            )
        orders = tuple(permutations(axis.points, node.take)) if node.take else (axis.points,)
        return g.Cycle(axis, orders, node.every, letter, node.span, node.every_span)

    def _rows(self, node: s.ItemTable) -> tuple[tuple[g.Point, ...], ...]:
        if not node.columns or len(node.rows) < 2:
            raise self.names.fail(
                "M414",
                f"the item table of `{node.name}` is not complete",
                node.span,
                remedy="write a header `| object object.attribute …` and a row `1 | value …`"
                " for every item, at least two",
            )
        rows = []
        for number, row in enumerate(node.rows, 1):
            if row.number != number:
                text = f"row {row.number} of the item table stands where row {number} should"
                raise self.names.fail("M414", text, row.span, remedy="number the rows 1, 2, 3 …")
            if len(row.cells) != len(node.columns):
                raise self.names.fail(
                    "M414",
                    f"this row has {counted(len(row.cells), 'value')} for"
                    f" {counted(len(node.columns), 'column')}",
                    Label(row.span),
                    Label(node.columns[0].span.to(node.columns[-1].span), "the columns"),
                    remedy="write `-` where an object is absent",
                )
            pairs = zip(node.columns, row.cells, strict=True)
            rows.append(tuple(self.names.point(path, cell) for path, cell in pairs))
        return tuple(rows)

    def _copied(self, node: s.Copied, designs: Mapping[str, g.Design]) -> g.Matrix:
        base = designs.get(node.base.text)
        if node.base.text in self.faulty:
            raise Unresolved
        if not isinstance(base, g.Matrix):
            matrices = [name for name, d in designs.items() if isinstance(d, g.Matrix)]
            raise self.names.fail(
                "M101",
                f"there is no matrix called `{node.base}` above this line",
                node.base.span,
                remedy=self._left(node.base.text)
                or did_you_mean(node.base.text, matrices)
                or "write the matrix that is copied above this one"
                if node.base.text not in designs
                else f"name a matrix; `{node.base}` is a paradigm",
                about=(node.base.text,),
                meant=near(node.base.text, matrices),
            )
        if node.swap is None:
            return replace(base, name=node.name.text, doc=node.doc, answers=(), span=node.span)
        if not base.rows:
            raise self.names.fail(
                "M415",
                f"the items of `{base.name}` follow from cycles, so two of them cannot be swapped",
                node.span,
                remedy="give another matrix its own cycles, or write an item table",
            )
        for number in node.swap:
            if not 1 <= number <= base.length:
                text = f"`{base.name}` has no item {number}"
                raise self.names.fail(
                    "M415", text, node.span, remedy=f"items are 1 to {base.length}"
                )
        rows = list(base.rows)
        i, j = (number - 1 for number in node.swap)
        rows[i], rows[j] = rows[j], rows[i]
        return replace(
            base, name=node.name.text, doc=node.doc, rows=tuple(rows), answers=(), span=node.span
        )

    # --- answers

    def _answers(
        self, nodes: Sequence[s.Answers], designs: dict[str, g.Design], spans: Mapping[str, Span]
    ) -> None:
        for node in nodes:
            names = [word.text for word in node.matrices]
            for word in node.matrices:
                if word.text not in spans:
                    self.names.report.error(
                        "M101",
                        f"there is no matrix called `{word}`",
                        word.span,
                        remedy=self._left(word.text)
                        or did_you_mean(word.text, spans)
                        or f"matrices are {listing(spans)}",
                        about=(word.text,),
                        meant=near(word.text, spans),
                    )
                elif isinstance(designs.get(word.text), g.Paradigm):
                    self.names.report.error(
                        "M416",
                        f"`{word}` is a paradigm; only a matrix has answers",
                        word.span,
                        remedy="the cells of a paradigm are labelled by its rules",
                    )
            if not names:
                names = [name for name, d in designs.items() if isinstance(d, g.Matrix)]
            answers = tuple(self.names.each(node.answers, self._answer))
            if node.crossed:
                answers = self._crossed(node, answers)
            earlier: list[g.Answer] = []
            for name in names:
                design = designs.get(name)
                if isinstance(design, g.Matrix):
                    self._alone(design, node)
                    earlier += [answer for answer in design.answers if answer not in earlier]
                    every = (*design.answers, *answers)
                    designs[name] = replace(design, answers=every, crossed=node.crossed)
            self._labels(earlier, answers)

    def _crossed(self, node: s.Answers, single: Sequence[g.Answer]) -> tuple[g.Answer, ...]:
        """Return all combinations of some answers: those of one, of two, and so on."""
        if not 2 <= len(node.answers) <= MAX_CROSSED:
            self.names.report.error(
                "M433",
                f"{counted(len(node.answers), 'edit')} cannot be crossed",
                node.span,
                remedy=f"write 2 to {MAX_CROSSED}, which make 4 to {2**MAX_CROSSED} answers",
            )
            return ()
        return tuple(
            _combined(chosen)
            for number in range(1, len(single) + 1)
            for chosen in combinations(single, number)
        )

    def _alone(self, design: g.Matrix, node: s.Answers) -> None:
        """Report other answers of a matrix whose answers are crossed."""
        if design.answers and (design.crossed or node.crossed):
            self.names.report.error(
                "M433",
                f"the answers of {design.name} are crossed, so there can be no others",
                node.answers[0].span if node.answers else node.span,
                remedy=f"write `matrix NAME = {design.name}`, and give the others to that matrix",
            )

    def _labels(self, earlier: Sequence[g.Answer], answers: Sequence[g.Answer]) -> None:
        """Report labels given twice; ``earlier`` are other answers of the same matrices."""
        first: dict[str, g.Answer] = {answer.label: answer for answer in earlier}
        for answer in answers:
            if answer.label in first:
                self.names.twice("answer", answer.label, answer.span, first[answer.label].span)
            elif answer.label == g.CORRECT:
                self.names.report.error(
                    "M417",
                    f"`{g.CORRECT}` is the label of the right answer",
                    answer.span,
                    remedy="give the wrong answer another label",
                )
            first.setdefault(answer.label, answer)

    def _answer(self, node: s.Answer) -> g.Answer:
        letters = [*(claim.letter for claim in node.claims)]
        letters += [node.counts_as] if node.counts_as else []
        for letter in letters:
            if letter.text not in g.LETTERS:
                raise self.names.fail(
                    "M412",
                    f"there is no error class `{letter}`",
                    letter.span,
                    remedy=self._class_meant(letter.text),
                )
        claims = tuple(
            g.Claim(c.letter.text, tuple(str(rule) for rule in c.rules), c.span)
            for c in node.claims
        )
        remedies = tuple(self._edits(edits) for edits in node.remedies)
        counts_as = node.counts_as.text if node.counts_as else None
        return g.Answer(node.label.text, node.doc, claims, counts_as, (remedies,), node.span)

    def _left(self, name: str) -> str:
        """Return the remedy for a design of a file that is imported without designs, or ""."""
        if name not in self.left:
            return ""
        return f'`{name}` is not imported: write `import "{self.left[name]}" with designs`'

    def _class_meant(self, text: str) -> str:
        """Return the remedy where something else is in the place of an error class."""
        classes = "classes are E (external), I (internal) and R (relational)"
        if text.upper() in g.LETTERS:
            return f"write `{text.upper()}`; {classes}"
        letters = {
            node.name.text: letter
            for part, letter in (("internal", "I"), ("external", "E"))
            for node in self.names.all_nodes(part)
            if isinstance(node, s.Rule)
        }
        rule = near(text, letters)
        return f"write `breaks {letters[rule]} {rule}`; {classes}" if rule is not None else classes

    def _edits(self, node: s.Edits) -> g.Edits:
        keeping = tuple(self.names.variable(path) for path in node.keeping)
        return g.Edits(tuple(self._edit(edit) for edit in node.edits), keeping, node.span)

    def _edit(self, node: s.Edit) -> g.Edit:
        match node:
            case s.Flip():
                variable = self.names.variable(node.path)
                if len(variable.values) != 2 and not variable.lexical:
                    raise self.names.fail(
                        "M418",
                        f"`{variable}` has {len(variable.values)} values, so it cannot be flipped",
                        node.path.span,
                        remedy=f"say which one: set {variable} = {listing(variable.values, 'or')}",
                    )
                return g.Flip(variable, node.span)
            case s.Set():
                return self._set(node)
            case s.Add():
                item = self._optional(node.name)
                return g.Add(item, self.names.object(node.like) if node.like else None, node.span)
            case s.Drop():
                return g.Drop(self._optional(node.name), node.span)
            case s.Swap():
                return self._swap(node)
            case s.Replace():
                return self._replace(node)
            case s.Embed():
                if node.name.text == node.host.text:
                    raise self.names.fail(
                        "M422",
                        f"`{node.name}` cannot be embedded in itself",
                        node.span,
                        remedy="name another object as its host",
                    )
                return g.Embed(
                    self.names.object(node.name),
                    self.names.object(node.host),
                    clean(node.text) if node.text is not None else None,
                    node.span,
                )

    def _set(self, node: s.Set) -> g.Assign | g.Unshown:
        if node.term.attribute is None:
            word, values = node.term.owner, self._values(node.path)
            if word.text == UNSHOWN and word.text not in values:
                return g.Unshown(str(node.path), node.span)
            if word.text not in values and near(word.text, (*values, UNSHOWN)) == UNSHOWN:
                raise self.names.unknown_value(word, str(node.path), (UNSHOWN,))
            point = self.names.point(node.path, word)
            return g.Assign(point, point.assignment[-1][0], None, node.span)
        return g.Assign(
            None, self.names.variable(node.path), self.names.variable(node.term), node.span
        )

    def _values(self, path: s.Path) -> frozenset[str]:
        """Return the values that can be set at a path: of an object alone, all its attributes'."""
        if path.attribute is not None:
            return frozenset(self.names.variable(path).values)
        item = self.names.object(path.owner)
        of_item = (v.values for (other, _), v in self.names.variables.items() if other is item)
        return frozenset(value for values in of_item for value in values)

    def _optional(self, word: s.Word) -> g.Object:
        item = self.names.object(word)
        if not item.optional:
            raise self.names.fail(
                "M419",
                f"`{item.name}` is always there",
                Label(word.span),
                Label(item.span, "declared without `?`"),
                remedy=f"declare it as `{item.name}?` to add or drop it",
            )
        return item

    def _swap(self, node: s.Swap) -> g.Edit:
        if node.first.attribute or node.second.attribute:
            return g.SwapValues(
                self.names.variable(node.first), self.names.variable(node.second), node.span
            )
        one, other = self.names.object(node.first.owner), self.names.object(node.second.owner)
        if one.position and other.position:
            return g.SwapValues(
                self.names.variable(node.first), self.names.variable(node.second), node.span
            )
        return g.SwapPlaces(one, other, node.span)

    def _replace(self, node: s.Replace) -> g.Replace:
        target: g.Object | g.Variable
        target = (
            self.names.variable(node.path)
            if node.path.attribute
            else self.names.object(node.path.owner)
        )
        other = self.names.object(node.other) if node.other else None
        text = clean(node.text) if node.text is not None else None
        return g.Replace(target, text, other, node.span)


def _combined(answers: Sequence[g.Answer]) -> g.Answer:
    """Return one answer that has the edits of several."""
    if len(answers) == 1:
        return answers[0]
    return g.Answer(
        "+".join(answer.label for answer in answers),
        "",
        (),
        None,
        tuple(step for answer in answers for step in answer.steps),
        answers[0].span.to(answers[-1].span),
    )
