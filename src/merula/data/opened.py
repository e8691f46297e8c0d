"""What was published, opened again: its manifest, and its rows as they are when generated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from merula.core.diagnostics import MerulaError
from merula.data.features import ACCEPTABLE, LABEL, Fields
from merula.data.publication import PUBLICATION, ConfigEntry, Publication
from merula.data.publication_folder import is_unfinished
from merula.data.soundness import sound_publication

BATCH = 65_536


class Published:
    """A folder that `merula publish` has made."""

    def __init__(self, folder: Path, about: Publication) -> None:
        self.folder, self.about = folder, about

    @staticmethod
    def open(folder: Path) -> Published:
        """Read the manifest of a folder; raises `MerulaError` where there is none."""
        found = sound_publication(folder)
        if found is None:
            raise MerulaError.of(
                "M720",
                f"there is no published data set in {folder}: it has no {PUBLICATION}",
                remedy="name a folder that `merula publish` has made",
                place=str(folder),
            )
        if is_unfinished(folder):
            raise MerulaError.of(
                "M676",
                f"publishing into {folder} was interrupted while files were put in their places",
                remedy="run the command that publishes it again: it finishes that first",
                place=str(folder),
            )
        return Published(folder, found)

    def rows(
        self, config: ConfigEntry, split: str, *, columns: Sequence[str] | None = None
    ) -> Iterator[Any]:
        """The rows of a split, as record batches of `merula.rows.maker`: words, not numbers.

        ``columns`` names those wanted (``acceptable``, as rows call it). Raises `MerulaError`
        where a file is missing or cannot be read.
        """
        wanted = None if columns is None else [LABEL if c == ACCEPTABLE else c for c in columns]
        for own in config.splits:
            if own.name != split:
                continue
            for part in own.files:
                yield from batches_of(self.folder / part.file, config.fields, wanted)


def batches_of(
    path: Path, fields: Fields, columns: Sequence[str] | None = None, size: int = BATCH
) -> Iterator[Any]:
    """The rows of a file, words again; raises `MerulaError` where it cannot be read."""
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as opened:
            for batch in opened.iter_batches(size, columns=columns, use_threads=False):
                yield fields.decode(batch)
    except (OSError, KeyError, ValueError, pa.ArrowException) as error:
        what = "is missing" if not path.exists() else f"cannot be read: {error}"
        raise MerulaError.of(
            "M720",
            f"{path} {what}".splitlines()[0],
            remedy="publish the data set again, or fetch it again",
            place=str(path),
        ) from error
