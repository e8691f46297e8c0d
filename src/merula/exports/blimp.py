"""BLiMP's files: a line of JSON for each minimal pair, a file for each contrast.

The first ten fields are BLiMP's, in its names and types, then come those that its prefix methods
use (empty where a method does not fit a pair). ``config``, ``split``, ``instance``, ``address`` and
the two cells say which rows of the published data the sentences are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from merula.exports.instances import ConfigSplit
from merula.exports.pairs import (
    EXTERNAL,
    ContrastPair,
    Pairs,
    lexically_identical,
    no_contrasts,
    one_prefix,
    pairs_in,
    two_prefix,
)
from merula.exports.request import ExportRequest, Made
from merula.exports.texts import distinct, json_line, name_of, new_file

UNKNOWN_FIELD = "unspecified"


def write(request: ExportRequest, folder: Path) -> Iterator[Made]:
    """Write the files; raises `MerulaError` where there is not one pair."""
    request.demand_files()
    all_pairs = [pairs_in(part, (EXTERNAL,)) for part in request.parts()]
    if not any(pairs.contrasts for pairs in all_pairs):
        raise no_contrasts(request.parts(), request.place)
    for pairs in all_pairs:
        if not pairs.contrasts:
            yield Made.nothing(pairs.part.config)
            continue
        prefix = request.folder_of(pairs.part.split)
        (folder / prefix).mkdir(exist_ok=True)
        uids = uids_of(pairs)
        count = _write(pairs, uids, folder / prefix, request.options.field)
        several = f"{name_of(pairs.part.config.name)}-*"
        name = f"{uids[0] if len(uids) == 1 else several}.jsonl"
        yield Made(prefix + name, count, "pair", len(uids))


def _write(pairs: Pairs, uids: Sequence[str], folder: Path, field: str) -> int:
    """Write a file for each contrast of a part; returns how many pairs there are in all."""
    with ExitStack() as stack:
        opened = [stack.enter_context(new_file(folder / f"{uid}.jsonl")) for uid in uids]
        files = dict(zip(pairs.contrasts, opened, strict=True))
        uid_of = dict(zip(pairs.contrasts, uids, strict=True))
        counts = dict.fromkeys(pairs.contrasts, 0)
        for pair in pairs:
            contrast = pair.contrast
            record = record_of(pairs.part, pair, uid_of[contrast], counts[contrast], field)
            files[contrast].write(json_line(record))
            counts[contrast] += 1
    return sum(counts.values())


def uids_of(pairs: Pairs) -> list[str]:
    """Return the UID of each contrast: the configuration and the brief condition."""
    return distinct(
        name_of(f"{pairs.part.config.name}-{contrast.brief}") for contrast in pairs.contrasts
    )


def record_of(
    part: ConfigSplit, pair: ContrastPair, uid: str, number: int, field: str
) -> dict[str, Any]:
    """Return a pair in BLiMP's fields, with the way back to its rows."""
    one_method, two_method = one_prefix(pair), two_prefix(pair)
    bad_cell, good_cell = pair.contrast.cells
    return {
        "sentence_good": pair.good,
        "sentence_bad": pair.bad,
        "field": field or UNKNOWN_FIELD,
        "linguistics_term": part.config.phenomenon,
        "UID": uid,
        "simple_LM_method": True,
        "one_prefix_method": one_method is not None,
        "two_prefix_method": two_method is not None,
        "lexically_identical": lexically_identical(pair.good, pair.bad),
        "pairID": str(number),
        "one_prefix_prefix": one_method.good if one_method else "",
        "one_prefix_word_good": one_method.good_word if one_method else "",
        "one_prefix_word_bad": one_method.bad_word if one_method else "",
        "two_prefix_prefix_good": two_method.good if two_method else "",
        "two_prefix_prefix_bad": two_method.bad if two_method else "",
        "two_prefix_word": two_method.good_word if two_method else "",
        "contrast": pair.contrast.about,
        "cell_good": good_cell,
        "cell_bad": bad_cell,
        "broken": pair.broken,
        "config": part.config.name,
        "split": part.split,
        "instance": pair.number,
        "address": pair.address,
    }
