"""The report: one file, safe, readable, and the same bytes for the same input."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest

import consilience as cs
from consilience import plot
from consilience.core.verdict import Gauge
from consilience.document import Document, Table
from consilience.document.markup import NARROW, WIDE, gauge_drawing
from consilience.plot.style import inline_svg
from consilience.report import report
from consilience.report.result_pages import result_page
from patience import patient

HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "javascript:alert(1)",
    "{{7*7}}",
    "\x1b[31mred",
    "nul\x00",
    "\u202egnp.exe",
    "x" * 10_000,
    "😀 e\u0301 $x^2$",
    "\\input{/etc/passwd}",
)


def hostile() -> cs.Ratings:
    rng = np.random.default_rng(1)
    rows = [[HOSTILE[k] for k in rng.integers(0, len(HOSTILE), 3)] for _ in range(60)]
    return cs.Ratings.from_wide(
        rows, raters=["<b>Ann</b>", "&Bob", "'\"><i>"], items=[f"<u>{i}</u>" for i in range(60)]
    )


EXAMPLES = {
    "two raters": cs.datasets.load("di_eugenio_glass_2004_skewed"),
    "counts": cs.datasets.load("fleiss_1971"),
    "missing": cs.datasets.load("krippendorff_2011"),
    "numbers": cs.Ratings.from_wide(
        np.random.default_rng(2).normal(size=(80, 3)), scale="interval"
    ),
    "crowd": cs.Ratings.from_long(
        {
            "item": np.repeat(np.arange(300), 3),
            "rater": np.random.default_rng(3).permutation(900) % 90,
            "label": np.random.default_rng(4).integers(0, 3, 900),
        },
        duplicates="first",
    ),
    "one label": cs.Ratings.from_wide([["a", "a", "a"]] * 10),
    "hostile": hostile(),
}


class Outline(HTMLParser):
    """Collects what the tests look at."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.headings: list[str] = []
        self.addresses: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.tags.append(tag)
        if "id" in given:
            self.ids.append(given["id"])
        if re.fullmatch(r"h\d", tag):
            self.headings.append(tag)
        self.addresses += [given[key] for key in ("href", "src") if key in given]


def outline(page: str) -> Outline:
    parser = Outline()
    parser.feed(page)
    return parser


class Pages(dict[str, str]):
    """The pages about the examples, each made when it is looked at first."""

    def __missing__(self, name: str) -> str:
        return self.setdefault(name, report(EXAMPLES[name], title=name).html())


@pytest.fixture(scope="module")
def pages() -> Pages:
    return Pages()


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_a_page_is_well_formed_and_loads_nothing(name, pages):
    found = outline(pages[name])
    assert len(found.ids) == len(set(found.ids))
    assert found.headings[0] == "h1"
    assert found.headings.count("h1") == 1
    assert all(address.startswith(("#", "data:image/png;")) for address in found.addresses)
    assert found.tags.count("script") == 1
    assert "Content-Security-Policy" in pages[name]
    assert not re.search(r"@import|url\((?!#)", pages[name])


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_every_figure_says_what_it_shows(name, pages):
    drawings = re.findall(r"<svg [^>]*>", pages[name])
    assert all('role="img"' in one and 'aria-label="' in one for one in drawings)
    plain = [one for one in drawings if 'class="gauge' not in one and 'class="narrow"' not in one]
    assert pages[name].count("<figcaption>") == len(plain)


@pytest.mark.parametrize("name", ["missing", "numbers", "two raters"])
def test_the_same_input_gives_the_same_bytes(name, pages):
    assert report(EXAMPLES[name], title=name).html() == pages[name]


def test_sections_come_in_order(pages):
    titles = re.findall(r'<h2 id="(\w+)-title">', pages["missing"])
    assert titles == [
        "coefficients", "findings", "labels", "raters", "items", "design", "method", "paper",
    ]  # fmt: skip


def test_the_answer_is_one_sentence_with_the_interval(pages):
    answer = re.search(r'<h2 id="answer-title" class="verdict">(.*?)</h2>', pages["missing"])[1]
    assert re.fullmatch(
        r"Beyond chance, agreement may be anything from poor to good: Krippendorff&#39;s alpha "
        r"0\.74 \(95% CI 0\.\d+ to 0\.\d+\)\. 11 items cannot settle it\.",
        answer,
    )
    assert "<dd>81.8% of pairs of ratings</dd>" in pages["missing"]


def test_the_paradox_is_explained(pages):
    assert "The raters agree on 90.0% of pairs" in pages["two raters"]
    assert 'class="caution"' in pages["two raters"]
    drawn = re.findall(r'aria-label="Figure: ([\w-]+)"', pages["two raters"])
    assert {"prevalence", "chance"} <= set(drawn)
    assert not {"prevalence", "chance"} & set(
        re.findall(r'aria-label="Figure: ([\w-]+)"', pages["missing"])
    )


