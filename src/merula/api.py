"""The Python API: a grammar, its designs, their instances and data.

>>> import merula
>>> g = merula.load("blm/agreement_fr")
>>> g.name, list(g)
('agreement_fr', ['agrf'])
>>> instance = g["agrf"][0]
>>> len(instance.context), [s.label for s in instance.answers][:3]
(7, ['Correct', 'AE', 'WN1'])
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from merula.compiler import Compiled, CompiledDesign, compile_source
from merula.grammar import CORRECT
from merula.language.diagnostics import Diagnostic, MerulaError, Report, did_you_mean, listing
from merula.language.source import Source
from merula.plan import phrases, slot_names
from merula.program import TableOptions, read_grammar

if TYPE_CHECKING:
    from merula.rows import RowMaker


def load(path: str | Path, *, tables: TableOptions | None = None) -> Grammar:
    """The grammar in a file, or one that comes with Merula (``"npi/sentential_negation"``).

    ``tables`` names other tables, separators, encodings or columns than the grammar does.
    Raises `MerulaError` with every problem where there is an error.

    >>> import merula
    >>> merula.load("npi/sentential_negation").language
    'en'
    """
    report = Report()
    source = read_grammar(str(path), report)
    if source is None:
        raise MerulaError(report.sorted())
    return _usable(compile_source(source, tables, report=report))


def compile(
    text: str, *, tables: Mapping[str, str | bytes] | None = None, name: str = "<text>"
) -> Grammar:
    """The grammar in a text, with its tables in memory by the names the text gives them.

    Raises `MerulaError` with every problem where there is an error.

    >>> import merula
    >>> g = merula.compile(
    ...     '''
    ... phenomenon toy
    ... language en
    ... lexicon sets "toy.csv"
    ... objects
    ...   subj : NP (number)
    ...   verb : VP (number)
    ... attributes
    ...   number = sg | pl
    ... external
    ...   agreement: verb.number = subj.number
    ... frames
    ...   clause = subj verb
    ... paradigm agree = subj.number × verb.number
    ... ''',
    ...     tables={"toy.csv": "subj.sg,subj.pl,verb.sg,verb.pl\\nthe dog,the dogs,barks,bark"},
    ... )
    >>> [(s.text, s.acceptable) for s in g[0].cells][:2]
    [('The dog barks.', True), ('The dog bark.', False)]
    """
    source = Source(name, text.replace("\r\n", "\n").replace("\r", "\n"))
    return _usable(compile_source(source, tables=tables))


def check(path: str | Path, *, tables: TableOptions | None = None) -> tuple[Diagnostic, ...]:
    """All problems of a grammar file, errors and warnings, in the order of their places.

    >>> import merula
    >>> [p.code for p in merula.check("no/such/grammar.merula")]
    ['M601']
    """
    report = Report()
    source = read_grammar(str(path), report)
    if source is None:
        return report.sorted()
    return compile_source(source, tables, report=report).problems


def _usable(compiled: Compiled) -> Grammar:
    if compiled.failed or compiled.grammar is None:
        raise MerulaError(compiled.problems)
    return Grammar(compiled)


@dataclass(frozen=True)
class Sentence:
    """A sentence of an instance.

    ``label`` names its cell, item or answer; ``broken`` the rules it breaks (``E agreement``);
    ``letter`` the class printed for it (E, I, R, or nothing); ``factors`` what its design says;
    ``scopes`` which objects stand ``in`` or ``out`` of the scope that a rule asks about.
    """

    role: str
    label: str
    text: str
    acceptable: bool
    broken: tuple[str, ...]
    letter: str
    factors: Mapping[str, str]
    scopes: Mapping[str, str]


@dataclass(frozen=True)
class Instance:
    """One instance of a design: all its cells for one choice of lexemes."""

    design: str
    address: int
    frame: str
    choices: Mapping[str, str]
    lexemes: Mapping[str, str]
    cells: tuple[Sentence, ...]

    @property
    def context(self) -> tuple[Sentence, ...]:
        """The items of a matrix that are shown (none for a paradigm)."""
        return tuple(s for s in self.cells if s.role == "context")

    @property
    def answers(self) -> tuple[Sentence, ...]:
        """The answers of a matrix, the right one first (none for a paradigm)."""
        return tuple(s for s in self.cells if s.role == "answer")

    @property
    def correct(self) -> Sentence | None:
        """The right answer of a matrix."""
        return next((s for s in self.answers if s.label == CORRECT), None)


class Design:
    """A paradigm or a matrix: a sequence of instances, addressed from 0 to ``count() - 1``."""

    def __init__(self, compiled: Compiled, design: CompiledDesign) -> None:
        self._compiled, self._design = compiled, design

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name}: {self.count():,} instances>"

    @property
    def name(self) -> str:
        """The design's name in the grammar."""
        return self._design.name

    @property
    def kind(self) -> str:
        """``paradigm`` or ``matrix``."""
        return self._design.kind

    @property
    def doc(self) -> str:
        """What its doc string says."""
        return self._design.design.doc

    def count(self) -> int:
        """How many distinct instances there are, exactly.

        (``len()`` would fail above 2⁶³, so there is none.)
        """
        return self._design.count

    def by_frame(self) -> dict[str, int]:
        """How many instances there are of each frame (clause type)."""
        return self._design.by_frame()

    def __getitem__(self, address: int) -> Instance:
        """The instance at an address; a negative one counts from the end."""
        if address < 0:
            address += self.count()
        if not 0 <= address < self.count():
            raise IndexError(f"{self.name} has {self.count():,} instances")
        number, local = self._design.locate(address)
        plan = self._design.plans[number]
        chosen = plan.space.unrank_one(local)
        sentences = tuple(
            Sentence(
                c.cell.role,
                c.cell.label,
                self._compiled.surface.sentence(phrases(plan.slots, c, chosen)),
                c.cell.acceptable,
                c.cell.broken,
                c.cell.letter,
                dict(c.cell.factors),
                dict(c.cell.scopes),
            )
            for c in plan.cells
        )
        lexemes = {
            name: slot.titles[i]
            for name, slot, i in zip(slot_names(plan), plan.slots, chosen, strict=True)
        }
        variant = plan.variant
        return Instance(
            self.name, address, variant.frame.name, dict(variant.choices), lexemes, sentences
        )

    def generate(self, n: int | None = None, *, seed: int = 0) -> Data:
        """The first ``n`` instances (all, if None) of the order that ``seed`` decides.

        Nothing is made until the data is read. Raises `MerulaError` if ``n`` is above
        ``count()``.

        >>> import merula
        >>> table = merula.load("blm/agreement_fr")["agrf"].generate(10, seed=1).to_table()
        >>> table.num_rows, table.column_names[:5]
        (10, ['instance', 'address', 'design', 'frame', 'variant'])
        """
        from merula.rows import RowMaker, Selection

        selection = Selection(n, seed)
        selection.number(self._design)
        return Data(RowMaker(self._compiled, self._design), n, seed)


