"""Filters of the production page and of the delivery sheet, as a real browser runs them."""

import re
import subprocess
from pathlib import Path

import pytest

from aptone.rooms.aptness.delivery.book_plan import numbered_lines
from aptone.rooms.aptness.delivery.sheet import SheetOptions, write_sheet
from aptone.rooms.aptness.production.files import require_production
from aptone.rooms.aptness.production.page import production_page
from tests.browsers import CHROMIUM, LEAN
from tests.rooms.aptness.delivery.books import book
from tests.rooms.aptness.production.books import book_run, entry

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium, chromium-browser or google-chrome on this machine"),
]

CHOOSE = """<script>
document.addEventListener("DOMContentLoaded", () => {
  const select = document.getElementById("character");
  select.value = [...select.options].find((option) => option.text === "Mara").value;
  select.dispatchEvent(new Event("change"));
});
</script>"""


def opened(page: str, folder: Path) -> str:
    assert CHROMIUM is not None
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    command = [CHROMIUM, "--headless", *LEAN, "--disable-gpu", f"--user-data-dir={folder / 'profile'}"]
    command += ["--disable-background-networking", "--disable-dev-shm-usage", "--virtual-time-budget=4000"]
    shown = subprocess.run([*command, "--dump-dom", path.as_uri()], capture_output=True, timeout=300, check=True)
    return shown.stdout.decode()


def choosing(page: str) -> str:
    """The page without its policy, and with a reader who chooses a character."""
    return re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page).replace("</body>", f"{CHOOSE}</body>")


def test_the_script_of_the_production_page_runs_under_its_policy_and_filters(tmp_path: Path) -> None:
    entries = [entry(1, 1.0, role="Mara"), entry(2, 1.5), *(entry(number, 4.0) for number in range(3, 9))]
    production = require_production(book_run(tmp_path, entries))
    page = production_page(production, title="B", folder=None, language="en")
    assert "2 of 2 shown" in opened(page, tmp_path)
    filtered = opened(choosing(page), tmp_path)
    assert "1 of 2 shown" in filtered
    assert re.findall(r'id="r(\d)"[^>]*hidden', filtered) == ["2"]


def test_the_sheet_of_one_character_hides_the_lines_of_the_others(tmp_path: Path) -> None:
    write_sheet(tmp_path, book(), lambda: numbered_lines(book()), SheetOptions(formats=("html",)))
    page = (tmp_path / "delivery.html").read_text(encoding="utf-8")
    assert "7 of 7 shown" in opened(page, tmp_path)
    assert "1 of 7 shown" in opened(choosing(page), tmp_path)