def test_hostile_labels_stay_text(pages):
    page = pages["hostile"]
    assert "<script>alert" not in page
    assert "<img src" not in page
    assert "onload=alert(1)>" not in page.replace("&gt;", "")
    assert "{{7*7}}" in page
    assert "\x1b" not in page
    assert "\x00" not in page
    assert "\u202e" not in page
    assert "<b>Ann" not in page


def test_an_undefined_coefficient_is_explained(pages):
    assert "undefined" in pages["one label"]


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_sizes_stay_small(name, pages):
    assert len(pages[name].encode()) < 500_000


def test_ten_thousand_items_stay_below_a_megabyte():
    codes = np.random.default_rng(5).integers(0, 5, (10_000, 5))
    page = report(cs.Ratings.from_wide(codes)).html()
    assert len(page.encode()) < 1_000_000


def test_the_most_contested_item_is_named_with_its_labels():
    rows = [["a", "a", "a"]] * 20 + [["b", "b", "b"]] * 20 + [["a", "b", "c"]]
    items = [f"essay {k}" for k in range(41)]
    page = report(cs.Ratings.from_wide(rows, items=items)).html()
    table = page[page.index("Most contested") :]
    assert table.index("essay 40") < 400
    assert ">c<" in table[:1500]


SCREENS = ((1100, "light"), (1100, "dark"), (390, "light"), (390, "dark"))


@pytest.mark.parametrize("name", ["missing", "hostile", "two raters"])
def test_a_browser_shows_it_without_overflow_message_or_request(browser, pages, tmp_path, name):
    path = tmp_path / "report.html"
    path.write_text(pages[name], encoding="utf-8")
    page = patient(browser.new_page())
    told, asked = [], []
    page.on("console", lambda message: told.append(message.text))
    page.on("pageerror", lambda error: told.append(str(error)))
    page.on("dialog", lambda dialog: told.append(dialog.message))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    for width, scheme in SCREENS:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(SMALLEST_TEXT) >= 7.5
        assert page.evaluate(LOWEST_CONTRAST) >= 4.5
    assert page.title() == name
    assert told == []
    assert asked == [path.as_uri()]
    page.close()


def test_no_two_numbers_of_a_gauge_touch(browser):
    rng = np.random.default_rng(6)
    drawings = []
    for k in range(60):
        low, value, high = np.sort(rng.uniform(-0.4 if k % 2 else 0.3, 1.0, 3))
        gauge = Gauge(name="alpha", value=value, low=low, high=high)
        drawings += [gauge_drawing(gauge, width) for width in (WIDE, NARROW)]
    page = patient(browser.new_page())
    page.set_content(f"<body style='font: 16px sans-serif'>{''.join(drawings)}")
    assert page.evaluate(LEAST_GAP) >= 2.0
    page.close()


