"""The Python API: a grammar, its designs, their instances and data.

>>> import merula
>>> g = merula.load("blm/agreement_fr")
>>> g.name, list(g)
('agreement_fr', ['six', 'eight', 'balanced'])
>>> instance = g["six"][0]
>>> len(instance.context), [s.label for s in instance.answers][:3]
(7, ['Correct', 'AE', 'WN1'])

In come the paths and texts of grammars, out come values that people and notebooks can look at. All
names without an underscore are public; Arrow and rich are imported by the methods that need them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypedDict, Unpack, overload

from merula.compiler.compile import compile_source
from merula.compiler.compiled import Compiled, CompiledDesign
from merula.core.diagnostics import MerulaError, Report
from merula.core.resources import install
from merula.core.source import Source
from merula.core.wording import counted, did_you_mean, listing
from merula.data.format_names import FORMATS, SENTENCES_PER_FILE
from merula.grammar.model import CORRECT
from merula.grammar.program import read_grammar
from merula.lexicon.table import TableOptions
from merula.plan.planner import phrases, slot_names
from merula.rows.variation import AddressSpace, Variation
from merula.show.problems import Problems

if TYPE_CHECKING:
    from rich.console import RenderableType

    from merula.changes import GrammarDiff
    from merula.data.verify import FileCheck
    from merula.rows.maker import RowMaker
    from merula.show.drawing import Drawing


def load(path: str | Path, *, tables: TableOptions | None = None) -> Grammar:
    """Load a grammar from a file, or one of Merula's own (``"npi/sentential_negation"``).

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
    """Compile a grammar from a text, with its tables in memory by the names the text gives them.

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


def check(path: str | Path, *, tables: TableOptions | None = None) -> Problems:
    """Return all problems of a grammar file, errors and warnings, in the order of their places.

    >>> import merula
    >>> [p.code for p in merula.check("no/such/grammar.merula")]
    ['M601']
    """
    report = Report()
    source = read_grammar(str(path), report)
    if source is None:
        return Problems(report.sorted())
    return Problems(compile_source(source, tables, report=report).problems)


def verify(folder: str | Path) -> tuple[FileCheck, ...]:
    """Read a data set again and compare it with its manifest, a result for each file.

    A file is as it was made where ``fault`` is empty. Raises `MerulaError` where there is no
    data set, or one that is not finished.
    """
    from merula.data.verify import verify
    from merula.publish.remake import remake

    return tuple(verify(Path(folder), remake))


def diff(old: Grammar, new: Grammar, *, examples: int = 3, seed: int = 0) -> GrammarDiff:
    """Compare the data of two grammars; ``str()`` of the result is a report.

    An instance is the same in both if its design, its variant and all its lexemes are. Numbers
    are exact; ``examples`` is how many instances are shown of each kind, ``seed`` decides which.

    >>> import merula
    >>> g = merula.load("blm/agreement_fr")
    >>> merula.diff(g, g).same
    True
    """
    from merula.changes import compare

    return compare(old._compiled, new._compiled, examples=examples, seed=seed)


def _usable(compiled: Compiled) -> Grammar:
    if compiled.failed or compiled.grammar is None:
        raise MerulaError(compiled.problems)
    return Grammar(compiled)


@dataclass(frozen=True)
class Sentence:
    """A sentence of an instance.

    ``label`` names its cell, item or answer; ``broken`` the rules it breaks (``E agreement``);
    ``letter`` the class printed for it (E, I, R, or nothing); ``factors`` what its design says;
    ``scopes`` which objects are ``in`` or ``out`` of the scope that a rule asks about.
    """

    role: str
    label: str
    text: str
    acceptable: bool
    broken: tuple[str, ...]
    letter: str
    factors: Mapping[str, str]
    scopes: Mapping[str, str]


@dataclass(frozen=True, repr=False)
class Instance:
    """One instance of a design: all its cells for one choice of lexemes.

    ``str()`` draws it as ``merula show`` does, and a notebook shows it so.
    """

    design: str
    address: int
    frame: str
    choices: Mapping[str, str]
    lexemes: Mapping[str, str]
    cells: tuple[Sentence, ...]

    # Where it comes from, so that it can be drawn word by word; it is not a field of the value.
    _made_by: ClassVar[tuple[Compiled, CompiledDesign] | None] = None

    def __repr__(self) -> str:
        return f"<instance {self.address:,} of {self.design}: {self._where}>"

    def __str__(self) -> str:
        return _text(self._drawing())

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self) if cycle else str(self))

    def _repr_html_(self) -> str:
        from merula.show.html import drawing_html

        return drawing_html(self._drawing())

    @property
    def _where(self) -> str:
        return " · ".join([self.frame, *(f"{name} {x}" for name, x in self.choices.items())])

    def _drawing(self) -> Drawing:
        from merula.show.drawing import DrawnRow, DrawnWord, draw_instance, draw_sentences

        if self._made_by is not None:
            return draw_instance(*self._made_by, self.address)
        rows = [
            DrawnRow(
                s.role,
                s.label,
                tuple(s.factors.values()) if s.role == "cell" else (),
                (),
                s.acceptable,
                ((DrawnWord(s.text),),),
                s.letter,
                s.broken,
            )
            for s in self.cells
        ]
        factors = [name for s in self.cells[:1] if s.role == "cell" for name in s.factors]
        title = f"instance {self.address:,}"
        return draw_sentences(self.design, self._where, title, factors, rows)

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


def _text(*drawings: RenderableType | Drawing) -> str:
    """Return drawings as plain text."""
    from merula.show.drawing import Drawing
    from merula.show.terminal import render, text_of

    return text_of(*(render(x) if isinstance(x, Drawing) else x for x in drawings))


class Design:
    """A paradigm or a matrix: a sequence of instances, addressed from 0 to ``count() - 1``."""

    def __init__(self, compiled: Compiled, design: CompiledDesign) -> None:
        self._compiled, self._design = compiled, design
        self._language = compiled.grammar.language if compiled.grammar is not None else ""

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name}: {counted(self.count(), 'instance')}>"

    def __str__(self) -> str:
        from merula.show.terminal import counts

        return _text(counts({self.name: self._design}), self._drawing())

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self) if cycle else str(self))

    def _repr_html_(self) -> str:
        from merula.show.html import design_html
        from merula.show.overview import count_rows

        counts = count_rows(self._design)
        return design_html(self.name, self.kind, self.doc, counts, self._drawing())

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

    def count(self, *, variation: str = "I", answers: str = "one") -> int:
        """Return how many distinct instances there are, exactly.

        (``len()`` would fail above 2⁶³, so there is none.) ``variation`` and ``answers`` are as in
        `generate`.
        """
        return self._space(variation, answers).count

    def by_frame(self, *, variation: str = "I", answers: str = "one") -> dict[str, int]:
        """Return how many instances there are of each frame (clause type)."""
        return self._space(variation, answers).by_frame()

    def _space(self, variation: str, answers: str) -> AddressSpace:
        return AddressSpace(self._design, Variation(variation, answers))

    @overload
    def __getitem__(self, address: int) -> Instance: ...
    @overload
    def __getitem__(self, address: slice) -> list[Instance]: ...
    def __getitem__(self, address: int | slice) -> Instance | list[Instance]:
        """Return the instance at an address, or those of a slice; negatives count from the end."""
        if isinstance(address, slice):
            return [self[i] for i in range(*address.indices(self.count()))]
        address = index(address)
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
                self._compiled.surface.composed(phrases(plan.slots, c, chosen)),
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
        instance = Instance(
            self.name, address, variant.frame.name, dict(variant.choices), lexemes, sentences
        )
        object.__setattr__(instance, "_made_by", (self._compiled, self._design))
        return instance

    def _drawing(self) -> Drawing:
        """Draw the first instance of the order that the seed 0 decides, or a template."""
        from merula.plan.order import Permutation
        from merula.show.drawing import draw_instance, draw_template

        if not self._design.plans:
            return draw_template(self._design, language=self._language)
        address = int(Permutation(self.count(), 0).rows(0, 1)[0])
        return draw_instance(self._compiled, self._design, address)

    def generate(
        self,
        n: int | None = None,
        *,
        seed: int = 0,
        variation: str = "I",
        answers: str = "one",
        spans: bool = False,
        columns: Sequence[str] | None = None,
    ) -> Data:
        """Return the first ``n`` instances (all, if None) of the order that ``seed`` decides.

        ``variation="III"`` takes each item of a matrix from another lexical choice, and the
        answers from ``"one"`` more or ``"mixed"``. ``spans`` adds where each object is, in
        characters; ``columns`` keeps only the columns named. Nothing is made until the data is
        read. Raises `MerulaError` if the design does not have what is asked for.

        >>> import merula
        >>> table = merula.load("blm/agreement_fr")["six"].generate(10, seed=1).to_table()
        >>> table.num_rows, table.column_names[:5]
        (10, ['instance', 'address', 'design', 'frame', 'variant'])
        """
        from merula.rows.maker import RowChoice, RowMaker

        if isinstance(columns, str):
            raise TypeError(f"columns={columns!r} should be a list of names")
        chosen = None if columns is None else tuple(columns)
        selection = RowChoice(n, seed, Variation(variation, answers), spans, chosen)
        return Data(RowMaker(self._compiled, self._design, selection))


class RowOptions(TypedDict, total=False):
    """The options of `Design.generate`."""

    seed: int
    variation: str
    answers: str
    spans: bool
    columns: Sequence[str] | None


class Data:
    """Rows of a design; iterate over it for Arrow record batches."""

    def __init__(self, maker: RowMaker) -> None:
        self._maker = maker

    def __repr__(self) -> str:
        made = self._maker
        instances = counted(made.size, "instance")
        return f"<{instances} of {made.design.name}, seed {made.selection.seed}>"

    @property
    def schema(self) -> Any:
        """The Arrow schema (``pyarrow.Schema``)."""
        return self._maker.schema

    def __iter__(self) -> Iterator[Any]:
        return self._maker.batches()

    def to_table(self) -> Any:
        """Return all rows as a ``pyarrow.Table``."""
        import pyarrow as pa

        return pa.Table.from_batches(list(self), schema=self.schema)

    def to_dataset(self) -> Any:
        """Return all rows as a ``datasets.Dataset``; needs the extra ``merula[hf]``.

        They are typed as `merula publish` types them: labels, cells and rules are class labels.
        """
        try:
            from datasets import Dataset  # type: ignore[import-not-found,unused-ignore]
        except ImportError as error:
            raise ImportError(
                f"a Hugging Face data set needs the package datasets: {install('hf')}"
            ) from error
        from merula.data.features import features_of

        return Dataset(features_of([self._maker]).table(self))

    def write(
        self,
        folder: str | Path,
        *,
        form: str = "parquet",
        workers: int = 1,
        sentences_per_file: int = SENTENCES_PER_FILE,
    ) -> dict[str, Any]:
        """Write all rows into a folder, as ``merula generate`` does; returns the manifest.

        ``form`` is ``parquet``, ``arrow``, ``jsonl`` or ``csv``. The folder is new or empty, or
        holds the same data, perhaps unfinished. Raises `MerulaError` where that is not so or
        the disk does not take it. ``workers`` above 1 needs the caller's script to be guarded by
        ``if __name__ == "__main__"``, as `multiprocessing` does.

        >>> import merula, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     data = merula.load("blm/agreement_fr")["six"].generate(10)
        ...     manifest = data.write(folder, form="jsonl")
        ...     [check.fault for check in merula.verify(folder)]
        ['']
        >>> manifest["files"][0]["file"]
        'agreement_fr-six.jsonl'
        """
        from merula.data.run import Run, generate_files

        if form not in FORMATS:
            raise ValueError(f"form={form!r} should be one of {', '.join(FORMATS)}")
        for name, value in (("workers", workers), ("sentences_per_file", sentences_per_file)):
            if value < 1:
                raise ValueError(f"{name}={value!r} should be at least 1")
        made = self._maker
        one = replace(made.compiled, designs={made.design.name: made.design})
        run = Run.of([one], made.selection, form, sentences_per_file)
        outcome = generate_files(run, Path(folder), workers=workers)
        assert outcome.manifest is not None  # there is one shard
        return outcome.manifest.to_json()


class Grammar(Mapping[str, Design]):
    """A compiled grammar: a mapping from names to designs.

    ``g["six"]`` is a design, ``g[3]`` an instance, counted over all designs in order.
    """

    def __init__(self, compiled: Compiled) -> None:
        assert compiled.grammar is not None
        self._compiled, self._grammar = compiled, compiled.grammar
        self._designs = {n: Design(compiled, d) for n, d in compiled.designs.items()}

    def __repr__(self) -> str:
        return f"<grammar {self.name}: {listing(repr(d) for d in self._designs.values())}>"

    def __str__(self) -> str:
        from merula.compiler.answer_sets import answer_sets_of
        from merula.show.overview import overview
        from merula.show.terminal import answer_sets, counts, parts

        shown = [parts(overview(self._compiled)), counts(self._compiled.designs)]
        sets = answer_sets_of(self._compiled)
        shown += [answer_sets(sets)] if sets else []
        return "\n\n".join([_text(*shown), *([str(self.problems)] if self.problems else [])])

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self) if cycle else str(self))

    def _repr_html_(self) -> str:
        from merula.show.html import grammar_html
        from merula.show.overview import count_rows, overview

        counts = [row for design in self._compiled.designs.values() for row in count_rows(design)]
        about, problems = overview(self._compiled), self.problems
        return grammar_html(about, counts, self.count(), problems, problems.summary)

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
    def problems(self) -> Problems:
        """The warnings of the compiler."""
        return Problems(self._compiled.problems)

    def __iter__(self) -> Iterator[str]:
        return iter(self._designs)

    def __len__(self) -> int:
        return len(self._designs)

    def __getitem__(self, key: str | int) -> Any:
        """Return a design by its name, or an instance by its number."""
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
        """Return how many distinct instances all designs have together, exactly."""
        return sum(design.count() for design in self._designs.values())

    def generate(self, n: int | None = None, **options: Unpack[RowOptions]) -> Data:
        """Call `Design.generate` of the only design; raises ValueError if there are several."""
        if len(self._designs) != 1:
            raise ValueError(
                f"{self.name} has the designs {listing(self._designs)}: name one,"
                f" as in g[{next(iter(self._designs), 'name')!r}].generate(…)"
            )
        (design,) = self._designs.values()
        return design.generate(n, **options)
