"""The typed tree of a grammar file, in which names are still words.

`merula.language.build` makes it; `merula.grammar` looks the names up in it and makes of most nodes
a value of the same name, in which names are the things they stand for. Nodes are frozen. Spans do
not take part in equality, so that texts that differ in layout alone have equal trees.
"""

from __future__ import annotations

from dataclasses import field

from merula.core.frozen import frozen
from merula.core.source import Source, Span


@frozen
class Node:
    """A node of the tree; ``span`` is where it is in the source."""

    span: Span = field(compare=False, repr=False)


@frozen
class Word(Node):
    """A name, a value or a string as written (strings without their quotes)."""

    text: str

    def __str__(self) -> str:
        return self.text


@frozen
class Path(Node):
    """``object`` or ``object.attribute``."""

    owner: Word
    attribute: Word | None = None

    def __str__(self) -> str:
        return f"{self.owner}.{self.attribute}" if self.attribute else str(self.owner)


# --- expressions (rules, selections, guards, table cells) ---------------------------------


@frozen
class Truth(Node):
    """A bare path: the object is present, the attribute ``yes``, or the lexeme has the feature."""

    path: Path


@frozen
class Equal(Node):
    """``path = a | b``."""

    path: Path
    terms: tuple[Path, ...]


@frozen
class Inside(Node):
    """``object inside constituent outside barrier | barrier``."""

    path: Path
    place: Path
    outside: tuple[Path, ...] = ()


@frozen
class Not(Node):
    """``not x``; ``a != b`` is ``not a = b``."""

    item: Expression


@frozen
class And(Node):
    """``a and b``."""

    items: tuple[Expression, ...]


@frozen
class Or(Node):
    """``a or b``."""

    items: tuple[Expression, ...]


Expression = Truth | Equal | Inside | Not | And | Or


def references(node: Expression) -> frozenset[tuple[str, str]]:
    """Return the columns of other objects that an expression names, as (object, column)."""
    match node:
        case Truth(path=path) | Equal(path=path):
            if path.attribute is None:
                return frozenset()
            return frozenset({(path.owner.text, path.attribute.text)})
        case Not(item=item):
            return references(item)
        case And(items=items) | Or(items=items):
            return frozenset().union(*(references(item) for item in items))
        case _:
            return frozenset()


def cell_references(node: Expression) -> frozenset[tuple[str, str]]:
    """Return those `references` whose cells are expressions themselves (``V1.subject``)."""
    match node:
        case Truth():
            return references(node)
        case Not(item=item):
            return cell_references(item)
        case And(items=items) | Or(items=items):
            return frozenset().union(*(cell_references(item) for item in items))
        case _:
            return frozenset()


def columns_in(node: Expression) -> tuple[str, ...]:
    """Return the columns that an expression may name, of its own lexeme or another, as written."""
    match node:
        case Truth(path=path) | Equal(path=path):
            return (str(path.attribute or path.owner),)
        case Not(item=item):
            return columns_in(item)
        case And(items=items) | Or(items=items):
            return tuple(name for item in items for name in columns_in(item))
        case _:
            return ()


def names_in(node: Expression) -> tuple[Word, ...]:
    """Return the objects that an expression asks about."""
    match node:
        case Truth(path=path) | Equal(path=path) | Inside(path=path):
            return (path.owner,)
        case Not(item=item):
            return names_in(item)
        case And(items=items) | Or(items=items):
            return tuple(word for item in items for word in names_in(item))


@frozen
class Conditional(Node):
    """``condition -> consequence else alternative``."""

    condition: Expression
    consequence: Expression
    alternative: Expression | None


@frozen
class Ignores(Node):
    """``verb.number ignores n1.number and n2.number``."""

    path: Path
    others: tuple[Path, ...]


@frozen
class Needs(Node):
    """``npi needs licensor and …``."""

    path: Path
    need: Expression


Clause = Expression | Conditional | Ignores | Needs


# --- entries ---------------------------------------------------------------------------


@frozen
class Phenomenon(Node):
    name: Word
    doc: str


@frozen
class Language(Node):
    name: Word


@frozen
class Mapping(Node):
    """``subj.sg = "np-s"``: a column, and its header in the file."""

    column: Word  # with its dots
    header: Word


@frozen
class Lexicon(Node):
    """A ``lexicon`` line; ``kind`` is ``sets``, a category or None."""

    kind: Word | None
    files: tuple[Word, ...]
    separator: Word | None
    encoding: Word | None
    mappings: tuple[Mapping, ...] = ()


@frozen
class Import(Node):
    """``import "FILE" with designs``; without ``designs`` paradigms and matrices stay behind."""

    files: tuple[Word, ...]
    designs: bool = False


@frozen
class ObjectName(Node):
    name: Word
    optional: bool


@frozen
class Feature(Node):
    """An attribute of the objects of an entry; ``value`` is None where it is not fixed."""

    name: Word
    value: Word | None


@frozen
class Objects(Node):
    names: tuple[ObjectName, ...]
    category: Word
    features: tuple[Feature, ...]


@frozen
class AttributeValue(Node):
    """A value and the words it carries: strings, or columns of a table (``verb.prep``)."""

    value: Word
    words: tuple[Word | Path, ...]


@frozen
class Attribute(Node):
    path: Path
    values: tuple[AttributeValue, ...]


@frozen
class Rule(Node):
    name: Word
    doc: str
    clauses: tuple[Clause, ...]