def test_the_copy_button_copies_the_sentence(browser, pages, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(pages["missing"], encoding="utf-8")
    context = patient(browser.new_context(permissions=["clipboard-read", "clipboard-write"]))
    page = context.new_page()
    page.goto(path.as_uri())
    button = page.locator("#answer button.copy").first
    button.click()
    page.wait_for_function("document.querySelector('#answer button.copy').textContent == 'Copied'")
    assert "Krippendorff's α = .74" in page.evaluate("navigator.clipboard.readText()")
    context.close()


def test_it_prints_as_pages_without_navigation(browser, pages, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(pages["missing"], encoding="utf-8")
    context = patient(browser.new_context(java_script_enabled=False))
    page = context.new_page()
    page.goto(path.as_uri())
    page.emulate_media(media="print")
    assert page.locator("nav").is_hidden()
    assert page.locator("button.copy").first.is_hidden()
    assert page.pdf(format="A4").startswith(b"%PDF")
    assert "counter(page)" in pages["missing"]
    context.close()


def test_on_paper_wide_tables_are_split_and_wide_figures_turned(browser, tmp_path):
    heads = ["item", *(f"rater {k}" for k in range(30))]
    table = Table(heads=heads, rows=[["an item", *["strongly agree"] * 30]] * 3)
    raters = [(name, "xyz"[k % 3], 10 * k, 10 * k + 9) for k in range(60) for name in ("A", "B")]
    drawn = ("timeline", "A long session.", lambda: plot.timeline(cs.Units.from_records(raters)))
    path = tmp_path / "page.html"
    path.write_text(result_page(Document(blocks=(table,)), [drawn], title="t").html(), "utf-8")
    page = patient(browser.new_page(viewport={"width": ON_PAPER, "height": 900}))
    page.goto(path.as_uri())
    page.emulate_media(media="print")
    assert page.locator(".scroll").is_hidden()
    boxes = [one.bounding_box() for one in page.locator(".on-paper table, svg.wide").all()]
    assert len(boxes) > 3
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= ON_PAPER for box in boxes)
    text = page.locator(".on-paper").all_inner_texts()
    assert all("an item" in part for part in text)  # the first column stands in every part
    assert all(f"rater {k}" in " ".join(text) for k in range(30))
    sizes = re.findall(rb"/MediaBox\s*\[0 0 (\d+)[.\d]* (\d+)", page.pdf(format="A4"))
    assert {int(wide) < int(high) for wide, high in sizes} == {True, False}
    page.close()


ON_PAPER = 680  # pixels between the margins of A4
# The least room between two texts of a drawing that stand beside each other.
LEAST_GAP = """Math.min(...[...document.querySelectorAll("svg")].map(drawing => {
  const boxes = [...drawing.querySelectorAll("text")].map(one => one.getBBox());
  let least = 1000;
  boxes.forEach((a, i) => boxes.slice(i + 1).forEach(b => {
    if (Math.abs(a.y - b.y) < 8) least = Math.min(least, Math.max(a.x, b.x)
      - (a.x < b.x ? a.x + a.width : b.x + b.width));
  }));
  return least;
}))"""

# The smallest text of a figure on the screen, in pixels.
SMALLEST_TEXT = """Math.min(...[...document.querySelectorAll("svg text")].filter(
    one => one.getClientRects().length).map(one => one.getBoundingClientRect().height))"""

# The lowest contrast between text and page over all visible elements with text of their own.
LOWEST_CONTRAST = """(() => {
  const parse = c => c.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(x => x / 255).map(
    x => x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4
  ).reduce((sum, x, i) => sum + x * [0.2126, 0.7152, 0.0722][i], 0);
  const paper = light(parse(getComputedStyle(document.body).backgroundColor));
  let lowest = 21;
  for (const one of document.querySelectorAll("h1, h2, h3, p, td, th, li, figcaption, a, footer")) {
    const ink = light(parse(getComputedStyle(one).color));
    lowest = Math.min(lowest, (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05));
  }
  return lowest;
})()"""


def test_where_nothing_varies_no_empty_figure_is_drawn():
    page = report(cs.Ratings.from_wide([["a", "a", "a"]] * 30)).html()
    assert "There is no answer: Krippendorff&#39;s alpha is undefined" in page
    assert "<dd>100.0% of pairs of ratings</dd>" in page
    assert "<dd>88.4% to 100.0%</dd>" in page
    assert 'id="raters"' not in page


def test_of_a_crowd_contested_items_are_told_by_split_and_gaps_are_by_design(pages):
    page = pages["crowd"]
    contested = page[page.index("Most contested") : page.index('id="design"')]
    assert '<td class="text">1-1-1</td><td class="text">0 1, 1 1, 2 1</td>' in contested
    assert "3.0 ratings per item on average" in page[: page.index("<main>")]
    assert "what is missing is missing by design" in page
    assert "% missing" not in page
    (drawing,) = (one for one in report(EXAMPLES["crowd"]).page.figures if one.name == "design")
    assert drawing.axes.figure.get_figheight() < 5


def test_labels_that_differ_from_the_most_common_one_are_coloured():
    rows = [["a", "a", "b"], ["a", "b", "c"], ["a", "a", "b"]] + [["a"] * 3, ["b"] * 3] * 9
    page = report(cs.Ratings.from_wide(rows)).html()
    table = page[page.index("Most contested") :]
    shown = re.findall(r'<span class="differs d(\d)">(\w)</span>', table[: table.index("</table>")])
    assert shown == [("1", "a"), ("2", "b"), ("3", "c"), ("1", "b"), ("1", "b")]


def test_numbers_do_not_agree_in_so_many_cases_and_are_no_categories():
    values = np.add(np.random.default_rng(1).normal(size=(40, 1)), [0.0, 0.1, 0.2])
    page = report(cs.Ratings.from_wide(values, scale="interval")).html()
    assert "% of pairs" not in page
    assert "categories" not in page


def test_labels_that_begin_alike_can_be_told_apart_and_numbers_be_read():
    rng = np.random.default_rng(2)
    long = np.array([f"the same long beginning of a label, number {k}" for k in range(9)])
    names = [f"rater {g}" for g in range(18)]
    ratings = cs.Ratings.from_wide(long[rng.integers(0, 9, (60, 18))], raters=names)
    met = plot.confusion(ratings)
    shown = [text.get_text() for text in met.get_yticklabels()]
    assert len(set(shown)) == len(shown) == 9
    pairs = plot.raters(ratings)
    assert len(pairs.figure.axes) == 2  # the map, and what its shades mean
    for one in (met, pairs):
        inline_svg(one, title="t", prefix="p")  # and no warning on the way
