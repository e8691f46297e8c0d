"""Random small grammars with their tables, each of which compiles."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from hypothesis.strategies import SearchStrategy

import merula
from merula.core.frozen import frozen
from merula.strategies.draws import collect_constants
from merula.strategies.inventing.mending import Mended, compiled, plainest
from merula.strategies.inventing.sketch import Wanted
from merula.strategies.inventing.tongues import LANGUAGES
from merula.strategies.inventing.whole import drawn_and_mended

DESIGNS = ("paradigm", "matrix")


@frozen
class GrammarText:
    """A grammar as a text, with its tables: file names and their contents.

    Grammars with the same texts are equal. ``repr()`` is Python code that makes the grammar again.

    >>> print(GrammarText('phenomenon toy\\nlexicon sets "x.tsv"\\n', {"x.tsv": "subj\\ndog\\n"}))
    phenomenon toy
    lexicon sets "x.tsv"
    <BLANKLINE>
    --- x.tsv
    subj
    dog
    <BLANKLINE>
    """

    text: str
    tables: Mapping[str, str]

    def compile(self) -> merula.Grammar:
        """Compile it with `merula.compile`; raises `MerulaError` where it has an error."""
        return self._grammar

    @cached_property
    def _grammar(self) -> merula.Grammar:
        return merula.compile(self.text, tables=self.tables)

    def save(self, folder: str | Path, name: str = "random.merula") -> Path:
        """Write the grammar and its tables into a folder; returns the path of the grammar."""
        path = Path(folder, name)
        files = {path: self.text} | {Path(folder, own): text for own, text in self.tables.items()}
        for place, text in files.items():
            part = place.with_name(f"{place.name}.part")
            part.write_text(text, encoding="utf-8", newline="\n")
            part.replace(place)
        return path

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        return self.text + "".join(f"\n--- {name}\n{text}" for name, text in self.tables.items())

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        del cycle
        printer.text(repr(self))

    def __repr__(self) -> str:
        lines = ["GrammarText(", f"    {_literal(self.text)},", "    {"]
        for name, text in self.tables.items():
            rows = [f"            {row!r}" for row in text.splitlines(keepends=True)] or ["''"]
            lines += [f"        {name!r}: (", *rows, "        ),"]
        return "\n".join([*lines, "    },", ")"])


def _literal(text: str) -> str:
    """Return a text as Python writes it, on several lines if it has several."""
    if not text.endswith("\n") or not text.replace("\n", "").isprintable():
        return repr(text)
    escaped = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return f'"""\\\n{escaped}"""'


def grammars(
    *,
    design: str | None = None,
    answers: bool = False,
    crossed: bool = False,
    language: str | None = None,
) -> SearchStrategy[GrammarText]:
    """Small grammars with their tables, for tests of what reads grammars. Each of them compiles.

    They have one to three nouns, and perhaps a verb, function words, positions, rules, selections,
    several frames and designs; words and tables are as odd as real ones. Every grammar has a design
    with an instance. What is reported after shrinking has nothing but what makes the test fail.

    ``design`` is ``"paradigm"`` or ``"matrix"`` where only one will do. ``answers`` asks for
    matrices with wrong answers, ``crossed`` for crossed ones. ``language`` is a code with surface
    rules (``"fr"``), or empty for grammars that name none. Raises `ValueError` for anything else.

    >>> from hypothesis import given, settings
    >>> @settings(max_examples=5, database=None, derandomize=True)
    ... @given(grammars(design="matrix", answers=True))
    ... def test_answers_differ(grammar):
    ...     for design in grammar.compile().values():
    ...         if design.kind == "matrix":
    ...             texts = [answer.text for answer in design[0].answers]
    ...             assert len(set(texts)) == len(texts) > 1
    >>> test_answers_differ()
    """
    _one_of("design", design, (None, *DESIGNS))
    _one_of("answers", answers, (False, True))
    _one_of("crossed", crossed, (False, True))
    _one_of("language", language, (None, *LANGUAGES))
    for name, given in (("answers", answers), ("crossed", crossed)):
        if given and design == "paradigm":
            raise ValueError(f"design='paradigm' has no answers, but {name}=True asks for some")
    wanted = Wanted(design, answers, crossed, language)
    compiled(plainest(wanted))  # reads the parser's tables, or the first draw would
    collect_constants()
    return drawn_and_mended(wanted).map(_written)


def _one_of(name: str, given: object, known: tuple[object, ...]) -> None:
    if not any(given is x or (isinstance(x, str) and given == x) for x in known):
        shown = ", ".join(map(repr, known))
        raise ValueError(f"{name}={given!r} is none of {shown}")


def _written(made: Mended) -> GrammarText:
    text = GrammarText(made.parts.text, made.parts.tables)
    vars(text)["_grammar"] = merula.Grammar(made.compiled)  # it has been compiled already
    return text