class Data:
    """Rows of a design; iterate over it for Arrow record batches."""

    def __init__(self, maker: RowMaker, n: int | None, seed: int) -> None:
        self._maker, self._n, self._seed = maker, n, seed

    @property
    def schema(self) -> Any:
        """The Arrow schema (``pyarrow.Schema``)."""
        return self._maker.schema

    def __iter__(self) -> Iterator[Any]:
        from merula.rows import Selection

        return self._maker.batches(Selection(self._n, self._seed))

    def to_table(self) -> Any:
        """All rows as a ``pyarrow.Table``."""
        import pyarrow as pa

        return pa.Table.from_batches(list(self), schema=self.schema)

    def to_dataset(self) -> Any:
        """All rows as a ``datasets.Dataset``; needs the extra ``merula[hf]``."""
        try:
            from datasets import Dataset  # type: ignore[import-not-found,unused-ignore]
        except ImportError as error:
            raise ImportError(
                "a Hugging Face data set needs the package datasets: pip install 'merula[hf]'"
            ) from error
        import pyarrow as pa

        from merula.export import plain, plain_schema

        batches = [plain(batch) for batch in self]
        return Dataset(pa.Table.from_batches(batches, schema=plain_schema(self.schema)))


class Grammar(Mapping[str, Design]):
    """A compiled grammar: a mapping from names to designs.

    ``g["agrf"]`` is a design, ``g[3]`` an instance, counted over all designs in order.
    """

    def __init__(self, compiled: Compiled) -> None:
        assert compiled.grammar is not None
        self._compiled, self._grammar = compiled, compiled.grammar
        self._designs = {n: Design(compiled, d) for n, d in compiled.designs.items()}

    def __repr__(self) -> str:
        return f"<grammar {self.name}: {listing(repr(d) for d in self._designs.values())}>"

    @property
    def name(self) -> str:
        """The name of the phenomenon."""
        return self._grammar.name

    @property
    def doc(self) -> str:
        """What the phenomenon's doc string says."""
        return self._grammar.doc

    @property
    def language(self) -> str:
        """The code of the language, or an empty string."""
        return self._grammar.language

    @property
    def problems(self) -> tuple[Diagnostic, ...]:
        """The warnings of the compiler."""
        return self._compiled.problems

    def __iter__(self) -> Iterator[str]:
        return iter(self._designs)

    def __len__(self) -> int:
        return len(self._designs)

    def __getitem__(self, key: str | int) -> Any:
        """A design by its name, or an instance by its number."""
        if isinstance(key, str):
            if key not in self._designs:
                hint = did_you_mean(key, self._designs) or f"it has {listing(self._designs)}"
                raise KeyError(f"{self.name} has no design {key!r}; {hint}")
            return self._designs[key]
        number = key + self.count() if key < 0 else key
        for design in self._designs.values():
            if 0 <= number < design.count():
                return design[number]
            number -= design.count()
        raise IndexError(f"{self.name} has {self.count():,} instances")

    def count(self) -> int:
        """How many distinct instances all designs have together, exactly."""
        return sum(design.count() for design in self._designs.values())

    def generate(self, n: int | None = None, *, seed: int = 0) -> Data:
        """`Design.generate` of the only design; ValueError if there are several."""
        if len(self._designs) != 1:
            raise ValueError(
                f"{self.name} has the designs {listing(self._designs)}: name one,"
                f" as in g[{next(iter(self._designs), 'name')!r}].generate(…)"
            )
        return next(iter(self._designs.values())).generate(n, seed=seed)
