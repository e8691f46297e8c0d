"""What is known of a grammar while it is made."""

from __future__ import annotations

from dataclasses import dataclass, field

from merula.core.frozen import frozen
from merula.strategies.inventing.tongues import Tongue

Values = tuple[str, ...]


@frozen
class Wanted:
    """What a caller has asked for; ``design`` is ``paradigm``, ``matrix`` or nothing."""

    design: str | None = None
    answers: bool = False
    crossed: bool = False
    language: str | None = None


@frozen
class Thing:
    """An object: one that inflects for attributes, or a function word with ``kinds``."""

    name: str
    category: str
    optional: bool = False
    attributes: tuple[tuple[str, Values], ...] = ()
    kinds: tuple[tuple[str, str], ...] = ()  # value → its words as written, or nothing
    worded: tuple[tuple[str, str], ...] = ()  # the same for the values of its attribute `def`
    sites: Values = ()
    position: bool = False
    in_set: bool = False
    fixed: str = ""  # the value of its number, where that never follows from anything

    @property
    def path(self) -> str:
        """The object as a grammar writes it."""
        return f"~{self.name}~"

    @property
    def lexical(self) -> bool:
        """Whether its words stand in a table."""
        return not self.kinds and not self.position and not self.worded

    @property
    def declared(self) -> str:
        """Its line under ``objects``."""
        mark = "?" if self.optional else ""
        category = "position" if self.position else f"~{self.category}~"
        features = ", ".join(
            f"~{a}~ = {self.fixed}" if self.fixed and a == "number" else f"~{a}~"
            for a, _ in self.attributes
        )
        return f"{self.path}{mark} : {category}" + (f" ({features})" if features else "")

    def has(self, attribute: str) -> bool:
        """Whether it has an attribute that may change."""
        return attribute in dict(self.attributes) and not (self.fixed and attribute == "number")


@frozen
class Way:
    """A path that a design can vary, with the values written for it."""

    path: str
    values: Values
    flips: bool = True  # two values that an edit can exchange

    @property
    def object(self) -> str:
        """The object it is about, as written."""
        return self.path.partition(".")[0]


@dataclass
class Asked:
    """Which columns selections ask for, so that tables have them and some rows fit them all."""

    sorts: list[str] = field(default_factory=list)
    proper: bool = False
    scene: bool = False
    wants: bool = False
    differ: int = 1  # lexemes of a category that have to differ


@dataclass
class Sketch:
    """A grammar that is being made: each section knows what the ones before it have settled."""

    wanted: Wanted
    kind: str  # of its design: paradigm, odometer or table
    crossed: bool
    tongue: Tongue
    things: list[Thing] = field(default_factory=list)
    complement: bool = False  # whether the verb's lexeme decides about the complementiser
    gendered: bool = False
    missing: str = ""  # an object that no frame has
    frames: list[str] = field(default_factory=list)
    inside: list[str] = field(default_factory=list)  # what the constituent `dom` holds
    bracket: bool = False
    asked: Asked = field(default_factory=Asked)
    agrees: bool = False
    licensed: bool = False
    ruled: list[str] = field(default_factory=list)  # paths whose value a rule wants
    unshown: list[str] = field(default_factory=list)  # cycles that leave a value out
    showing: dict[str, list[str]] = field(default_factory=dict)  # object → attributes in its forms

    @property
    def matrix(self) -> bool:
        """Whether its design is a matrix, whose right answer has to break nothing."""
        return self.kind != "paradigm"

    def has(self, name: str) -> bool:
        """Whether there is an object of this name."""
        return any(x.name == name for x in self.things)

    def thing(self, name: str) -> Thing:
        """The object of this name."""
        return next(x for x in self.things if x.name == name)

    @property
    def nouns(self) -> list[Thing]:
        """The objects that are nouns."""
        return [x for x in self.things if x.category == "noun"]

    @property
    def prep(self) -> bool:
        """Whether a position takes its word from the verb."""
        return any(words == "~verb~.~prep~" for x in self.things for _, words in x.kinds)

    @property
    def fillers(self) -> list[str]:
        """What can fill a position, which edits move as a whole."""
        return [value for x in self.things if x.position for value, _ in x.kinds]

    def overt(self, x: Thing) -> bool:
        """Whether an object stands in all sentences."""
        return not x.optional and not x.sites and x.path != self.missing
