"""The reading of a published data set: all of it, or the first instances of each split."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from merula.audit.format_names import MATRICES, SENTENCES
from merula.audit.reading.matrix_formats import MATRIX_COLUMNS, read_matrices
from merula.audit.reading.rows import COLUMNS, Columns, Read, read_sentences
from merula.audit.reading.tables import DataTable, columns_of
from merula.data.manifests.publication import ConfigEntry, Publication, SplitEntry
from merula.data.published_rows import BATCH, batches_of

Where = Callable[[str], Path]


def read_published(
    publication: Publication,
    where: Where,
    instances: Mapping[tuple[str, str, str], int] | None = None,
) -> Iterator[tuple[str, str, Read]]:
    """Yield each file of the data: its path in the publication, its format, its content.

    ``where`` returns the path of a file on the disk. ``instances`` has how many are read of each
    configuration, split and design; None: all. Raises `MerulaError` where a file cannot be read.
    """
    for config in publication.configs:
        for split in config.splits:
            left = {
                design: size if instances is None else instances[config.name, split.name, design]
                for design, size in split.by_design.items()
            }
            for part in split.files:
                size = min(left[part.design], part.instances)
                left[part.design] -= size
                if size:
                    format_name, read = _read(config, split, where(part.file), part.file, size)
                    yield part.file, format_name, read


def _read(
    config: ConfigEntry, split: SplitEntry, path: Path, name: str, instances: int
) -> tuple[str, Read]:
    """Return the format and the first instances of a file."""
    paradigm = config.kind == "paradigm"
    rows = instances * (config.cells if paradigm else 1)
    table = _table(config, path, COLUMNS if paradigm else MATRIX_COLUMNS, rows)
    place = Path(name)
    if paradigm:
        read = read_sentences(place, table, config.name, Columns())
        return SENTENCES, Read([s._replace(split=split.name) for s in read.sentences])
    matrices = [
        m._replace(split=split.name, language=config.language)
        for m in read_matrices(place, table, config.name)
    ]
    return MATRICES, Read(matrices=matrices)


def _table(config: ConfigEntry, path: Path, wanted: Any, rows: int) -> DataTable:
    batches, read = [], 0
    for whole in batches_of(path, config.fields, size=min(rows, BATCH)):
        batch = whole.slice(0, rows - read)
        batches.append(batch.select([n for n in batch.schema.names if n in wanted]))
        read += batch.num_rows
        if read >= rows:
            break
    table = pa.Table.from_batches(batches)
    return DataTable(columns_of(table), range(1, table.num_rows + 1))
