"""Words of languages: plain ones first, and such as change, or make others change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from merula.core.frozen import frozen
from merula.lexicon.table import clean
from merula.strategies.inventing.choices import Choices


@frozen
class Tongue:
    """Words of a language that change, or make others change, beside each other."""

    code: str
    nouns: tuple[str, ...]
    verbs: tuple[str, ...]
    before: Mapping[str, tuple[str, ...]]  # number → what can stand before a noun
    small: tuple[str, ...]
    endings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def stems(self, category: str) -> tuple[str, ...]:
        """The words of a category."""
        return self.verbs if category == "verb" else self.nouns


TONGUES = (
    Tongue(
        "",
        ("dog", "cat", "fox", "owl", "hen", "bee", "cat's paw", "Ann", "ñu"),
        ("naps", "eats", "is up", "l'"),
        {"sg": ("a", "the", ""), "pl": ("the", "some", "")},
        ("so", "too", "oh", ",", "?", "so too"),
    ),
    Tongue(
        "fr",
        ("chat", "ami", "école", "héros", "Ami", "le", "un", "il dort"),
        ("dort", "arrive", "est", "de"),
        {"sg": ("le", "la", "de le", "à le", "de", "l'", ""), "pl": ("les", "de les", "des", "")},
        ("de", "que", "le", ",", "à", "et", "ne", "", "lorsque il"),
    ),
    Tongue(
        "it",
        ("cane", "amico", "zio", "erba", "studente", "è", "di"),
        ("dorme", "esce", "va", "a"),
        {"sg": ("il", "la", "di il", "a la", "un", "di", ""), "pl": ("i", "di i", "le", "gli", "")},
        ("di", "e", "a", "il", ",", "in", "", "di l'"),
    ),
    Tongue(
        "en",
        ("dog", "apple", "hour", "sheep", "unit", "a", "an egg", "A dog"),
        ("sleeps", "eats", "put", "a"),
        {"sg": ("a", "the", "", "one"), "pl": ("the", "some", "")},
        ("that", "a", "of a", ",", "and", "the", "", "a."),
    ),
    Tongue(
        "es",
        ("perro", "agua", "hielo", "isla", "oso", "el", "y hoy"),
        ("duerme", "va", "y", "a"),
        {"sg": ("el", "la", "de el", "a el", "un", ""), "pl": ("los", "de los", "unas", "")},
        ("de", "y", "a", "o", "el", ",", "", "y a"),
    ),
    Tongue(
        "de",
        ("Hund", "Apfel", "Ei", "der", "zu Hause", "in", "Öl"),
        ("schläft", "ist", "an", "kommt"),
        {"sg": ("der", "dem", "in dem", "zu der", "das", ""), "pl": ("die", "den", "")},
        ("zu", "von", "in", "dem", "das", ",", "und", "", "an dem"),
    ),
    Tongue(
        "",
        ("x", "y", "x y", "z", "z?", "X"),
        ("v", "w", "x", "w."),
        {"sg": ("", "p"), "pl": ("", "q", "p")},
        ("p", "x", "y", ",", "?"),
    ),
    Tongue(  # few words, so that cells are often one sentence
        "",
        ("x", "y", "x y", "x x", "X"),
        ("x", "y", "x y", "x."),
        {"sg": ("", "", "x"), "pl": ("", "", "x", "y")},
        ("x", "y", "", ".", "x x", "x  x", "x "),
        {"pl": ("", " x", " y", "s"), "coord": ("", " x"), "pst": ("", " y", " x")},
    ),
)
LANGUAGES = tuple(sorted({tongue.code for tongue in TONGUES}))

ENDINGS = {"sg": "", "pl": "s", "du": "u", "pp": "", "coord": "-c", "prs": "", "pst": "t"}


def endings(columns: Sequence[tuple[str, ...]]) -> list[str]:
    """What regular words have at the end in some columns, everywhere another thing."""
    found: list[str] = []
    for parts in columns:
        ending = "".join(ENDINGS.get(part, part[:1]) for part in parts)
        while ending in found:
            ending += "i"
        found.append(ending)
    return found


def odd_forms(
    c: Choices,
    tongue: Tongue,
    stem: str,
    columns: Sequence[tuple[str, ...]],
    *,
    articles: bool = True,
    distinct: bool = False,
) -> list[str]:
    """The forms of a word as tables have them: with words before them, perhaps alike, or none.

    With ``distinct``, all are there and have their endings.
    """
    syncretic = c.chance(20) and not distinct
    before = articles and c.chance(50)
    odd = {} if distinct else tongue.endings
    forms = []
    for parts, ending in zip(columns, endings(columns), strict=True):
        front = c.pick(tongue.before["sg" if "sg" in parts else "pl"]) if before else ""
        own = [c.pick(odd[p]) if p in odd else ENDINGS.get(p, p[:1]) for p in parts if odd]
        form = f"{front} {stem}{'' if syncretic else ''.join(own) if odd else ending}"
        gone = c.chance(2) and not distinct
        forms.append("" if gone else form.replace("' ", "'").strip())
    return forms


def unique(words: Sequence[str]) -> tuple[str, ...]:
    """Names after some words, no two of them the same once tables are read."""
    found: list[str] = []
    known: set[str] = set()
    for word in words:
        name, number = word, 1
        while clean(name) in known:
            number += 1
            name = f"{word}-{number}"
        found.append(name)
        known.add(clean(name))
    return tuple(found)
