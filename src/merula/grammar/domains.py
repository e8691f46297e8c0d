"""Domains: which constituents the words of a grammar open, as columns of its tables say.

A constituent ``[licensor.scope …]`` belongs to what is in the place of ``licensor`` (an object, or
whatever has the site of that name). It is a domain where the word there opens ``scope``.
`merula.grammar.rules` asks for the domains of a rule such as *any inside opens*. A word opens a
domain where the column ``opens`` of its lexeme, or an attribute ``opens`` of the object, has that
value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from merula.core.diagnostics import Label
from merula.core.source import Span
from merula.core.wording import did_you_mean, listing
from merula.grammar import model as g
from merula.grammar.names import Names, Unresolved
from merula.language import syntax as s
from merula.lexicon.table import ANY, LEMMA, Rows, members


class Domains:
    """The constituents of a grammar's frames that belong to an object or a site.

    ``plain`` are the names of all constituents; ``owned`` those with an owner, by name.
    """

    def __init__(self, names: Names, plain: frozenset[str], owned: Mapping[str, s.Path]) -> None:
        self.names, self.plain, self.owned = names, plain, owned
        self._told: set[tuple[g.Object, str]] = set()  # words that are not lexemes

    def may_be(self, word: str) -> bool:
        """Return whether a word is a column of lexemes, or an attribute of an owner.

        Where tables could not be read, it may be a column of them.
        """
        lexicon = self.names.lexicon
        if any((owner, word) in self.names.variables for _, owner, _, _ in self._owners()):
            return True
        if lexicon is None:
            return bool(self.owned) and any(file.lexicons for file in self.names.files)
        return any(word in rows.columns for rows in lexicon.lexemes.values())

    def licensed(self, item: g.Object, node: s.Inside) -> g.Licensed:
        """Return the test that an object is in a domain that the column ``node.place`` opens."""
        column = node.place.owner.text
        if not self.owned:
            raise self.names.fail(
                "M203",
                f"no frame has a domain that a word could have by its column `{column}`",
                node.place.span,
                remedy="bracket in a frame what belongs to a word: [OBJECT.DOMAIN …], such as"
                " [neg.scope …]",
                about=(column,),
            )
        domains = tuple(self._opened(column, node.place))
        barriers = tuple(x for path in node.outside for x in self._barriers(path))
        further = (str(path) for path in node.outside if str(path) not in self.plain)
        return g.Licensed(item, (column, *further), domains, barriers)

    def known(self) -> tuple[str, ...]:
        """Return the columns and attributes that speak of the domains in frames, for a hint."""
        columns: dict[str, None] = {}
        for _, owner, _, domain in self._owners():
            for (item, attribute), variable in self.names.variables.items():
                if item is owner and attribute and domain in variable.values:
                    columns.setdefault(attribute)
            rows = self._rows(owner)
            for column in rows.columns if rows is not None else ():
                if rows is not None and domain in rows.values[column]:
                    columns.setdefault(column)
        return tuple(columns)

    def _barriers(self, path: s.Path) -> Iterator[g.Domain]:
        if str(path) in self.plain:
            yield g.Domain(str(path), None, None)
        elif path.attribute is None and self.may_be(path.owner.text):
            yield from self._opened(path.owner.text, path)
        else:
            names = (*self.plain, *self.known())
            raise self.names.fail(
                "M203",
                f"no frame has a constituent called `{path}`, and no word a column of that name",
                path.span,
                remedy=did_you_mean(str(path), names) or f"bracket it in a frame: [{path} …]",
                about=(str(path),),
            )

    def _owners(self) -> Iterator[tuple[str, g.Object, g.Is | None, str]]:
        """Yield the constituents with an owner: name, owner, the site it has to be at, domain."""
        for name, path in self.owned.items():
            place, domain = path.owner.text, str(path.attribute)
            owner = self.names.objects.get(place)
            if owner is not None:
                yield name, owner, None, domain
                continue
            for (item, attribute), variable in self.names.variables.items():
                if attribute == "site" and place in variable.values:
                    yield name, item, g.Is(variable, (place,)), domain

    def _rows(self, owner: g.Object) -> Rows | None:
        lexicon = self.names.lexicon
        return lexicon.lexemes.get(owner.category) if lexicon is not None else None

    def _opened(self, column: str, path: s.Path) -> Iterator[g.Domain]:
        for name, owner, at_site, domain in self._owners():
            declared = self.names.variables.get((owner, column))
            if declared is not None and not declared.lexical:
                if domain in declared.values:
                    yield g.Domain(name, at_site, g.Is(declared, (domain,)))
                continue
            kinds = self.names.variables.get((owner, ""))
            words = kinds.words if kinds is not None and not owner.position else {}
            if self._in_an_attribute(owner, domain) and not (words and self._rows(owner)):
                continue  # the attribute says all that is known
            if kinds is None or not words:
                raise self._no_kinds(owner, name, column)
            opening = tuple(
                value
                for value, texts in words.items()
                if {domain, ANY} & self._said_of(owner, value, texts, column, path)
            )
            if opening:
                yield g.Domain(name, at_site, g.Is(kinds, opening))

    def _in_an_attribute(self, owner: g.Object, domain: str) -> bool:
        return any(
            item is owner and attribute and domain in variable.values and not variable.lexical
            for (item, attribute), variable in self.names.variables.items()
        )

    def _no_kinds(self, owner: g.Object, name: str, column: str) -> Unresolved:
        why = "is a position, whose words are those of what fills it"
        remedy = "write the object that fills it instead"
        if not owner.position:
            why = "has no kinds with words"
            remedy = (
                f'list its words under `attributes`: {owner.name} = yes "…" | no "…"; or give it'
                f" an attribute `{column}`"
            )
        return self.names.fail(
            "M214",
            f"`{owner.name}` {why}, so its `{column}` cannot be looked up for `[{name} …]`",
            self.owned[name].span,
            remedy=remedy,
        )

    def _said_of(
        self,
        owner: g.Object,
        value: str,
        words: Iterable[str | g.ColumnWord],
        column: str,
        path: s.Path,
    ) -> frozenset[str]:
        """Return what a column says of the words of a value, which has to be the same of each."""
        rows = self._rows(owner)
        if self.names.lexicon is None:
            return frozenset()
        lemmas = rows.columns[LEMMA] if rows is not None else ()
        cells: dict[frozenset[str], str] = {}
        for word in words:
            if not isinstance(word, str) or not word:
                continue
            if word not in lemmas:
                raise self._no_lexeme(owner, word, column, path)
            cell = (
                rows.columns[column][lemmas.index(word)] if rows and column in rows.columns else ""
            )
            cells.setdefault(frozenset(members(cell)), word)
        if len(cells) > 1:
            one, other, *_ = (
                f"{listing(sorted(cell)) or 'nothing'} of `{word}`" for cell, word in cells.items()
            )
            raise self.names.fail(
                "M216",
                f"the words of {owner.name} = {value} differ in the column `{column}`, which says"
                f" {one} and {other}",
                kinds_span(self.names, owner),
                remedy="give them two values, since a cell has one label whichever of its words"
                " stands there",
            )
        return next(iter(cells), frozenset())

    def _no_lexeme(self, owner: g.Object, word: str, column: str, path: s.Path) -> Unresolved:
        if (owner, word) in self._told:
            return Unresolved()
        self._told.add((owner, word))
        rows, lexicon = self._rows(owner), self.names.lexicon
        if rows is not None:
            hint = did_you_mean(word, rows.columns[LEMMA])
        else:
            hint = did_you_mean(owner.category, lexicon.lexemes if lexicon is not None else ())
        return self.names.fail(
            "M215",
            f"no table has `{word}` as a lexeme of the category `{owner.category}`, so its"
            f" `{column}` is not known",
            Label(kinds_span(self.names, owner), "a word here"),
            Label(path.span, "looked up for this"),
            remedy=hint
            or f"add a row with the lemma `{word}` and the category `{owner.category}`; its cell"
            f" `{column}` may be empty",
        )


def kinds_span(names: Names, owner: g.Object) -> Span:
    """Return where the kinds of an object are declared."""
    return names.variables[owner, ""].span
