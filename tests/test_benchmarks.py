"""The benchmarks run, with small sizes, and print a figure beside every target."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"
TARGETS = {"generate.py": 8, "compile.py": 5, "publish.py": 6, "strategies.py": 2}


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("*.py")))
def test_a_smoke_run(name: str) -> None:
    done = subprocess.run(
        [sys.executable, str(FOLDER / name), "--quick"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = re.findall(r"\(target |\b(?:kept|missed)$", done.stdout, re.MULTILINE)
    assert len(found) >= TARGETS[name], done.stdout
