"""`merula export --as latin-square` and `merula ratings`: studies with people, there and back."""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from export_folders import KEYS, KEYS_CSV, keys, publish, run
from merula.core.diagnostics import MerulaError
from merula.data.opened import Published
from merula.exports.instances import ConfigSplit
from merula.exports.items import choose, sources_of
from merula.exports.latin_square import SHEET, Trial, arranged, code_of, repeats
from merula.exports.ratings import merge_ratings

Cells = dict[str, str]
Row = dict[str, Any]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small paradigms of five lexical sets, in three splits."""
    return keys(tmp_path_factory.mktemp("keys"), "-n", 12, "--seed", 5, "--split", "50:20:30")


@pytest.fixture(scope="module")
def npi(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Paradigms of eight cells with large lexicons, in three splits."""
    folder = tmp_path_factory.mktemp("npi") / "npi"
    return publish(folder, "npi/only", "-n", 40, "--split", "80:10:10")


def exported(data: Path, out: Path, *args: object) -> Path:
    done = run("export", data, "--as", "latin-square", "--out", out, *args)
    assert done.exit_code == 0, done.output
    return out


def table(path: Path) -> list[Cells]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def lists(out: Path) -> dict[str, list[Cells]]:
    """The table of all lists, list by list."""
    found: dict[str, list[Cells]] = defaultdict(list)
    for path in sorted(out.glob("all-lists-of-*.csv")):
        for row in table(path):
            found[row["list"]].append(row)
    return dict(found)


def published(data: Path) -> dict[str, Row]:
    """The rows of all paradigms, by code."""
    opened = Published.open(data)
    found = {}
    for config in opened.about.configs:
        if config.kind == "paradigm":
            for split in config.splits:
                for batch in opened.rows(config, split.name):
                    for row in batch.to_pylist():
                        code = code_of(config.name, row["address"], row["cell"])
                        assert code not in found
                        found[code] = row | {"config": config.name, "split": split.name}
    return found


# --- Latin squares ---------------------------------------------------------------------------


def test_each_item_is_in_one_cell_of_each_list_and_in_each_cell_once(
    npi: Path, tmp_path: Path
) -> None:
    found = lists(exported(npi, tmp_path / "out"))
    assert sorted(found) == list("12345678")
    there = published(npi)
    seen: Counter[tuple[str, str, str]] = Counter()
    every = {(row["config"], row["address"]) for own in found.values() for row in own}
    for own in found.values():
        assert [row["position"] for row in own] == [str(i + 1) for i in range(len(own))]
        assert {(row["config"], row["address"]) for row in own} == every
        assert len(own) == len(every)
        cells = Counter((row["config"], row["cell"]) for row in own)
        for config in ("only-ever", "only-any"):
            assert len({n for (name, _), n in cells.items() if name == config}) == 1
        assert len(cells) == 16
        for row in own:
            said = there[row["code"]]
            for name in ("config", "address", "cell", "sentence"):
                assert row[name] == said[name]
            assert (row["item"], row["rating"]) == (str(said["instance"]), "")
            seen[row["config"], row["address"], row["cell"]] += 1
        assert repeats([row["cell"] for row in own]) == 0
    assert len(seen) == 8 * len(every)
    assert set(seen.values()) == {1}


def test_a_sheet_tells_a_rater_nothing(npi: Path, tmp_path: Path) -> None:
    out = exported(npi, tmp_path / "out")
    found = lists(out)
    for number, own in found.items():
        path = out / f"list-{number}-of-8.csv"
        assert path.read_bytes().startswith("\ufeff".encode())
        sheet = table(path)
        assert list(sheet[0]) == list(SHEET) == ["list", "position", "code", "sentence", "rating"]
        assert sheet == [{name: row[name] for name in SHEET} for row in own]
        assert all(re.fullmatch("[b-df-hj-np-tv-z]{12}", row["code"]) for row in sheet)


