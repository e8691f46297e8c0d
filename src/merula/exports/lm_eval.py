"""A folder of tasks for lm-evaluation-harness (0.4).

``_merula_yaml`` is what all tasks have in common, ``_pairs_yaml`` and ``_matrix_yaml`` what those
of a kind have; a task is a file of its own, and so is a group. The data stand in ``data`` and are
read by ``merula_data.py``, so that the folder can be moved.

Pairs have an empty context, so that the harness scores the whole sentence after the token that
begins a text. Nothing may come between: with its usual delimiter, a space, the first word would be
scored as one in the middle of a sentence. The good sentence stands first in every other pair, so
that a model for which both are equal, which the harness counts for the first, gets one half.
The answers of a matrix go on after its items, which are joined by spaces, and a space.
"""

from __future__ import annotations

import re
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
VERSION = 1.0

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
    """A task: its name, its kind, the phenomenon, where its documents come from in each split."""

    name: str
    kind: str
    phenomenon: str
    data: Mapping[str, Any]
    splits: tuple[str, ...]


def write(asked: ExportRequest, folder: Path) -> Iterator[Made]:
    """Write the folder; raises `MerulaError` where there is neither a pair nor a matrix."""
    _demand_hub(asked)
    prefix = f"merula_{name_of(asked.published.about.name)}"
    (folder / DATA).mkdir()
    tasks: list[LmEvalTask] = []
    for config in asked.configs:
        parts = [part for part in asked.parts() if part.config is config]
        make = _matrix_tasks if config.kind == MATRIX else _pair_tasks
        made, numbers = make(parts, prefix, folder, asked.options.hub)
        if made:
            tasks += made
            noun = "matrix" if config.kind == MATRIX else "pair"
            name = made[0].name if len(made) == 1 else f"{prefix}_{name_of(config.name)}-*"
            test = _test_of(list(numbers))
            others = tuple((own, n) for own, n in numbers.items() if own != test)
            yield Made(f"{name}.yaml", numbers[test], noun, len(made), test, others)
        elif parts:
            yield Made.nothing(config)
    if not tasks:
        raise no_contrasts(asked.parts(), asked.place)
    _write_tasks(tasks, folder)
    _write_groups(tasks, prefix, asked.published.about.title, folder)
    if asked.options.hub:
        (folder / DATA).rmdir()


def _demand_hub(asked: ExportRequest) -> None:
    """Refuse what is no name of a repository, and a part of what stands there."""
    hub = asked.options.hub
    if hub and not re.fullmatch(r"[\w.-]+/[\w.-]+", hub):
        raise MerulaError.of(
            "M745",
            f"{hub} is no data set on the hub",
            remedy="write its owner and its name: --hub owner/name",
            place=asked.place,
        )
    if hub and asked.options.instances is not None:
        raise MerulaError.of(
            "M745",
            "tasks that read the hub have all instances of it",
            remedy="leave -n out, and give lm_eval the option --limit",
            place=asked.place,
        )


# --- data --------------------------------------------------------------------------------------


def _matrix_tasks(
    parts: Sequence[ConfigSplit], prefix: str, folder: Path, hub: str
) -> tuple[list[LmEvalTask], dict[str, int]]:
    """The task of a matrix, and how many instances each split has; no files if a hub is named."""
    if not parts:
        return [], {}
    config = parts[0].config
    title, numbers, files = name_of(config.name), {}, {}
    for part in parts:
        files[part.split] = f"{DATA}/{title}-{part.split}.jsonl"
        if hub:
            rows = sum(own.rows for own in config.splits if own.name == part.split)
        else:
            rows = _write_matrices(part, folder / files[part.split])
        numbers[part.split] = rows
    data = _on_hub(hub, config, list(files)) if hub else {"files": files}
    return [LmEvalTask(f"{prefix}_{title}", MATRIX, config.phenomenon, data, tuple(files))], numbers


