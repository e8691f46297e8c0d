"""Colours: the Pygments lexer reads as the language does, and problems in a terminal use it."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.token import Comment, Error, Keyword, Name, String, Token

from grammar_texts import readable, tree
from merula.core.source import Source
from merula.language.entry import feed
from merula.language.highlight import MerulaLexer, by_line
from merula.language.parse import INLINE, UNDER
from merula.language.tokens import HEADS, KEYWORDS, Entry, entries, scan
from merula.language.tokens import Token as Word
from merula.strategies.inventing.parts import Parts
from merula.strategies.inventing.sketch import Wanted
from merula.strategies.inventing.whole import grammar_parts
from random_grammars import examples

NAMES = sorted({*KEYWORDS, *HEADS})


def lexed(text: str) -> list[tuple[int, Any, str]]:
    """The tokens of a text; fails if they are not the text, each at its place."""
    found = list(MerulaLexer().get_tokens_unprocessed(text))
    assert "".join(value for _, _, value in found) == text
    end = 0
    for start, kind, value in found:
        assert start == end
        assert value
        assert kind in Token
        end += len(value)
    return found


def key_words(text: str) -> set[int]:
    """Where the key words of a text are, by the parser."""
    found: set[int] = set()

    def build(rule: str, parts: Sequence[Any]) -> list[Any]:
        del rule
        flat = [x for part in parts for x in (part if isinstance(part, list) else [part])]
        found.update(x.start for x in flat if isinstance(x, Word) and x.kind.lower() in KEYWORDS)
        return flat

    for entry in entries(Source("x.merula", text)):
        if entry.inline:
            found.add(entry.head.start)
        if entry.tokens:
            feed(start_of(entry), entry.tokens, build)
    return found


def start_of(entry: Entry) -> str:
    head, first = entry.head.text, entry.tokens[0].kind
    if entry.inline and head in INLINE:
        return INLINE[head]
    if head == "matrix" and first in ("BAR", "INT"):
        return "table_header" if first == "BAR" else "table_row"
    return UNDER[head]


def coloured(text: str) -> set[int]:
    """Where the lexer has key words."""
    return {start for start, kind, _ in lexed(text) if kind in Keyword and kind is not Keyword.Type}


def test_the_key_words_are_those_of_the_parser() -> None:
    for text in readable():
        assert coloured(text) == key_words(text), text
        assert not [value for _, kind, value in lexed(text) if kind is Error]


@examples(25)
@given(
    grammar_parts(Wanted(answers=True)), st.lists(st.sampled_from(NAMES), min_size=12, unique=True)
)
def test_names_may_be_key_words(program: Parts, new: list[str]) -> None:
    text = program.renamed(dict(zip(program.marked_names, new, strict=False))).text
    assume(tree(text) is not None)
    assert coloured(text) == key_words(text)


PIECES = ('"', "\\", "#", "\n", "\r", " ", "  ", "matrix", "x", "12", "é", "==", "\x0c", "not")


@examples(100)
@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join)))
def test_any_text_is_kept(text: str) -> None:
    mistakes = {start for start, kind, _ in lexed(text) if kind is Error}
    assert mistakes == {word.start for word in scan(text) if word.kind in ("UNKNOWN", "OPEN")}
    assert "\n".join("".join(word for _, word in line) for line in by_line(text)) == text


SAMPLE = """\
phenomenon keys "doc"  # why
objects
  matrix, b? : NP (number = sg)
attributes
  b.as = one "x\\"y" | every
external
  r "doc": not b.as = one -> b
frames
  f = @s [c b]
matrix matrix = 8 items in f
  b.as cycles every | one every 2
answers
  A "doc" breaks E r: flip b.as
phenomenn
  x $ "open
"""

KINDS = {
    Keyword.Declaration: "phenomenon objects attributes external frames matrix answers",
    Keyword: "not items in cycles every breaks flip",
    Keyword.Type: "NP",
    Name.Class: "matrix b",
    Name.Attribute: "number as as as as",
    Name.Constant: "sg one every",
    Name.Function: "keys r f matrix A",
    Name.Label: "s c",
    Name: "b b one b b f b every one E r b phenomenn x",
    String.Doc: '"doc" "doc" "doc"',
    String.Double: '"x y" open',
    String.Escape: '\\"',
    Comment.Single: "# why",
    Error: '$ "',
}


def test_what_the_words_of_a_grammar_are() -> None:
    found = [(kind, value) for _, kind, value in lexed(SAMPLE)]
    for kind, words in KINDS.items():
        assert " ".join(value for k, value in found if k is kind) == words, kind


def test_pygments_knows_the_language() -> None:
    assert isinstance(get_lexer_by_name("merula"), MerulaLexer)
    assert isinstance(get_lexer_for_filename("x.merula"), MerulaLexer)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('import "a", "b" with designs', "import with designs"),
        ("answers crossed", "answers crossed"),
        ("answers for crossed crossed", "answers for crossed"),
        ("answers for for, crossed", "answers for"),
        ("answers for for crossed", "answers for crossed"),
        ("matrix crossed = swap swap 1, 2", "matrix swap"),
        ("matrix with = designs", "matrix"),
        ("answers\n  crossed: set designs = crossed", "answers set"),
    ],
)
def test_words_for_designs_of_other_files_and_crossed_answers(line: str, words: str) -> None:
    found = [
        value for _, kind, value in lexed(line) if kind in Keyword and kind is not Keyword.Type
    ]
    assert " ".join(found) == words
    assert coloured(line) == key_words(line)


# --- problems in a terminal --------------------------------------------------------------------

FAULTY = """\
phenomenon x "doc"
objects
  a : NP (number)  # a comment
attributes
  number = sg
external
  r: not a.nubmer = "x"
"""


def in_terminal(*command: str, folder: Path, **given: str) -> str:
    """What a command prints in a terminal."""
    reader, terminal = pty.openpty()
    done = subprocess.Popen(
        [sys.executable, "-m", "merula.cli", *command],
        stdout=terminal,
        stderr=terminal,
        cwd=folder,
        env={**os.environ, "TERM": "xterm", "NO_COLOR": "", **given},
    )
    os.close(terminal)
    output = b""
    with suppress(OSError):  # Linux's way to say that the other end is closed
        while read := os.read(reader, 65536):
            output += read
    os.close(reader)
    done.wait()
    return output.decode().replace("\r\n", "\n")


def test_a_quoted_line_is_coloured_in_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "x.merula").write_text(FAULTY, encoding="utf-8")
    shown = in_terminal("fmt", "x.merula", folder=tmp_path)
    assert "\x1b[1mnot\x1b[0m a.nubmer" in shown
    assert '\x1b[32m"x"\x1b[0m' in shown
    assert "\x1b[31m\x1b[1m^^^\x1b[0m" in shown
    plain = subprocess.run(
        [sys.executable, "-m", "merula.cli", "fmt", "x.merula"],
        capture_output=True,
        encoding="utf-8",
        cwd=tmp_path,
        check=False,
    )
    assert "\x1b" not in plain.stderr
    assert re.sub(r"\x1b\[[\d;]*m", "", shown) == plain.stderr
    assert in_terminal("fmt", "x.merula", folder=tmp_path, NO_COLOR="1") == plain.stderr
