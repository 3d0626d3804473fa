"""Fragments in a page with the style of a notebook, as a real browser lays it out."""

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Browser, Page, sync_playwright

from aptone.types import Displayed
from tests.browsers import CHROMIUM, LEAN

WAIT = 120_000
"""Milliseconds after which something that should happen does not."""

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium, chromium-browser or google-chrome on this machine"),
]

JUPYTER = """
.jp-RenderedHTMLCommon { color: rgb(1, 2, 3); font: 14px/1.6 monospace; padding-right: 20px; text-align: right; }
.jp-RenderedHTMLCommon ul:not(.list-inline) { padding-left: 2em; list-style: square; margin-bottom: 1em; }
.jp-RenderedHTMLCommon pre, .jp-RenderedHTMLCommon code { background-color: #fff; color: #000; font-size: 30px; }
.jp-RenderedHTMLCommon :not(pre) > code { background-color: #eee; padding: 1px 5px; }
.jp-RenderedHTMLCommon table { border: none; color: #000; font-size: 12px; table-layout: fixed; margin: 0 auto 1em; }
.jp-RenderedHTMLCommon td, .jp-RenderedHTMLCommon th { vertical-align: middle; padding: 0.5em; max-width: none; }
:not(.jp-RenderedMarkdown).jp-RenderedHTMLCommon td, :not(.jp-RenderedMarkdown).jp-RenderedHTMLCommon th,
:not(.jp-RenderedMarkdown).jp-RenderedHTMLCommon tr { text-align: right; }
.jp-RenderedHTMLCommon tbody tr:nth-child(odd) { background: #fff; }
.jp-RenderedHTMLCommon tbody tr:nth-child(even) { background: #f5f5f5; }
.jp-RenderedHTMLCommon p { text-align: left; margin: 0 0 1em; }
.jp-RenderedHTMLCommon mark { background: yellow; }
"""
"""What JupyterLab says about HTML in outputs, and some that is worse."""

OUTSIDE = "<h2>Results</h2><p class='byline'>mine</p><table class='group'><tr><td class='number'>1</td></tr></table>"

COMPUTED = """(selector) => [...document.querySelectorAll(selector)].map((element) => {
  const style = getComputedStyle(element);
  return ["fontFamily", "fontSize", "color", "backgroundColor", "textAlign", "display", "margin", "padding", "width",
    "fontWeight", "verticalAlign", "listStyleType", "borderTopWidth", "fill"].map((name) => style[name]).join("; ");
})"""

OVERFLOWING = """() => [...document.querySelectorAll(".aptone-display")].flatMap((root) => {
  const edge = root.getBoundingClientRect().right + 0.5;
  const scrolls = (element) => element.closest(".sideways, pre") !== null;
  return [...root.querySelectorAll("*")]
    .filter((element) => !scrolls(element) && element.getBoundingClientRect().right > edge)
    .map((element) => `${element.tagName} ${element.className}`)
    .concat(root.scrollWidth > root.clientWidth ? ["the fragment itself"] : []);
})"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=LEAN)
        yield launched
        launched.close()


class Notebook:
    """A page of outputs; whatever it loads from elsewhere, or complains about, is kept."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.problems: list[str] = []

    def show(self, *shown: str, width: int = 700, scheme: Any = "light", theme: str = "") -> Page:
        """Open a page with these outputs in a column of some width."""
        page = self.blank(scheme)
        page.set_default_timeout(WAIT)
        page.on("console", lambda said: self.problems.append(said.text))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", lambda asked: None if asked.url.startswith("data:") else self.problems.append(asked.url))
        self.fill(page, *shown, width=width, theme=theme)
        return page

    def blank(self, scheme: Any = "light") -> Page:
        """Open a page with nothing in it."""
        return self.browser.new_page(viewport={"width": 1200, "height": 900}, color_scheme=scheme)

    def fill(self, page: Page, *shown: str, width: int = 700, theme: str = "") -> None:
        """Put these outputs on a page, in the place of all that was on it."""
        outputs = "".join(f'<div class="jp-RenderedHTMLCommon">{one}</div>' for one in shown)
        page.set_content(
            f"<!doctype html><html><head><style>{JUPYTER}</style></head>"
            f"<body {theme}><div style='width: {width}px'>{OUTSIDE}{outputs}</div></body></html>",
            wait_until="load",
        )


