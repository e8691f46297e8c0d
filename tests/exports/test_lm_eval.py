"""`merula export --as lm-eval`: the harness reads the tasks, and scores what it should."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from export_folders import keys, run
from tiny_models import causal_model

os.environ["HF_HUB_OFFLINE"] = os.environ["HF_DATASETS_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

# Both are imported by the tests: that takes seconds and some 300 MB, which others do without.
pytestmark = [
    pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed"),
    pytest.mark.skipif(find_spec("lm_eval") is None, reason="lm-eval is not installed"),
    pytest.mark.filterwarnings("ignore"),  # what other packages warn of is not ours
]

# A score of the harness and one of ours are sums of the same terms in another order.
CLOSE = 1e-4


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tasks of two splits, in a folder that was moved after it was written."""
    folder = tmp_path_factory.mktemp("tasks")
    data = keys(folder, "-n", 8, "--split", "50:0:50")
    done = run("export", data, "--as", "lm-eval", "--out", folder / "made")
    assert done.exit_code == 0, done.output
    return Path(shutil.move(folder / "made", folder / "moved here"))


@pytest.fixture(scope="module")
def model(tasks: Path) -> Any:
    texts = [file.read_text(encoding="utf-8") for file in sorted(tasks.glob("data/*.jsonl"))]
    return causal_model(texts)


@pytest.fixture(scope="module")
def results(tasks: Path, model: Any) -> Any:
    from lm_eval import simple_evaluate
    from lm_eval.models.huggingface import HFLM
    from lm_eval.tasks import TaskManager

    network, tokenizer = model
    harness = HFLM(pretrained=network, tokenizer=tokenizer, batch_size=8, max_length=512)
    return simple_evaluate(
        harness,
        tasks=["merula_data"],
        task_manager=TaskManager(include_path=str(tasks), include_defaults=False),
        log_samples=True,
        bootstrap_iters=0,
    )


def documents(tasks: Path, name: str) -> list[dict[str, Any]]:
    """What the file of a task's test split says, read by hand."""
    path = tasks / "data" / f"{name.removeprefix('merula_data_')}-test.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def score(model: Any, before: str, text: str) -> float:
    """The sum of the log-probabilities of the tokens of a text after another, or after nothing."""

    import torch

    network, tokenizer = model
    first = tokenizer(before)["input_ids"] if before else [tokenizer.bos_token_id]
    second = tokenizer(text)["input_ids"]
    with torch.no_grad():
        logits = network(torch.tensor([first + second])).logits[0].log_softmax(-1)
    places = enumerate(second, start=len(first) - 1)
    return float(sum(logits[place, token].item() for place, token in places))


def best(scores: Sequence[float]) -> int:
    return max(range(len(scores)), key=scores.__getitem__)


