"""Domains: which constituents the words of a grammar open, as columns of its tables say.

A constituent ``[licensor.scope …]`` belongs to what stands in the place of ``licensor`` (an
object, or whatever has the site of that name). It is a domain where the word there opens
``scope``: where the column ``opens`` of its lexeme holds that value, or its own attribute ``opens`` has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NoReturn

from merula import grammar as g
from merula.language import syntax as s
from merula.language.diagnostics import did_you_mean, listing
from merula.language.names import Names
from merula.language.source import Span
from merula.lexicon import LEMMA, members


class Domains:
    """The constituents of a grammar's frames that belong to an object or a site.

    ``plain`` are the names of all constituents; ``owned`` those with an owner, by name.
    """

    def __init__(self, names: Names, plain: frozenset[str], owned: Mapping[str, s.Path]) -> None:
        self.names, self.plain, self.owned = names, plain, owned

    def may_be(self, word: str) -> bool:
        """Whether a word is a column of lexemes, or an attribute of an owner.

        Where no owner's words have the column, there is no domain of that kind.
        """
        lexicon = self.names.lexicon
        return any((owner, word) in self.names.variables for _, owner, _, _ in self._owners()) or (
            lexicon is not None and any(word in rows.columns for rows in lexicon.lexemes.values())
        )

    def licensed(self, item: g.Object, node: s.Inside) -> g.Licensed:
        """The test that an object stands in a domain that the column ``node.place`` speaks of."""
        column = node.place.owner.text
        domains = tuple(self._opened(column, node.place))
        barriers = tuple(x for path in node.outside for x in self._barriers(path))
        further = (str(path) for path in node.outside if str(path) not in self.plain)
        return g.Licensed(item, (column, *further), domains, barriers)

    def known(self) -> tuple[str, ...]:
        """The columns and attributes that can speak of domains, for a hint."""
        found = (c for _, owner, _, _ in self._owners() for c in self._columns(owner))
        return tuple(dict.fromkeys(found))

    def _barriers(self, path: s.Path) -> Iterator[g.Domain]:
        if str(path) in self.plain:
            yield g.Domain(str(path), None, None)
        elif path.attribute is None and self.may_be(path.owner.text):
            yield from self._opened(path.owner.text, path)
        else:
            known = (*self.plain, *self.known())
            raise self.names.fail(
                "M203",
                f"no frame has a constituent called `{path}`, and no word a column of that name",
                path.span,
                remedy=did_you_mean(str(path), known) or f"bracket it in a frame: [{path} …]",
                about=(str(path),),
            )

    def _owners(self) -> Iterator[tuple[str, g.Object, g.Is | None, str]]:
        """The constituents with an owner: name, owner, where it has to stand, which domain."""
        for name, path in self.owned.items():
            place, domain = path.owner.text, str(path.attribute)
            owner = self.names.objects.get(place)
            if owner is not None:
                yield name, owner, None, domain
                continue
            for (item, attribute), variable in self.names.variables.items():
                if attribute == "site" and place in variable.values:
                    yield name, item, g.Is(variable, (place,)), domain

    def _columns(self, owner: g.Object) -> Iterable[str]:
        lexicon = self.names.lexicon
        rows = lexicon.lexemes.get(owner.category) if lexicon else None
        return rows.columns if rows is not None else ()

    def _opened(self, column: str, path: s.Path) -> Iterator[g.Domain]:
        for name, owner, there, domain in self._owners():
            declared = self.names.variables.get((owner, column))
            if declared is not None and not declared.lexical:
                if domain in declared.values:
                    yield g.Domain(name, there, g.Is(declared, (domain,)))
                continue
            kinds = self.names.variables.get((owner, ""))
            if kinds is None:
                if not self._in_an_attribute(owner, domain):
                    self._no_kinds(owner, name, column)
                continue
            opening = tuple(
                value
                for value, words in kinds.words.items()
                if domain in self._said_of(owner, value, words, column, path)
            )
            if opening:
                yield g.Domain(name, there, g.Is(kinds, opening))

    def _in_an_attribute(self, owner: g.Object, domain: str) -> bool:
        return any(
            item is owner and domain in variable.values and not variable.lexical
            for (item, _), variable in self.names.variables.items()
        )

    def _no_kinds(self, owner: g.Object, name: str, column: str) -> NoReturn:
        raise self.names.fail(
            "M214",
            f"`{owner.name}` has no words of its own, so what it opens in `[{name} …]` is unknown",
            self.owned[name].span,
            remedy=f'give it kinds with words: {owner.name} = yes "…" | no "…", or an attribute'
            f" `{column}`",
        )

    def _said_of(
        self,
        owner: g.Object,
        value: str,
        words: Iterable[str | g.ColumnWord],
        column: str,
        path: s.Path,
    ) -> frozenset[str]:
        """What a column says of the words of a value: the same of each."""
        lexicon = self.names.lexicon
        rows = lexicon.lexemes.get(owner.category) if lexicon else None
        if rows is None or column not in rows.columns:
            return frozenset()
        cells: dict[frozenset[str], str] = {}
        for word in words:
            if not isinstance(word, str) or not word:
                continue
            if word not in rows.columns[LEMMA]:
                known = did_you_mean(word, rows.columns[LEMMA])
                raise self.names.fail(
                    "M215",
                    f"no table has `{word}` as a lexeme of the category `{owner.category}`, so what"
                    f" it {column} is not known",
                    kinds_span(self.names, owner),
                    path.span,
                    remedy=known or f"add a row for `{word}`; its cell `{column}` may be empty",
                )
            cell = rows.columns[column][rows.columns[LEMMA].index(word)]
            cells.setdefault(frozenset(members(cell)), word)
        if len(cells) > 1:
            one, other, *_ = cells.values()
            raise self.names.fail(
                "M216",
                f"the words of {owner.name} = {value} differ in the column `{column}`:"
                f" `{one}` and `{other}`",
                kinds_span(self.names, owner),
                remedy="make them two values: the cells of a value have one label"
                f" ({listing(' | '.join(sorted(c)) or 'nothing' for c in cells)})",
            )
        return next(iter(cells), frozenset())


def kinds_span(names: Names, owner: g.Object) -> Span:
    """Where the kinds of an object are declared."""
    return names.variables[owner, ""].span
