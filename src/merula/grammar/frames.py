"""Frames: names inlined, free alternatives multiplied out, sites and constituents known.

The syntax trees of frames go in; out come typed frames by name (`Frames.by_name`), one for every
way to choose the free alternatives. `merula.grammar.resolve` makes `Frames` before rules are typed,
which name constituents, and expands them after, since guards are tests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from merula.core.diagnostics import Label
from merula.core.source import Span
from merula.core.wording import did_you_mean, listing, near
from merula.grammar import model as g
from merula.grammar.names import Names, Unresolved
from merula.grammar.rules import Rules
from merula.language import syntax as s
from merula.language.refusals import MAX_DEPTH
from merula.lexicon.table import clean

MAX_WAYS = 10_000  # combinations of a frame's free alternatives, each a frame of its own
MAX_PARTS = 1_000  # of a frame, with those of the frames in it: longer than any sentence


class Frames:
    """The frames of some files: ``by_name`` holds every way to choose their alternatives."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.nodes: dict[str, s.Frame] = {}
        self.sites: dict[str, Span] = {}
        self.by_name: dict[str, tuple[g.Frame, ...]] = {}
        self.owners: dict[str, s.Path] = {}  # of constituents such as `licensor.scope`
        brackets: set[str] = set()
        self._declare()
        for node in self.nodes.values():
            self._collect(node.items, brackets)
        self.brackets = frozenset(brackets)
        self._site_values()
        self._check_owners()

    def _declare(self) -> None:
        for node in self.names.all_nodes("frames"):
            assert isinstance(node, s.Frame)
            name = node.name.text
            if name in self.nodes:
                self.names.twice("frame", name, node.name.span, self.nodes[name].name.span)
                continue
            if name in self.names.objects:
                self.names.report.error(
                    "M129",
                    f"`{name}` is both a frame and an object",
                    Label(node.name.span, "a frame here"),
                    Label(self.names.objects[name].span, "an object here"),
                    remedy="rename one of them",
                )
                continue
            self.nodes[name] = node

    def expand(self, rules: Rules) -> None:
        """Fill `by_name`; guards are typed by ``rules``."""
        self.rules = rules
        for name, node in self.nodes.items():
            try:
                options = [tuple(items) for items in self._expand(node.items, (name,))]
            except Unresolved:
                self.by_name[name] = ()
                continue
            names = (
                [name] if len(options) == 1 else [f"{name}/{i + 1}" for i in range(len(options))]
            )
            self.by_name[name] = tuple(
                g.Frame(title, items) for title, items in zip(names, options, strict=True)
            )
            self._check_sites(node, options)

    def _check_sites(self, node: s.Frame, options: Iterable[Sequence[g.Item]]) -> None:
        """Report a site that a frame has twice: what is there would be written twice."""
        twice = {
            name: None
            for items in options
            for name, number in Counter(sites_in(items)).items()
            if number > 1
        }
        for name in twice:
            self.names.report.error(
                "M221",
                f"the frame {node.name} has the site `@{name}` twice",
                node.name.span,
                remedy="give one of them another name, and the object a value of that name",
            )

    def report_unplaced(self) -> None:
        """Warn of objects that are in no frame; report those that have a site and are named there.

        An imported file may declare more than a grammar needs.
        """
        placed: dict[str, Span] = {}
        guards: dict[str, Span] = {}  # objects that decide what is in a frame
        for node in self.nodes.values():
            self._references(node.items, placed, guards)
        sited = {item.name for (item, attribute) in self.names.variables if attribute == "site"}
        for name in sorted(sited & set(placed)):
            self.names.report.error(
                "M211",
                f"`{name}` has a site, but the frame names it as well",
                placed[name],
                remedy="take it out of the frame; `@site` marks where it stands",
            )
        elsewhere = sited | set(placed) | set(guards)
        for variable in self.names.variables.values():
            if variable.object.position:
                elsewhere |= set(variable.values)
            for words in variable.words.values():
                elsewhere |= {w.object.name for w in words if isinstance(w, g.ColumnWord)}
        for item in self.names.objects.values():
            if self.nodes and item.name not in elsewhere and self.names.is_own(item.span):
                self.names.report.warning(
                    "M124",
                    f"`{item.name}` stands in no frame",
                    item.span,
                    remedy="name it in a frame, give it a site, or delete it",
                )

    def _references(
        self, items: Iterable[s.Item], placed: dict[str, Span], guards: dict[str, Span]
    ) -> None:
        for item in items:
            if isinstance(item, s.Reference):
                placed.setdefault(item.name.text, item.span)
            elif isinstance(item, s.Bracket):
                self._references(item.items, placed, guards)
            elif isinstance(item, s.Alternatives):
                for option in item.options:
                    if option.guard is not None:
                        for word in s.names_in(option.guard):
                            guards.setdefault(word.text, word.span)
                    self._references(option.items, placed, guards)

    def _collect(self, items: Iterable[s.Item], brackets: set[str]) -> None:
        for item in items:
            if isinstance(item, s.Bracket):
                name = str(item.name)
                brackets.add(name)
                if item.name.attribute is not None:
                    self.owners.setdefault(name, item.name)
                self._collect(item.items, brackets)
            elif isinstance(item, s.Site):
                self.sites.setdefault(item.name.text, item.span)
            elif isinstance(item, s.Alternatives):
                for option in item.options:
                    self._collect(option.items, brackets)

    def _site_values(self) -> None:
        taken: set[str] = set()
        for (item, attribute), variable in self.names.variables.items():
            if attribute != "site":
                continue
            taken.update(variable.values)
            for value in variable.values:
                if self.nodes and value not in self.sites:
                    self.names.report.error(
                        "M204",
                        f"no frame has a site `@{value}` for `{item.name}`",
                        variable.span,
                        remedy=did_you_mean(value, self.sites)
                        or f"mark the place in a frame with @{value}",
                        about=(item.name, value),
                        meant=near(value, self.sites),
                    )
        for name, span in self.sites.items():
            if name not in taken:
                self.names.report.error(
                    "M128",
                    f"nothing can stand at the site `@{name}`",
                    span,
                    remedy=did_you_mean(name, taken)
                    or f"give an object that attribute: NAME.site = {name} | …",
                    about=(name,),
                    meant=near(name, taken),
                )

    def _check_owners(self) -> None:
        for path in self.owners.values():
            owner = path.owner
            owners = [*self.names.objects, *self.sites]
            if owner.text not in owners:
                self.names.report.error(
                    "M213",
                    f"`{owner}` in `[{path} …]` is neither an object nor a site",
                    owner.span,
                    remedy=did_you_mean(owner.text, owners)
                    or "write whose domain it is: [OBJECT.DOMAIN …], or [SITE.DOMAIN …]",
                    about=(owner.text,),
                    meant=near(owner.text, owners),
                )

    def _expand(
        self, items: Sequence[s.Item], inside: tuple[str, ...], depth: int = 0
    ) -> Sequence[tuple[g.Item, ...]]:
        """Return every way to choose the free alternatives, frames inlined."""
        if depth > MAX_DEPTH:
            raise self.names.fail(
                "M125",
                f"frames, brackets and alternatives stand in each other more than {MAX_DEPTH} deep",
                items[0].span,
                remedy="write fewer levels",
            )
        done: list[tuple[g.Item, ...]] = [()]
        for item in items:
            ways = list(self._ways(item, inside, depth + 1))
            self._bound(item, done, ways)
            done = [(*before, *way) for before in done for way in ways]
        return done

    def _bound(
        self, item: s.Item, done: Sequence[Sequence[object]], ways: Sequence[Sequence[object]]
    ) -> None:
        """Report a frame that has too many parts, or alternatives in too many combinations."""
        number = len(done) * len(ways)
        if number > MAX_WAYS:
            raise self.names.fail(
                "M126",
                f"with these, a frame has {number:,} combinations of alternatives;"
                f" {MAX_WAYS:,} are the most",
                item.span,
                remedy="write values with several words instead, or guard the alternatives:"
                " (object.attribute = value: …)",
            )
        parts = len(done[0]) + len(ways[0]) if done and ways else 0
        if parts > MAX_PARTS:
            text = f"with this, a frame has {parts:,} parts; {MAX_PARTS:,} are the most"
            raise self.names.fail("M126", text, item.span, remedy="write a shorter frame")

    def _ways(
        self, item: s.Item, inside: tuple[str, ...], depth: int
    ) -> Iterator[tuple[g.Item, ...]]:
        match item:
            case s.Literal():
                yield (g.Literal(clean(item.text.text)),)
            case s.Site():
                yield (g.Site(item.name.text),)
            case s.Bracket():
                for content in self._expand(item.items, inside, depth):
                    yield (g.Bracket(str(item.name), content),)
            case s.Reference():
                yield from self._reference(item.name, inside, depth)
            case s.Alternatives():
                if any(option.guard for option in item.options):
                    yield from self._guarded(item, inside, depth)
                else:
                    for option in item.options:
                        yield from self._expand(option.items, inside, depth)

    def _reference(
        self, name: s.Word, inside: tuple[str, ...], depth: int
    ) -> Iterator[tuple[g.Item, ...]]:
        if name.text in inside:
            path = " → ".join((*inside, name.text))
            raise self.names.fail(
                "M107",
                f"the frame `{name}` contains itself: {path}",
                name.span,
                remedy="a frame is a finite pattern; write the levels out under other names",
                about=(*inside, name.text),
            )
        if name.text in self.names.objects:
            yield (g.Reference(self.names.objects[name.text]),)
        elif name.text in self.nodes:
            yield from self._expand(self.nodes[name.text].items, (*inside, name.text), depth)
        else:
            raise self.names.fail(
                "M106",
                f"`{name}` is neither an object nor a frame",
                name.span,
                remedy=did_you_mean(name.text, [*self.names.objects, *self.nodes])
                or f'declare it, or quote it if it is a word: "{name}"',
                about=(name.text,),
                meant=near(name.text, [*self.names.objects, *self.nodes]),
            )

    def _guarded(
        self, item: s.Alternatives, inside: tuple[str, ...], depth: int
    ) -> Iterator[tuple[g.Item, ...]]:
        ways: list[list[tuple[g.Test | None, tuple[g.Item, ...]]]] = [[]]
        for option in item.options:
            guard = self.rules.test(option.guard) if option.guard is not None else None
            contents = self._expand(option.items, inside, depth)
            self._bound(item, ways, contents)
            ways = [[*way, (guard, content)] for way in ways for content in contents]
        for way in ways:
            yield (g.Guarded(tuple(way)),)

    def named(self, names: Sequence[s.Word], span: Span) -> tuple[g.Frame, ...]:
        """Return the frames of some names; the only one where none is named."""
        if not names:
            if len(self.by_name) == 1:
                return next(iter(self.by_name.values()))
            known = listing(self.by_name, "or")
            raise self.names.fail(
                "M127",
                "nothing says which frame the sentences have",
                span,
                remedy=f"add `in` and {known}" if known else "declare one under `frames`",
            )
        frames: list[g.Frame] = []
        for name in names:
            if name.text not in self.by_name:
                raise self.names.fail(
                    "M106",
                    f"there is no frame called `{name}`",
                    name.span,
                    remedy=did_you_mean(name.text, self.by_name)
                    or (f"frames are {listing(self.by_name)}" if self.by_name else "declare it"),
                    about=(name.text,),
                    meant=near(name.text, self.by_name),
                )
            frames.extend(self.by_name[name.text])
        if not frames:
            raise Unresolved
        return tuple(frames)


def sites_in(items: Iterable[g.Item]) -> Iterator[str]:
    """Yield the sites of some items of a frame, as often as they have them.

    Of alternatives only one is there, so that a site of several of them counts once.
    """
    for item in items:
        match item:
            case g.Site(name=name):
                yield name
            case g.Bracket(items=content):
                yield from sites_in(content)
            case g.Guarded(options=options):
                most: Counter[str] = Counter()
                for _, content in options:
                    most |= Counter(sites_in(content))
                yield from most.elements()
