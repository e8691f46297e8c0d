"""`merula export --as minicons`: the scorers of minicons take the tables, end to end."""

from __future__ import annotations

import csv
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from export_folders import keys, run
from tiny_models import causal_model, masked_model

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

# Both are imported by the tests: that takes seconds and some 300 MB, which others do without.
pytestmark = [
    pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed"),
    pytest.mark.skipif(find_spec("minicons") is None, reason="minicons is not installed"),
    pytest.mark.filterwarnings("ignore"),  # what other packages warn of is not ours
]

CLOSE = 1e-4


def total(scores: Any) -> float:
    """The reduction that BLiMP's comparison needs: the sum, not the mean."""
    return float(scores.sum(0).item())


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    done = run("export", keys(folder, "-n", 6), "--as", "minicons", "--out", folder / "made")
    assert done.exit_code == 0, done.output
    return folder / "made"


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def texts(tables: Path) -> list[str]:
    return [row[kind] for path in tables.glob("*.csv") for row in rows(path) for kind in row]


def test_sentences_of_pairs_are_scored(tables: Path, texts: list[str]) -> None:
    import torch
    from minicons.scorer import IncrementalLMScorer

    network, tokenizer = causal_model(texts)
    scorer = IncrementalLMScorer(network, "cpu", tokenizer=tokenizer)
    pairs = rows(tables / "keys-crossed.csv")
    for kind in ("good", "bad"):
        sentences = [row[kind] for row in pairs]
        found = scorer.sequence_score(sentences, reduction=total, bos_token=True)
        for sentence, score in zip(sentences, found, strict=True):
            tokens = [tokenizer.bos_token_id, *tokenizer(sentence)["input_ids"]]
            with torch.no_grad():
                logits = network(torch.tensor([tokens])).logits[0].log_softmax(-1)
            expected = sum(logits[i, token].item() for i, token in enumerate(tokens[1:]))
            assert score == pytest.approx(expected, abs=CLOSE)


def test_answers_are_scored_after_their_items(tables: Path, texts: list[str]) -> None:
    import torch
    from minicons.scorer import IncrementalLMScorer

    network, tokenizer = causal_model(texts)
    scorer = IncrementalLMScorer(network, "cpu", tokenizer=tokenizer)
    pairs = rows(tables / "keys-four-type_I.csv")
    prefixes, answers = [row["prefix"] for row in pairs], [row["good"] for row in pairs]
    found = scorer.conditional_score(prefixes, answers, reduction=total)
    for prefix, answer, score in zip(prefixes, answers, found, strict=True):
        before = tokenizer(prefix)["input_ids"]
        tokens = before + tokenizer(f" {answer}")["input_ids"]
        with torch.no_grad():
            logits = network(torch.tensor([tokens])).logits[0].log_softmax(-1)
        places = range(len(before), len(tokens))
        expected = sum(logits[i - 1, tokens[i]].item() for i in places)
        assert score == pytest.approx(expected, abs=CLOSE)


def test_masked_models_score_the_same_pairs(tables: Path, texts: list[str]) -> None:
    from minicons.scorer import MaskedLMScorer

    network, tokenizer = masked_model(texts)
    # minicons 0.3 calls it so, and transformers 5 has it under no name of its own
    tokenizer.batch_encode_plus = tokenizer
    scorer = MaskedLMScorer(network, "cpu", tokenizer=tokenizer)
    pairs = rows(tables / "keys-attraction.csv")
    options = {"reduction": total, "PLL_metric": "within_word_l2r"}
    good = scorer.sequence_score([row["good"] for row in pairs], **options)
    bad = scorer.sequence_score([row["bad"] for row in pairs], **options)
    assert len(good) == len(bad) == len(pairs)
    assert all(score < 0 for score in good + bad)
    assert all(one != other for one, other in zip(good, bad, strict=True))