def test_a_study_takes_the_instances_of_all_splits(npi: Path, tmp_path: Path) -> None:
    there = published(npi)
    every = lists(exported(npi, tmp_path / "every", "--share-lexemes"))
    assert len(every["1"]) == 80
    assert len({there[row["code"]]["split"] for row in every["1"]}) == 3
    some = lists(exported(npi, tmp_path / "some", "--split", "train"))
    assert {there[row["code"]]["split"] for row in some["1"]} == {"train"}
    done = run("export", npi, "--as", "latin-square", "--out", tmp_path / "x", "--split", "test")
    assert done.exit_code == 1
    assert "M746" in done.output
    assert "only-ever has 8 cells, but only 4 instances in test" in done.output
    assert "leave --split out" in done.output


def content(row: Row) -> set[str]:
    """The nouns and verbs of a row."""
    return {
        own for slot, own in row["lexemes"].items() if own and re.fullmatch(r"[NV]\d|obj\d", slot)
    }


def test_items_share_no_nouns_or_verbs(npi: Path, tmp_path: Path) -> None:
    there = published(npi)
    every = [content(row) for row in there.values() if row["config"] == "only-ever"][::8]
    assert sum(map(len, every)) > len(set.union(*every))  # published instances do
    done = run("export", npi, "--as", "latin-square", "--out", tmp_path / "out")
    (own, *_) = lists(tmp_path / "out").values()
    items = [content(there[row["code"]]) for row in own]
    assert min(map(len, items)) > 1
    assert sum(map(len, items)) == len(set.union(*items))
    number = Counter(row["config"] for row in own)
    for config in ("only-ever", "only-any"):
        assert number[config] < 40
        told = f"{config}: {number[config]} of 40 instances, which share no lexemes ("
        assert told in done.stderr
        slots = done.stderr.partition(told)[2].partition(")")[0]
        assert {*re.split(", | and ", slots)} == {"N1", "N2", "V1", "V2", "V3", "obj1"}
    more = lists(exported(npi, tmp_path / "more", "--share-lexemes"))
    assert Counter(row["config"] for row in more["1"]) == {"only-ever": 40, "only-any": 40}


def test_a_lexical_set_is_one_item(data: Path, tmp_path: Path) -> None:
    there = published(data)
    done = run(
        *("export", data, "--as", "latin-square", "--out", tmp_path / "out"),
        *("--config", "keys-crossed"),
    )
    for own in lists(tmp_path / "out").values():
        sets = [str(there[row["code"]]["lexemes"]) for row in own]
        assert len(sets) == len(set(sets)) == 4
    assert done.stderr == "keys-crossed: 4 of 10 instances, which share no lexemes (set)\n"


def test_paradigms_of_the_same_sets_share_them_with_each_other(data: Path, tmp_path: Path) -> None:
    there = published(data)
    done = run("export", data, "--as", "latin-square", "--out", tmp_path / "out")
    for own in lists(tmp_path / "out").values():
        for config in ("keys-attraction", "keys-crossed", "keys-fine"):
            mine = [there[row["code"]] for row in own if row["config"] == config]
            assert len({str(row["lexemes"]) for row in mine}) == len(mine) == 4
    assert "items of keys-attraction, keys-crossed and keys-fine share lexemes" in done.stderr


WORDS = """\
phenomenon words
lexicon "words.csv"
objects
  det  : D
  subj : N (number)
  verb : V (number)
attributes
  number = sg | pl
external
  agreement: verb.number = subj.number
frames
  clause = det subj verb
paradigm agree = subj.number × verb.number
"""