def _write_matrices(part: ConfigSplit, path: Path) -> int:
    number = 0
    with new_file(path) as out:
        for own in part.matrices():
            document = {
                "context": " ".join(own.context),
                "choices": own.answers,
                "target": own.correct,
                "labels": own.labels,
                "items": own.context,
                "instance": own.number,
                "address": own.address,
            }
            out.write(json_line(document))
            number += 1
    return number


def _pair_tasks(
    parts: Sequence[ConfigSplit], prefix: str, folder: Path, hub: str
) -> tuple[list[LmEvalTask], dict[str, int]]:
    """A task for each contrast of a paradigm, and how many pairs each split has in all."""
    files: dict[str, dict[str, str]] = {}
    cells: dict[str, tuple[str, str]] = {}
    numbers: dict[str, int] = {}
    for part in parts:
        found = pairs_in(part, (EXTERNAL,))
        uids = uids_of(found)
        for contrast, uid in zip(found.contrasts, uids, strict=True):
            files.setdefault(uid, {})[part.split] = f"{DATA}/{uid}-{part.split}.jsonl"
            cells[uid] = contrast.cells
        own = [files[uid][part.split] for uid in uids]
        numbers[part.split] = _write_pairs(found, own, folder, hub)
    tasks = []
    for uid, named in files.items():
        config = parts[0].config
        data: dict[str, Any] = {"files": named}
        if hub:
            data = {**_on_hub(hub, config, list(named)), "cells": list(cells[uid])}
        tasks.append(LmEvalTask(f"{prefix}_{uid}", "pairs", config.phenomenon, data, tuple(named)))
    return tasks, numbers


def _write_pairs(found: Pairs, files: Sequence[str], folder: Path, hub: str) -> int:
    """Write the pairs of each contrast, or only count them; returns how many there are."""
    if hub:
        return sum(1 for _ in found)
    numbers = dict.fromkeys(found.contrasts, 0)
    with ExitStack() as stack:
        opened = [stack.enter_context(new_file(folder / file)) for file in files]
        out = dict(zip(found.contrasts, opened, strict=True))
        for pair in found:
            target = numbers[pair.contrast] % 2
            numbers[pair.contrast] += 1
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
    return sum(numbers.values())


def _on_hub(hub: str, config: ConfigEntry, splits: list[str]) -> dict[str, Any]:
    return {"hub": hub, "config": config.name, "splits": splits}


def _test_of(splits: Sequence[str]) -> str:
    """The split on which a task is done."""
    return TEST if TEST in splits else splits[-1]


# --- YAML --------------------------------------------------------------------------------------


def _write_tasks(tasks: Sequence[LmEvalTask], folder: Path) -> None:
    """Write what tasks have in common, the reader of their data, and a file for each."""
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
            for own, file in value.items():
                yield f"    {own}: {yaml_text(file)}"
        elif isinstance(value, list):
            yield f"  {name}: [{', '.join(map(yaml_text, value))}]"
        else:
            yield f"  {name}: {yaml_text(value)}"


def _write_groups(tasks: Sequence[LmEvalTask], prefix: str, title: str, folder: Path) -> None:
    """Write a group for the tasks of a kind of each phenomenon, and one for all of them."""
    members: dict[tuple[str, str], list[LmEvalTask]] = {}
    for task in tasks:
        members.setdefault((task.phenomenon, task.kind), []).append(task)
    mixed = {p for p, _ in members if sum(own == p for own, _ in members) > 1}
    names = distinct(
        f"{prefix}_{name_of(phenomenon)}" + (f"_{kind}" if phenomenon in mixed else "")
        for phenomenon, kind in members
    )
    for name, ((phenomenon, kind), own) in zip(names, members.items(), strict=True):
        if [task.name for task in own] == [name]:
            continue  # a group and a task cannot have the same name
        lines = _group(name, phenomenon, [task.name for task in own], [kind])
        _text(folder / f"_{name}.yaml", lines)
    kinds = list(dict.fromkeys(task.kind for task in tasks))
    _text(folder / f"_{prefix}.yaml", _group(prefix, title, names, kinds))


def _group(name: str, alias: str, members: Sequence[str], kinds: Sequence[str]) -> str:
    """A group; of two kinds no mean is taken, for chance is not the same."""
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