@pytest.fixture
def notebook(browser: Browser) -> Iterator[Notebook]:
    opened = Notebook(browser)
    yield opened
    for page in [page for context in browser.contexts for page in context.pages]:
        page.close()
    assert opened.problems == []


@pytest.fixture(scope="module")
def fragments(records: dict[str, Displayed]) -> dict[str, str]:
    return {name: record._repr_html_() for name, record in records.items()}


@pytest.mark.parametrize("width", [700, 380])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_its_fragment(
    notebook: Notebook, fragments: dict[str, str], scheme: str, width: int
) -> None:
    page = notebook.show(*fragments.values(), width=width, scheme=scheme)
    assert page.locator(".aptone-display").count() == len(fragments)
    assert page.evaluate(OVERFLOWING) == []
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert page.evaluate(OVERFLOWING) == []


def test_hostile_texts_stay_within_and_run_nothing(notebook: Notebook, hostile_records: dict[str, Displayed]) -> None:
    page = notebook.show(*(record._repr_html_() for record in hostile_records.values()))
    assert page.evaluate("document.querySelectorAll('script, img').length") == 0
    assert page.evaluate(OVERFLOWING) == []


def test_styles_do_not_leak_out_of_fragments(notebook: Notebook, fragments: dict[str, str]) -> None:
    outside = "body, body > div, h2, .byline:not(.aptone-display *), body > div > table, body > div > table *"
    alone = notebook.show().evaluate(COMPUTED, outside)
    assert len(alone) > 6
    assert notebook.show(*fragments.values()).evaluate(COMPUTED, outside) == alone


def test_a_fragment_looks_the_same_alone_in_a_notebook_and_among_others(
    notebook: Notebook, fragments: dict[str, str]
) -> None:
    together = notebook.show(*fragments.values())
    alone, plain = notebook.show(), notebook.blank()  # both filled anew for each: to open a page takes far longer
    for number, (name, shown) in enumerate(fragments.items()):
        notebook.fill(alone, shown)
        looks = alone.evaluate(COMPUTED, ".aptone-display, .aptone-display *")
        place = f"div:nth-of-type({number + 1}) > .aptone-display"
        among = together.evaluate(COMPUTED, f"{place}, {place} *")
        assert among == looks, name
        plain.set_content(f"<!doctype html><div style='width: 680px'>{shown}</div>")  # 20 px are Jupyter's padding
        assert plain.evaluate(COMPUTED, ".aptone-display, .aptone-display *") == looks, name


@pytest.mark.parametrize(
    ("scheme", "theme", "is_dark"),
    [
        ("light", "", False),
        ("dark", "", True),
        ("dark", 'data-jp-theme-light="true"', False),
        ("light", 'data-jp-theme-light="false"', True),
        ("light", 'class="vscode-dark"', True),
        ("dark", 'class="vscode-light"', False),
        ("light", 'data-theme="dark"', True),
    ],
)
def test_a_fragment_is_as_light_or_dark_as_its_notebook_and_can_be_read(
    notebook: Notebook, fragments: dict[str, str], scheme: str, theme: str, is_dark: bool
) -> None:
    page = notebook.show(fragments["Run"], scheme=scheme, theme=theme)

    def brightness(selector: str, name: str) -> float:
        colour = page.locator(selector).first.evaluate(f"(one) => getComputedStyle(one).{name}")
        red, green, blue = (int(part) / 255 for part in colour.removeprefix("rgb(").removesuffix(")").split(", "))
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (red, green, blue)]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]  # of WCAG

    paper = brightness(".aptone-display", "backgroundColor")
    assert (paper < 0.1) == is_dark
    for selector in (".aptone-display", ".aptone-display .byline", ".aptone-display .eyebrow", ".aptone-display .mark"):
        low, high = sorted((paper, brightness(selector, "color")))
        assert (high + 0.05) / (low + 0.05) >= 4.5, selector


def test_every_player_holds_its_sound(notebook: Notebook, fragments: dict[str, str]) -> None:
    page = notebook.show(fragments["Entry"], fragments["RankedLine"], fragments["Run"])
    page.wait_for_function("[...document.querySelectorAll('audio')].every((one) => one.duration > 0)")
    lengths = page.evaluate("[...document.querySelectorAll('audio')].map((one) => one.duration)")
    assert len(lengths) == 1 + 2 + 10
    assert lengths[1:3] == pytest.approx([1.0, 1.0], abs=0.05)
