"""What is to be exported: a publication, some of its configurations and splits, options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from merula.core.diagnostics import MerulaError
from merula.core.frozen import frozen
from merula.core.wording import did_you_mean, listing
from merula.data.manifests.publication import ConfigEntry
from merula.data.opened import Published
from merula.exports.instances import ConfigSplit

PARADIGM, MATRIX = "paradigm", "matrix"
_PLURAL = {PARADIGM: "paradigms", MATRIX: "matrices"}


@frozen
class ExportOptions:
    """What formats may be told.

    How many instances of each configuration and split are taken (None: all), the seed of an order,
    the repository of the hub that holds the data, the field of linguistics that BLiMP asks for,
    whether items of a rating study may share lexemes.
    """

    instances: int | None = None
    seed: int = 0
    hub: str = ""
    field: str = ""
    share_lexemes: bool = False


@frozen(eq=False)
class ExportRequest:
    """The configurations and splits of a publication that are exported."""

    published: Published
    configs: tuple[ConfigEntry, ...]
    splits: tuple[str, ...]
    options: ExportOptions

    @property
    def place(self) -> str:
        """The publication, as a message names it."""
        return str(self.published.folder)

    def folder_of(self, split: str) -> str:
        """What stands before the names of a split's files: nothing where there is one split."""
        return f"{split}/" if len(self.splits) > 1 else ""

    def parts(self) -> list[ConfigSplit]:
        """Each split of each configuration that has any rows."""
        return [
            ConfigSplit(self.published, config, split, self.options.instances)
            for split in self.splits
            for config in self.configs
            if any(own.name == split and own.rows for own in config.splits)
        ]


@frozen
class Made:
    """What was written of a configuration: how many of what, in how many files.

    Where ``files`` is 0 there was nothing to contrast, and ``file`` is the configuration's name.
    Where splits are in the same files ``number`` is that of ``split``, and ``others`` are those of
    the other splits. ``notes`` are what the user should know.
    """

    file: str
    number: int
    noun: str  # in the singular
    files: int = 1
    split: str = ""
    others: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()

    @staticmethod
    def nothing(config: ConfigEntry) -> Made:
        """A configuration without a single pair."""
        return Made(config.name, 0, "pair", 0)


@frozen
class ExportFormat:
    """A format: what takes it, which kinds of designs fit, which options it reads, its writer."""

    name: str
    about: str
    kinds: tuple[str, ...]
    options: tuple[str, ...]
    write: Callable[[ExportRequest, Path], Iterator[Made]]


def asked(
    form: ExportFormat,
    published: Published,
    configs: Sequence[str],
    splits: Sequence[str],
    options: ExportOptions,
) -> tuple[ExportRequest, list[str]]:
    """What is exported, and the configurations left out since the format does not fit them.

    No names mean everything. Raises `MerulaError` for a name that is not there, a configuration
    that was named and does not fit, and where nothing is left.
    """
    place = str(published.folder)
    every = {config.name: config for config in published.about.configs}
    for name in configs:
        _demand(name, every, "configuration", place)
    known = list(dict.fromkeys(split.name for c in every.values() for split in c.splits))
    for name in splits:
        _demand(name, known, "split", place)
    wanted = [every[name] for name in every if not configs or name in configs]
    fitting = [config for config in wanted if config.kind in form.kinds]
    others = [config.name for config in wanted if config.kind not in form.kinds]
    if others and (configs or not fitting):
        raise _unfit(form, others, [c.name for c in every.values() if c.kind in form.kinds], place)
    chosen = tuple(name for name in known if not splits or name in splits)
    found = ExportRequest(published, tuple(fitting), chosen, options)
    if not found.parts():
        raise MerulaError.of(
            "M744",
            "there are no rows to export",
            remedy=f"name a split that has some: {listing(_filled(fitting), 'or')}",
            place=place,
        )
    return found, others


def _filled(configs: Iterable[ConfigEntry]) -> list[str]:
    return list(dict.fromkeys(s.name for c in configs for s in c.splits if s.rows)) or ["none has"]


def _demand(name: str, known: Iterable[str], what: str, place: str) -> None:
    names = list(known)
    if name not in names:
        raise MerulaError.of(
            "M740",
            f"the published data have no {what} {name}",
            remedy=did_you_mean(name, names) or f"there is {listing(names)}",
            place=place,
        )


def _unfit(
    form: ExportFormat, others: Sequence[str], fitting: Sequence[str], place: str
) -> MerulaError:
    kinds = listing((_PLURAL[kind] for kind in form.kinds), "or")
    verb = "is none" if len(others) == 1 else "are none"
    what = f"--config {fitting[0]}" if fitting else "another format (--as)"
    return MerulaError.of(
        "M741",
        f"{form.name} is a format of {kinds}, and {listing(others)} {verb}",
        remedy=f"name {what}" if not fitting else f"name a configuration that fits: {what}",
        place=place,
    )
