"""A folder of tasks for lm-evaluation-harness (0.4).

In goes an `ExportRequest`, out comes the folder; ``make.FORMATS`` has `write`. The folder contains
``_merula_yaml`` for all tasks, ``_pairs_yaml`` and ``_matrix_yaml`` for those of a kind, and a file
for each task and each group. The data are in ``data`` and read by ``merula_data.py``, so that the
folder can be moved; where a repository of the hub is named they are read from there instead.

Pairs have an empty context, so that the harness scores the whole sentence after the token that
begins a text. Nothing may come between: with its usual delimiter, a space, the first word would be
scored as one in the middle of a sentence. The good sentence is first in every other pair: the
harness counts a tie for the first choice, so a model that cannot tell them apart gets one half.
The answers of a matrix come after its items, with spaces between all of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from merula.core.diagnostics import MerulaError
from merula.core.frozen import frozen
from merula.core.resources import folder as folder_of
from merula.data.manifests.publication import ConfigEntry
from merula.exports.blimp import uids_of
from merula.exports.instances import ConfigSplit
from merula.exports.pairs import EXTERNAL, Pairs, no_contrasts, pairs_in
from merula.exports.request import MATRIX, ExportRequest, Made
from merula.exports.texts import distinct, json_line, name_of, new_file, yaml_text

TEST, TRAIN = "test", "train"
DATA, READER = "data", "merula_data"
VERSION = 1.0  # of the tasks, as the harness prints it: to be raised when their scores change

COMMON = f"""\
# What all tasks have in common. The texts are data: nothing is put around them.
output_type: multiple_choice
custom_dataset: !function {READER}.load
doc_to_text: context
doc_to_choice: choices
doc_to_target: target
metadata:
  version: {VERSION}
"""
KINDS = {
    "pairs": """\
# A sentence after nothing, not even examples: no space may come before its first word.
include: _merula_yaml
num_fewshot: 0
target_delimiter: ""
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
""",
    MATRIX: """\
# An answer after the items, as their next sentence.
include: _merula_yaml
target_delimiter: " "
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
  - metric: acc_norm
    aggregation: mean
    higher_is_better: true
