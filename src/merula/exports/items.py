"""The items of a rating study: instances of paradigms, chosen so that they share no words.

Two instances of one lexical set, or with the same noun, are one item for a rater. So instances are
taken in the order of the rows, of each paradigm in turn, unless one of their lexemes is taken
already. Lexemes that have to come again do not count: words that a factor chooses (the slot
``any=no``), a slot that always has the same one, and slots of small classes, such as determiners:
with fewer than 24 lexemes, and less than a quarter of those of the largest slot.

Where that leaves a paradigm too few items for its lists, paradigms may share lexemes with each
other; where it still does, its smallest slots are given up, one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from merula.core.frozen import frozen
from merula.core.wording import listing
from merula.exports.instances import ConfigSplit, ParadigmInstance

# A class is small that has fewer lexemes than a study of usual size has items, and so many times
# fewer than the largest.
FEW, TIMES = 24, 4

Slots = tuple[str, ...]


@frozen(eq=False)
class ItemSource:
    """A paradigm in some splits; its instances have places, counted through all of them."""

    parts: tuple[ConfigSplit, ...]

    @property
    def name(self) -> str:
        """The name of the configuration."""
        return self.parts[0].config.name

    @property
    def width(self) -> int:
        """How many cells it has."""
        return self.parts[0].config.cells

    @property
    def instances(self) -> int:
        """How many instances there are."""
        splits = {part.split for part in self.parts}
        return sum(own.instances for own in self.parts[0].config.splits if own.name in splits)

    def paradigms(self, more: Sequence[str] = ()) -> Iterator[ParadigmInstance]:
        """Its instances, with ``more`` columns."""
        for part in self.parts:
            yield from part.paradigms(more)

    def lexemes(self) -> Iterator[dict[str, str]]:
        """The lexemes of its instances."""
        for part in self.parts:
            yield from part.lexemes()


@frozen
class ChosenItems:
    """The places of the instances that are taken, and what is to be known of them.

    ``passed`` is whether instances were passed over, for they would share lexemes; ``kept`` are the
    slots whose lexemes are not shared, ``given_up`` those whose lexemes counted and are shared all
    the same, ``among`` whether items of several paradigms share some.
    """

    places: tuple[int, ...]
    passed: bool = False
    kept: Slots = ()
    given_up: Slots = ()
    among: bool = False


def choose(
    sources: Sequence[ItemSource], most: int | None, *, share: bool = False
) -> list[ChosenItems]:
    """The items of paradigms with the same number of cells: of each a multiple of that number.

    There are at least as many instances as cells, and as many are wanted at ``most``.
    """
    slots = [() if share else _slots(source) for source in sources]
    if not any(slots):
        return [_first(source, most) for source in sources]
    found = _taken(sources, slots, most)
    if all(own.places for own in found):
        return found
    return [
        _alone(source, own, most, len(sources) > 1)
        for source, own in zip(sources, slots, strict=True)
    ]


def _alone(source: ItemSource, slots: Slots, most: int | None, among: bool) -> ChosenItems:
    """The items of a paradigm that has nothing to do with the others."""
    for i in range(len(slots)):
        (found,) = _taken([source], [slots[i:]], most)
        if found.places:
            return ChosenItems(found.places, found.passed, slots[i:], slots[:i], among)
    return ChosenItems(_first(source, most).places, given_up=slots, among=among)


def _first(source: ItemSource, most: int | None) -> ChosenItems:
    number = source.instances if most is None else min(most, source.instances)
    return ChosenItems(tuple(range(number // source.width * source.width)))


def _slots(source: ItemSource) -> Slots:
    """The slots whose lexemes count, those with the fewest first."""
    found: dict[str, set[str]] = {}
    for own in source.lexemes():
        for slot, lexeme in own.items():
            found.setdefault(slot, set()).add(lexeme)
    sizes = {slot: len(own) for slot, own in found.items() if "=" not in slot and len(own) > 1}
    largest = max(sizes.values(), default=0)
    counting = [slot for slot, size in sizes.items() if size >= FEW or size * TIMES >= largest]
    return tuple(sorted(counting, key=lambda slot: (sizes[slot], slot)))


def _taken(
    sources: Sequence[ItemSource], slots: Sequence[Slots], most: int | None
) -> list[ChosenItems]:
    """The items that are taken where none may share a lexeme; no places where they are too few."""
    seen: set[str] = set()
    waiting = {
        i: _Turn(source, own) for i, (source, own) in enumerate(zip(sources, slots, strict=True))
    }
    turns = list(waiting.values())
    while waiting:
        for i, turn in list(waiting.items()):
            if len(turn.places) == most or not turn.take(seen):
                del waiting[i]
    return [turn.items() for turn in turns]


class _Turn:
    """A paradigm that takes an item whenever it is its turn."""

    def __init__(self, source: ItemSource, slots: Slots) -> None:
        self.width, self.slots = source.width, slots
        self.left: Iterator[tuple[int, Mapping[str, str]]] = enumerate(source.lexemes())
        self.places: list[int] = []
        self.passed = False

    def take(self, seen: set[str]) -> bool:
        """Take the next instance with new lexemes; False where there is none."""
        for place, lexemes in self.left:
            mine = {lexemes[slot] for slot in self.slots if slot in lexemes}
            if seen.isdisjoint(mine):
                seen |= mine
                self.places.append(place)
                return True
            self.passed = True
        return False

    def items(self) -> ChosenItems:
        """What was taken, as far as it fills lists."""
        whole = len(self.places) // self.width * self.width
        return ChosenItems(tuple(self.places[:whole]), self.passed, self.slots)


# --- what is said of it ------------------------------------------------------------------------


def notes(sources: Sequence[ItemSource], chosen: Sequence[ChosenItems]) -> Iterator[str]:
    """What the user should know of the items, in words."""
    for source, items in zip(sources, chosen, strict=True):
        number, of = len(items.places), source.instances
        if items.given_up and not items.kept:
            yield (
                f"{source.name}: items share lexemes ({listing(items.given_up)}), for fewer than"
                f" {source.width} instances do not"
            )
        elif items.passed:
            but = f" but those of {listing(items.given_up)}" if items.given_up else ""
            yield (
                f"{source.name}: {number:,} of {of:,} instances, which share no lexemes{but}"
                f" ({listing(items.kept)})"
            )
        elif of % source.width and number == of // source.width * source.width:
            yield f"{source.name}: {number:,} of {of:,} instances, so that they fill the lists"
    sharing = [own.name for own, items in zip(sources, chosen, strict=True) if items.among]
    if sharing:
        yield (
            f"items of {listing(sharing)} share lexemes with each other, for there are too few:"
            " --config makes lists of some of them"
        )


def sources_of(parts: Iterable[ConfigSplit]) -> list[ItemSource]:
    """The paradigms of some parts, each with all its splits."""
    found: dict[str, list[ConfigSplit]] = {}
    for part in parts:
        found.setdefault(part.config.name, []).append(part)
    return [ItemSource(tuple(own)) for own in found.values()]
