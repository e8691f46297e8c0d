"""The worked example of a masked language model in docs/property-tests.md, with small models.

The others run with the page itself (`test_documents`).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from document_blocks import ROOT, WARM, blocks
from tiny_models import masked_model

MODEL = ROOT.parent / "shared" / "models" / "tiny-mlm-en"
PAGE = (ROOT / "docs" / "property-tests.md").read_text("utf-8")
PAIR = re.compile(
    r"verb\.number: the good sentence should have the higher score\n"
    r"  (?P<good>\S+) +(?P<better>[A-Z].+\.)\n"
    r"  (?P<bad>\S+) +\*(?P<worse>[A-Z].+\.)\n"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of the page."""
    made = tmp_path_factory.mktemp("page")
    for block in blocks(PAGE):
        if block.file is not None:
            (made / block.file[1]).write_text(block.text, encoding="utf-8")
    subprocess.run([sys.executable, "-c", WARM], cwd=made, check=True)
    return made


def ran(folder: Path, model: Path) -> str:
    done = subprocess.run(
        [sys.executable, "masked.py", str(model)],
        cwd=folder,
        env=os.environ | {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.returncode, done.stderr
    return done.stdout


def test_a_model_that_knows_nothing_is_found_out(folder: Path, tmp_path: Path) -> None:
    words = (folder / "near.csv").read_text("utf-8").replace(",", " ").splitlines()
    model, tokenizer = masked_model(words)
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    found = PAIR.fullmatch(ran(folder, tmp_path))
    assert found is not None
    assert float(found["good"]) <= float(found["bad"])
    one, other = (found[name].rstrip(".").split() for name in ("better", "worse"))
    ((good, bad),) = ((a, b) for a, b in zip(one, other, strict=True) if a != b)
    assert {good, bad} in ({"sleeps", "sleep"}, {"was", "were"}, {"is", "are"})


@pytest.mark.skipif(not MODEL.is_dir(), reason="there is no model beside the checkout")
def test_a_small_model_prefers_what_the_page_says(folder: Path) -> None:
    (shown,) = (block.text for block in blocks(PAGE) if block.language == "text")
    told, said = PAIR.fullmatch(shown), PAIR.fullmatch(ran(folder, MODEL))
    assert told is not None
    assert said is not None
    assert (said["better"], said["worse"]) == (told["better"], told["worse"])
    for name in ("good", "bad"):
        assert float(said[name]) == pytest.approx(float(told[name]), abs=0.01)
