"""Small modules of the pages that can be asked without a page: numbers on a scale, bands, differences of texts."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route

from aptone.studio.server.app import PACKAGES
from aptone.web.static_files import static_files

pytestmark = pytest.mark.browser


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that can import what the studio serves, without a studio."""
    files = static_files(*PACKAGES)

    def script(route: Route) -> None:
        name = route.request.url.rpartition("/")[2]
        route.fulfill(content_type="text/javascript", body=files[name].content)

    page = browser.new_page()
    page.route("**/*", lambda route: route.fulfill(content_type="text/html", body=""))
    page.route("**/static/*", script)
    page.goto("http://studio.test/")
    yield page
    page.close()


def test_what_is_removed_and_added_leads_from_one_text_to_the_other(page: Page) -> None:
    wrong = page.evaluate(
        """async () => {
        const { difference } = await import("/static/difference.js");
        const alphabet = ["a", "bb ", "c", " ", "\\n", "你", "好", "。", "<b>"];
        let seed = 7;
        const draw = (count) => (seed = (seed * 1103515245 + 12345) % 2147483648) % count;
        const text = () => Array.from({ length: draw(12) }, () => alphabet[draw(alphabet.length)]).join("");
        const side = (parts, kind) => parts.filter((one) => one.kind !== kind).map((one) => one.text).join("");
        const pairs = Array.from({ length: 500 }, () => [text(), text()]);
        return pairs.filter(([before, after]) => {
          const parts = difference(before, after);
          return side(parts, "added") !== before || side(parts, "removed") !== after;
        });
    }"""
    )
    assert wrong == []


def test_only_what_changed_is_marked(page: Page) -> None:
    found = page.evaluate(
        """async () => {
        const { difference } = await import("/static/difference.js");
        return difference("She came back late", "She came home late").filter((one) => one.kind !== "same");
    }"""
    )
    assert found == [{"kind": "removed", "text": "back"}, {"kind": "added", "text": "home"}]


def test_numbers_lie_on_the_grid_of_their_scale_without_dust(page: Page) -> None:
    found = page.evaluate(
        """async () => {
        const { onGrid, fits, bandOf } = await import("/static/control_scale.js");
        const fine = { low: 0, high: 5, step: 0.1 };
        const bands = [{ low: 0, high: 1 }, { low: 1, high: 2 }];
        return {
          dust: [...Array(51).keys()].map((one) => onGrid(one * 0.1, fine)).filter((one) => String(one).length > 3),
          beyond: [onGrid(7, fine), onGrid(-1, fine)],
          fits: [...[3.3, 3.33, 5.1, NaN].map((one) => fits(one, fine)), fits(2, { low: 1, high: 5, step: 1 })],
          bands: [0.5, 1, 2, 3].map((value) => bands.indexOf(bandOf(value, bands))),
        };
    }"""
    )
    assert found == {"dust": [], "beyond": [5, 0], "fits": [True, False, False, False, True], "bands": [0, 1, 1, -1]}


def test_signs_that_nobody_sees_are_left_out_of_what_is_typed(page: Page) -> None:
    plain = page.evaluate(
        """async () => (await import("/static/control_text.js")).plain("a\\u0000b\\n\\tc\\u009f\\ud800 你好 👋")"""
    )
    assert plain == "ab\n\tc 你好 👋"