@pytest.mark.parametrize(
    ("nouns", "number", "note"),
    [
        (9, 8, "8 of 162 instances, which share no lexemes (subj and verb)"),
        (5, 4, "which share no lexemes but those of det (subj and verb)"),
        (2, 8, "items share lexemes (det, subj and verb), since fewer than 4 instances do not"),
    ],
)
def test_small_classes_may_come_again(tmp_path: Path, nouns: int, number: int, note: str) -> None:
    lines = ["lemma,category,sg,pl", "the,D,,", "some,D,,"]
    lines += [f"n{i},N,n{i},n{i}s\nv{i},V,v{i}s,v{i}" for i in range(nouns)]
    (tmp_path / "words.merula").write_text(WORDS, "utf-8")
    (tmp_path / "words.csv").write_text("\n".join(lines) + "\n", "utf-8")
    made = publish(tmp_path / "data", tmp_path / "words.merula", "-n", 200)
    done = run("export", made, "--as", "latin-square", "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert len(lists(tmp_path / "out")["1"]) == number
    assert note in done.stderr


@given(st.integers(1, 30), st.booleans())
def test_items_are_a_multiple_and_no_more_than_are_wanted(
    npi: Path, most: int, share: bool
) -> None:
    opened = Published.open(npi)
    parts = [ConfigSplit(opened, c, s.name) for c in opened.about.configs for s in c.splits]
    sources = sources_of(parts)
    for source, items in zip(sources, choose(sources, most, share=share), strict=True):
        assert len(items.places) % 8 == 0
        assert len(items.places) == most // 8 * 8 or not share
        assert len(items.places) <= most
        assert list(items.places) == sorted({*items.places} & {*range(source.instances)})


def test_the_seed_decides_the_order_and_nothing_else(data: Path, tmp_path: Path) -> None:
    one, other = (lists(exported(data, tmp_path / str(seed), "--seed", seed)) for seed in (1, 2))
    for number, own in one.items():
        codes = [[row["code"] for row in rows] for rows in (own, other[number])]
        assert codes[0] != codes[1]
        assert sorted(codes[0]) == sorted(codes[1])


@given(st.integers(1, 4), st.integers(2, 8), st.integers(1, 6), st.integers())
def test_neighbours_differ(configs: int, cells: int, each: int, seed: int) -> None:
    trials = [
        Trial(i, f"c{c}", str(i), f"x{i % cells}", "")
        for c in range(configs)
        for i in range(cells * each)
    ]
    found = arranged(trials, seed, 0)
    assert sorted(found) == sorted(trials)
    assert repeats([trial.config for trial in found]) == (0 if configs > 1 else len(found) - 1)
    if (configs, cells) != (2, 2):  # two that take turns cannot have cells that take turns as well
        assert repeats([trial.cell for trial in found]) == 0


@given(st.lists(st.sampled_from("ab"), min_size=1, max_size=12), st.integers())
def test_neighbours_are_the_same_only_where_they_must_be(names: list[str], seed: int) -> None:
    trials = [Trial(i, "c", str(i), name, "") for i, name in enumerate(names)]
    most = max(Counter(names).values())
    found = [trial.cell for trial in arranged(trials, seed, 0)]
    assert repeats(found) == max(2 * most - len(names) - 1, 0)


def test_lists_of_paradigms_of_different_sizes_are_apart(tmp_path: Path) -> None:
    (tmp_path / "g.merula").write_text(KEYS + "paradigm two = verb.number\n", "utf-8")
    (tmp_path / "keys.csv").write_text(KEYS_CSV, "utf-8")
    out = exported(publish(tmp_path / "data", tmp_path / "g.merula"), tmp_path / "out")
    assert len(list(out.glob("list-?-of-4.csv"))) == 4
    assert len(list(out.glob("list-?-of-2.csv"))) == 2
    assert len(list(out.glob("all-lists-of-?.csv"))) == 2


# --- ratings ---------------------------------------------------------------------------------

Change = Callable[[int, Cells], object]


def filled(path: Path, out: Path, change: Change | None = None, *, separator: str = ",") -> Path:
    """A list as a rater sends it back."""
    own = table(path)
    for i, row in enumerate(own):
        row["rating"] = str(i % 7 + 1)
        if change is not None:
            change(i, row)
    with out.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(own[0]), delimiter=separator, lineterminator="\r\n")
        writer.writeheader()
        writer.writerows(own)
    return out


