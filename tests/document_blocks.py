"""The blocks of README and docs that the tests run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


FENCE = re.compile(r"(?P<indent> *)(?P<fence>`{3,}|~{3,})(?P<info>[^`]*)")


FILE = re.compile(r'\b(title|adds|changes)="([^"]+)"')


NOTE = re.compile(r"<!-- (not run|exits|varies): (.+) -->")


@dataclass(frozen=True)
class Block:
    """A fenced block; `line` is that of its opening fence, `note` what stands just above it."""

    line: int
    info: str
    note: str
    text: str

    @property
    def language(self) -> str:
        return self.info.partition(" ")[0]

    @property
    def file(self) -> tuple[str, str] | None:
        """What the block does to a file, and the file's name; None where it concerns none."""
        found = FILE.search(self.info)
        return (found[1], found[2]) if found else None

    @property
    def skipped(self) -> bool:
        found = NOTE.fullmatch(self.note)
        return found is not None and found[1] == "not run"

    @property
    def varies(self) -> bool:
        found = NOTE.fullmatch(self.note)
        return found is not None and found[1] == "varies"

    @property
    def exit_code(self) -> int:
        found = NOTE.fullmatch(self.note)
        return int(found[2]) if found is not None and found[1] == "exits" else 0


def blocks(page: str) -> Iterator[Block]:
    """Yield the fenced blocks of a Markdown page in order."""
    lines = iter(enumerate(page.splitlines(), start=1))
    above = ""
    for number, line in lines:
        opening = FENCE.fullmatch(line)
        if opening is None:
            above = line.strip() or above
            continue
        indent, fence, info = opening.group("indent", "fence", "info")
        content = []
        for _, inner in lines:
            end = inner.strip()
            if end.startswith(fence) and set(end) == {fence[0]}:
                break
            content.append(inner.removeprefix(indent) + "\n")
        yield Block(number, info.strip(), above, "".join(content))
        above = ""


def write(block: Block, how: str, file: Path) -> None:
    """Write the file of a block, add the block to it, or change the lines that the block gives."""
    text = block.text
    if how != "title":
        text = file.read_text(encoding="utf-8")
        text = text + block.text if how == "adds" else changed(text, block)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def changed(text: str, block: Block) -> str:
    lines = text.splitlines(keepends=True)
    for new in block.text.splitlines(keepends=True):
        places = [i for i, old in enumerate(lines) if old.split()[:1] == new.split()[:1]]
        assert len(places) == 1, f"the block at line {block.line}: {len(places)} lines like {new}"
        lines[places[0]] = new
    return "".join(lines)


# Hypothesis takes the modules of an editable install for the reader's own, and looks for constants
# in them when it first draws. That takes it too long to be borne, but is kept in the folder.
WARM = """
import merula
from hypothesis import HealthCheck, given, settings
from merula.strategies import edits
every = settings(max_examples=200, suppress_health_check=list(HealthCheck), deadline=None)
every(given(edits(merula.load("npi/only"), "N1.number"))(lambda edit: None))()
"""
