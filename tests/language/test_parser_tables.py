"""The parser's tables are made once; they are made again where they do not fit the grammar."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest
from lark import Token as LarkToken
from lark import Tree

import merula
from merula.core.resources import folder
from merula.core.source import Source
from merula.language import parser_tables as t
from merula.language.build import TreeBuilder
from merula.language.entry import EntryError, feed
from merula.language.lalr import END, Machine, Tables
from merula.language.slips import samples
from merula.language.tokens import Token, scan

CHECK = """
import sys
from merula.cli import main
sys.argv = ["merula", "check", "toy.merula"]
try:
    main()
finally:
    print("lark" in sys.modules)
"""
TOY = """\
phenomenon toy
language en
objects
  subj : NP
  verb : VP
frames
  main = subj verb
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package's modules, whose tables are not made yet."""
    modules = Path(merula.__file__).parent
    ignored = shutil.ignore_patterns("__pycache__", t.FILE)
    shutil.copytree(modules, tmp_path / "merula", ignore=ignored)
    (tmp_path / "toy.merula").write_text(TOY, encoding="utf-8")
    return tmp_path


def check(copy: Path, **variables: str) -> bool:
    """Check a grammar in a new process with a copy of the package; whether that needed Lark."""
    done = subprocess.run(
        [sys.executable, "-c", CHECK],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy), **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1] == "True"


def kept(copy: Path) -> Path:
    return copy / "merula" / "language" / t.FILE


def test_tables_are_made_once(copy: Path) -> None:
    assert check(copy)
    before = kept(copy).read_bytes()
    assert not check(copy)
    assert kept(copy).read_bytes() == before
    assert [path.name for path in kept(copy).parent.iterdir() if "tables.json" in path.name] == [
        t.FILE
    ]


