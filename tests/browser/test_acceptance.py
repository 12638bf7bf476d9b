"""What the workbench promises, seen in a real browser."""

from __future__ import annotations

import os
import wave
from pathlib import Path
from typing import Any

import pytest

import needed
from browser.conftest import Visitor
from browser.served import Served
from browser.tour import stops
from consilience.cli.program import run
from patience import patient, until
from workbench import EXAMPLES, Running

HOSTILE = (
    "</script><img src=x onerror=alert(1)>",
    '"><svg onload=alert(2)>',
    "javascript:alert(3)",
    "{{7*7}}",
    "\u202eevil",
    "=cmd|' /C calc'!A0",
    "x" * 3000,
)


def opened(bench: Running, path: Path | str) -> str:
    return bench.opened(path)


@pytest.fixture(scope="session")
def labels(bench: Running) -> str:
    return bench.opened(EXAMPLES / "labels.csv")


# 1 ------------------------------------------------------------------------------------------------


def test_the_answer_is_in_view_without_a_click(chromium: Any) -> None:
    context = patient(chromium.new_context(viewport={"width": 1280, "height": 800}))
    page = context.new_page()
    served = Served("labels.csv", cwd=EXAMPLES)
    page.goto(served.link)
    page.wait_for_selector("#answer")
    assert "token" not in page.url
    for what in ("h2.verdict", ".gauge", ".sentence pre"):
        box = page.locator(what).first.bounding_box()
        assert box["y"] + box["height"] <= 800, what
    context.close()
    assert served.interrupt() == 0


# 3 ------------------------------------------------------------------------------------------------


def test_a_cell_leads_to_its_items_and_back(visit: Any, labels: str) -> None:
    window = visit()
    page = window.go(f"{labels}/answer?tab=labels")
    cell = page.locator("table.matrix td a").first
    n = int(cell.inner_text())
    cell.click()
    window.settled("table.items")
    assert page.locator("table.items tbody tr").count() == n
    shown = page.locator("table.items").inner_text()
    page.reload()
    window.settled("table.items")
    assert page.locator("table.items").inner_text() == shown
    page.go_back()
    window.settled("table.matrix")
    assert "tab=labels" in page.url


# 2 ------------------------------------------------------------------------------------------------


def test_a_column_is_wronged_and_put_right_by_a_click(visit: Any, bench: Running) -> None:
    window = visit()
    page = window.go(opened(bench, EXAMPLES / "labels.csv") + "/file")
    page.locator("select.chip").nth(3).select_option("ignore")
    page.wait_for_function("() => document.body.innerText.includes('2 raters rated 12 items')")
    page.locator("select.chip").nth(3).select_option("rater")
    page.wait_for_function("() => document.body.innerText.includes('3 raters rated 12 items')")
    page.locator("a.main").click()
    window.settled("#answer")
    assert "0.58" in page.locator("#answer").inner_text()


def test_a_dropped_file_is_opened(visit: Any, bench: Running) -> None:
    window = visit()
    page = window.go("/")
    page.set_input_files("#file", EXAMPLES / "headlines_long.csv")
    window.settled(".chips")
    assert "on 2 questions" in page.locator("h1").inner_text()
    page.locator("a.main").click()
    window.settled(".drawing svg")
    page.locator("main a[href*='q=']").first.click()
    window.settled("#answer")
    assert "q=" in page.url


# 4 ------------------------------------------------------------------------------------------------


def contested(path: Path, n: int) -> None:
    labels = ("red", "green", "blue")
    rows = [f"i{k:02d},{labels[k % 3]},{labels[(k + 1) % 3]},{labels[k % 2]}" for k in range(n)]
    path.write_text("item,Ann,Bob,Cid\n" + "\n".join(rows) + "\n")