@pytest.fixture(scope="module")
def studied(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return exported(data, tmp_path_factory.mktemp("study") / "lists")


def rate(data: Path, out: Path, *files: Path) -> list[Cells]:
    done = run("ratings", data, *files, "--out", out)
    assert done.exit_code == 0, done.output
    return table(out)


def refused(data: Path, out: Path, *files: Path) -> str:
    done = run("ratings", data, *files, "--out", out)
    assert done.exit_code == 1, done.output
    assert not out.exists()
    return done.output


def test_ratings_come_back_to_their_rows(data: Path, studied: Path, tmp_path: Path) -> None:
    def change(i: int, row: Cells) -> None:
        row["rating"] = {0: "", 1: "4,5", 2: " 3 ", 3: "NA"}.get(i, row["rating"])

    def sign(i: int, row: Cells) -> None:
        row.update(Rater="Eva", seconds=str(i))

    files = [
        filled(studied / "list-1-of-4.csv", tmp_path / "anna.csv"),
        filled(studied / "list-2-of-4.csv", tmp_path / "ben.csv", change, separator=";"),
        filled(studied / "list-2-of-4.csv", tmp_path / "c.csv", sign, separator="\t"),
    ]
    found = rate(data, tmp_path / "out.csv", *files)
    there = {(row["config"], row["address"], row["cell"]): row for row in published(data).values()}
    assert len(found) == sum(len(table(file)) for file in files[:1]) * 3
    for own in found:
        row = there[own["config"], own["address"], own["cell"]]
        for name in ("split", "sentence"):
            assert own[name] == row[name]
        assert own["label"] == ("acceptable" if row["acceptable"] else "unacceptable")
        assert own["broken"] == "; ".join(row["broken"])
        factors = {k.partition(".")[2]: v for k, v in own.items() if k.startswith("factors.")}
        assert {name: value for name, value in factors.items() if value} == row["factors"]
        assert own["item"] == str(row["instance"])
    assert Counter(own["rater"] for own in found) == dict.fromkeys(("anna", "ben", "Eva"), 12)
    ben = [own["rating"] for own in found if own["rater"] == "ben"]
    assert ben[:5] == ["", "4.5", "3", "", "5"]
    assert [own["seconds"] for own in found if own["rater"] == "Eva"] == [str(i) for i in range(12)]
    merged = merge_ratings(data, files)
    assert [own["rating"] for own in merged][12:16] == [None, 4.5, 3.0, None]
    assert merged[0]["acceptable"] == (found[0]["label"] == "acceptable")


def test_what_was_found_is_said(data: Path, studied: Path, tmp_path: Path) -> None:
    def yes(i: int, row: Cells) -> None:
        row["rating"] = "" if i == 0 else "yes" if i % 3 else "no"

    path = filled(studied / "list-1-of-4.csv", tmp_path / "a.csv", yes)
    done = run("ratings", data, path, "--out", tmp_path / "out.csv")
    assert done.stdout == (
        f"{tmp_path / 'out.csv'}  11 ratings by 1 rater, 1 left empty\nratings: no (3), yes (8)\n"
    )

    def slide(i: int, row: Cells) -> None:
        row["rating"] = str(i * 7.25)

    files = [filled(studied / f"list-{i}-of-4.csv", tmp_path / f"{i}.csv", slide) for i in (1, 2)]
    filled(
        studied / "list-3-of-4.csv", tmp_path / "3.csv", lambda i, row: row.update(rating=f"{i}.5")
    )
    done = run("ratings", data, *files, tmp_path / "3.csv", "--out", tmp_path / "slid.csv")
    assert done.stdout.endswith("36 ratings by 3 raters\nratings: numbers from 0 to 79.75\n")
    assert run("ratings", data, path, "--out", tmp_path / "q.csv", "--quiet").output == ""


def test_a_table_of_codes_and_ratings_is_enough(data: Path, studied: Path, tmp_path: Path) -> None:
    """As programs for experiments write it: all participants in one file, headers in any case."""
    sheet = table(studied / "list-1-of-4.csv")[:3]
    lines = ["Participant,Code,Rating"]
    lines += [f"{who},{row['code']},{i}" for who in ("p1", "p2") for i, row in enumerate(sheet)]
    (tmp_path / "results.csv").write_text("\n".join(lines) + "\n", "utf-8")
    found = rate(data, tmp_path / "out.csv", tmp_path / "results.csv")
    assert [row["rater"] for row in found] == ["p1"] * 3 + ["p2"] * 3
    assert [row["sentence"] for row in found] == [row["sentence"] for row in sheet] * 2


def test_fillers_are_left_out(data: Path, studied: Path, tmp_path: Path) -> None:
    path = filled(
        studied / "list-1-of-4.csv",
        tmp_path / "a.csv",
        lambda i, row: row.update(
            {"code": "", "sentence": "A filler.", "rating": "high"} if i < 2 else {}
        ),
    )
    done = run("ratings", data, path, "--out", tmp_path / "out.csv")
    assert "left out, as fillers: 2 lines without a code" in done.stderr
    assert len(table(tmp_path / "out.csv")) == 10


def test_the_table_of_all_lists_can_be_filled(data: Path, studied: Path, tmp_path: Path) -> None:
    path = filled(studied / "all-lists-of-4.csv", tmp_path / "me.csv")
    assert len(rate(data, tmp_path / "out.csv", path)) == 48


def test_an_address_that_a_spreadsheet_has_rounded(
    data: Path, studied: Path, tmp_path: Path
) -> None:
    def change(_: int, row: Cells) -> None:
        row.update(address=f"{row['address']}E+11", code="")

    shown = table(studied / "all-lists-of-4.csv")
    path = filled(studied / "all-lists-of-4.csv", tmp_path / "a.csv", change)
    for own, row in zip(rate(data, tmp_path / "out.csv", path), shown, strict=True):
        assert (own["address"], own["sentence"]) == (row["address"], row["sentence"])


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        ({"sentence": "Something else."}, "M747", "the sentence is `Something else.` here"),
        ({"code": "xxxx"}, "M747", "has no sentence with the code xxxx"),
        ({"code": "", "cell": "sg xx"}, "M747", "has no sentence `sg xx` of keys-"),
        ({"code": "", "config": "keys-atraction"}, "M747", "did you mean keys-attraction?"),
        ({"rating": "good"}, "M748", "the rating `good` is not a number, unlike the other 47"),
        ({"rating": "nan"}, "M748", "the rating `nan` is not a number"),
    ],
)
def test_a_line_that_does_not_fit(
    data: Path, studied: Path, tmp_path: Path, change: Cells, code: str, message: str
) -> None:
    path = filled(
        studied / "all-lists-of-4.csv",
        tmp_path / "a.csv",
        lambda i, row: row.update(change if i == 3 else {}),
    )
    said = refused(data, tmp_path / "out.csv", path)
    assert f"error[{code}]" in said
    assert message in said
    assert f"--> {path}:5" in said
    assert said.count("error[") == 1