def samples(results: Any, kind: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for name, own in results["samples"].items():
        if ("four" in name) == (kind == "matrix"):
            yield name, sorted(own, key=lambda sample: sample["doc_id"])


def test_all_tasks_run_on_the_test_split(tasks: Path, results: Any) -> None:
    assert len(results["samples"]) == len(list(tasks.glob("merula_*.yaml"))) == 10
    for name, own in results["samples"].items():
        assert [sample["doc"]["address"] for sample in sorted(own, key=lambda s: s["doc_id"])] == [
            document["address"] for document in documents(tasks, name)
        ]


def test_pairs_are_whole_sentences_after_nothing(tasks: Path, model: Any, results: Any) -> None:
    for name, own in samples(results, "pair"):
        right = []
        for sample, document in zip(own, documents(tasks, name), strict=True):
            asked = [tuple(pair) for pair in arguments(sample)]
            assert asked == [("", text) for text in document["choices"]]
            scores = [score(model, "", text) for text in document["choices"]]
            assert said(sample) == pytest.approx(scores, abs=CLOSE)
            right.append(best(scores) == document["target"])
        assert results["results"][name]["acc,none"] == sum(right) / len(right)
        assert "acc_norm,none" not in results["results"][name]


def test_a_space_before_the_sentence_would_be_another_score(model: Any) -> None:
    text = "The key to the cabinet is rusty."
    assert abs(score(model, "", text) - score(model, "", f" {text}")) > 100 * CLOSE


def test_answers_go_on_after_the_items(tasks: Path, model: Any, results: Any) -> None:
    for name, own in samples(results, "matrix"):
        right, normed = [], []
        for sample, document in zip(own, documents(tasks, name), strict=True):
            context = " ".join(document["items"])
            asked = [tuple(pair) for pair in arguments(sample)]
            assert asked == [(context, f" {text}") for text in document["choices"]]
            scores = [score(model, context, f" {text}") for text in document["choices"]]
            assert said(sample) == pytest.approx(scores, abs=CLOSE)
            assert document["labels"][document["target"]] == "Correct"
            right.append(best(scores) == document["target"])
            lengths = [len(text) for text in document["choices"]]
            each = [total / length for total, length in zip(scores, lengths, strict=True)]
            normed.append(best(each) == document["target"])
        assert results["results"][name]["acc,none"] == sum(right) / len(right)
        assert results["results"][name]["acc_norm,none"] == sum(normed) / len(normed)


def arguments(sample: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What the harness asks the model for each choice: context and continuation."""
    found = sample["arguments"]
    every = list(found.values()) if isinstance(found, dict) else list(found)
    return [(a["arg_0"], a["arg_1"]) if isinstance(a, dict) else (a[0], a[1]) for a in every]


def said(sample: Mapping[str, Any]) -> list[float]:
    """The scores that the harness has for the choices."""
    return [float(response[0]) for response in sample["filtered_resps"]]


def test_groups_have_the_mean_of_their_tasks(results: Any) -> None:
    found = results["results"]
    for kind in ("pair", "matrix"):
        means = [found[name]["acc,none"] for name, _ in samples(results, kind)]
        group = "merula_data_keys_" + ("pairs" if kind == "pair" else "matrix")
        assert results["groups"][group]["acc,none"] == pytest.approx(sum(means) / len(means))
    # pairs and matrices have another chance: of both no mean is taken
    assert "acc,none" not in found["merula_data"]


def test_the_good_sentence_is_first_in_half_of_the_pairs(tasks: Path) -> None:
    for path in tasks.glob("data/keys-crossed*.jsonl"):
        targets = [json.loads(line)["target"] for line in path.read_text("utf-8").splitlines()]
        assert targets == [i % 2 for i in range(len(targets))]


def test_examples_are_of_the_split_train(tasks: Path, model: Any) -> None:
    from lm_eval import simple_evaluate
    from lm_eval.models.huggingface import HFLM
    from lm_eval.tasks import TaskManager

    network, tokenizer = model
    name = "merula_data_keys-four-type_I"
    found = simple_evaluate(
        HFLM(pretrained=network, tokenizer=tokenizer, batch_size=8, max_length=512),
        tasks=[name],
        num_fewshot=1,
        task_manager=TaskManager(include_path=str(tasks), include_defaults=False),
        log_samples=True,
        bootstrap_iters=0,
    )
    text = (tasks / "data" / "keys-four-type_I-train.jsonl").read_text(encoding="utf-8")
    train = [json.loads(line) for line in text.splitlines()]
    shown = {f"{own['context']} {own['choices'][own['target']]}" for own in train}
    for sample in found["samples"][name]:
        example, _, context = arguments(sample)[0][0].partition("\n\n")
        assert example in shown
        assert context == sample["doc"]["context"]


def test_tasks_that_read_the_hub_are_the_same(
    tasks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder stands for the repository, since nothing can be fetched."""
    data = tasks.parent / "data"
    done = run("export", data, "--as", "lm-eval", "--out", tmp_path / "x", "--hub", "me/keys")
    assert done.exit_code == 0, done.output
    assert not (tmp_path / "x" / "data").exists()
    for path in (tmp_path / "x").glob("*.yaml"):
        text = path.read_text(encoding="utf-8").replace('"me/keys"', json.dumps(str(data)))
        path.write_text(text, encoding="utf-8")
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    names = sorted(path.stem for path in tasks.glob("merula_*.yaml"))
    for name in (names[0], names[-1], next(n for n in names if "four" in n)):
        local, remote = (loaded(folder, name) for folder in (tasks, tmp_path / "x"))
        assert remote == local
        assert remote["test"]


def loaded(folder: Path, name: str) -> dict[str, list[tuple[str, list[str], int]]]:
    """The documents of a task in each split, as far as the harness asks for them."""

    from lm_eval.tasks import TaskManager

    manager = TaskManager(include_path=str(folder), include_defaults=False)
    task = manager.load([name])["tasks"][name]
    return {
        split: [(doc["context"], doc["choices"], doc["target"]) for doc in documents]
        for split, documents in task.dataset.items()
    }


def test_the_command_line(tasks: Path, model: Any, results: Any, tmp_path: Path) -> None:
    """From another folder, with a model from the disk; the numbers are those of the API."""
    network, tokenizer = model
    network.save_pretrained(tmp_path / "model")
    tokenizer.save_pretrained(tmp_path / "model")
    command = [
        *(sys.executable, "-m", "lm_eval", "--model", "hf", "--device", "cpu"),
        *("--tasks", "merula_data"),
        *("--model_args", f"pretrained={tmp_path / 'model'},dtype=float32"),
        *("--include_path", str(tasks), "--output_path", str(tmp_path / "out")),
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(next((tmp_path / "out").rglob("results_*.json")).read_text("utf-8"))
    for task in results["samples"]:
        assert found["results"][task]["acc,none"] == results["results"][task]["acc,none"]
