"""Data sets opened again: what was published, a run of `generate`, or a suite.

`open_data_set` gives any of them as one kind of value: configurations, and files whose rows
belong to them. `Published` is what more there is of a published one. Rows are read as Arrow
batches with the columns of `merula.rows.maker`, some of them at a time.

`merula audit`, `report`, `export` and `publish` call it. The manifest of a publication is
believed only if all its files are inside the folder (`manifests.soundness`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

import pyarrow as pa

from merula.core.diagnostics import MerulaError, Report
from merula.core.frozen import frozen
from merula.core.source import Source
from merula.data.features import ACCEPTABLE, LABEL, ClassNames, Fields, Items
from merula.data.format_names import TEXT_FORMATS
from merula.data.manifests.publication import AUDIT, PUBLICATION, ConfigEntry, Publication
from merula.data.manifests.read import manifest_in
from merula.data.manifests.run import MANIFEST, RunManifest
from merula.data.manifests.soundness import sound_publication
from merula.data.manifests.suite import MatrixRecord, ParadigmRecord, SuiteManifest
from merula.data.publication_folder import is_unfinished
from merula.data.published_rows import batches_of
from merula.grammar.program import read_files

BATCH = 16_384  # rows read at a time; fewer than of published rows, since a row of a matrix is long
MATRIX = "matrix"


@frozen
class SplitSize:
    """A split of a configuration."""

    name: str
    instances: int
    rows: int


@frozen
class Config:
    """A configuration: ``rows_each`` is how many rows an instance has.

    ``labels`` are the answers of a matrix in the order of its design, and ``cells`` the names of
    the numbers of the cells of a paradigm, where they are known; ``rules`` says of rules what they
    demand, where they say it.
    """

    name: str
    kind: str
    language: str
    about: str
    of: str  # how many instances there could be
    splits: tuple[SplitSize, ...]
    rows_each: int
    labels: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    rules: Mapping[str, str] = field(default_factory=dict)

    @property
    def instances(self) -> int:
        """How many instances all its splits have."""
        return sum(split.instances for split in self.splits)

    @property
    def rows(self) -> int:
        """How many rows all its splits have."""
        return sum(split.rows for split in self.splits)


@frozen
class DataFile:
    """A file of rows, all of one split; an empty ``config`` says that each row tells its own."""

    path: Path
    format_name: str
    split: str
    config: str
    fields: Fields | None = None  # of what was published

    def batches(
        self, columns: Sequence[str] | None = None, groups: Sequence[int] | None = None
    ) -> Iterator[Any]:
        """Yield the rows, or those columns of them that there are; raises `MerulaError`.

        ``groups`` are the row groups that are read of a Parquet file.
        """
        try:
            read = _parquet if self.format_name == "parquet" else _arrow
            for batch in read(self.path, columns, groups):
                yield batch if self.fields is None else self.fields.decode(batch)
        except (OSError, ValueError, KeyError, pa.ArrowException) as error:
            reason = getattr(error, "strerror", None)
            what = f"cannot be read: {reason}" if reason else "is damaged, or of another kind"
            if not self.path.exists():
                what = "is missing"
            raise MerulaError.of(
                "M731",
                f"{self.path} {what}",
                remedy="`merula verify` says what else is wrong; make or fetch the data again",
                place=str(self.path),
            ) from error

    def groups(self) -> list[int]:
        """Return how many rows each row group has; an Arrow file is one."""
        if self.format_name != "parquet":
            return [sum(batch.num_rows for batch in self.batches(["instance"]))]
        import pyarrow.parquet as pq

        with pq.ParquetFile(self.path) as opened:
            about = opened.metadata
            return [about.row_group(i).num_rows for i in range(about.num_row_groups)]


@frozen
class DataSet:
    """A data set as a page shows it; ``facts`` are names with texts, such as ``Licence``.

    ``audit`` is what `merula audit` has found, ``left_out`` says which of its data are not shown.
    """

    title: str
    facts: tuple[tuple[str, str], ...]
    configs: tuple[Config, ...]
    files: tuple[DataFile, ...]
    audit: Mapping[str, Any] | None = None
    left_out: str = ""

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return sum(config.rows for config in self.configs)


def open_data_set(folder: Path) -> DataSet:
    """Return the data set in a folder; raises `MerulaError` where none can be shown."""
    match manifest_in(folder):
        case Publication():
            return _published(Published.open(folder))
        case RunManifest() as manifest:
            return _run(folder, manifest)
        case SuiteManifest() as manifest:
            return _suite(folder, manifest)
    what = "does not exist" if not folder.exists() else f"has neither {PUBLICATION} nor {MANIFEST}"
    raise MerulaError.of(
        "M730",
        f"there is no data set in {folder}: it {'is a file' if folder.is_file() else what}",
        remedy="name a folder that `merula publish`, `merula generate` or `merula suite` has made",
        place=str(folder),
    )


# --- what was published ------------------------------------------------------------------------


class Published:
    """A folder that `merula publish` has made."""

    def __init__(self, folder: Path, about: Publication) -> None:
        self.folder, self.about = folder, about

    @staticmethod
    def open(folder: Path) -> Published:
        """Read the manifest of a folder; raises `MerulaError` where there is none."""
        publication = sound_publication(folder)
        if publication is None:
            raise MerulaError.of(
                "M720",
                f"there is no published data set in {folder}: it has no {PUBLICATION}",
                remedy="name a folder that `merula publish` has made",
                place=str(folder),
            )
        demand_finished(folder)
        return Published(folder, publication)

    def rows(
        self, config: ConfigEntry, split: str, *, columns: Sequence[str] | None = None
    ) -> Iterator[Any]:
        """Yield the rows of a split as record batches of `merula.rows.maker`: words, not numbers.

        ``columns`` names those wanted (``acceptable``, as rows call it). Raises `MerulaError`
        where a file is missing or cannot be read.
        """
        wanted = None if columns is None else [LABEL if c == ACCEPTABLE else c for c in columns]
        for entry in config.splits:
            if entry.name != split:
                continue
            for part in entry.files:
                yield from batches_of(self.folder / part.file, config.fields, wanted)


def demand_finished(folder: Path) -> None:
    """Raise `MerulaError` where a run was ended while it moved published files."""
    if is_unfinished(folder):
        raise MerulaError.of(
            "M676",
            f"publishing into {folder} was interrupted while files were put in their places",
            remedy="run the command that publishes it again: it finishes that first",
            place=str(folder),
        )


def _published(data: Published) -> DataSet:
    about = data.about
    rules = {grammar.phenomenon: _rules(data.folder, grammar.source) for grammar in about.grammars}
    files = tuple(
        DataFile(data.folder / part.file, "parquet", split.name, config.name, config.fields)
        for config in about.configs
        for split in config.splits
        for part in split.files
    )
    configs = tuple(_config(config, rules.get(config.phenomenon, {})) for config in about.configs)
    facts = tuple((name, text) for name, text in _facts(about) if text)
    return DataSet(about.title or about.name, facts, configs, files, _audit(data.folder))


def _facts(about: Publication) -> Iterator[tuple[str, str]]:
    yield "Name", about.name if about.title and about.title != about.name else ""
    yield "Licence", about.licence
    yield "Authors", ", ".join(about.authors)
    yield "Languages", ", ".join(about.languages)
    yield (
        "Phenomena",
        "; ".join(
            f"{grammar.phenomenon}: {grammar.about}" if grammar.about else grammar.phenomenon
            for grammar in about.grammars
        ),
    )
    yield "Made by", f"Merula {about.merula}"
    yield "Command", about.command


def _config(config: ConfigEntry, rules: Mapping[str, str]) -> Config:
    matrix = config.kind == MATRIX
    return Config(
        config.name,
        config.kind,
        config.language,
        config.about,
        config.of,
        tuple(SplitSize(s.name, s.instances, s.rows) for s in config.splits),
        1 if matrix else max(config.cells, 1),
        _names(config.fields, "labels"),
        _names(config.fields, "cell"),
        rules,
    )


def _names(fields: Fields, name: str) -> tuple[str, ...]:
    """Return the names of the numbers of a column; none where it has no class labels."""
    feature = dict(fields.fields).get(name)
    feature = feature.of if isinstance(feature, Items) else feature
    return feature.names if isinstance(feature, ClassNames) else ()


def _rules(folder: Path, source: str) -> dict[str, str]:
    """Return what the rules of a grammar demand, by their names in rows (``E agreement``)."""
    path = folder / source
    if not source or Path(source).is_absolute() or ".." in Path(source).parts:
        return {}  # a manifest from elsewhere does not decide what is read
    try:
        text = path.read_text(encoding="utf-8-sig").replace("\r\n", "\n")
        files = read_files(Source(source, text, path), Report())
    except (MerulaError, OSError, ValueError):
        return {}
    demands = {}
    for file in files:
        for letter, rules in (("E", file.external), ("I", file.internal)):
            demands.update({f"{letter} {rule.name.text}": rule.doc for rule in rules if rule.doc})
    return demands


def _audit(folder: Path) -> Mapping[str, Any] | None:
    path = folder / AUDIT
    try:
        audit = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
    except (OSError, ValueError) as error:
        raise MerulaError.of(
            "M731",
            f"{path} cannot be read: {error}".splitlines()[0],
            remedy="make the data set again, or delete this file",
            place=str(path),
        ) from error
    return audit if isinstance(audit, Mapping) else None


# --- runs and suites ---------------------------------------------------------------------------


def _run(folder: Path, manifest: RunManifest) -> DataSet:
    _demand_binary(folder, manifest.format)
    title = ", ".join(dict.fromkeys(design.phenomenon for design in manifest.designs))
    files = tuple(DataFile(folder / f.file, manifest.format, "", f.title) for f in manifest.files)
    configs = tuple(
        Config(
            design.title,
            design.kind,
            design.language,
            "",
            design.of,
            (SplitSize("", design.instances, design.rows),),
            max(design.rows // max(design.instances, 1), 1),
        )
        for design in manifest.designs
    )
    facts = [
        ("Languages", ", ".join(dict.fromkeys(c.language for c in configs if c.language))),
        ("Variation", f"type {manifest.variation}" if _has_matrices(configs) else ""),
        ("Seed", str(manifest.seed)),
        ("Made by", f"Merula {manifest.merula}"),
    ]
    return DataSet(title, tuple(fact for fact in facts if fact[1]), configs, files)


def _has_matrices(configs: Sequence[Config]) -> bool:
    return any(config.kind == MATRIX for config in configs)


def _suite(folder: Path, manifest: SuiteManifest) -> DataSet:
    options = manifest.options
    layout = str(options.get("layout"))
    format_name = str(options.get("format", "")) if layout == "merula" else layout
    _demand_binary(folder, format_name)
    tables = [record.file for record in manifest.files]
    configs = [*map(_paradigms, manifest.designs), *map(_matrices, manifest.matrices)]
    files = tuple(
        DataFile(folder / name, format_name, Path(name).stem, _owner(name, configs))
        for name in tables
        if name.startswith("sentences/") or _owner(name, configs)
    )
    shown = {str(file.path.relative_to(folder).as_posix()) for file in files}
    hidden = list(dict.fromkeys(name.partition("/")[0] for name in tables if name not in shown))
    facts = (
        ("Suite", manifest.suite),
        ("Languages", ", ".join(dict.fromkeys(c.language for c in configs if c.language))),
        ("Seed", str(options.get("seed", ""))),
        ("Made by", f"Merula {manifest.merula}"),
    )
    left_out = f"Not shown here: the files in {', '.join(hidden)}." if hidden else ""
    title = manifest.about or manifest.suite
    return DataSet(title, facts, tuple(configs), files, None, left_out)


def _paradigms(record: ParadigmRecord) -> Config:
    each = max(record.sentences // max(record.paradigms, 1), 1)
    splits = tuple(SplitSize(name, n, n * each) for name, n in record.splits.items())
    name = f"{record.part}-{record.design}"
    return Config(name, "paradigm", record.language, "", record.of, splits, each)


def _matrices(record: MatrixRecord) -> Config:
    splits = tuple(SplitSize(name, n, n) for name, n in record.splits.items())
    name = f"{record.part}-{record.set}-type_{record.type}"
    return Config(name, MATRIX, record.language, "", record.of, splits, 1)


def _owner(file: str, configs: Sequence[Config]) -> str:
    """Return the configuration of matrices that a file of a suite belongs to, or an empty text."""
    name = "-".join(Path(file).parts[:-1])
    return name if any(c.name == name for c in configs) else ""


def _demand_binary(folder: Path, format_name: str) -> None:
    if format_name in (*TEXT_FORMATS, "published"):
        raise MerulaError.of(
            "M732",
            f"the data in {folder} are written as {format_name}, which cannot be shown",
            remedy="make them with `--format parquet` (and of a suite without `--layout`)",
            place=str(folder),
        )


OWNER = ("environment", "design")  # columns that name the configuration, in files of several


def owners(batch: Any) -> Any:
    """Return the name of the configuration of each row of a batch, as an Arrow array."""
    import pyarrow.compute as pc

    columns = [batch.column(name).cast(pa.string()) for name in OWNER]
    return pc.binary_join_element_wise(*columns, "-")


# --- files -------------------------------------------------------------------------------------


def _parquet(
    path: Path, columns: Sequence[str] | None, groups: Sequence[int] | None
) -> Iterator[Any]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as opened:
        stored = opened.schema_arrow.names
        wanted = None if columns is None else _stored(columns, stored)
        yield from opened.iter_batches(BATCH, row_groups=groups, columns=wanted, use_threads=False)


def _stored(columns: Sequence[str], stored: Sequence[str]) -> list[str]:
    """Return the columns that a file has; labels of published data have a name of their own."""
    names = (LABEL if name == ACCEPTABLE and LABEL in stored else name for name in columns)
    return [name for name in names if name in stored]


def _arrow(
    path: Path, columns: Sequence[str] | None, groups: Sequence[int] | None
) -> Iterator[Any]:
    del groups
    with path.open("rb") as file, pa.ipc.open_stream(file) as reader:
        for batch in reader:
            wanted = [c for c in columns or batch.schema.names if c in batch.schema.names]
            for start in range(0, batch.num_rows, BATCH):
                yield batch.select(wanted).slice(start, BATCH)