def test_a_number_among_words(data: Path, studied: Path, tmp_path: Path) -> None:
    path = filled(
        studied / "list-1-of-4.csv",
        tmp_path / "a.csv",
        lambda i, row: row.update(rating="1" if i == 4 else "yes"),
    )
    said = refused(data, tmp_path / "out.csv", path)
    assert "error[M748]: the rating `1` is a number, unlike the other 11" in said
    assert f"{path}:6" in said


def test_all_faults_of_all_files_are_told_at_once(
    data: Path, studied: Path, tmp_path: Path
) -> None:
    good = filled(studied / "list-1-of-4.csv", tmp_path / "good.csv")
    wrong = filled(
        studied / "list-2-of-4.csv",
        tmp_path / "wrong.csv",
        lambda i, row: row.update(code="x" if 1 < i < 9 else row["code"]),
    )
    said = refused(data, tmp_path / "out.csv", good, wrong, tmp_path / "god.csv")
    assert "did you mean good.csv?" in said
    assert said.count("with the code x") == 5
    assert f"2 more lines of {wrong} are wrong" in said
    assert said.count("error[") == 7


def test_lists_of_other_data(npi: Path, studied: Path, tmp_path: Path) -> None:
    path = filled(studied / "list-1-of-4.csv", tmp_path / "a.csv")
    other = filled(studied / "list-2-of-4.csv", tmp_path / "b.csv")
    said = refused(npi, tmp_path / "out.csv", path, other)
    assert f"none of the sentences of {path} is in {npi}" in said
    assert said.count("error[") == 2