def test_twenty_items_by_keys_with_a_kill_between(chromium: Any, tmp_path: Path) -> None:
    contested(tmp_path / "colours.csv", 24)
    context = patient(chromium.new_context())
    page = context.new_page()
    served = Served("colours.csv", cwd=tmp_path)
    _adjudicate(page, served.link, range(10))
    served.kill()
    page.wait_for_selector("#gone:not([hidden])")  # said, and nothing is sent
    page.keyboard.press("1")
    served = Served("colours.csv", cwd=tmp_path)
    _adjudicate(page, served.link, range(10, 20))
    base = page.url.partition("/adjudicate")[0]
    sheet = context.request.get(f"{base}/adjudicate/sheet.csv").body()
    final = context.request.get(f"{base}/adjudicate/final.csv").body()
    context.close()
    assert served.interrupt() == 0
    (tmp_path / "sheet.csv").write_bytes(sheet)
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        assert (
            run(["adjudicate", "colours.csv", "--read", "sheet.csv", "-o", "labels.csv", "-q"]) == 0
        )
    finally:
        os.chdir(before)
    assert (tmp_path / "labels.csv").read_bytes() == final
    assert final.count(b",gold") == 20


def _adjudicate(page: Any, link: str, numbers: range) -> None:
    page.goto(link)
    _seen(
        page,
        "document.querySelector('#answer') && !document.querySelector('meta[http-equiv=refresh]')",
    )
    page.goto(page.url.partition("/answer")[0] + "/adjudicate")
    for done in numbers:
        _seen(page, f"document.querySelector('h1')?.innerText.startsWith('{done} of')")
        page.wait_for_selector("#decide")
        page.keyboard.press(str(done % 3 + 1))
    _seen(page, f"document.querySelector('h1')?.innerText.startsWith('{numbers.stop} of')")


def _seen(page: Any, what: str) -> None:
    """Wait until it is there; where it does not come, tell what is there instead."""
    from playwright.sync_api import TimeoutError as LateError

    try:
        page.wait_for_function(f"() => {what}")
    except LateError as error:
        shown = page.locator("body").inner_text()
        raise AssertionError(f"{what}: not on {page.url}, which says\n{shown}") from error


# 6 ------------------------------------------------------------------------------------------------


def test_the_slider_moves_number_links_and_address(visit: Any, bench: Running) -> None:
    window = visit()
    state = opened(bench, EXAMPLES / "gestures.csv")
    page = window.go(f"{state}/units?threshold=60", "svg.lanes")
    before = page.locator("#answer").inner_text(), page.locator("svg.lanes .link").count()
    page.locator("input[type=range]").fill("80")
    page.wait_for_url("**threshold=80**")
    window.settled("svg.lanes")
    after = page.locator("#answer").inner_text(), page.locator("svg.lanes .link").count()
    assert "--threshold 80" in page.locator(".shell pre").inner_text()
    assert before != after
    page.keyboard.press("j")
    assert page.locator(".bar.now").count() == 1
    assert "agreed" not in page.locator(".bar.now").get_attribute("class")


def sound(path: Path, seconds: int = 12) -> Path:
    """Write a sound that is silent."""
    with wave.open(str(path), "wb") as stream:
        stream.setnchannels(1)
        stream.setsampwidth(1)
        stream.setframerate(8_000)
        stream.writeframes(b"\x80" * 8_000 * seconds)
    return path


def test_a_film_is_played_here_and_never_sent(visit: Any, bench: Running, tmp_path: Path) -> None:
    window = visit()
    state = opened(bench, EXAMPLES / "gestures.csv")
    page = window.go(f"{state}/units", "svg.lanes")
    sent: list[tuple[str, bytes | None, str]] = []
    page.on("request", lambda one: sent.append((one.method, one.post_data_buffer, one.url)))
    page.set_input_files("#film", sound(tmp_path / "film.wav"))
    page.wait_for_function("() => document.querySelector('video').readyState > 0")
    now = "() => document.querySelector('video').currentTime"
    bar = page.locator(".lanes .bar").nth(2)
    bar.click()
    wanted = float(bar.get_attribute("data-seek"))
    page.wait_for_function(
        f"() => Math.abs(document.querySelector('video').currentTime - {wanted}) < .01"
    )
    seen = []
    for key in ("j", "j", "k"):
        page.keyboard.press(key)
        one = page.locator(".bar.now")
        assert "agreed" not in one.get_attribute("class")
        assert page.evaluate(now) == pytest.approx(float(one.get_attribute("data-seek")), abs=0.01)
        seen.append(one.get_attribute("id"))
    assert seen[0] == seen[2] != seen[1]
    with page.expect_request("**/alive"):  # sent now and then: what was to be sent went before
        pass
    assert {method for method, _, _ in sent} == {"GET"}  # the questions whether we are there
    assert all(body is None for _, body, _ in sent)
    assert [url for _, _, url in sent if "film" in url] == []


