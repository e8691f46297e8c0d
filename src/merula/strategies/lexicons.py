"""Random small tables of words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from merula.core.frozen import frozen
from merula.lexicon.table import CATEGORY, LEMMA, SETS, clean
from merula.strategies.draws import collect_constants
from merula.strategies.inventing.choices import Choices
from merula.strategies.inventing.tongues import (
    LANGUAGES,
    TONGUES,
    Tongue,
    endings,
    odd_forms,
    unique,
)
from merula.strategies.tables import TableText

NAME = re.compile(r"[\w-]+(?:\.[\w-]+)*")
HARD = (  # as tables of any language may have them
    "ice cream",
    "Zoë",
    "cafe\u0301",  # a letter and an accent, not yet one
    "o\u2019clock",  # a curly apostrophe
    "שלום",
    "قطة",
    "İzmir",
    "東京",
    "ṅga\u0323\u0302",
    "mother-in-law",
    "no  one",  # two spaces
)


@frozen
class _Plan:
    """The columns of a table: forms by object, and features with their values."""

    category: str | None
    objects: Mapping[str, tuple[tuple[str, ...], ...]]  # object, or empty → values of its forms
    titles: tuple[str, ...]
    features: Mapping[str, tuple[str, ...]]
    tongues: tuple[Tongue, ...]
    words: SearchStrategy[str] | None
    rows: tuple[int, int]


RESERVED = (SETS, "position")  # words after `lexicon` and `:` that cannot be a category


def lexicons(
    *,
    category: str | None = "noun",
    forms: Sequence[str] = ("sg", "pl"),
    features: Mapping[str, Sequence[str]] | None = None,
    language: str | None = None,
    words: SearchStrategy[str] | None = None,
    rows: tuple[int, int] = (1, 5),
) -> SearchStrategy[TableText]:
    """Small tables of lexemes, or of lexical sets (``category=None``), that a compiler accepts.

    ``forms`` are the columns of forms: ``"sg"``, ``"nom.pl"``; in a table of sets each begins with
    its object, ``"subj.sg"``. ``features`` are further columns with the values they may hold.
    ``words`` gives the words to be inflected, else they are from ``language`` and other languages.
    ``rows`` is how many rows there are, at least and at most.

    The first row is regular: all cells are filled and all forms differ. The other rows are like
    those of real tables: forms that are the same, or missing; several words in a cell; accents,
    apostrophes, capitals and scripts that trip programs up; features that are empty, ``*`` or
    several values.
    Raises `ValueError` where an argument makes no table.

    >>> from hypothesis import given, settings
    >>> @settings(max_examples=20, database=None, derandomize=True)
    ... @given(lexicons(forms=("nom.sg", "gen.sg"), features={"sort": ("animal", "thing")}))
    ... def test_lemmas_differ(table):
    ...     assert table.header == ("lemma", "nom.sg", "gen.sg", "sort")
    ...     assert len(set(table.column("lemma"))) == len(table.rows)
    >>> test_lemmas_differ()
    """
    features = {} if features is None else features
    _check_columns(category, forms, features)
    if language is not None and language not in LANGUAGES:
        known = ", ".join(map(repr, (None, *LANGUAGES)))
        raise ValueError(f"language={language!r} is none of {known}")
    if words is not None and not isinstance(words, SearchStrategy):
        raise ValueError(f"words={words!r} is not a strategy: st.sampled_from(…)")
    _check_rows(rows)
    objects: dict[str, list[tuple[str, ...]]] = {}
    for form in forms:
        name, *values = form.split(".") if category is None else ("", *form.split("."))
        objects.setdefault(name, []).append(tuple(values))
    collect_constants()
    return _tables(
        _Plan(
            category,
            {name: tuple(own) for name, own in objects.items()},
            tuple(forms),
            {name: tuple(values) for name, values in features.items()},
            tuple(t for t in TONGUES if language in (None, t.code)),
            words,
            rows,
        )
    )


def _check_rows(rows: Any) -> None:
    if not (isinstance(rows, tuple) and len(rows) == 2 and 1 <= rows[0] <= rows[1]):
        raise ValueError(f"rows={rows!r} is not a least and a most number of rows, from 1")


def _check_columns(category: Any, forms: Any, features: Any) -> None:
    if category is not None and not (
        isinstance(category, str) and category.isidentifier() and category not in RESERVED
    ):
        raise ValueError(f"category={category!r} is not the name of a category")
    if isinstance(forms, str) or not all(isinstance(form, str) for form in forms):
        raise ValueError(f"forms={forms!r} should be a list of names")
    if not isinstance(features, Mapping):
        raise ValueError(f"features={features!r} should map names to values")
    if category is None and not forms:
        raise ValueError("forms=() leaves a table of sets without words: name some, as `subj.sg`")
    if category is None and not any("." in form for form in forms):
        raise ValueError(f"forms={forms!r} name no objects, as sets need: `subj.sg`")
    known = {LEMMA, CATEGORY, SETS, "set"}
    for argument, titles in (("forms", forms), ("features", features)):
        for title in titles:
            if not NAME.fullmatch(title) or title in known:
                raise ValueError(f"{argument}={titles!r}: {title!r} can name no column, or not two")
            known.add(title)
    for title, values in features.items():
        if isinstance(values, str) or not values or not all(map(NAME.fullmatch, values)):
            raise ValueError(f"features={features!r}: {title!r} needs a list of values")


# --- what is drawn -----------------------------------------------------------------------------


@st.composite
def _tables(draw: Callable[[SearchStrategy[Any]], Any], plan: _Plan) -> TableText:
    c = Choices(draw)
    tongue = c.pick(plan.tongues)
    least, most = plan.rows
    words: list[str] = []  # of each row the first one
    rows: list[tuple[str, ...]] = []
    while len(rows) < least or (len(rows) < most and c.chance(60)):
        word, cells = c.part(lambda: _row(c, plan, tongue, len(rows)))
        words.append(word)
        rows.append(cells)
    header = (*plan.titles, *plan.features)
    if plan.category is not None:
        header = (LEMMA, *header)
        lemmas = unique(words)
        rows = [(lemma, *cells) for lemma, cells in zip(lemmas, rows, strict=True)]
    if plan.category is None:
        return TableText("sets.tsv", SETS, header, tuple(rows))
    return TableText(f"{plan.category}s.tsv", plan.category, header, tuple(rows))


def _row(c: Choices, plan: _Plan, tongue: Tongue, row: int) -> tuple[str, tuple[str, ...]]:
    """Draw a row of a table: its first word, and the cells of its forms and features."""
    word = "" if plan.objects else _word(c, plan, tongue, "", row)
    by_title: dict[str, str] = {}
    for number, (name, columns) in enumerate(plan.objects.items()):
        stem = _word(c, plan, tongue, name, row * len(plan.objects) + number)
        word = word or stem
        if row == 0:
            forms = [stem + ending for ending in endings(columns)]
        else:
            articles = plan.words is None and plan.category != "verb"
            forms = odd_forms(c, tongue, stem, columns, articles=articles)
        for values, form in zip(columns, forms, strict=True):
            by_title[".".join((name, *values) if name else values)] = form
    features = (_feature(c, values, first=row == 0) for values in plan.features.values())
    return word, (*(by_title[title] for title in plan.titles), *features)


def _word(c: Choices, plan: _Plan, tongue: Tongue, name: str, number: int) -> str:
    """Draw a word for an object; the plainest one is different for every number."""
    if plan.words is not None:
        return _usable(c.draw(plan.words))
    words = tongue.stems(plan.category or name)
    turn = number % len(words)
    return c.pick((*words[turn:], *words[:turn], *HARD))


def _feature(c: Choices, values: Sequence[str], *, first: bool) -> str:
    if first:
        return c.pick(values)
    several = [" | ".join(c.some(values, 2, 3))] if len(values) > 1 and c.chance(20) else []
    return c.pick((*several, *values, "*", ""))


def _usable(word: str) -> str:
    """Return a word without characters that a cell cannot have; ``x`` if none are left."""
    kept = "".join(
        " " if unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") else sign for sign in word
    )
    return kept if clean(kept) else "x"
