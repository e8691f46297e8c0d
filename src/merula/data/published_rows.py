"""Parquet files of published rows: written with their digest, read and made again for it.

In come `ConfigInstances` (designs and addresses) and a part of them, out come its file and its
`PartEntry`. `merula publish` writes with it; `verify`, `audit` and `export` read with it. Rows are
those of `merula.rows.maker`, files have the types of `merula.data.features`.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
from numpy.typing import NDArray

from merula.compiler.compiled import Compiled, CompiledDesign
from merula.core.diagnostics import MerulaError
from merula.core.files import replacing
from merula.core.frozen import frozen
from merula.data.digest import BlockHasher, summed, written
from merula.data.features import Fields
from merula.data.formats import Stored, in_blocks
from merula.data.manifests.publication import ConfigEntry, PartEntry
from merula.data.schema import common_schema, fitted
from merula.rows.maker import RowChoice, RowMaker
from merula.rows.variation import AddressSpace, Variation

BATCH = 65_536  # rows that are read at a time
ROW_GROUP = 65_536  # rows; what a reader that streams has to fetch at least

Write = Callable[[Any], None]


@frozen(eq=False)
class Block:
    """Instances of one design in a split, numbered from ``first``.

    Without ``addresses`` they are those at the same places of the seed's order.
    """

    split: str
    design: CompiledDesign
    first: int
    instances: int
    addresses: NDArray[Any] | None = None


@frozen(eq=False)
class ConfigInstances:
    """The instances of a configuration: of a paradigm, or of matrices that belong together.

    ``name`` is that of the design, or of the set of matrices. ``blocks`` follow one another, and
    the blocks of a split are neighbours.
    """

    compiled: Compiled
    name: str
    designs: tuple[CompiledDesign, ...]
    variation: Variation
    blocks: tuple[Block, ...]

    def forget(self) -> None:
        """Free the tables that lead from addresses to lexemes; they are made again when needed."""
        for design in self.designs:
            for plan in design.plans:
                plan.space.forget()


def batches_of(
    path: Path, fields: Fields, columns: Sequence[str] | None = None, size: int = BATCH
) -> Iterator[Any]:
    """Yield the rows of a file, as words; raises `MerulaError` where it cannot be read."""
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


@dataclass(frozen=True, eq=False)
class Maker:
    """Makes the files of a configuration; a plain value that can be sent to another process."""

    drawn: ConfigInstances
    seed: int
    features: Fields

    @cached_property
    def rows(self) -> tuple[RowMaker, ...]:
        """A maker of rows for each block."""
        drawn = self.drawn
        makers = []
        for block in drawn.blocks:
            possible = AddressSpace(block.design, drawn.variation).count
            count = min(block.first + block.instances, possible)
            selection = RowChoice(count, self.seed, drawn.variation, spans=True)
            maker = RowMaker(drawn.compiled, block.design, selection, block.addresses, block.first)
            makers.append(maker)
        return tuple(makers)

    @cached_property
    def schema(self) -> Any:
        """The schema of the rows of all designs."""
        schemas = [maker.schema for maker in self.rows]
        return schemas[0] if len(self.drawn.designs) == 1 else common_schema(schemas)

    def _of(self, part: PartEntry) -> RowMaker:
        """Return the maker of the rows of a part; raises ValueError where no block has them."""
        for maker, block in zip(self.rows, self.drawn.blocks, strict=True):
            if block.first <= part.first < block.first + block.instances:
                return maker
        raise ValueError(f"{part.file} holds no instances")

    def batches(self, part: PartEntry, digests: list[int]) -> Iterator[Any]:
        """Yield the rows of a part, each batch with its digest added to ``digests``."""
        maker = self._of(part)
        hasher, first = BlockHasher(self.schema), part.first
        for batch in maker.batches(part.first, part.first + part.instances, self.rows[0].chunk):
            rows = batch if batch.schema == self.schema else fitted(batch, self.schema)
            digests.append(hasher.block(rows, first))
            first += rows.num_rows // maker.rows_per_instance
            yield rows

    def digest(self, part: PartEntry) -> str:
        """Return the digest of a part that is made again."""
        digests: list[int] = []
        for _ in self.batches(part, digests):
            pass
        return written(summed(digests))

    def write(self, part: PartEntry, path: Path) -> PartEntry:
        """Write a part under another name and move it to its place; returns its complete entry."""
        path.parent.mkdir(parents=True, exist_ok=True)
        digests: list[int] = []
        memory = 0
        with replacing(path) as temporary:
            with parquet(temporary, self.features) as write:
                for batch in self.batches(part, digests):
                    published = self.features.encode(batch)
                    memory += published.nbytes
                    write(published)
            stored = Stored.of(temporary)
        return replace(
            part,
            bytes=stored.size,
            memory=memory,
            sha256=stored.sha256,
            digest=written(summed(digests)),
        )


@contextmanager
def parquet(path: Path, features: Fields) -> Iterator[Write]:
    """Give a function that writes batches of published rows into a Parquet file."""
    import pyarrow.parquet as pq

    schema = features.arrow_schema()
    group: list[Any] = []
    with pq.ParquetWriter(
        path,
        schema,
        compression="snappy",
        use_dictionary=_repeated(schema),
        write_statistics=["instance"],
    ) as writer:

        def finish() -> None:
            if group:
                writer.write_table(pa.Table.from_batches(group, schema), row_group_size=2**30)
                group.clear()

        def write(batch: Any) -> None:
            group.append(batch.replace_schema_metadata(schema.metadata))
            if sum(item.num_rows for item in group) >= ROW_GROUP:
                finish()

        yield write
        finish()


def _repeated(schema: Any) -> list[str]:
    """Return the columns whose values repeat, by the names that Parquet has for them."""
    return [
        path
        for field in schema
        if field.name not in ("address", "instance", "sentence", "context", "answers")
        for path in _leaves(field.name, field.type)
    ]


def _leaves(name: str, kind: Any) -> Iterator[str]:
    if pa.types.is_struct(kind):
        for field in kind:
            yield from _leaves(f"{name}.{field.name}", field.type)
    elif pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind):
        yield from _leaves(f"{name}.list.element", kind.value_type)
    else:
        yield name


def stored_digest(config: ConfigEntry, part: PartEntry, path: Path) -> tuple[str, int]:
    """Return the digest of what the rows of a file say, and how many there are.

    Raises OSError, ValueError or pyarrow's errors where the file is not one.
    """
    import pyarrow.parquet as pq

    features = config.fields
    cells = config.cells if config.kind == "paradigm" else 1
    size, rows = config.block * cells, 0
    digests: list[int] = []
    hasher = None
    with pq.ParquetFile(path) as file:
        if file.schema_arrow.names != list(features.names):
            raise ValueError(f"its columns are {', '.join(file.schema_arrow.names)}")
        for table in in_blocks(file.iter_batches(BATCH, use_threads=False), size):
            (published,) = table.to_batches()
            batch = features.decode(published)
            hasher = hasher or BlockHasher(batch.schema)
            digests.append(hasher.block(batch, part.first + rows // cells))
            rows += batch.num_rows
    return written(summed(digests)), rows


# --- in other processes ------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _kept(path: Path) -> Maker:
    maker: Maker = pickle.loads(path.read_bytes())
    return maker


def write_kept(folder: str, job: tuple[int, PartEntry, Path]) -> PartEntry:
    """Write a part with one of the makers that are pickled in a folder, named by numbers."""
    number, part, place = job
    return _kept(Path(folder, str(number))).write(part, place)