# 7 ------------------------------------------------------------------------------------------------


def crowd(path: Path, raters: int, items: int) -> None:
    import numpy as np

    rng = np.random.default_rng(3)
    truth = rng.integers(0, 4, items)
    said = np.where(
        rng.random((items, raters)) < 0.7, truth[:, None], rng.integers(0, 4, (items, raters))
    )
    head = ",".join(["item", *(f"rater {g + 1}" for g in range(raters))])
    rows = [f"i{i}," + ",".join("abcd"[k] for k in row) for i, row in enumerate(said)]
    path.write_text(head + "\n" + "\n".join(rows) + "\n")


def test_a_crowd_stays_usable(visit: Any, bench: Running, tmp_path: Path) -> None:
    crowd(tmp_path / "crowd.csv", 164, 800)
    window = visit()
    state = opened(bench, tmp_path / "crowd.csv")
    for path in ("/file", "/answer", "/answer?tab=labels", "/answer?tab=raters", "/items"):
        page = window.go(state + path)
        assert page.evaluate("document.querySelectorAll('*').length") < 5_000, path


# 8 ------------------------------------------------------------------------------------------------

SCREENS = ("/file", "/answer", "/answer?tab=labels", "/answer?tab=raters", "/items", "/adjudicate",
           "/rounds", "/panel", "/live", "/export")  # fmt: skip
AXE = "axe.run(document, {resultTypes: ['violations'], runOnly: %s})"
EVERYTHING = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def violations(page: Any, axe: str, rules: list[str]) -> list[str]:
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe)
    found = page.evaluate(AXE % rules)["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:160]}" for one in found]


DRAWINGS_OUTSIDE = """width => [...document.querySelectorAll('.drawing svg')]
    .map(svg => svg.getBoundingClientRect())
    .filter(box => box.left < 0 || box.right > width).length"""


def fits(page: Any, width: int, height: int) -> list[str]:
    """Tell what does not fit a window of this size."""
    page.set_viewport_size({"width": width, "height": height})
    faults = []
    if (wide := page.evaluate("document.documentElement.scrollWidth")) > width + 1:
        faults.append(f"{wide} wide at {width}")
    outside = page.evaluate(DRAWINGS_OUTSIDE, width)
    return faults + [f"{outside} drawings outside at {width}"] * (outside > 0)


def computed(bench: Running, path: str) -> None:
    """Wait until nothing of a page is still to come."""
    until(lambda: 'http-equiv="refresh"' not in bench.page(path).text, f"{path} is computed")


def without_refresh(route: Any) -> None:
    """Let a page stay that would ask again in a second."""
    answer = route.fetch()
    body = answer.text().replace('http-equiv="refresh"', 'name="still"')
    route.fulfill(response=answer, body=body)


