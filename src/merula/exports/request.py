"""A request for an export: a publication, the configurations and splits of it, the options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from merula.core.diagnostics import MerulaError
from merula.core.files import same_on_disk
from merula.core.frozen import frozen
from merula.core.wording import did_you_mean, listing
from merula.data.manifests.publication import ConfigEntry
from merula.data.opened import Published
from merula.exports.instances import ConfigSplit
from merula.exports.texts import name_of

PARADIGM, MATRIX = "paradigm", "matrix"
_PLURAL = {PARADIGM: "paradigms", MATRIX: "matrices"}


@frozen
class ExportOptions:
    """The options of all formats; each reads those that its `ExportFormat` names."""

    instances: int | None = None  # of each configuration and split; None: all
    seed: int = 0  # of the order of sentences in a list
    hub: str = ""  # the repository of the data, owner/name; empty: files beside the tasks
    field: str = ""  # of linguistics, as BLiMP has it; empty: unspecified
    share_lexemes: bool = False  # whether items of a rating study may have lexemes in common


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
        """Return what precedes the names of a split's files; empty where there is one split."""
        return f"{split}/" if len(self.splits) > 1 else ""

    def demand_files(self) -> None:
        """Raise `MerulaError` where files named after two configurations would be one.

        The names are in ASCII: ``dogs__a`` and ``dogs_a`` differ, and their files do not.
        """
        names = [config.name for config in self.configs]
        same = same_on_disk(map(name_of, names))
        if same is not None:
            one, other = (names[i] for i in same)
            raise MerulaError.of(
                "M613",
                f"two configurations would be written to the file {name_of(one)}",
                remedy="export them into two folders (--config)",
                place=f"{one} and {other}",
            )

    def parts(self) -> list[ConfigSplit]:
        """Return each split of each configuration that has any rows."""
        return [
            ConfigSplit(self.published, config, split, self.options.instances)
            for split in self.splits
            for config in self.configs
            if any(entry.name == split and entry.rows for entry in config.splits)
        ]


@frozen
class Made:
    """A count of what was written of a configuration, and in how many files.

    Where ``files`` is 0 there was nothing to contrast, and ``file`` is the configuration's name.
    Where splits are in the same files ``count`` is that of ``split``, and ``other_splits`` has the
    name and the count of each of the rest. ``notes`` are sentences for the user.
    """

    file: str
    count: int
    noun: str  # in the singular
    files: int = 1
    split: str = ""
    other_splits: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()

    @staticmethod
    def nothing(config: ConfigEntry) -> Made:
        """Return the count of a configuration without a single pair."""
        return Made(config.name, 0, "pair", 0)


@frozen
class ExportFormat:
    """A format: its name, the kinds of designs that fit, the options it reads, its writer.

    ``write`` puts files into an empty folder and yields a count for each configuration done.
    """

    name: str
    kinds: tuple[str, ...]
    options: tuple[str, ...]
    write: Callable[[ExportRequest, Path], Iterator[Made]]


def request_for(
    export_format: ExportFormat,
    published: Published,
    configs: Sequence[str],
    splits: Sequence[str],
    options: ExportOptions,
) -> tuple[ExportRequest, list[str]]:
    """Return what is exported, and the names of the configurations that the format does not fit.

    No names mean everything. Raises `MerulaError` for an unknown name, for a configuration
    that was named and does not fit, and where nothing is left.
    """
    place = str(published.folder)
    all_configs = {config.name: config for config in published.about.configs}
    for name in configs:
        _demand(name, all_configs, "configuration", place)
    split_names = list(
        dict.fromkeys(split.name for c in all_configs.values() for split in c.splits)
    )
    for name in splits:
        _demand(name, split_names, "split", place)
    named = [all_configs[name] for name in all_configs if not configs or name in configs]
    fitting = [config for config in named if config.kind in export_format.kinds]
    unfit = [config.name for config in named if config.kind not in export_format.kinds]
    if unfit and (configs or not fitting):
        good = [c.name for c in all_configs.values() if c.kind in export_format.kinds]
        raise _unfit(export_format, unfit, good, place)
    chosen = tuple(name for name in split_names if not splits or name in splits)
    request = ExportRequest(published, tuple(fitting), chosen, options)
    if not request.parts():
        raise MerulaError.of(
            "M744",
            "there are no rows to export",
            remedy=f"name a split with rows: {listing(_filled(fitting), 'or')}",
            place=place,
        )
    return request, unfit


def _filled(configs: Iterable[ConfigEntry]) -> list[str]:
    return list(dict.fromkeys(s.name for c in configs for s in c.splits if s.rows)) or ["none has"]


def _demand(name: str, candidates: Iterable[str], what: str, place: str) -> None:
    names = list(candidates)
    if name not in names:
        raise MerulaError.of(
            "M740",
            f"the published data have no {what} `{name}`",
            remedy=did_you_mean(name, names) or f"name one of theirs: {listing(names)}",
            place=place,
        )


def _unfit(
    export_format: ExportFormat, unfit: Sequence[str], fitting: Sequence[str], place: str
) -> MerulaError:
    kinds = listing((_PLURAL[kind] for kind in export_format.kinds), "or")
    verb = "does" if len(unfit) == 1 else "do"
    return MerulaError.of(
        "M741",
        f"{listing(unfit)} {verb} not fit {export_format.name}, a format of {kinds}",
        remedy=f"name a configuration that fits: --config {fitting[0]}"
        if fitting
        else "name another format (--as)",
        place=place,
    )
