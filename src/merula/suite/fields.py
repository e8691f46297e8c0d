"""The fields of a table of TOML: each asked for by name and type, what does not fit is raised."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from merula.core.diagnostics import MerulaError
from merula.core.wording import did_you_mean, listing
from merula.suite.splits import Split

_ABSENT: Any = object()


class Fields:
    """A table of a recipe; it notes which of its fields are asked for."""

    def __init__(self, place: str, name: str, data: Mapping[str, Any]) -> None:
        self.place, self.name, self.data = place, name, data
        self._asked: dict[str, None] = {}

    def fault(self, key: str, message: str, remedy: str) -> MerulaError:
        """The error of a field of this table."""
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
        """A text that is not empty."""
        found = self._get(key, default)
        if not isinstance(found, str) or (key in self.data and not found.strip()):
            raise self.fault(key, "is no text", f'write {key} = "…"')
        return found

    def words(self, key: str, default: tuple[str, ...] = _ABSENT) -> tuple[str, ...]:
        """A text, or a list of texts, none of them twice."""
        found = self._get(key, default)
        listed = [found] if isinstance(found, str) else found
        if not isinstance(listed, (list, tuple)) or not all(
            isinstance(x, str) and x.strip() for x in listed
        ):
            raise self.fault(key, "is no list of texts", f'write {key} = ["…", "…"]')
        return tuple(dict.fromkeys(listed))

    def number(self, key: str, default: int, least: int | None = None) -> int:
        """A whole number."""
        found = self._get(key, default)
        if type(found) is not int or (least is not None and found < least):
            what = "a whole number" if least is None else f"a whole number from {least} on"
            raise self.fault(key, f"is not {what}", f"write {key} = {max(default, least or 0)}")
        return found

    def share(self, key: str, default: float) -> float:
        """A number above 0 and at most 1."""
        found = self._get(key, default)
        if type(found) not in (int, float) or not 0 < found <= 1:
            remedy = f"write a share such as {key} = 0.03 (1 for no cap)"
            raise self.fault(key, "is no number above 0 and up to 1", remedy)
        return float(found)

    def split(self, default: str) -> Split:
        """Shares of train, dev and test, in the field ``split``."""
        try:
            return Split.of(self.word("split", default))
        except ValueError as error:
            raise self.fault("split", str(error), f"write shares, such as {default}") from error

    def table(self, key: str) -> Mapping[str, Any]:
        """A table, empty where it is not there."""
        found = self._get(key, {})
        if not isinstance(found, dict):
            raise self.fault(key, "is no table", f"write it as [{key}]")
        return found

    def inside(self, key: str) -> Fields:
        """The fields of a table in this one."""
        name = f"{self.name}.{key}" if self.name else key
        return Fields(self.place, name, self.table(key))

    def entries(self, key: str) -> Iterator[Fields]:
        """The tables of a list of tables."""
        found = self._get(key, [])
        if not isinstance(found, list) or not all(isinstance(x, dict) for x in found):
            raise self.fault(key, "is no list of tables", f"write each as [[{key}]]")
        for number, entry in enumerate(found, 1):
            yield Fields(self.place, f"{key} {number}", entry)

    def known(self, key: str, word: str, words: Iterable[str]) -> None:
        """Raise where a word is not one of some words."""
        there = list(dict.fromkeys(words))
        if word not in there:
            remedy = did_you_mean(word, there) or f"there is {listing(there) or 'none'}"
            raise self.fault(key, f"there is no {word}", remedy)

    def refuse_others(self, more: Iterable[str] = ()) -> None:
        """Raise where the table has a field that nobody asks for."""
        known = [*self._asked, *more]
        for key in self.data:
            if key not in known:
                remedy = did_you_mean(key, known) or f"what can stand here: {listing(known)}"
                raise self.fault(key, "nothing is called so here", remedy)