def test_everybody_can_use_every_screen_and_state(
    chromium: Any, bench: Running, axe: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Light and dark, forced colours, less motion, a phone, a window enlarged to 200%."""
    if axe is None:
        needed.lacking(needed.PACKAGE, "axe_playwright_python")
    monkeypatch.chdir(tmp_path)
    keys = bench.bench.keys
    context = patient(chromium.new_context(reduced_motion="reduce"))
    context.add_cookies([{"name": keys.cookie_name, "value": keys.cookie, "url": bench.origin}])
    page, found = context.new_page(), {}
    for name, path in stops(bench, Path()).items():
        page.set_viewport_size({"width": 1280, "height": 800})
        if name == "working":
            page.route(f"**{path}", without_refresh)
        else:
            computed(bench, path)
        page.goto(bench.origin + path)
        page.evaluate("document.getElementById('gone').hidden = false")
        faults = violations(page, axe, EVERYTHING)
        page.emulate_media(color_scheme="dark")
        faults += [f"dark {one}" for one in violations(page, axe, ["color-contrast"])]
        page.emulate_media(color_scheme="light", forced_colors="active")
        faults += fits(page, 390, 800) + fits(page, 640, 400)
        page.emulate_media(forced_colors="none")
        found[name] = faults
    context.close()
    assert len(found) >= 40
    assert {name: those for name, those in found.items() if those} == {}


# 9 ------------------------------------------------------------------------------------------------


def test_hostile_labels_are_text(visit: Any, bench: Running, tmp_path: Path) -> None:
    import csv

    path = tmp_path / "hostile.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["item", "<b>Ann</b>", "Bob & co"])
        for k in range(21):
            writer.writerow([f"<i>{k}</i>", HOSTILE[k % 7], HOSTILE[(k + k // 7) % 7]])
    window = visit()
    state = opened(bench, path)
    for one in SCREENS:
        page = window.go(state + one)
        assert page.title().endswith("Consilience")
        assert page.locator("img, b, i, svg[onload]").count() == 0, one
    assert "<b>Ann</b>" in window.go(f"{state}/items").locator("table").inner_text()


# 11 -----------------------------------------------------------------------------------------------


def test_new_ratings_are_announced_and_shown_on_a_click(
    visit: Any, bench: Running, tmp_path: Path
) -> None:
    path = tmp_path / "growing.csv"
    rows = [f"i{k},{'yn'[k % 2]},{'yn'[k % 2 if k % 5 else 0]}" for k in range(40)]
    path.write_text("item,Ann,Bob\n" + "\n".join(rows[:30]) + "\n")
    window = visit()
    page = window.go(opened(bench, path) + "/answer", "#answer")
    shown = page.locator("#answer").inner_text()
    with path.open("a") as stream:
        stream.write("\n".join(rows[30:]) + "\n")
    page.wait_for_selector("[data-news]:not([hidden])")
    assert "20 new ratings at" in page.locator("[data-news]").inner_text()
    assert page.locator("#answer").inner_text() == shown
    page.locator("[data-news] button").click()
    window.settled("figure .drawing svg")
    assert "You have looked 2 times" in page.locator("main").inner_text()


# 12 -----------------------------------------------------------------------------------------------


def test_screens_work_without_script(visit: Any, bench: Running) -> None:
    window = visit(java_script_enabled=False)
    page = window.page
    page.goto(bench.origin + "/")
    page.set_input_files("#file", EXAMPLES / "labels.csv")
    page.locator("button.main").click()
    page.wait_for_selector(".chips")
    page.locator("select.chip").nth(3).select_option("ignore")
    page.locator("button[name=set]").click()
    page.wait_for_selector("text=2 raters rated 12 items")
    page.locator("a.main").click()
    page.wait_for_selector("nav.tabs")
    page.locator("nav.tabs a", has_text="Labels").click()
    page.wait_for_selector("table.matrix")
    page.locator("table.matrix td a").first.click()
    page.wait_for_selector("table.items")
    page.locator("nav a", has_text="Export").click()
    page.wait_for_selector("ul.exports")
    page.locator("nav a", has_text="Two rounds").click()
    page.set_input_files("#file", EXAMPLES / "labels.csv")
    page.locator(".drop button.main").click()
    page.wait_for_selector("#changed-title")
    page.goto(bench.origin + opened(bench, EXAMPLES / "labels.csv") + "/panel")
    page.wait_for_selector("input[name=system]")
    page.locator("input[name=system]").first.check()
    page.locator("input[name=margin]").fill("0.1")
    page.locator("button.main").click()
    page.wait_for_selector("aside .shell")


# another browser ----------------------------------------------------------------------------------


def test_firefox_shows_the_same(firefox: Any, bench: Running, labels: str) -> None:
    window = Visitor(firefox, bench)
    page = window.go(f"{labels}/answer?tab=labels")
    page.locator("table.matrix td a").first.click()
    window.settled("table.items")
    page = window.go("/")
    page.set_input_files("#file", EXAMPLES / "headlines_long.csv")
    window.settled(".chips")
    window.close()
    assert window.faults == []
