"""The fields of a recipe: read from tables of TOML by name and type, and checked.

In: the values of a table, as `tomllib` gives them. Out: words, numbers, shares and tables inside.
`merula.suite.recipe` makes recipes of them.

>>> fields = RecipeFields("suite.toml", "parts 1", {"grammar": "keys", "n": 0})
>>> fields.word("grammar"), fields.words("designs", ())
('keys', ())
>>> fields.number("n", 100, least=1)
Traceback (most recent call last):
merula.core.diagnostics.MerulaError: error[M681]: parts 1.n: is not a whole number from 1 on
  --> suite.toml
  = help: write n = 100
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from merula.core.diagnostics import MerulaError
from merula.core.files import same_on_disk
from merula.core.wording import did_you_mean, listing
from merula.data.manifests.run import MANIFEST
from merula.suite.splits import Split

_ABSENT: Any = object()


class RecipeFields:
    """The fields of a table of TOML: each is asked for by name and type.

    Methods raise `MerulaError` (M681) where a field does not fit, and `demand_end` where there is
    one that was never asked for.
    """

    def __init__(self, place: str, name: str, data: Mapping[str, Any]) -> None:
        self.place, self.name, self.data = place, name, data
        self._asked: dict[str, None] = {}

    def fault(self, key: str, message: str, remedy: str) -> MerulaError:
        """Return the error of a field of this table (empty: of the table itself)."""
        where = ".".join(part for part in (self.name, key) if part)
        text = f"{where}: {message}" if where else message
        return MerulaError.of("M681", text, remedy=remedy, place=self.place)

    def _get(self, key: str, default: Any) -> Any:
        self._asked[key] = None
        if key in self.data:
            return self.data[key]
        if default is _ABSENT:
            raise self.fault(key, "is missing", f"write {key} = …")
        return default

    def word(self, key: str, default: str = _ABSENT) -> str:
        """Return a text that is not empty."""
        text = self._get(key, default)
        if not isinstance(text, str) or (key in self.data and not text.strip()):
            raise self.fault(key, "is not a text", f'write {key} = "…"')
        return text

    def words(self, key: str, default: tuple[str, ...] = _ABSENT) -> tuple[str, ...]:
        """Return a text, or a list of texts, without repetitions."""
        value = self._get(key, default)
        texts = [value] if isinstance(value, str) else value
        if not isinstance(texts, (list, tuple)) or not all(
            isinstance(text, str) and text.strip() for text in texts
        ):
            raise self.fault(key, "is not a list of texts", f'write {key} = ["…", "…"]')
        return tuple(dict.fromkeys(texts))

    def number(self, key: str, default: int, least: int | None = None) -> int:
        """Return a whole number, ``least`` or more."""
        value = self._get(key, default)
        if type(value) is not int or (least is not None and value < least):
            what = "a whole number" if least is None else f"a whole number from {least} on"
            raise self.fault(key, f"is not {what}", f"write {key} = {max(default, least or 0)}")
        return value

    def share(self, key: str, default: float) -> float:
        """Return a number above 0 and at most 1."""
        value = self._get(key, default)
        if type(value) not in (int, float) or not 0 < value <= 1:
            remedy = f"write a share such as {key} = 0.03 (1 for no cap)"
            raise self.fault(key, "is not a number above 0 and up to 1", remedy)
        return float(value)

    def split(self, default: str) -> Split:
        """Return the shares of train, dev and test in the field ``split``."""
        try:
            return Split.of(self.word("split", default))
        except ValueError as error:
            raise self.fault("split", str(error), f"write shares, such as {default}") from error

    def table(self, key: str) -> Mapping[str, Any]:
        """Return a table, empty where there is none."""
        value = self._get(key, {})
        if not isinstance(value, dict):
            raise self.fault(key, "is not a table", f"write it as [{key}]")
        return value

    def inside(self, key: str) -> RecipeFields:
        """Return the fields of a table in this one."""
        name = f"{self.name}.{key}" if self.name else key
        return RecipeFields(self.place, name, self.table(key))

    def entries(self, key: str) -> Iterator[RecipeFields]:
        """Yield the fields of each table in a list of tables."""
        tables = self._get(key, [])
        if not isinstance(tables, list) or not all(isinstance(x, dict) for x in tables):
            raise self.fault(key, "is not a list of tables", f"write each as [[{key}]]")
        for number, table in enumerate(tables, 1):
            yield RecipeFields(self.place, f"{key} {number}", table)

    def demand(self, key: str, word: str, words: Iterable[str]) -> None:
        """Raise where the word in a field is not one of some words."""
        choices = list(dict.fromkeys(words))
        if word not in choices:
            remedy = did_you_mean(word, choices) or f"there is {listing(choices) or 'none'}"
            raise self.fault(key, f"there is no {word}", remedy)

    def demand_plain(self, key: str, name: str, what: str) -> None:
        """Raise where a name cannot be in names of files and folders."""
        odd = any(c in '/\\:*?"<>|\0' or ord(c) < 32 for c in name)
        if odd or not name or name != name.strip(" .\u3000\xa0") or name.casefold() == MANIFEST:
            remedy = 'name it by letters, digits and "_"'
            raise self.fault(key, f"a {what} cannot be named {name!r}", remedy)

    def demand_end(self, more: Iterable[str] = ()) -> None:
        """Raise where the table has a field that is neither asked for nor one of ``more``."""
        known = [*self._asked, *more]
        for key in self.data:
            if key not in known:
                remedy = did_you_mean(key, known) or f"the fields here: {listing(known)}"
                raise self.fault(key, "there is no field of this name here", remedy)

    def demand_apart(self, key: str, names: Sequence[str], what: str, kind: str = "folder") -> None:
        """Raise where names cannot be folders or files beside each other, also on other systems."""
        for name in names:
            self.demand_plain(key, name, what)
        same = same_on_disk(names)
        if same is not None:
            one, other = (names[place] for place in same)
            if one == other:
                raise self.fault(key, f"two {what}s are named {one}", "rename one")
            raise self.fault(key, f"{one} and {other} would be one {kind}", "rename one")
