"""The names of file formats and layouts, for whoever names one without loading Arrow."""

from __future__ import annotations

FORMATS = ("parquet", "arrow", "jsonl", "csv")
LAYOUTS = {"wide": "tsv", "genbench": "jsonl", "xy": "json"}  # of matrices, with their suffixes
TEXT_FORMATS = ("jsonl", "csv", *LAYOUTS)  # their bytes are the same everywhere

SENTENCES_PER_FILE = 1_048_576  # 2²⁰: eight row groups of Parquet (`formats.ROW_GROUP`)


def suffix(format_name: str) -> str:
    """Return what the names of files of a format or layout end in, without the dot."""
    return LAYOUTS.get(format_name, format_name)