""",
}


@frozen
class LmEvalTask:
    """A task of the harness: a contrast of a paradigm, or a matrix."""

    name: str
    kind: str  # a key of KINDS
    phenomenon: str
    data: Mapping[str, Any]  # the arguments of ``load`` in merula_data.py
    splits: tuple[str, ...]


def write(request: ExportRequest, folder: Path) -> Iterator[Made]:
    """Write the folder; raises `MerulaError` where there is neither a pair nor a matrix."""
    request.demand_files()
    _demand_hub(request)
    prefix = f"merula_{name_of(request.published.about.name)}"
    (folder / DATA).mkdir()
    tasks: list[LmEvalTask] = []
    for config in request.configs:
        parts = [part for part in request.parts() if part.config is config]
        make = _matrix_tasks if config.kind == MATRIX else _pair_tasks
        of_config, counts = make(parts, prefix, folder, request.options.hub)
        if of_config:
            tasks += of_config
            noun = "matrix" if config.kind == MATRIX else "pair"
            name = (
                of_config[0].name if len(of_config) == 1 else f"{prefix}_{name_of(config.name)}-*"
            )
            test = _test_of(list(counts))
            other_splits = tuple((split, count) for split, count in counts.items() if split != test)
            yield Made(f"{name}.yaml", counts[test], noun, len(of_config), test, other_splits)
        elif parts:
            yield Made.nothing(config)
    if not tasks:
        raise no_contrasts(request.parts(), request.place)
    _write_tasks(tasks, folder)
    _write_groups(tasks, prefix, request.published.about.title, folder)
    if request.options.hub:
        (folder / DATA).rmdir()


def _demand_hub(request: ExportRequest) -> None:
    """Raise for a name that is not a repository's, and for a part of a repository's data."""
    hub = request.options.hub
    if hub and not re.fullmatch(r"[\w.-]+/[\w.-]+", hub):
        raise MerulaError.of(
            "M745",
            f"{hub} does not name a data set on the hub",
            remedy="write its owner and its name: --hub owner/name",
            place=request.place,
        )
    if hub and request.options.instances is not None:
        raise MerulaError.of(
            "M745",
            "-n does not go with --hub: these tasks read all instances from the hub",
            remedy="leave -n out, and give lm_eval the option --limit",
            place=request.place,
        )


# --- data --------------------------------------------------------------------------------------


def _matrix_tasks(
    parts: Sequence[ConfigSplit], prefix: str, folder: Path, hub: str
) -> tuple[list[LmEvalTask], dict[str, int]]:
    """Return the task of a matrix, and the count of instances of each split.

    Writes the instances unless ``hub`` is named.
    """
    if not parts:
        return [], {}
    config = parts[0].config
    title, counts, files = name_of(config.name), {}, {}
    for part in parts:
        files[part.split] = f"{DATA}/{title}-{part.split}.jsonl"
        if hub:
            rows = sum(entry.rows for entry in config.splits if entry.name == part.split)
        else:
            rows = _write_matrices(part, folder / files[part.split])
        counts[part.split] = rows
    data = _on_hub(hub, config, list(files)) if hub else {"files": files}
    return [LmEvalTask(f"{prefix}_{title}", MATRIX, config.phenomenon, data, tuple(files))], counts


def _write_matrices(part: ConfigSplit, path: Path) -> int:
    count = 0
    with new_file(path) as out:
        for instance in part.matrices():
            document = {
                "context": " ".join(instance.context),
                "choices": instance.answers,
                "target": instance.correct,
                "labels": instance.labels,
                "items": instance.context,
                "instance": instance.number,
                "address": instance.address,
            }
            out.write(json_line(document))
            count += 1
    return count


def _pair_tasks(
    parts: Sequence[ConfigSplit], prefix: str, folder: Path, hub: str
) -> tuple[list[LmEvalTask], dict[str, int]]:
    """Return a task for each contrast of a paradigm, and the count of pairs of each split."""
    files: dict[str, dict[str, str]] = {}
    cells: dict[str, tuple[str, str]] = {}
    counts: dict[str, int] = {}
    for part in parts:
        pairs = pairs_in(part, (EXTERNAL,))
        uids = uids_of(pairs)
        for contrast, uid in zip(pairs.contrasts, uids, strict=True):
            files.setdefault(uid, {})[part.split] = f"{DATA}/{uid}-{part.split}.jsonl"
            cells[uid] = contrast.cells
        written = [files[uid][part.split] for uid in uids]
        counts[part.split] = _write_pairs(pairs, written, folder, hub)
    tasks = []
    for uid, paths in files.items():
        config = parts[0].config
        data: dict[str, Any] = {"files": paths}
        if hub:
            data = {**_on_hub(hub, config, list(paths)), "cells": list(cells[uid])}
        tasks.append(LmEvalTask(f"{prefix}_{uid}", "pairs", config.phenomenon, data, tuple(paths)))
    return tasks, counts


def _write_pairs(pairs: Pairs, files: Sequence[str], folder: Path, hub: str) -> int:
    """Write the pairs of each contrast, or only count them if a hub is named; return the count."""
    if hub:
        return sum(1 for _ in pairs)
    counts = dict.fromkeys(pairs.contrasts, 0)
    with ExitStack() as stack:
        opened = [stack.enter_context(new_file(folder / file)) for file in files]
        out = dict(zip(pairs.contrasts, opened, strict=True))
        for pair in pairs:
            target = counts[pair.contrast] % 2
            counts[pair.contrast] += 1
            bad, good = pair.contrast.cells
            document = {
                "context": "",
                "choices": [pair.bad, pair.good] if target else [pair.good, pair.bad],
                "target": target,
                "cells": [bad, good] if target else [good, bad],
                "instance": pair.number,
                "address": pair.address,
            }
            out[pair.contrast].write(json_line(document))
    return sum(counts.values())


def _on_hub(hub: str, config: ConfigEntry, splits: list[str]) -> dict[str, Any]:
    return {"hub": hub, "config": config.name, "splits": splits}


def _test_of(splits: Sequence[str]) -> str:
    """Return the split on which a task is done."""
    return TEST if TEST in splits else splits[-1]


# --- YAML --------------------------------------------------------------------------------------


def _write_tasks(tasks: Sequence[LmEvalTask], folder: Path) -> None:
    """Write the files that tasks share, the reader of their data, and a file for each task."""
    _text(folder / "_merula_yaml", COMMON)
    for kind in dict.fromkeys(task.kind for task in tasks):
        _text(folder / f"_{kind}_yaml", KINDS[kind])
    reader = (folder_of("templates") / "exports" / f"{READER}.py.j2").read_text(encoding="utf-8")
    _text(folder / f"{READER}.py", reader)
    for task in tasks:
        _text(folder / f"{task.name}.yaml", "".join(f"{line}\n" for line in _task_lines(task)))


def _task_lines(task: LmEvalTask) -> Iterator[str]:
    yield f"include: _{task.kind}_yaml"
    yield f"task: {yaml_text(task.name)}"
    test = _test_of(task.splits)
    yield f"test_split: {test}"
    if TRAIN in task.splits and test != TRAIN:
        yield f"training_split: {TRAIN}"
        yield f"fewshot_split: {TRAIN}"
    yield "dataset_kwargs:"
    for name, value in task.data.items():
        if isinstance(value, dict):
            yield f"  {name}:"
            for split, file in value.items():
                yield f"    {split}: {yaml_text(file)}"
        elif isinstance(value, list):
            yield f"  {name}: [{', '.join(map(yaml_text, value))}]"
        else:
            yield f"  {name}: {yaml_text(value)}"


def _write_groups(tasks: Sequence[LmEvalTask], prefix: str, title: str, folder: Path) -> None:
    """Write a group for each phenomenon and kind of tasks, and one of all these groups."""
    members: dict[tuple[str, str], list[LmEvalTask]] = {}
    for task in tasks:
        members.setdefault((task.phenomenon, task.kind), []).append(task)
    kinds_of = Counter(phenomenon for phenomenon, _ in members)
    names = distinct(
        f"{prefix}_{name_of(phenomenon)}" + (f"_{kind}" if kinds_of[phenomenon] > 1 else "")
        for phenomenon, kind in members
    )
    for name, ((phenomenon, kind), group) in zip(names, members.items(), strict=True):
        tasks_of_group = [task.name for task in group]
        if tasks_of_group == [name]:
            continue  # a group and a task cannot have the same name
        _text(folder / f"_{name}.yaml", _group(name, phenomenon, tasks_of_group, [kind]))
    kinds = list(dict.fromkeys(task.kind for task in tasks))
    _text(folder / f"_{prefix}.yaml", _group(prefix, title, names, kinds))


def _group(name: str, alias: str, members: Sequence[str], kinds: Sequence[str]) -> str:
    """Return the text of a group. Tasks of two kinds get no mean, since their chance differs."""
    lines = [f"group: {yaml_text(name)}", f"group_alias: {yaml_text(alias or name)}", "task:"]
    lines += [f"  - {yaml_text(member)}" for member in members]
    metrics = {"pairs": ("acc",), MATRIX: ("acc", "acc_norm")}
    if len(kinds) == 1:
        lines.append("aggregate_metric_list:")
        for metric in metrics[kinds[0]]:
            lines += [f"  - metric: {metric}", "    aggregation: mean", "    weight_by_size: false"]
    lines += ["metadata:", f"  version: {VERSION}"]
    return "".join(f"{line}\n" for line in lines)


def _text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