def damaged(text: str) -> Iterator[bytes]:
    yield b""
    yield text[: len(text) // 2].encode()
    yield text.partition("\n")[2].encode()
    yield text.partition("\n")[0].encode() + b"\n{}"
    yield text.partition("\n")[0].encode() + b"\n[]"
    yield b"\xff\xfe" + text.encode("utf-16-le")


def test_damaged_tables_are_made_again(copy: Path) -> None:
    check(copy)
    text = kept(copy).read_text(encoding="utf-8")
    origin = t._origin()
    assert t._read(kept(copy), origin) is not None
    for data in damaged(text):
        kept(copy).write_bytes(data)
        assert t._read(kept(copy), origin) is None
    assert check(copy)
    assert not check(copy)


@pytest.mark.parametrize("name", ["grammar.lark", "parser_tables.py"])
def test_tables_of_another_grammar_are_made_again(copy: Path, name: str) -> None:
    check(copy)
    with (copy / "merula" / "language" / name).open("a", encoding="utf-8") as file:
        file.write("\n")
    assert check(copy)
    assert not check(copy)


def test_a_grammar_is_checked_where_tables_cannot_be_written(copy: Path) -> None:
    kept(copy).mkdir()  # root may write into any folder, but not over one
    assert check(copy)
    assert check(copy)
    assert not any(kept(copy).iterdir())


def test_tables_that_cannot_be_written_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    make, usual = t._make, t.tables()

    def counted(grammar: str) -> Tables:
        made.append(grammar)
        return make(grammar)

    monkeypatch.setattr(t, "_make", counted)
    monkeypatch.setattr(t, "FILE", "absent.json")
    monkeypatch.setattr(t, "replacing", refused)
    assert t.tables.__wrapped__() == usual
    assert len(made) == 1


def refused(path: Path) -> NoReturn:
    raise PermissionError(13, "Permission denied", str(path))


def test_tables_do_not_depend_on_the_hash_seed(copy: Path) -> None:
    texts = set()
    for seed in "123":
        kept(copy).unlink(missing_ok=True)
        check(copy, PYTHONHASHSEED=seed)
        texts.add(kept(copy).read_bytes())
    assert len(texts) == 1


def test_they_come_back_from_json_as_they_were() -> None:
    made = t._make(Path(t.__file__).with_name("grammar.lark").read_text(encoding="utf-8"))
    assert t._from_json(json.loads(json.dumps(t._to_json(made)))) == made


# --- they say the same as Lark -------------------------------------------------------------


def test_there_is_a_method_for_every_rule() -> None:
    builder = TreeBuilder(Source("x", ""))
    built = {
        r.name for r in t.tables().productions if r.name and not (r.single and len(r.shape) == 1)
    }
    assert {name for name in built if not hasattr(builder, name)} == set()


def larks(start: str, tokens: list[Token]) -> Any:
    """The tree that Lark makes of tokens whose kinds are settled; None where it refuses."""
    grammar = Path(t.__file__).with_name("grammar.lark").read_text(encoding="utf-8")
    global _lark  # noqa: PLW0603 - made once, since it takes long
    _lark = _lark or t._lark(grammar)
    parser = _lark.parse_interactive(None, start=start)
    for token in tokens:
        parser.feed_token(LarkToken(token.kind, token.text, token.start))
    return plain(parser.feed_eof())


_lark: Any = None


def plain(node: Any) -> Any:
    if isinstance(node, Tree):
        return (str(node.data), [plain(child) for child in node.children])
    return (node.type, str(node), node.start_pos) if isinstance(node, LarkToken) else node


def ours(start: str, tokens: list[Token]) -> tuple[Any, list[Token]]:
    """The tree that our parser makes, and its tokens as it took them."""
    taken: dict[int, Token] = {}

    def build(name: str, parts: list[Any]) -> Any:
        return (name, [leaf(part) for part in parts])

    def leaf(part: Any) -> Any:
        if isinstance(part, Token):
            taken[part.start] = part
            return (part.kind, part.text, part.start)
        return part

    tree = feed(start, tokens, build)
    return tree, [taken[token.start] for token in tokens]


def entries_of_all_kinds() -> Iterator[tuple[str, list[Token]]]:
    from merula.language.parse import INLINE, UNDER
    from merula.language.tokens import entries

    for path in sorted(folder("grammars").rglob("*.merula")):
        for entry in entries(Source(path.name, path.read_text(encoding="utf-8"))):
            start = INLINE.get(entry.head.text) if entry.inline else UNDER[entry.head.text]
            if start == "cycle" and entry.tokens[0].kind in ("BAR", "INT"):
                start = "table_header" if entry.tokens[0].kind == "BAR" else "table_row"
            if entry.tokens:
                yield start or UNDER[entry.head.text], list(entry.tokens)
    for start, text in MORE:
        yield start, list(scan(text))


MORE = (
    ("lexicon", 'sets "a.csv", "b.csv" separated by ";" encoded utf_8'),
    ("lexicon", '"a.tsv"'),
    ("mapping", 'n1.pp.pl = "Plural"'),
    ("imports", '"one", "two", "three"'),
    ("rule", 'r "doc": a -> b = x | y else not (c or d), e ignores f.g and h'),
    ("rule", "r: not not a inside b.c and d != e"),
    ("frame", 'f = a "b c" @d [e f [g h]] (not i and j = k: l | m "n")'),
    ("matrix", "a = b swap 1, 8"),
    ("matrix", 'a "doc" = items in f | g with a.b = c varying d(x | y), e'),
    ("cycle", "a.b cycles sg | pl every 2 under I"),
    ("table_header", "| subj.number | verb"),
    ("table_row", "1 | sg - pl"),
    ("answers", "for a, b"),
    ("answer", '"right" "doc" breaks E a b.c, R as I: set a = 1 else drop b keeping c and d.e'),
    ("answer", 'x: swap a, b, replace c with "d e", embed f in g with "h", add i like j'),
    ("cell_expression", "person | animal and not proper | (thing or place)"),
)


def test_our_parser_makes_the_trees_that_lark_makes() -> None:
    number = 0
    for start, tokens in entries_of_all_kinds():
        tree, taken = ours(start, tokens)
        assert tree == larks(start, taken), start
        number += 1
    assert number > 50


def test_our_parser_expects_what_lark_expects() -> None:
    larks("language", [Token("NAME", "en", 0, 2)])
    for sample in samples():
        tokens = [token for token in scan(sample.text) if token.kind != "NEWLINE"]
        with pytest.raises(EntryError) as refused:
            feed(sample.start, tokens)
        mine = Machine(t.tables(), sample.start)
        theirs = _lark.parse_interactive(None, start=sample.start)
        for token in tokens[: refused.value.position]:
            kinds = [token.text.upper(), token.kind]
            kind = next(k for k in kinds if k in mine.choices)
            if mine.after(kind) is None:
                break
            mine.feed(kind, token)
            theirs.feed_token(LarkToken(kind, token.text))
            assert mine.accepted() == theirs.accepts()
            assert (mine.after(END) is not None) == ("$END" in theirs.accepts())
