"""Starting is cheap: nothing heavy is imported before it is needed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = frozenset(
    {
        "accelerate",
        "datasets",
        "huggingface_hub",
        "hypothesis",
        "jinja2",
        "numpy",
        "pyarrow",
        "torch",
        "transformers",
        "yaml",
    }
)
STARTS = {
    "import merula": "import merula",
    "merula --help": "sys.argv = ['merula', '--help']; import merula.cli; merula.cli.main()",
}

# Records each heavy package that is asked for, installed or not: one that is not there never
# reaches sys.modules, and its ImportError may be caught on the way.
WATCHED = """
import atexit, json, sys
from pathlib import Path

heavy, asked = {heavy!r}, set()

class Watch:
    def find_spec(self, name, path=None, target=None):
        if name in heavy:
            asked.add(name)

def report():
    Path({report!r}).write_text(json.dumps(sorted(asked | (heavy & sys.modules.keys()))))

sys.meta_path.insert(0, Watch())
atexit.register(report)
{start}
"""


def heavy_imports(start: str, report: Path) -> list[str]:
    """Run `start` in a new interpreter; return the heavy packages it asked for."""
    program = WATCHED.format(heavy=set(HEAVY), report=str(report), start=start)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    asked: list[str] = json.loads(report.read_text())
    return asked


CHECK = """
import sys
from merula.cli import main
sys.argv = ["merula", "check", {grammar!r}]
try:
    main()
finally:
    print(*sys.modules)
"""
GRAMMARS = ["blm/agreement_fr", "npi/sentential_negation"]
# What a check has no use for where nothing is wrong, and the parser's tables are made.
UNUSED = frozenset(
    (
        *("merula.language.slips", "merula.show.terminal"),
        *("difflib", "jinja2", "lark", "numpy.ma", "pyarrow", "rich"),
    )
)


@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)
def test_starting_imports_nothing_heavy(start: str, tmp_path: Path) -> None:
    assert heavy_imports(start, tmp_path / "asked.json") == []


def test_a_heavy_import_is_seen_even_where_it_fails(tmp_path: Path) -> None:
    start = "import contextlib\nwith contextlib.suppress(ImportError):\n    import torch"
    assert "torch" in heavy_imports(start, tmp_path / "asked.json")


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_a_check_imports_only_what_it_needs(grammar: str) -> None:
    command = [sys.executable, "-c", CHECK.format(grammar=grammar)]
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    said, modules = done.stdout.splitlines()
    assert said == "1 file checked: no problems"
    assert UNUSED & set(modules.split()) == set()
