"""``merula report``: the page is read in a browser, as readers do, and compared with the rows."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from html_tree import VOID, Tree
from merula.cli import main
from merula.data.features import ClassNames
from merula.data.opened import Config, Published, open_data_set
from merula.pages.audits import findings
from merula.pages.pieces import json_of
from merula.pages.report import _safe
from merula.pages.sample import ShownInstance, survey
from merula.pages.tally import Lengths
from merula.pages.words import lay_out, together

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
HOSTILE = (
    "<script>alert(1)</script>",
    "</script><b>x</b>",
    "שלום עולם",
    "e\u0301\u0301 👩‍👩‍👧 \u202edrow",
    "long " * 2000,
    "<!-- ' \" & İ \\ \u2028",
)
SETS = "set,subj.sg,subj.pl,verb.sg,verb.pl\n" + "".join(
    f"s{i},the dog {i},the dogs {i},barks,bark\n" for i in range(12)
)
MATRIX = """
phenomenon toy "Dogs"
language en
lexicon sets "toy.csv"
objects
  subj : NP (number)
  verb : VP (number)
attributes
  number = sg | pl
external
  agreement "a verb <agrees>": verb.number = subj.number
frames
  clause = subj verb
paradigm agree = subj.number × verb.number
"""


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def done(*arguments: Any) -> Result:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A paradigm with two frames and a matrix."""
    out = tmp_path_factory.mktemp("published") / "data"
    grammars = ("npi/only", "blm/agreement_fr")
    designs = ("--design", "ever", "--design", "six", "--type", "I", "--split", "60:20:20")
    title = ("--title", "Dogs </title><script>alert(1)</script>", "--licence", "cc-by-4.0")
    done("publish", *grammars, *designs, *title, "--out", out, "-n", 30, "--workers", 1, "-q")
    done("report", out)
    return out


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run of `generate`."""
    folder = tmp_path_factory.mktemp("toy")
    (folder / "toy.csv").write_text(SETS)
    (folder / "toy.merula").write_text(MATRIX)
    done("generate", folder / "toy.merula", "--out", folder / "run", "--spans", "--all", "-q")
    return folder / "run"


@pytest.fixture(scope="module")
def hostile(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same run with sentences that are no sentences."""
    out = tmp_path_factory.mktemp("hostile") / "run"
    shutil.copytree(toy, out)
    path = next(out.glob("*.parquet"))
    table = pq.read_table(path)
    texts = [HOSTILE[i % len(HOSTILE)] for i in range(len(table))]
    none = pa.array([[] for _ in texts], table.schema.field("spans").type)
    table = table.set_column(table.schema.get_field_index("spans"), "spans", none)
    at = table.schema.get_field_index("sentence")
    pq.write_table(table.set_column(at, "sentence", pa.array(texts)), path)
    return out


# --- in a browser ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("there is no chromium here")
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with api.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


class Reader:
    """A page in the browser; fails where it asks for anything, or complains."""

    def __init__(self, browser: Any, path: Path, fragment: str = "", **options: Any) -> None:
        options = {"viewport": {"width": 1300, "height": 900}, **options}
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(120_000)
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.url = path.as_uri()
        self.page.goto(self.url + fragment)

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *args: object) -> None:
        assert not self.complaints
        assert {url.partition("#")[0] for url in self.asked} <= {self.url, "data:,"}
        self.context.close()

    @property
    def hits(self) -> str:
        return str(self.page.locator("#hits").text_content())

    @property
    def fragment(self) -> str:
        return str(self.page.evaluate("location.hash"))

    def select(self, name: str, value: str) -> None:
        self.page.select_option(f"#filter [name={name}]", value)

    def focus(self) -> str:
        """What has the focus: its name or its id."""
        return str(
            self.page.evaluate("document.activeElement.name || document.activeElement.id || ''")
        )

    def instances(self) -> list[dict[str, Any]]:
        """What is shown: of each instance its title, and of each row its sentence and the rest."""
        return list(
            self.page.evaluate(
                """() => [...document.querySelectorAll("article")].map((article) => ({
                  about: article.querySelector("header").textContent,
                  legend: [...article.querySelectorAll(".legend li")].map((li) => li.textContent),
                  rows: [...article.querySelectorAll("tbody tr")].map((tr) => ({
                    head: tr.querySelector("th").textContent,
                    small: [...tr.querySelectorAll("td.small:not(.outline):not(.class)")]
                      .map((td) => td.textContent),
                    star: tr.querySelector(".star")?.textContent ?? "",
                    text: [...tr.querySelectorAll(".w")].map((td) => td.textContent).join(""),
                    letter: tr.querySelector(".class")?.textContent ?? "",
                    breaks: tr.querySelector(".breaks")?.textContent ?? "",
                    coloured: [...tr.querySelectorAll(".w span")]
                      .map((span) => [span.textContent, span.title]),
                  })),
                }))"""
            )
        )


