"""The items of a rating study: instances of paradigms, chosen so that they share no words.

In go the paradigms of a study, out come the places of the instances that are its items;
``latin_square`` calls it. Two instances of one lexical set, or with the same noun, are one item for
a rater. So instances are taken in the order of the rows, of each paradigm in turn, unless one of
their lexemes is taken already. Lexemes that have to come again do not count: words that a factor
chooses (the slot ``any=no``), a slot that always has the same one, and slots of small classes, such
as determiners.

Where that leaves a paradigm too few items for its lists, paradigms may share lexemes with each
other; where it still does, its smallest slots are given up, one after another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from merula.core.frozen import frozen
from merula.core.wording import listing
from merula.exports.instances import ConfigSplit, ParadigmInstance

# A class is small if it has fewer lexemes than a study of usual size has items (24 items are six
# for each cell of a 2 × 2 design), and less than a quarter of those of the largest class.
ITEMS_OF_A_STUDY, TIMES_SMALLER = 24, 4

Slots = tuple[str, ...]


@frozen(eq=False)
class ItemSource:
    """A paradigm in some splits. Its instances have places, counted from 0 through all splits."""

    parts: tuple[ConfigSplit, ...]

    @property
    def name(self) -> str:
        """Return the name of the configuration."""
        return self.parts[0].config.name

    @property
    def width(self) -> int:
        """Return the count of cells."""
        return self.parts[0].config.cells

    @property
    def instances(self) -> int:
        """Return the count of instances in these splits."""
        splits = {part.split for part in self.parts}
        return sum(entry.instances for entry in self.parts[0].config.splits if entry.name in splits)

    def paradigms(self, more: Sequence[str] = ()) -> Iterator[ParadigmInstance]:
        """Yield the instances, with ``more`` columns."""
        for part in self.parts:
            yield from part.paradigms(more)

    def lexemes(self) -> Iterator[dict[str, str]]:
        """Yield the lexeme of each slot of each instance."""
        for part in self.parts:
            yield from part.lexemes()


@frozen
class ChosenItems:
    """The places of the instances of a paradigm that are items, and which lexemes they share."""

    places: tuple[int, ...]
    skipped: bool = False  # whether instances were left out, since they would share lexemes
    kept: Slots = ()  # no two items have the same lexeme in these slots
    given_up: Slots = ()  # no two should, but there were too few instances
    shares_with_others: bool = False  # whether items of several paradigms share lexemes


def choose(
    sources: Sequence[ItemSource], most: int | None, *, share: bool = False
) -> list[ChosenItems]:
    """Return the items of paradigms that have the same count of cells: of each a multiple of it.

    Each paradigm has at least as many instances as cells. ``most`` is the largest count of items of
    a paradigm, not less than its cells; None: as many as there are. ``share`` allows all sharing.
    """
    slots = [() if share else _slots(source) for source in sources]
    if not any(slots):
        return [_first(source, most) for source in sources]
    chosen = _taken(sources, slots, most)
    if all(items.places for items in chosen):
        return chosen
    several = len(sources) > 1
    return [_alone(*paradigm, most, several) for paradigm in zip(sources, slots, strict=True)]


def _alone(source: ItemSource, slots: Slots, most: int | None, several: bool) -> ChosenItems:
    """Return the items of a paradigm, whatever lexemes those of the other paradigms have."""
    for i in range(len(slots)):
        (items,) = _taken([source], [slots[i:]], most)
        if items.places:
            return ChosenItems(items.places, items.skipped, slots[i:], slots[:i], several)
    places = _first(source, most).places
    return ChosenItems(places, given_up=slots, shares_with_others=several)


def _first(source: ItemSource, most: int | None) -> ChosenItems:
    count = source.instances if most is None else min(most, source.instances)
    return ChosenItems(tuple(range(count // source.width * source.width)))


def _slots(source: ItemSource) -> Slots:
    """Return the slots whose lexemes count, those with the fewest lexemes first."""
    classes: dict[str, set[str]] = {}
    for lexemes in source.lexemes():
        for slot, lexeme in lexemes.items():
            classes.setdefault(slot, set()).add(lexeme)
    varying = {slot: names for slot, names in classes.items() if "=" not in slot and len(names) > 1}
    sizes = {slot: len(names) for slot, names in varying.items()}
    largest = max(sizes.values(), default=0)
    counting = [
        slot
        for slot, size in sizes.items()
        if size >= ITEMS_OF_A_STUDY or size * TIMES_SMALLER >= largest
    ]
    return tuple(sorted(counting, key=lambda slot: (sizes[slot], slot)))


def _taken(
    sources: Sequence[ItemSource], slots: Sequence[Slots], most: int | None
) -> list[ChosenItems]:
    """Return items of which no two share a lexeme; no places where these are too few for lists.

    The paradigms take turns, so that the first does not use up the lexemes of the rest.
    """
    seen: set[str] = set()
    turns = [_Turn(source, counting) for source, counting in zip(sources, slots, strict=True)]
    waiting = turns
    while waiting:
        waiting = [turn for turn in waiting if len(turn.places) != most and turn.take(seen)]
    return [turn.items() for turn in turns]


class _Turn:
    """A paradigm that takes an item at each of its turns."""

    def __init__(self, source: ItemSource, slots: Slots) -> None:
        self.width, self.slots = source.width, slots
        self.left: Iterator[tuple[int, Mapping[str, str]]] = enumerate(source.lexemes())
        self.places: list[int] = []
        self.skipped = False

    def take(self, seen: set[str]) -> bool:
        """Take the next instance with lexemes not in ``seen``; return False if none is left."""
        for place, lexemes in self.left:
            counting = {lexemes[slot] for slot in self.slots if slot in lexemes}
            if seen.isdisjoint(counting):
                seen |= counting
                self.places.append(place)
                return True
            self.skipped = True
        return False

    def items(self) -> ChosenItems:
        """Return the places taken, as many as fill lists."""
        whole = len(self.places) // self.width * self.width
        return ChosenItems(tuple(self.places[:whole]), self.skipped, self.slots)


# --- notes -------------------------------------------------------------------------------------


def notes(sources: Sequence[ItemSource], chosen: Sequence[ChosenItems]) -> Iterator[str]:
    """Yield sentences for the user: how many instances are items, and which lexemes they share."""
    for source, items in zip(sources, chosen, strict=True):
        count, of = len(items.places), source.instances
        if items.given_up and not items.kept:
            yield (
                f"{source.name}: items share lexemes ({listing(items.given_up)}), since fewer than"
                f" {source.width} instances do not"
            )
        elif items.skipped:
            but = f" but those of {listing(items.given_up)}" if items.given_up else ""
            yield (
                f"{source.name}: {count:,} of {of:,} instances, which share no lexemes{but}"
                f" ({listing(items.kept)})"
            )
        elif of % source.width and count == of // source.width * source.width:
            yield f"{source.name}: {count:,} of {of:,} instances, so that they fill the lists"
    both = zip(sources, chosen, strict=True)
    sharing = [source.name for source, items in both if items.shares_with_others]
    if sharing:
        yield (
            f"items of {listing(sharing)} share lexemes with each other, since there are too few:"
            " --config makes lists of some of them"
        )


def sources_of(parts: Iterable[ConfigSplit]) -> list[ItemSource]:
    """Return the paradigms of some parts, each with all its splits."""
    splits: dict[str, list[ConfigSplit]] = {}
    for part in parts:
        splits.setdefault(part.config.name, []).append(part)
    return [ItemSource(tuple(same)) for same in splits.values()]
