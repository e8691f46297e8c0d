"""The card of a published data set: what the hub reads in its head, what people read below it."""

from __future__ import annotations

import copy
import json
import re
import socket
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import merula
from merula.core.diagnostics import MerulaError
from merula.core.resources import folder
from merula.data.manifests.publication import Publication, SuiteEntry
from merula.lexicon.table import TableOptions
from merula.publish.card import markdown
from merula.publish.card import metadata as card_metadata
from merula.publish.card.designs import draw_samples
from merula.publish.card.facts import facts
from merula.publish.card.template import demand_card, demand_template, render
from merula.publish.licences import LICENCES, demand_licence
from merula.publish.make import PublishOptions, publish
from merula.publish.origins import ORIGINS, read_origins
from merula.publish.plan import Details, GrammarRequest, Publishing, RowRequest
from toy_publication import GRAMMAR, SPLITS, TABLE, toy

yaml = pytest.importorskip("yaml", reason="cards need the extra merula[hf]")


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Publishing:
    return toy(tmp_path_factory.mktemp("grammar"), **SPLITS)


@pytest.fixture(scope="module")
def out(plan: Publishing, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published folder."""
    made = tmp_path_factory.mktemp("published") / "keys"
    publish(plan, made)
    return made


@pytest.fixture(scope="module")
def said(plan: Publishing, out: Path) -> dict[str, Any]:
    """The facts of a card with an audit."""
    audit = json.loads((out / "audit.json").read_text(encoding="utf-8"))
    return Facts(facts(plan.publication, {"keys": plan.grammars[0].compiled}, audit))


class Facts(dict[str, Any]):
    """Facts that Hypothesis does not write out."""

    def __repr__(self) -> str:
        return "facts"


def text_of(out: Path) -> str:
    return (out / "README.md").read_text(encoding="utf-8")


def head_of(text: str) -> Any:
    found = re.match(r"---\n(.*?)\n---\n", text, re.DOTALL)
    assert found is not None
    return yaml.safe_load(found[1])


def section(text: str, title: str) -> str:
    """What stands under a heading, up to the next of its level."""
    found = re.search(rf"^(#+) {re.escape(title)}$(.*?)(?=^\1 |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found is not None, title
    return found[2].strip()


# --- the head ------------------------------------------------------------------------------------


def known_to_datasets(name: str) -> Any:
    """A list of identifiers that comes with Datasets."""
    path = files("datasets.utils.resources") / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8"))


def test_the_hub_knows_every_identifier(out: Path) -> None:
    pytest.importorskip("datasets")
    head = head_of(text_of(out))
    creators = known_to_datasets("creators")
    assert set(head["annotations_creators"]) <= set(creators["annotations"])
    assert set(head["language_creators"]) <= set(creators["language"])
    assert set(head["multilinguality"]) <= set(known_to_datasets("multilingualities"))
    assert set(head["size_categories"]) <= set(known_to_datasets("size_categories"))
    assert set(head["language"]) <= set(known_to_datasets("languages"))
    assert {name for _, name in card_metadata.SIZES} <= set(known_to_datasets("size_categories"))
    # of huggingface.js, packages/tasks/src/pipelines.ts
    assert set(card_metadata.TASKS.values()) == {"text-classification", "multiple-choice"}
    assert card_metadata.SUBTASKS["paradigm"] == ("acceptability-classification",)


def test_the_head_has_what_the_hub_shows(out: Path) -> None:
    head = head_of(text_of(out))
    assert head["language"] == ["fr"]
    assert head["license"] == "cc-by-sa-4.0"
    assert head["pretty_name"] == "Keys & clés"
    assert head["size_categories"] == ["n<1K"]
    assert head["task_categories"] == ["text-classification", "multiple-choice"]
    assert head["task_ids"] == ["acceptability-classification"]
    assert "keys" in head["tags"]
    assert [c["config_name"] for c in head["configs"] if c.get("default")] == ["keys-yes"]
    assert head["configs"][0]["data_files"] == [
        {"split": name, "path": f"keys-yes/{name}-*"} for name in ("train", "validation", "test")
    ]


def test_huggingface_hub_reads_the_card(out: Path) -> None:
    hub = pytest.importorskip("huggingface_hub")
    card = hub.DatasetCard.load(out / "README.md")
    assert card.data.to_dict() == head_of(text_of(out))
    assert hub.metadata_load(out / "README.md") == head_of(text_of(out))
    assert card.data.license == "cc-by-sa-4.0"
    assert card.text.lstrip().startswith("# Keys & clés\n")
    # what `RepoCard.validate` sends to the hub is the card as it was written
    assert str(card).partition("\n---\n")[2].strip() == text_of(out).partition("\n---\n")[2].strip()


@pytest.mark.parametrize("name", ["keys-yes", "keys-four-type_I", "keys-four-type_III"])
def test_datasets_load_what_the_head_says(
    name: str, out: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr(socket.socket, "connect", None)  # nothing is fetched
    config = read(out).config(name)
    features = datasets.Features.from_dict(config.features)
    loaded = datasets.load_dataset(str(out), name, cache_dir=str(tmp_path))
    streamed = datasets.load_dataset(str(out), name, streaming=True)
    assert {split.name: split.rows for split in config.splits} == {
        split: rows.num_rows for split, rows in loaded.items()
    }
    for split, rows in loaded.items():
        assert rows.features == features
        assert streamed[split].features == features
        assert next(iter(streamed[split])) == rows[0]
    (info,) = [i for i in head_of(text_of(out))["dataset_info"] if i["config_name"] == name]
    assert datasets.Features._from_yaml_list(info["features"]) == features
    assert info["dataset_size"] == sum(split["num_bytes"] for split in info["splits"])
    for split in info["splits"]:
        size = loaded[split["name"]].data.nbytes  # but for the bits that say what is null
        assert size <= split["num_bytes"] <= size + 3000


def read(out: Path) -> Publication:
    from merula.data.manifests.publication import read_publication

    found = read_publication(out)
    assert found is not None
    return found


def test_the_default_configuration_is_loaded(out: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    loaded = datasets.load_dataset(str(out), cache_dir=str(tmp_path))
    assert loaded["train"].features["label"].names == ["unacceptable", "acceptable"]


WORDS = ["yes", "no", "null", "~", "1e3", "0x1F", "0o7", "1_000", "12:30:45", "2026-01-31", ".inf"]
WORDS += ["on", "y", "N", "=", "<<", "- a", "# a", "a: b", "a #b", "'", '"', "", " a ", "é", "日本"]
WORDS += [
    "a\nb",
    "\ta",
    "\x00",
    "\x85",
    "\u2028",
    "\ufeff",
    "😀",
    "@a",
    "%a",
    "!a",
    "&a",
    "*a",
    "{a}",
]


@pytest.mark.parametrize("word", WORDS)
def test_any_word_stays_a_text(word: str) -> None:
    written = card_metadata.to_yaml({"name": word, "list": [word], word or "key": 1})
    assert yaml.safe_load(written) == {"name": word, "list": [word], word or "key": 1}
    if word.isprintable() and word.strip():
        assert word in written.replace("''", "'")  # letters are written as they are
    if re.fullmatch(r"[-+.\d_exoXO:]+[\dA-F]*|yes|no|on|y|N|null|~|<<|=", word):
        assert f"name: '{word}'" in written  # no version of YAML takes it for something else


def test_an_unknown_language_is_left_out(tmp_path: Path) -> None:
    whole = toy(tmp_path).publication
    configs = [replace(config, language="klingon") for config in whole.configs]
    assert "language" not in card_metadata.metadata(replace(whole, configs=configs))


@pytest.mark.parametrize(
    ("rows", "name"),
    [(0, "n<1K"), (999, "n<1K"), (1000, "1K<n<10K"), (10**6, "1M<n<10M"), (10**13, "n>1T")],
)
def test_size_categories(rows: int, name: str) -> None:
    assert card_metadata.size_category(rows) == name


# --- licences ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["cc-by-4.0", " CC-BY-4.0 ", "Apache-2.0", "other"])
def test_licences_that_the_hub_knows(name: str) -> None:
    assert demand_licence(name) in LICENCES


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("", "say which: --licence cc-by-4.0"),
        ("cc-by-4", "did you mean cc-by-4.0?"),
        ("cc-by", "did you mean cc-by-4.0?"),
        ("apache", "did you mean apache-2.0?"),
        ("GPLv3", "common ones are cc-by-4.0"),
        ("\n", "say which"),
    ],
)
def test_other_licences_are_refused(name: str, remedy: str) -> None:
    with pytest.raises(MerulaError) as caught:
        demand_licence(name)
    (problem,) = caught.value.problems
    assert problem.code == "M710"
    assert remedy in problem.remedy


# --- the body ------------------------------------------------------------------------------------


def test_the_cells_are_judged_by_the_rules(out: Path) -> None:
    found = section(text_of(out), "The paradigm `yes`")
    rows = [
        [cell.strip() for cell in row.split("|")[1:-1]] for row in found.split("\n") if "|" in row
    ]
    assert rows[0] == ["cell", "`subj.number`", "`verb.number`", "judgement", "breaks"]
    assert rows[2:] == [
        ["0", "sg", "sg", "acceptable", ""],
        ["1", "sg", "pl", "**unacceptable**", "`E agreement`"],
        ["2", "pl", "sg", "**unacceptable**", "`E agreement`"],
        ["3", "pl", "pl", "acceptable", ""],
    ]


def test_the_examples_are_the_first_rows(out: Path) -> None:
    """One of each design, from the first of its configurations; cells as rows number them."""
    from merula.data.opened import Published

    opened = Published.open(out)
    text = text_of(out)
    for config in opened.about.configs[:2]:
        (row, *rest) = [own for batch in opened.rows(config, "train") for own in batch.to_pylist()]
        assert f"address {row['address']})" in text
        if config.kind == "paradigm":
            shown = [(own["sentence"], own["acceptable"]) for own in (row, *rest[:3])]
            for number, (sentence, good) in enumerate(shown):
                assert f"\n{number}  {' ' if good else '*'}{sentence}\n" in text
        else:
            for sentence, label in zip(row["answers"], row["labels"], strict=True):
                assert re.search(rf"^{label} .*  {re.escape(sentence)}  ", text, re.MULTILINE)
            for number, sentence in enumerate(row["context"], 1):
                assert re.search(rf"^{number}  +{re.escape(sentence)}  ", text, re.MULTILINE)
    assert text.count("An example (") == 2


def test_the_answers_say_what_they_break_and_give_away(out: Path) -> None:
    found = section(text_of(out), "The matrix `four`")
    assert "| `AE`      | E     | `E agreement`   | the other number |" in found
    assert "| `WN`      | R     | `R attr.number` |" in found
    assert "By chance the answer is right in 33.3% of the matrices." in found
    assert "is right in 50.0%" in found  # AE is no good sentence, the others are
    assert "subj.number cycles 2 of sg | pl every 1" in found


def counts(text: str) -> dict[str, dict[str, str]]:
    """The table of counts: of each configuration the cells by their heads."""
    heads, _, *rows = [
        [cell.strip(" `") for cell in line.split("|")[1:-1]]
        for line in section(text, "Counts").split("\n")
        if line.startswith("|")
    ]
    return {row[0]: dict(zip(heads[1:], row[1:], strict=True)) for row in rows}


def test_counts_are_those_of_the_rows(out: Path) -> None:
    found = counts(text_of(out))
    assert list(found) == ["keys-yes` (default)", "keys-four-type_I", "keys-four-type_III"]
    assert found["keys-yes` (default)"] == {
        "train": "6",
        "validation": "2",
        "test": "2",
        "of": "10",
        "rows": "40",
        "acceptable": "20",
        "unacceptable": "20",
    }
    own = found["keys-four-type_I"]
    assert (own["test"], own["rows"], own["acceptable"], own["unacceptable"]) == (
        "2",
        "10",
        "–",
        "–",
    )


def test_every_column_is_explained(out: Path) -> None:
    found = section(text_of(out), "Columns")
    for config in read(out).configs:
        for name in config.fields.names:
            row = re.search(rf"^\| `{name}` +\| (.+?) +\| (.+?) +\|$", found, re.MULTILINE)
            assert row is not None, name
    assert re.search(r"`cell`.*table of its design \(0 .+, 3 .+\)", found)
    assert re.search(r"`context_lexemes`.*; only in type III +\|", found)
    assert re.search(r"`varied` +\| list of structs +\| empty here", found)


def test_the_rest_is_said(out: Path) -> None:
    text = text_of(out)
    assert "a verb has the number of its subject" in section(text, "The phenomenon `keys`")
    assert section(text, "Where the words come from") == "- No source is given for `keys.csv`."
    assert "Parts of the tables" not in section(text, "Licence")
    assert "by-sa/4.0" in section(text, "Licence")
    assert "author = {Ann Ö and Bo\\_b}" in section(text, "Citation")
    remade = section(text, "Making it again")
    about = read(out)
    assert about.command in remade
    assert "merula verify" in remade
    assert "all files come out the same" in remade
    assert "fingerprint" not in text
    assert about.grammars[0].grammar[:16] in remade
    assert about.grammars[0].lexicon[:16] in remade
    assert 'load_dataset("keys", "keys-four-type_III")' in text
    assert "streaming=True" in text


def test_the_audit_is_told(said: Mapping[str, Any], plan: Publishing) -> None:
    assert "It found" in section(render(said), "The audit")
    without = facts(plan.publication, {"keys": plan.grammars[0].compiled})
    assert "## The audit" not in render(without)
    leaking = copy.deepcopy(dict(said))
    leaking["leaking"] = ["keys-four-type_I"]
    assert "give themselves away" in section(render(leaking), "Limits")


def test_the_same_facts_make_the_same_card(said: Mapping[str, Any]) -> None:
    assert render(said) == render(copy.deepcopy(dict(said)))


def test_a_repository_and_a_citation_are_taken(plan: Publishing) -> None:
    given = replace(plan.publication, citation="@misc{a, title={B}}\n")
    card = render(facts(given, {"keys": plan.grammars[0].compiled}, repo="ann/keys"))
    assert 'load_dataset("ann/keys")' in card
    assert "```bibtex\n@misc{a, title={B}}\n```" in card


# --- any text ------------------------------------------------------------------------------------

NASTY = ["|", r"a\|b", "\\", "`", "``` x", "~~~", "<b>x", "</details>", "# x", "1. x", "- x", "*x*"]
NASTY += ["[a](b)", "![a](b)", "---", "\n\n| a |\n|---|\n", "$x$", "&lt;", "\u2028x", "{{ x }}"]
NASTY += [
    "\ud800",
    "\x00",
    "yes",
    "1e3",
    "null",
    "x: y",
    "'",
    '"',
    "    x",
    "שלום",
    "日本",
    "e\u0301",
]
TEXTS = (st.sampled_from(NASTY) | st.text(max_size=12)).filter(
    lambda text: markdown.line(text) != ""
)


def replaced(value: Any, text: Callable[[], str], keys: frozenset[str]) -> Any:
    """A value with other texts under some keys."""
    if isinstance(value, dict):
        return {
            key: _all(own, text) if key in keys else replaced(own, text, keys)
            for key, own in value.items()
        }
    if isinstance(value, list):
        return [replaced(own, text, keys) for own in value]
    return value


def _all(value: Any, text: Callable[[], str]) -> Any:
    if isinstance(value, list):
        return [_all(own, text) for own in value]
    return text() if isinstance(value, str) and value else value


MANY = 40
ANY = frozenset(
    "title repo authors citation command about doc text label factors scopes breaks sometimes lines"
    " operators names varying meaning said tables unknown what by cite asked source rules".split()
)


def shape(text: str) -> list[str]:
    """The blocks of Markdown, and how many cells the rows of its tables have."""
    parser = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable("table")
    return [token.type for token in parser.parse(text) if token.type != "inline"]


def bars(text: str) -> Iterator[int]:
    """How many cells each row of a table has by its bars, as a strict reader counts them."""
    fence = ""
    for line in text.split("\n"):
        marks = re.match("`{3,}", line)
        if marks is not None:
            fence = "" if fence == marks[0] else fence or marks[0]
        elif line.startswith("|") and not fence:
            yield len(re.findall(r"(?<!\\)(?:\\\\)*\|", line))


@settings(max_examples=MANY)
@given(pool=st.lists(TEXTS, min_size=1, max_size=5))
def test_any_text_leaves_the_card_whole(pool: list[str], said: Mapping[str, Any]) -> None:
    number = iter(range(10**9))
    other = replaced(dict(said), lambda: pool[next(number) % len(pool)], ANY)
    other["metadata"] = {
        **other["metadata"],
        "pretty_name": pool[0],
        "tags": pool,
        "dataset_info": [{"names": {str(i): text for i, text in enumerate(pool)}}],
    }
    before, after = render(said), render(other)
    assert head_of(after) == other["metadata"]
    body = after[after.index("\n---\n") + 5 :]
    usual = before[before.index("\n---\n") + 5 :]
    assert shape(body) == shape(usual)
    assert list(bars(body)) == list(bars(usual))
    body.encode()


@given(TEXTS)
def test_inline_text_is_shown_as_it_is(text: str) -> None:
    parser = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable("table")
    for written in (markdown.inline(text), markdown.code(text)):
        (paragraph, inline, end) = parser.parse(f"x {written} x")
        shown = "".join(child.content for child in inline.children if "html" not in child.type)
        assert (paragraph.type, end.type) == ("paragraph_open", "paragraph_close")
        assert shown == f"x {markdown.line(text)} x"
    tokens = parser.parse(f"|a|\n|---|\n| x{markdown.inline(text)}x |")
    shown = [t for t in tokens if t.type == "inline"][1]
    assert "".join(child.content for child in shown.children) == f"x{markdown.line(text)}x"


# --- templates of one's own ----------------------------------------------------------------------


EXTENDS = '{% extends "card.md.j2" %}'


def own(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "own.md.j2"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_template_replaces_blocks(said: Mapping[str, Any], tmp_path: Path) -> None:
    text = "{% block limits %}## Limits\n\nNone: {{ title | md }}\n\n{% endblock %}"
    made = render(said, own(tmp_path, EXTENDS + text))
    assert section(made, "Limits") == "None: Keys & clés"
    assert head_of(made) == said["metadata"]
    usual = render(said)
    assert section(made, "Columns") == section(usual, "Columns")


def test_a_template_may_write_its_own_head(said: Mapping[str, Any], tmp_path: Path) -> None:
    text = "{% block head %}---\n{{ dict(metadata, viewer=false) | yaml }}---\n\n{% endblock %}"
    assert head_of(render(said, own(tmp_path, EXTENDS + text))) == {
        **said["metadata"],
        "viewer": False,
    }


def test_a_template_without_a_head_gets_one(said: Mapping[str, Any], tmp_path: Path) -> None:
    made = render(said, own(tmp_path, "# {{ name | md }}\n"))
    assert head_of(made) == said["metadata"]
    assert made.endswith("---\n\n# keys\n")


def test_a_template_may_include_what_stands_beside_it(
    said: Mapping[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "thanks.md").write_text("Thanks.\n", encoding="utf-8")
    assert render(said, own(tmp_path, '{% include "thanks.md" %}')).endswith("Thanks.\n")


@pytest.mark.parametrize(
    ("text", "what", "line"),
    [
        ("a\n{% if %}", "Expected an expression", 2),
        ("a\n\n{{ nobody }}", "'nobody' is undefined", 3),
        ("{{ titel }}", "'titel' is undefined; did you mean title?", 1),
        ("{{ title.nobody }}", "has no attribute 'nobody'", 1),
        ("{{ title.__class__.__mro__ }}", "a template may only write", 1),
        ("a\n{{ configs.append(1) }}", "a template may only write", 2),
        ("{{ 1 / 0 }}", "division by zero", 1),
        ("{{ title | nothing }}", "No filter named 'nothing'", 1),
        ('{% include "nobody.md" %}', "there is no template", 1),
        ('{% extends "own.md.j2" %}', "it extends or includes itself", None),
        ("---\na: [\n---\n", "not YAML", None),
        ("---\na: 1\n---\n", "no configs", None),
        ("{{ range(10**9) | list }}", "Range too big", 1),
    ],
)
def test_faults_of_a_template(
    text: str, what: str, line: int | None, said: Mapping[str, Any], tmp_path: Path
) -> None:
    path = own(tmp_path, text)
    with pytest.raises(MerulaError) as caught:
        render(said, path)
    (problem,) = caught.value.problems
    assert problem.code == "M711"
    assert what in problem.message
    assert problem.place == (f"{path}:{line}" if line else str(path))
    assert "templates/README.md" in problem.remedy


def test_a_template_that_cannot_be_read(said: Mapping[str, Any], tmp_path: Path) -> None:
    latin = tmp_path / "latin.j2"
    latin.write_bytes("clé".encode("latin-1"))
    for path in (tmp_path / "missing.j2", tmp_path, latin):
        with pytest.raises(MerulaError) as caught:
            render(said, path)
        assert caught.value.problems[0].code == "M711"


def test_a_template_can_be_looked_at_beforehand(tmp_path: Path) -> None:
    demand_template(own(tmp_path, "{{ anything }}"))
    with pytest.raises(MerulaError, match="M711"):
        demand_template(own(tmp_path, "{% nothing %}"))
    with pytest.raises(MerulaError, match="M711"):
        demand_template(tmp_path / "missing")


def test_without_pyyaml(said: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "yaml", None)
    with pytest.raises(MerulaError, match=r"M712.*\n.*pip install 'merula\[hf\]'"):
        render(said)


# --- where the words come from -------------------------------------------------------------------


def test_every_packaged_table_has_its_sources() -> None:
    root = folder("lexicons")
    tables = sorted(root.rglob("*.tsv"))
    assert tables
    for table in tables:
        named = [
            own
            for own in read_origins(table.parent / ORIGINS)
            if any(table.match(pattern) for pattern in own.tables)
        ]
        assert named, table
        assert all(own.licence in LICENCES for own in named)
    prose = (root / "README.md").read_text(encoding="utf-8")
    for own in read_origins(root / "en" / ORIGINS):
        assert own.by in prose or own.title == "Merula"
        assert own.url in prose


def test_sources_beside_a_table_are_named(tmp_path: Path) -> None:
    (tmp_path / ORIGINS).write_text(
        '[[source]]\ntitle = "Lexique"\nby = "Ann"\nurl = "https://example.org/a"\n'
        'licence = "cc-by-4.0"\ncite = "Ann (2020)"\n\n'
        '[[source]]\ntitle = "Other"\ntables = ["x*"]\n',
        encoding="utf-8",
    )
    plan = toy(tmp_path)
    card = render(facts(plan.publication, {"keys": plan.grammars[0].compiled}))
    found = section(card, "Where the words come from")
    assert found == (
        "- [Lexique](https://example.org/a) by Ann"
        " ([cc-by-4.0](https://creativecommons.org/licenses/by/4.0/)); in `keys.csv`."
        " To cite: Ann (2020)"
    )


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[[source]]\n", "source 1 has no title"),
        ('[[source]]\ntitel = "x"\n', "has the key titel; did you mean title?"),
        ('[source]\ntitle = "x"\n', "in double brackets"),
        ('[[source]]\ntitle = "x"\ntables = "y"\n', "tables of source 1 is not a list"),
        ("[[source]]\ntitle = 1\n", "title of source 1 is not a text"),
        ("[[sources]]\n", "it has sources"),
        ("x", "Expected"),
    ],
)
def test_faults_of_sources(text: str, what: str, tmp_path: Path) -> None:
    (tmp_path / ORIGINS).write_text(text, encoding="utf-8")
    plan = toy(tmp_path)
    with pytest.raises(MerulaError) as caught:
        facts(plan.publication, {"keys": plan.grammars[0].compiled})
    (problem,) = caught.value.problems
    assert problem.code == "M713"
    assert what in problem.message
    assert problem.place == str(tmp_path / ORIGINS)


def test_a_card_without_an_audit(plan: Publishing, tmp_path: Path) -> None:
    publish(plan, tmp_path / "out", PublishOptions(audit=0, sources=False))
    assert "## The audit" not in text_of(tmp_path / "out")


def packaged(name: str, **choice: Any) -> tuple[Publishing, dict[str, Any]]:
    """The plan of a grammar that comes with Merula, and the facts of its card."""
    asked = GrammarRequest(name, TableOptions(), merula.load(name)._compiled)
    plan = Publishing("data", (asked,), Details("cc-by-4.0"), RowRequest(10, **choice))
    compiled = {entry.phenomenon: asked.compiled for entry in plan.publication.grammars}
    return plan, facts(plan.publication, compiled)


def test_cells_are_told_by_frame_where_frames_differ() -> None:
    plan, told = packaged("npi/adverbs", designs=("ever",))
    design = plan.grammars[0].compiled.designs["ever"]
    (own,) = told["designs"]
    assert [table["frames"] for table in own["tables"]] == [["after"], ["before"]]
    for table in own["tables"]:
        for variant in (p for p in design.plans if p.variant.frame.name in table["frames"]):
            said = [(cell["judgement"], cell["breaks"]) for cell in table["cells"]]
            assert said == [
                ("acceptable" if own.cell.acceptable else "unacceptable", list(own.cell.broken))
                for own in variant.cells
            ]
    # which cells are good depends on the frame, how many are does not
    card = render(told)
    assert "in some variants" not in card
    assert "From instance to instance the frame, `N2.number`, `H1.tense` vary." in card
    row = counts(card)["adverbs-ever` (default)"]
    assert (row["test"], row["rows"]) == ("10", "80")
    assert (row["acceptable"], row["unacceptable"]) == ("50", "30")


def test_frames_that_are_alike_are_told_together(said: Mapping[str, Any]) -> None:
    (own,) = [own for own in said["designs"] if own["kind"] == "paradigm"]
    assert own["tables"] == [{"frames": own["frames"], "cells": own["cells"]}]
    assert "In the frame" not in render(said)


def test_instances_with_contested_sentences_are_left_out() -> None:
    _, told = packaged("npi/adverbs", designs=("ever",))
    (rule,) = told["together"]["contested"]
    assert rule["doc"]
    assert f"left out: `free_choice` ({rule['doc']})." in render(told)
    rule["doc"] = ""
    assert "left out: `free_choice` (`any and any inside frees`)." in render(told)


@pytest.mark.parametrize(
    ("types", "answers", "here", "not_here"),
    [
        (("I",), "one", "In type I all of its sentences", "In type III"),
        (("III",), "one", "the answers share a further choice", "In type I all"),
        (("III",), "mixed", "and so has each answer", "a further choice"),
    ],
)
def test_what_the_types_share(
    types: tuple[str, ...], answers: str, here: str, not_here: str, tmp_path: Path
) -> None:
    plan = toy(tmp_path, types=types)
    configs = [
        replace(c, answers=answers if c.variation == "III" else "")
        for c in plan.publication.configs
    ]
    card = render(
        facts(replace(plan.publication, configs=configs), {"keys": plan.grammars[0].compiled})
    )
    assert here in card
    assert not_here not in card


def suite(**said: Any) -> SuiteEntry:
    """A suite of which something is said."""
    usual = dict.fromkeys(("asked", "source", "about", "recipe", "split", "disjoint"), "")
    more: dict[str, Any] = {
        "references": [],
        "orders": [],
        "types": [],
        "cap": None,
        "number": None,
        "seed": 0,
    }
    return SuiteEntry(**{**usual, **more, "name": "keys", **said})


@pytest.mark.parametrize(
    ("disjoint", "here", "words"),
    [
        ("", "No lexical set is in two splits.", False),
        ("answers", "No right answer of a configuration is in two splits, but", True),
    ],
)
def test_what_splits_of_a_suite_share(
    disjoint: str, here: str, words: bool, plan: Publishing, out: Path
) -> None:
    whole = replace(read(out), suite=suite(disjoint=disjoint))
    card = render(facts(whole, {"keys": plan.grammars[0].compiled}))
    assert here in section(card, "Counts")
    assert ("says nothing about new words" in section(card, "Limits")) == words
    assert ("each split has lexical sets of its own" in card) == (not disjoint)


def test_a_suite_says_what_it_is_and_how_it_draws(plan: Publishing, out: Path) -> None:
    own = suite(about="keys and their attractors", references=["Bock & Miller (1991)"], cap=0.03)
    card = render(facts(replace(read(out), suite=own), {"keys": plan.grammars[0].compiled}))
    body = card.partition("\n# ")[2]
    assert body.split("\n\n")[1].startswith("Keys and their attractors. This data set has")
    assert "The suite `keys` decides" in body
    assert "no lexeme is in more than 3.0% of the paradigms of a slot" in body
    assert section(card, "Citation").endswith("\n- Bock & Miller (1991)")


def test_what_an_answer_breaks_in_some_variants_is_told_so() -> None:
    plan, told = packaged("blm/agreement_fr", designs=("six",))
    variants = plan.grammars[0].compiled.designs["six"].plans
    (own,) = told["designs"]
    for answer in own["answers"]:
        broken = [
            cell.cell.broken
            for v in variants
            for cell in v.cells
            if cell.cell.label == answer["label"]
        ]
        every = {rule for rules in broken for rule in rules}
        assert set(answer["breaks"]) == {rule for rule in every if all(rule in b for b in broken)}
        assert set(answer["sometimes"]) == every - set(answer["breaks"])
    assert "`E agreement`, sometimes `I attraction`" in render(told)


def test_the_examples_are_of_the_seed(tmp_path: Path) -> None:
    from merula.data.opened import Published

    publish(toy(tmp_path, seed=7), tmp_path / "out", PublishOptions(audit=0, sources=False))
    opened = Published.open(tmp_path / "out")
    text = text_of(tmp_path / "out")
    for config in opened.about.configs[:2]:
        row = next(own for batch in opened.rows(config, "test") for own in batch.to_pylist())
        first = row["sentence"] if config.kind == "paradigm" else row["context"][0]
        assert re.search(rf"^[01] [ *]+{re.escape(first)}", text, re.MULTILINE), config.name


def test_the_default_is_loaded_without_its_name(out: Path) -> None:
    found = section(text_of(out), "Loading it")
    assert re.findall(r'^data = load_dataset\("keys"(?:, "(.+)")?\)', found, re.MULTILINE) == [
        "",
        "keys-four-type_I",
        "keys-four-type_III",
    ]


# --- many designs --------------------------------------------------------------------------------

MORE = """paradigm no = subj.number × verb.number varying attr.number
paradigm some "by number" = verb.number × subj.number varying attr.number
"""


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Facts:
    """The facts of two grammars with eight designs, which differ in one rule."""
    where = tmp_path_factory.mktemp("crowd")
    (where / "keys.csv").write_text(TABLE, encoding="utf-8")
    asked = []
    for name, doc in (("keys", "a verb agrees"), ("locks", "a verb agrees, too")):
        text = GRAMMAR.replace("phenomenon keys", f"phenomenon {name}")
        text = text.replace("a verb has the number of its subject", doc)
        text = text.replace("matrix four", f"{MORE}matrix four")
        path = where / f"{name}.merula"
        path.write_text(text, encoding="utf-8")
        asked.append(GrammarRequest(str(path), TableOptions(), merula.load(path)._compiled))
    plan = Publishing("crowd", tuple(asked), Details("cc-by-4.0"), RowRequest(10, split="60:20:20"))
    grammars = zip(plan.publication.grammars, asked, strict=True)
    compiled = {entry.phenomenon: own.compiled for entry, own in grammars}
    return Facts(facts(plan.publication, compiled, samples=draw_samples(plan.configs, plan.seed)))


def test_what_phenomena_share_is_said_once(crowd: Mapping[str, Any]) -> None:
    found = section(render(crowd), "The phenomena")
    assert (
        len(re.findall(r"^\| `keys` +\| Agreement across an attractor", found, re.MULTILINE)) == 1
    )
    rows = re.findall(r"^\| `E agreement` +\| (.+?) +\| (.+?) +\|$", found, re.MULTILINE)
    assert rows[:2] == [("a verb agrees", "`keys`"), ("a verb agrees, too", "`locks`")]
    assert re.findall(r"^\| `clause`.*\| (.+?) +\|$", found, re.MULTILINE) == ["all"]


def test_designs_that_are_alike_are_told_once(crowd: Mapping[str, Any]) -> None:
    told = [[own["members"], own["design"]["name"]] for own in crowd["groups"]]
    both = ["keys", "locks"]
    assert told == [
        [[[["yes", "no"], both]], "yes"],
        [[[["some"], both]], "some"],
        [[[["four"], both]], "four"],
    ]
    found = section(render(crowd), "Designs")
    assert found.count("<details") == found.count("</details>") == 3
    # cells, what they break, and an instance in a block; the same as where there are few designs
    (own, *_) = crowd["designs"]
    cells = own["tables"][0]["cells"]
    sentences = [line[1] for line in own["examples"][0]["lines"]]
    for number, (cell, sentence) in enumerate(zip(cells, sentences, strict=True)):
        told_ = "  ".join([f"{number} ", *cell["factors"], *cell["breaks"], sentence])
        assert " ".join(told_.split()) in [" ".join(line.split()) for line in found.split("\n")]


def test_answers_of_many_designs_say_what_they_break(crowd: Mapping[str, Any]) -> None:
    found = section(render(crowd), "Designs")
    assert re.search(r"^AE +E  .*  E agreement \(the other number\)  ", found, re.MULTILINE)
    assert re.search(r"^WN +R  .*  R attr\.number  ", found, re.MULTILINE)
    assert "By chance the answer is right in 33.3% of the matrices." in found


@settings(max_examples=MANY // 2)
@given(pool=st.lists(TEXTS, min_size=1, max_size=5))
def test_any_text_leaves_the_card_of_a_crowd_whole(
    pool: list[str], crowd: Mapping[str, Any]
) -> None:
    number = iter(range(10**9))
    keys = ANY - {"about"} | {"only", "but", "references", "abouts"}
    other = replaced(dict(crowd), lambda: pool[next(number) % len(pool)], keys)
    before, after = render(crowd), render(other)
    assert shape(after.partition("\n---\n")[2]) == shape(before.partition("\n---\n")[2])
    assert list(bars(after)) == list(bars(before))


# --- what limits the data ------------------------------------------------------------------------


def shortcut(part: str, probe: str, majority: float, forced: float | None) -> dict[str, Any]:
    own = {"part": part, "probe": probe, "majority": majority, "forced": forced}
    return {**own, "accuracy": majority, "of": "sentences", "number": 10, "leaks": False}


def limits(plan: Publishing, **audit: Any) -> tuple[str, str]:
    """What the card says of an audit, and of limits."""
    whole = {"clean": True, "faults": [], "sentences": 1, "matrices": 0, "paradigms": 1}
    whole |= {"checks": [], "shortcuts": [], "shortcuts_complete": True, "tolerance": 0.02}
    whole |= audit
    card = render(facts(plan.publication, {"keys": plan.grammars[0].compiled}, whole))
    return section(card, "The audit"), section(card, "Limits")


def test_the_limits_say_what_takes_no_syntax(plan: Publishing) -> None:
    found = [shortcut("a", "words", 0.5, 0.75), shortcut("a", "position", 0.5, None)]
    heard, told = limits(plan, shortcuts=found)
    assert "most frequent label is right in 50.0%, and a bag of words in up to 75.0%" in told
    assert "Where there is no second number" in heard
    more = [*found[:1], shortcut("b", "words", 0.625, 0.875)]
    heard, told = limits(plan, shortcuts=more)
    assert "is right in 50.0% to 62.5%, and a bag of words in up to 75.0% to 87.5%" in told
    assert "Where there is no second number" not in heard
    _, told = limits(plan)
    assert "bag of words" not in told


def test_the_limits_say_what_splits_share(plan: Publishing) -> None:
    check = {"check": "split-right", "meaning": "right answers in two splits", "ran": True}
    check |= {"of": 40, "said": "", "fails": True}
    _, told = limits(plan, checks=[{**check, "found": 3}])
    assert "- The audit found right answers in two splits: 3 of 40." in told
    _, told = limits(plan, checks=[{**check, "found": 0}])
    assert "right answers" not in told


# --- without sources -----------------------------------------------------------------------------


def test_a_card_without_sources_says_what_is_needed(plan: Publishing, tmp_path: Path) -> None:
    publish(plan, tmp_path / "out", PublishOptions(audit=0, sources=False))
    found = section(text_of(tmp_path / "out"), "Making it again")
    assert "are not published with the data" in found
    assert "in this folder" not in found
    assert "merula verify ." not in found
    assert plan.publication.grammars[0].grammar[:16] in found


def test_a_card_of_a_packaged_grammar_without_sources() -> None:
    plan, told = packaged("npi/only", designs=("ever",))
    found = section(render(told), "Making it again")
    assert f"they come with Merula {plan.publication.merula}" in found
    assert "merula verify ." in found


def test_other_licences_of_tables_are_named() -> None:
    _, told = packaged("npi/only", designs=("ever",))
    assert "Parts of the tables" not in render(told)  # they are not published
    with_source = {**told, "has_source": True}
    found = section(render(with_source), "Licence")
    assert "Parts of the tables in `source/` have different ones" in found
    assert "[cc-by-sa-4.0](https://creativecommons.org/licenses/by-sa/4.0/)" in found


# --- templates -----------------------------------------------------------------------------------


def test_a_template_goes_on_with_a_list(said: Mapping[str, Any], tmp_path: Path) -> None:
    text = "{% block limits %}\n{{ super() }}\n- Two speakers have read it.\n\n{% endblock %}"
    found = section(render(said, own(tmp_path, EXTENDS + text)), "Limits")
    assert found.endswith("\n- Two speakers have read it.")
    assert "\n\n-" not in found[found.index("- Labels") :]


def test_a_template_may_be_called_as_the_packaged_one(
    said: Mapping[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = EXTENDS + "{% block title %}# Mine\n\n{% endblock %}"
    (tmp_path / "card.md.j2").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for name in ("card.md.j2", "./card.md.j2", str(tmp_path / "card.md.j2")):
        demand_card(Path(name))
        assert "\n# Mine\n" in render(said, Path(name))


def test_what_a_card_needs_is_asked_for_beforehand(monkeypatch: pytest.MonkeyPatch) -> None:
    demand_card()
    with pytest.raises(MerulaError, match="M711"):
        demand_card(Path("missing"))
    monkeypatch.setitem(__import__("sys").modules, "yaml", None)
    with pytest.raises(MerulaError, match="M712"):
        demand_card()