def rows_of(folder: Path, name: str) -> list[dict[str, Any]]:
    data = Published.open(folder)
    config = data.about.config(name)
    batches = (batch for split in config.splits for batch in data.rows(config, split.name))
    return [row for batch in batches for row in batch.to_pylist()]


def cells_of(folder: Path, name: str) -> tuple[str, ...]:
    """What the numbers of cells stand for."""
    feature = Published.open(folder).about.config(name).fields["cell"]
    assert isinstance(feature, ClassNames)
    return feature.names


def page_of(folder: Path) -> Path:
    return folder.parent / f"{folder.name}.html"


def test_a_paradigm_is_shown_as_its_rows_say(published: Path, browser: Any) -> None:
    rows = rows_of(published, "only-ever")
    with Reader(browser, page_of(published), "#config=only-ever&each=100") as reader:
        shown = reader.instances()
        assert reader.hits == "1–30 of 30 instances"
    found = [row for instance in shown for row in instance["rows"]]
    assert [row["text"] for row in found] == [row["sentence"] for row in rows]
    assert [bool(row["star"]) for row in found] == [not row["acceptable"] for row in rows]
    assert [row["breaks"] for row in found] == [", ".join(row["broken"]) for row in rows]
    said = [[*row["factors"].values(), row["scope"]["ever"]] for row in rows]
    assert [row["small"] for row in found] == said
    stored = cells_of(published, "only-ever")
    assert [stored[int(row["head"])] for row in found] == [row["cell"] for row in rows]
    assert {tuple(instance["legend"]) for instance in shown} == {("licensor, ever: no yes",)}
    for instance, row in zip(shown, rows[:: len(rows) // 30], strict=True):
        assert f"address {row['address']}" in instance["about"]
        assert row["frame"] in instance["about"]
    for own, row in zip(found, rows, strict=True):
        licensor = next(s for s in row["spans"] if s["object"] == "licensor")
        text = row["sentence"][licensor["start"] : licensor["end"]]
        assert [text, row["factors"]["licensor"]] in own["coloured"]


def test_a_matrix_is_shown_as_its_rows_say(published: Path, browser: Any) -> None:
    rows = rows_of(published, "agreement_fr-six-type_I")
    with Reader(browser, page_of(published), "#config=agreement_fr-six-type_I&each=100") as reader:
        shown = reader.instances()
    assert len(shown) == len(rows) == 30
    for instance, row in zip(shown, rows, strict=True):
        items = len(row["context"])
        told = {int(own["small"][0]): own["text"] for own in instance["rows"][:items]}
        assert [told[i] for i in range(items)] == row["context"]
        assert instance["rows"][items]["text"] == "???"
        (legend,) = instance["legend"]
        names, _, values = legend.partition(": ")
        assert (names.split(", ")[-1], values) == ("verb", "pl sg")
        answers = instance["rows"][items + 1 :]
        assert answers[0]["head"] == "Correct"
        for own in answers:
            place = int(own["small"][0])
            assert (own["head"] == "Correct") == (place == row["correct"])
            assert own["text"] == row["answers"][place]
            assert own["head"] == row["labels"][place]
            assert own["letter"] == row["classes"][place]
            assert own["breaks"] == ", ".join(row["broken"][place])
        assert sorted(own["small"][0] for own in answers) == list("012345")
        templates = zip(row["context_templates"], instance["rows"], strict=False)
        for template, own in templates:
            number = re.search(r"verb\[(\w+)", template)
            assert number is not None
            assert number[1] == own["coloured"][-1][1]


def test_a_mouse_turns_pages_and_filters(published: Path, browser: Any) -> None:
    rows = rows_of(published, "only-ever")
    with Reader(browser, page_of(published)) as reader:
        page = reader.page
        assert reader.hits == "1–5 of 60 instances"
        assert page.locator("#previous").is_disabled()
        first = reader.instances()
        page.click("#next")
        assert reader.hits == "6–10 of 60 instances"
        assert reader.instances() != first
        page.click("#previous")
        assert reader.instances() == first
        reader.select("config", "only-ever")
        reader.select("frame", "after")
        after = {row["address"] for row in rows if row["frame"] == "after"}
        assert reader.hits == f"1–5 of {len(after)} instances"
        reader.select("frame", "")
        reader.select("split", "validation")
        splits = Published.open(published).about.config("only-ever").splits
        (number,) = (split.instances for split in splits if split.name == "validation")
        assert reader.hits == f"1–5 of {number} instances"
        assert all("· validation ·" in one["about"] for one in reader.instances())
        reader.select("split", "")
        reader.select("each", "100")
        reader.select("show", "cell:yes yes lower")
        cells = [row["sentence"] for row in rows if row["cell"] == "yes yes lower"]
        assert [r["text"] for i in reader.instances() for r in i["rows"]] == cells
        reader.select("show", "bad")
        bad = [row["sentence"] for row in rows if not row["acceptable"]]
        assert [r["text"] for i in reader.instances() for r in i["rows"]] == bad
        reader.select("show", "rule:E licensing_ever")
        assert [r["text"] for i in reader.instances() for r in i["rows"]] == bad
        page.click("#filter button[type=reset]")
        assert reader.hits == "1–5 of 60 instances"
        assert reader.fragment == ""


def test_a_kind_of_error_is_shown_beside_the_right_answer(published: Path, browser: Any) -> None:
    with Reader(browser, page_of(published)) as reader:
        reader.select("config", "agreement_fr-six-type_I")
        reader.select("show", "label:WN1")
        for instance in reader.instances():
            assert [row["head"] for row in instance["rows"][8:]] == ["Correct", "WN1"]
        reader.select("show", "rule:I attraction")
        answers = {row["head"] for one in reader.instances() for row in one["rows"][8:]}
        assert answers == {"Correct", "AE"}
        options = reader.page.locator("[name=show] option").all_text_contents()
        names = cells_of(published, "only-ever")
        cells = [f"{i} {name}" for i, name in enumerate(names)]
        assert "1 yes yes lower" in cells
        assert not {*cells, *names} & {*options}  # those of the other configuration
        reader.select("config", "only-ever")
        options = reader.page.locator("[name=show] option").all_text_contents()
        assert [option for option in options if option in cells] == cells


def test_a_text_is_found_and_marked(published: Path, browser: Any) -> None:
    rows = rows_of(published, "only-ever")
    word = next(w for w in rows[0]["lexemes"].values() if w and w in rows[0]["sentence"])
    with Reader(browser, page_of(published)) as reader:
        reader.page.fill("[name=q]", word.upper())
        marks = reader.page.locator("mark").all_text_contents()
        assert marks
        assert {mark.lower() for mark in marks} == {word}
        shown = [row["text"] for one in reader.instances() for row in one["rows"]]
        assert any(word in text for text in shown)
        found = {row["address"] for row in rows if word in row["sentence"].lower()}
        number = re.search(r"of (\d+)", reader.hits)
        assert number is not None
        assert int(number[1]) >= len(found)
        reader.page.fill("[name=q]", "no such text")
        assert reader.hits == "No instance fits the filter."
        assert reader.page.locator("#hits").get_attribute("aria-live") == "polite"


def test_the_keyboard_is_enough(published: Path, browser: Any) -> None:
    with Reader(browser, page_of(published)) as reader:
        keys = reader.page.keyboard
        keys.press("Tab")
        assert reader.page.evaluate("document.activeElement.textContent") == "Skip to the instances"
        outline = "getComputedStyle(document.activeElement).outlineStyle"
        assert reader.page.evaluate(outline) == "solid"
        keys.press("Enter")
        assert reader.focus() == "instances"
        keys.press("n")
        assert reader.hits == "6–10 of 60 instances"
        keys.press("ArrowRight")
        keys.press("p")
        keys.press("ArrowLeft")
        assert reader.hits == "1–5 of 60 instances"
        keys.press("/")
        assert reader.focus() == "q"
        keys.type("np/")
        assert reader.page.input_value("[name=q]") == "np/"
        keys.press("Escape")
        assert reader.page.input_value("[name=q]") == ""
        assert reader.hits == "1–5 of 60 instances"
        reader.page.focus("#next")
        keys.press("Enter")
        assert reader.hits == "6–10 of 60 instances"
        reader.page.focus("[name=config]")
        keys.press("ArrowDown")
        assert reader.page.input_value("[name=config]") == "only-ever"
        assert reader.hits == "1–5 of 30 instances"
        reader.page.focus("article .scroll")
        keys.press("ArrowRight")  # moves the table
        assert reader.hits == "1–5 of 30 instances"
        reader.page.focus("#keys")
        keys.press("Space")
        keys.press("n")
        assert reader.hits == "1–5 of 30 instances"


def test_a_view_can_be_linked(published: Path, browser: Any) -> None:
    with Reader(browser, page_of(published)) as reader:
        reader.select("config", "only-ever")
        reader.select("show", "cell:yes no upper")
        reader.page.fill("[name=q]", "only")
        reader.page.keyboard.press("Tab")
        reader.page.click("#next")
        view, fragment, hits = reader.instances(), reader.fragment, reader.hits
    with Reader(browser, page_of(published), fragment) as reader:
        assert (reader.instances(), reader.hits) == (view, hits)
        assert reader.page.input_value("[name=show]") == "cell:yes no upper"
        reader.page.evaluate("location.hash = '#config=agreement_fr-six-type_I&at=30'")
        reader.page.wait_for_function("document.querySelector('#hits').textContent[0] === '3'")
        assert reader.hits == "30 of 30 instances"
    with Reader(browser, page_of(published), "#config=none&show=constructor&each=7&at=x") as reader:
        assert reader.hits == "1–5 of 60 instances"


TOP = "Math.round(document.querySelector('{}').getBoundingClientRect().top)"


def test_a_link_leads_to_the_view_and_keeps_it(published: Path, browser: Any) -> None:
    with Reader(browser, page_of(published)) as reader:
        page = reader.page
        assert page.evaluate("scrollY") == 0
        page.click("#overview a[href='#config=only-ever']")
        page.wait_for_function("scrollY > 0")
        assert reader.fragment == "#config=only-ever"
    with Reader(browser, page_of(published), "#config=only-ever&show=bad") as reader:
        page = reader.page
        assert 0 <= page.evaluate(TOP.format("#instances")) < 100
        for name in ("overview", "numbers", "audit"):
            page.click(f"nav a[href='#{name}']")
            assert reader.fragment == f"#config=only-ever&show=bad&section={name}"
            assert reader.hits == "1–5 of 30 instances"
            assert reader.focus() == name
        numbers = reader.fragment.replace("audit", "numbers")
        page.go_back()
        page.wait_for_function("location.hash.endsWith('numbers')")
        assert reader.hits == "1–5 of 30 instances"
        page.click("nav a[href='#instances']")
        assert reader.fragment == "#config=only-ever&show=bad"
    with Reader(browser, page_of(published), numbers) as reader:
        assert 0 <= reader.page.evaluate(TOP.format("#numbers")) < 100
        assert reader.hits == "1–5 of 30 instances"
        reader.select("show", "good")
        assert reader.fragment == "#config=only-ever&show=good"


def test_numbers_follow_the_filter(published: Path, browser: Any) -> None:
    def shown() -> list[tuple[str, bool]]:
        found = reader.page.locator(".numbers").evaluate_all(
            "all => all.filter((e) => !e.hidden).map((e) => [e.dataset.config, e.open])"
        )
        return [(name, is_open) for name, is_open in found]

    matrix = "agreement_fr-six-type_I"
    with Reader(browser, page_of(published)) as reader:
        assert shown() == [("only-ever", True), (matrix, False)]
        reader.select("config", matrix)
        assert shown() == [(matrix, True)]
        assert "Only agreement_fr-six-type_I" in reader.page.locator("#followed").inner_text()
        reader.page.click("#followed button")
        assert shown() == [("only-ever", True), (matrix, False)]
        assert reader.hits == "1–5 of 60 instances"
    with Reader(browser, page_of(published), f"#config={matrix}") as reader:
        assert shown() == [(matrix, True)]


@pytest.mark.parametrize("width", [1280, 1400])
def test_nothing_is_cut_off(width: int, published: Path, browser: Any) -> None:
    viewport = {"width": width, "height": 900}
    wide = """() => [document.documentElement, ...document.querySelectorAll(".scroll")]
      .filter((element) => element.checkVisibility())
      .map((element) => element.scrollWidth - element.clientWidth)"""
    with Reader(browser, page_of(published), "#each=100", viewport=viewport) as reader:
        assert max(reader.page.evaluate(wide)) <= 1
        reader.page.set_viewport_size({"width": 800, "height": 900})
        assert max(reader.page.evaluate(wide)) > 1  # where a shadow says so
        shades = "getComputedStyle(document.querySelector('article .scroll')).backgroundAttachment"
        assert "local" in reader.page.evaluate(shades)


def test_a_bar_is_as_long_as_its_share(published: Path, browser: Any) -> None:
    with Reader(browser, page_of(published)) as reader:
        found = reader.page.locator(".numbers[open] td.bar").evaluate_all(
            """bars => bars.map((bar) => [bar.previousElementSibling.textContent,
              ...[...bar.querySelectorAll("rect")].map((e) => e.getBoundingClientRect().width)])"""
        )
    assert len(found) > 15
    for share, whole, own in found:
        assert own / whole == pytest.approx(float(share.rstrip("%")) / 100, abs=0.002)


LUMINANCE = """
() => {
  const numbers = (text) => {
    const found = text.match(/[\\d.]+/g).map(Number);
    const rgb = found.slice(0, 3).map((n) => (text.startsWith("color(") ? n : n / 255));
    return [...rgb, found.length > 3 ? found[3] : 1];
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || element.disabled || !element.checkVisibility()) continue;
    if (element.closest("script, option, .hidden")) continue;
    const behind = (e) => numbers(getComputedStyle(e).backgroundColor);
    let back = element;
    while (back.parentElement && behind(back)[3] === 0) back = back.parentElement;
    const a = light(numbers(getComputedStyle(element).color).slice(0, 3));
    const b = light(behind(back).slice(0, 3));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    found.push([ratio, element.className, element.textContent.slice(0, 30)]);
  }
  return found;
}
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_can_be_read(scheme: str, published: Path, browser: Any) -> None:
    with Reader(browser, page_of(published), "#q=e", color_scheme=scheme) as reader:
        # all five colours of values, whether the data have so many or not
        reader.page.evaluate(
            "document.querySelectorAll('.w span').forEach((s, i) => { s.className = `v${i % 5}`; })"
        )
        found = reader.page.evaluate(LUMINANCE)
        back = reader.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert len(found) > 200
    assert {f"v{i}" for i in range(5)} <= {name for _, name, _ in found}
    assert min(found)[0] >= 4.5, min(found)
    assert (int(re.findall(r"\d+", back)[0]) < 64) == (scheme == "dark")


def test_a_telephone_needs_no_sideways_scrolling(published: Path, browser: Any) -> None:
    viewport = {"width": 390, "height": 800}
    with Reader(browser, page_of(published), "#config=only-ever", viewport=viewport) as reader:
        wide = """() => [document.documentElement, ...document.querySelectorAll("article .scroll")]
          .map((element) => element.scrollWidth - element.clientWidth)"""
        assert max(reader.page.evaluate(wide)) <= 1
        rows = rows_of(published, "only-ever")[:8]
        shown = reader.page.locator("article").first.inner_text()
        words = re.sub(r"\s+", " ", shown)
        assert all(row["sentence"] in words for row in rows)


def test_paper_has_all_that_the_filter_lets_through(published: Path, browser: Any) -> None:
    fragment = "#config=only-ever&show=bad"
    with Reader(browser, page_of(published), fragment, color_scheme="dark") as reader:
        reader.page.emulate_media(media="print")
        reader.page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert len(reader.instances()) == 30
        assert reader.hits == "1–30 of 30 instances · only-ever · bad"
        assert not reader.page.locator("#next").is_visible()
        assert not reader.page.locator("details:not([open])").count()
        colour = reader.page.evaluate("getComputedStyle(document.body).color")
        assert max(map(int, re.findall(r"\d+", colour))) < 64  # dark text, whatever the screen has
        reader.page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert len(reader.instances()) == 5
        printed = reader.page.pdf()
    assert printed.startswith(b"%PDF")
    pages = [int(n) for n in re.findall(rb"/Count (\d+)", printed)]
    assert max(pages) >= 4


def test_without_a_script_the_rest_is_there(published: Path, browser: Any) -> None:
    with Reader(browser, page_of(published), java_script_enabled=False) as reader:
        assert reader.page.locator("noscript").is_visible()
        assert not reader.page.locator("#filter").is_visible()
        assert reader.page.locator("#audit tbody tr").count() > 10


def test_any_text_stays_text(hostile: Path, browser: Any, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done("report", hostile, "--out", page)
    with Reader(browser, page, "#each=100") as reader:
        shown = [row["text"] for one in reader.instances() for row in one["rows"]]
        assert set(shown) == set(HOSTILE)
        assert len(shown) == 48
        assert reader.page.locator("article b, article script").count() == 0
        width = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert reader.page.evaluate(width) <= 1
        reader.page.fill("[name=q]", "İ \\")
        marks = reader.page.locator("mark").all_text_contents()
        assert "".join(marks) == "İ \\" * 8


def test_a_script_from_elsewhere_does_not_run(
    published: Path, browser: Any, tmp_path: Path
) -> None:
    text = page_of(published).read_text(encoding="utf-8")
    page = tmp_path / "page.html"
    page.write_text(text.replace("</body>", "<script>document.title = 'bad'</script></body>"))
    context = browser.new_context()
    opened = context.new_page()
    opened.goto(page.as_uri())
    assert opened.title().startswith("Dogs </title><script>")
    context.close()


# --- without one -------------------------------------------------------------------------------


def test_the_page_is_whole_and_says_what_the_data_are(published: Path) -> None:
    text = page_of(published).read_text(encoding="utf-8")
    VOID.update({"input", "rect"})
    tree = Tree(text.replace("/>", ">"))
    assert text.startswith("<!DOCTYPE html>")
    assert tree.find("h1")[0]["text"] == "Dogs </title><script>alert(1)</script>"
    ids = [element["id"] for element in tree.all if "id" in element]
    assert len(ids) == len(set(ids))
    assert not [e for e in tree.all if "src" in e]
    views = {f"#config={config.name}" for config in Published.open(published).about.configs}
    assert {e["href"] for e in tree.find("a")} <= {f"#{name}" for name in ids} | views
    facts = tree.find("dl")[0]["text"]
    assert "cc-by-4.0" in facts
    assert Published.open(published).about.command in facts
    assert all(e.get("scope") in ("col", "row") for e in tree.find("th"))
    assert len(tree.find("caption")) == len(tree.find("table"))


BAR = re.compile(
    r'<th scope="row">(?:<span[^>]*>[*\d]+</span> ?)*<bdi>(.*?)</bdi>'
    r'.*?<td class="number">([\d,]+)</td>',
    re.DOTALL,
)


def bars(text: str, title: str) -> list[dict[str, int]]:
    """The charts of a title: labels and numbers."""
    tables = re.findall(rf'<table class="bars">\s*<caption>{title}.*?</table>', text, re.DOTALL)
    return [{label: int(n.replace(",", "")) for label, n in BAR.findall(own)} for own in tables]


def test_numbers_are_those_of_all_rows(published: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done("report", published, "--out", page, "-n", 2)  # however few are shown
    text = page.read_text(encoding="utf-8")
    rows = rows_of(published, "only-ever")
    assert bars(text, "Cells") == [Counter(row["cell"] for row in rows)]
    assert bars(text, "Frames")[0] == Counter(row["frame"] for row in rows)
    assert bars(text, "Acceptability") == [
        {
            "acceptable": sum(row["acceptable"] for row in rows),
            "unacceptable": sum(not row["acceptable"] for row in rows),
        }
    ]
    matrices = rows_of(published, "agreement_fr-six-type_I")
    positions = Counter(str(row["correct"]) for row in matrices)
    assert bars(text, "Where the right answer is") == [positions]
    labels = bars(text, "Answers")[0]
    assert next(iter(labels)) == "Correct"
    assert labels == Counter(label for row in matrices for label in row["labels"])


def test_lengths_are_those_of_good_and_bad_sentences(published: Path) -> None:
    found = survey(open_data_set(published), 0, 0)
    good: Counter[int] = Counter()
    bad: Counter[int] = Counter()
    for row in rows_of(published, "agreement_fr-six-type_I"):
        for i, answer in enumerate(row["answers"]):
            (good if i == row["correct"] else bad)[len(answer.split())] += 1
    assert (good.total(), bad.total()) == (30, 150)
    _same(found.tallies["agreement_fr-six-type_I"].summary().lengths, good, bad)
    rows = rows_of(published, "only-ever")
    good, bad = (
        Counter(len(row["sentence"].split()) for row in rows if row["acceptable"] is kind)
        for kind in (True, False)
    )
    _same(found.tallies["only-ever"].summary().lengths, good, bad)


def _same(lengths: Lengths | None, good: Counter[int], bad: Counter[int]) -> None:
    assert good != bad  # or the two could be exchanged
    assert lengths is not None
    assert lengths.rows == tuple((n, good[n], bad[n]) for n in sorted({*good, *bad}))
    assert lengths.of == (good.total(), bad.total())
    for mean, own in zip(lengths.means, (good, bad), strict=True):
        assert mean == pytest.approx(sum(n * own[n] for n in own) / own.total())


def test_shortcuts_are_shares_with_the_words_of_the_card(published: Path) -> None:
    said = json.loads((published / "audit.json").read_text(encoding="utf-8"))
    tables = {table.title: table for table in findings(said).shortcuts}
    assert tables["Sentences"].base == "most frequent label"
    assert tables["Matrices"].base == "chance"
    for kind, table in tables.items():
        own = [probe for probe in said["shortcuts"] if probe["of"] == kind.lower()]
        assert [row.chance for row in table.rows] == [
            f"{probe['majority']:.1%}" for probe in own if probe["probe"] == table.probes[0][0]
        ]
        cells = (cell for row in table.rows for cell in row.cells if cell.text)
        reached = {cell.text.partition(" / ")[0] for cell in cells}
        assert reached == {f"{probe['accuracy']:.1%}" for probe in own}
    section = page_of(published).read_text(encoding="utf-8").partition('id="audit"')[2]
    assert "majority" not in section


def test_the_audit_is_told(published: Path) -> None:
    text = page_of(published).read_text(encoding="utf-8")
    said = json.loads((published / "audit.json").read_text(encoding="utf-8"))
    section = text.partition('<section id="audit"')[2]
    ran = [check["check"] for check in said["checks"] if check["ran"]]
    assert ran
    for name in ran:
        assert f"<bdi>{name}</bdi>" in section
    assert ("No faults found" in section) == said["clean"]
    assert all(name in section for name in said["faults"])
    assert "All the data were looked at: 240 sentences in 30 paradigms, 30 matrices" in section


def test_the_same_page_again(published: Path, tmp_path: Path) -> None:
    one, two, other = (tmp_path / f"{name}.html" for name in "abc")
    done("report", published, "--out", one, "-n", 3)
    done("report", published, "--out", two, "-n", 3)
    done("report", published, "--out", other, "-n", 3, "--seed", 1)
    assert one.read_bytes() == two.read_bytes() != other.read_bytes()


def test_runs_and_suites_are_shown(toy: Path, tmp_path: Path) -> None:
    said = done("report", toy).output
    assert said.startswith(f"{page_of(toy)}  12 instances")
    for suite, option in (("npi", "only"), ("blm", "agreement_en")):
        out = tmp_path / suite
        done("suite", suite, "--part", option, "-n", 20, "--out", out, "-q", "-w", 1)
        data = open_data_set(out)
        found = survey(data, 3, 0)
        for config in data.configs:
            shown = found.shown[config.name]
            assert len(shown) == min(3, config.instances) > 0
            assert found.tallies[config.name].rows == config.rows
            for one in shown:
                laid = lay_out(one)
                addresses = {row["address"] for row in one.rows}
                assert addresses == {laid.address}
        done("report", out)


def test_files_of_others_are_left_alone(toy: Path, published: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.html"
    mine.write_text("<p>my page")
    assert "error[M734]" in run("report", toy, "--out", mine).output
    assert mine.read_text() == "<p>my page"
    assert "error[M734]" in run("report", published, "--out", published / "README.md").output
    assert "error[M734]" in run("report", toy, "--out", tmp_path).output
    (tmp_path / "file").touch()
    assert "error[M735]" in run("report", toy, "--out", tmp_path / "file" / "page.html").output
    done("report", toy, "--out", tmp_path / "new" / "page.html")
    done("report", toy, "--out", tmp_path / "new" / "page.html")
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["page.html"]


def test_what_is_no_data_set_is_said(toy: Path, tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "none", toy / "manifest.json"):
        result = run("report", folder)
        assert (result.exit_code, "error[M730]" in result.output) == (1, True)
    grammar = toy.parent / "toy.merula"
    done("generate", grammar, "--out", tmp_path / "csv", "--format", "csv", "--all", "-q")
    assert "error[M732]" in run("report", tmp_path / "csv").output
    broken = tmp_path / "broken"
    shutil.copytree(toy, broken)
    path = next(broken.glob("*.parquet"))
    rows = pq.read_table(path)
    pq.write_table(rows.slice(0, 4), path)
    assert "has 4 rows in its files instead of 48" in run("report", broken).output
    path.write_bytes(b"PAR1")
    assert "error[M731]" in run("report", broken).output
    path.unlink()
    assert f"{path} is missing" in run("report", broken).output
    assert not page_of(broken).exists()


# --- laying out --------------------------------------------------------------------------------

OBJECTS = st.sampled_from(["subj", "verb", "attr"])
TEXTS = st.text("ab \u0301<'.,\U0001f600ש", max_size=6)


@st.composite
def sentences(draw: st.DrawFn) -> dict[str, Any]:
    """A sentence with spans; objects may come twice and in any order."""
    text, spans = draw(TEXTS), []
    for name in draw(st.lists(OBJECTS, max_size=4)):
        word = draw(TEXTS)
        spans.append({"object": name, "start": len(text), "end": len(text) + len(word)})
        text += word + draw(TEXTS)
    return {
        "sentence": text,
        "spans": spans,
        "cell": draw(TEXTS),
        "factors": {"subj.number": draw(st.sampled_from(["sg", "pl"]))},
        "acceptable": draw(st.booleans()),
        "broken": [],
    }


@given(st.lists(sentences(), min_size=1, max_size=5))
def test_a_sentence_stays_whole(rows: list[dict[str, Any]]) -> None:
    config = Config("c", "paradigm", "en", "", "1", (), len(rows))
    laid = lay_out(ShownInstance(config, "", tuple(rows)))
    for line, row in zip(laid.lines, rows, strict=True):
        assert "".join(text for run in line.words for text, _ in run) == row["sentence"]
        assert len(line.words) in (len(laid.heads), 1)
    for line, row in zip(laid.lines, rows, strict=True):
        coloured = "".join(t for own in line.words for t, value in own if value)
        words = [s for s in row["spans"] if s["object"] == "subj"]
        subj = "".join(row["sentence"][s["start"] : s["end"]] for s in words)
        assert coloured in ("", subj)


COLOURED = st.tuples(st.sampled_from("abcd"), st.sampled_from(["", "sg", "pl", "yes", "no"]))


@given(st.lists(COLOURED))
def test_a_legend_names_each_value_once(coloured: list[tuple[str, str]]) -> None:
    groups = together(coloured)
    names = [name for group in groups for name in group.names]
    values = [value for group in groups for value in group.values]
    assert len(names) == len(set(names))
    assert sorted(values) == sorted({value for _, value in coloured if value})
    for name, value in coloured:
        own = [group for group in groups if value in group.values]
        assert all(name in group.names for group in own)


@given(st.lists(st.tuples(st.text(max_size=3), st.sampled_from(["", "sg", "pl"]))))
def test_words_are_whole_in_the_page(run: list[tuple[str, str]]) -> None:
    found = json_of(tuple(run), {"sg": 0, "pl": 1})
    texts = [found] if isinstance(found, str) else found[::2]
    assert "".join(texts) == "".join(text for text, _ in run)


@given(st.recursive(st.text() | st.integers(), st.lists, max_leaves=5))
def test_nothing_ends_the_script(value: Any) -> None:
    text = str(_safe(value))
    assert json.loads(text) == json.loads(
        json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
    )
    assert not set(text) & set("<>&\u2028\u2029")