@frozen
class IsA(Node):
    """``N1 is V1.subject``."""

    names: tuple[Word, ...]
    expression: Expression


@frozen
class Differ(Node):
    """``N1, N2 differ``: no two of them are the same lexeme."""

    names: tuple[Word, ...]


@frozen
class Share(Node):
    """``N2, V3, obj share scene``: one value of the column fits them all."""

    names: tuple[Word, ...]
    column: Word


Selection = IsA | Differ | Share


@frozen
class Reference(Node):
    name: Word


@frozen
class Literal(Node):
    text: Word


@frozen
class Site(Node):
    name: Word


@frozen
class Bracket(Node):
    name: Path  # `relative`, or `licensor.scope`: whose domain it is
    items: tuple[Item, ...]


@frozen
class Option(Node):
    guard: Expression | None
    items: tuple[Item, ...]


@frozen
class Alternatives(Node):
    options: tuple[Option, ...]


Item = Reference | Literal | Site | Bracket | Alternatives


@frozen
class Frame(Node):
    name: Word
    items: tuple[Item, ...]


@frozen
class Factor(Node):
    """A path with its values; an empty tuple means all of them."""

    path: Path
    values: tuple[Word, ...]


@frozen
class Fixing(Node):
    path: Path
    value: Word


@frozen
class Tail:
    """What may follow a paradigm or a matrix: frames, free factors and fixed values."""

    frames: tuple[Word, ...] = ()
    varying: tuple[Factor, ...] = ()
    fixings: tuple[Fixing, ...] = ()


@frozen
class Paradigm(Node):
    name: Word
    doc: str
    factors: tuple[Factor, ...]
    tail: Tail
    where: Expression | None = None  # what holds in the cells that stay


@frozen
class Cycle(Node):
    """``n1.number cycles 2 of sg | pl every 2 under I``; ``take`` is 0 for a fixed order."""

    path: Path
    take: int
    values: tuple[Word, ...]
    every: int
    letter: Word | None
    every_span: Span = field(compare=False, repr=False)


@frozen
class Odometer(Node):
    name: Word
    doc: str
    length: int
    tail: Tail
    cycles: tuple[Cycle, ...] = ()


@frozen
class TableRow(Node):
    number: int
    cells: tuple[Word, ...]  # "-" is absence


@frozen
class ItemTable(Node):
    name: Word
    doc: str
    tail: Tail
    columns: tuple[Path, ...] = ()
    rows: tuple[TableRow, ...] = ()


@frozen
class Copied(Node):
    """``matrix b = a swap 1, 8``: the items of another matrix, of which two may be swapped."""

    name: Word
    doc: str
    base: Word
    swap: tuple[int, int] | None


Matrix = Odometer | ItemTable | Copied


@frozen
class Flip(Node):
    path: Path


@frozen
class Set(Node):
    path: Path
    term: Path


@frozen
class Add(Node):
    name: Word
    like: Word | None


@frozen
class Drop(Node):
    name: Word


@frozen
class Swap(Node):
    first: Path
    second: Path


@frozen
class Replace(Node):
    path: Path
    text: str | None
    other: Word | None


@frozen
class Embed(Node):
    name: Word
    host: Word
    text: str | None


Edit = Flip | Set | Add | Drop | Swap | Replace | Embed


@frozen
class Edits(Node):
    """Edits in order; determined attributes in ``keeping`` stay as they were."""

    edits: tuple[Edit, ...]
    keeping: tuple[Path, ...]


@frozen
class Claim(Node):
    """``E agreement``: the letter of a class, and the rules of that class that are broken."""

    letter: Word
    rules: tuple[Path, ...]


@frozen
class Answer(Node):
    """A wrong answer: the correct item after the first of ``remedies`` that makes sense."""

    label: Word
    doc: str
    claims: tuple[Claim, ...]
    counts_as: Word | None
    remedies: tuple[Edits, ...]


@frozen
class Answers(Node):
    """Answers of some matrices (all, if ``matrices`` is empty).

    If they are ``crossed``, each is a single edit and the answers are all combinations of them.
    """

    matrices: tuple[Word, ...]
    crossed: bool = False
    answers: tuple[Answer, ...] = ()


@frozen
class Example(Node):
    accept: bool
    text: Word


@frozen
class File:
    """All entries of a file, in the order in which they are written.

    ``designs`` says whether its designs become the grammar's; those of an imported file do only
    with ``with designs``. ``unread`` are the names in entries that could not be read, ``lost`` the
    sections of these entries: what is missing because of them is not a second fault.
    """

    source: Source
    phenomena: tuple[Phenomenon, ...] = ()
    languages: tuple[Language, ...] = ()
    imports: tuple[Import, ...] = ()
    lexicons: tuple[Lexicon, ...] = ()
    objects: tuple[Objects, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    external: tuple[Rule, ...] = ()
    internal: tuple[Rule, ...] = ()
    contested: tuple[Rule, ...] = ()
    selections: tuple[Selection, ...] = ()
    frames: tuple[Frame, ...] = ()
    paradigms: tuple[Paradigm, ...] = ()
    matrices: tuple[Matrix, ...] = ()
    answers: tuple[Answers, ...] = ()
    examples: tuple[Example, ...] = ()
    unread: frozenset[str] = frozenset()
    lost: frozenset[str] = frozenset()
    designs: bool = True