def test_ratings_that_are_there_twice(data: Path, studied: Path, tmp_path: Path) -> None:
    path = filled(studied / "list-1-of-4.csv", tmp_path / "a.csv")
    out = tmp_path / "out.csv"
    (tmp_path / "link.csv").symlink_to(path)
    for again in (path, tmp_path / "link.csv"):
        assert f"{again} is named twice" in refused(data, out, path, again)
    copy = tmp_path / "b.csv"
    copy.write_bytes(path.read_bytes().replace(b"\r", b""))
    assert f"error[M749]: {copy} has the same ratings as {path}" in refused(data, out, path, copy)
    for name in ("c", "d"):  # one rater, two files
        filled(path, tmp_path / f"{name}.csv", lambda _, row: row.update(rater="Eva"))
    said = refused(data, out, tmp_path / "c.csv", tmp_path / "d.csv")
    assert re.search(r"M749\]: Eva rates `.*` twice: see .*c.csv:2", said)
    lines = path.read_text("utf-8-sig").splitlines()
    path.write_text("\n".join([*lines, lines[4], ""]), "utf-8")
    assert f"twice: see {path}:5" in refused(data, out, path)


def test_two_raters_may_agree_in_everything(data: Path, studied: Path, tmp_path: Path) -> None:
    names = ("a", "b")
    for name in names:
        filled(
            studied / "list-1-of-4.csv",
            tmp_path / f"{name}.csv",
            lambda _, row, name=name: row.update(rater=name),  # type: ignore[misc]
        )
    assert len(rate(data, tmp_path / "out.csv", tmp_path / "a.csv", tmp_path / "b.csv")) == 24


def test_a_list_that_nobody_has_filled_in(data: Path, studied: Path, tmp_path: Path) -> None:
    path = studied / "list-1-of-4.csv"
    assert "error[M748]: there are no ratings in these lists" in refused(
        data, tmp_path / "o.csv", path
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "has no column rating"),
        (b"\xff\xfe\x00", "it is not in UTF-8"),
        (b"list,item,config,address,cell,sentence,ratng\n", "did you mean ratng?"),
        (b"config,address,sentence,rating\n", "has no column cell"),
        (b"sentence,rating\n", "has no column code"),
        (b"config,address,cell,sentence,rating\nkeys-fine,1\n", "fewer cells"),
        (b"code,sentence,rating\nabc,So, we left.,3\n", "more cells"),
    ],
)
def test_files_that_are_no_lists(data: Path, tmp_path: Path, text: bytes, message: str) -> None:
    (tmp_path / "a.csv").write_bytes(text)
    with pytest.raises(MerulaError, match=re.escape(message)) as error:
        merge_ratings(data, [tmp_path / "a.csv"])
    assert {problem.code for problem in error.value.problems} <= {"M747", "M748"}


def test_other_files(data: Path, tmp_path: Path) -> None:
    (tmp_path / "a.xlsx").write_bytes(b"PK\x03\x04\xff")
    said = refused(data, tmp_path / "o.csv", tmp_path, tmp_path / "a.xlsx", tmp_path / "none.csv")
    assert "it is a folder" in said
    assert "it is a spreadsheet, not CSV" in said
    assert "it does not exist" in said


def test_no_file_is_written_over(data: Path, studied: Path, tmp_path: Path) -> None:
    path = filled(studied / "list-1-of-4.csv", tmp_path / "a.csv")
    before = path.read_bytes()
    for out, message in (
        (path, "is there already"),
        (tmp_path, "is a folder"),
        (data / "ratings.csv", "is inside the published data"),
    ):
        done = run("ratings", data, path, "--out", out)
        assert done.exit_code == 1
        assert "error[M742]" in done.output
        assert message in done.output
    assert path.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == [path]
    assert not (data / "ratings.csv").exists()
    assert run("ratings", data, path, "--out", tmp_path / "new" / "out.csv").exit_code == 0
