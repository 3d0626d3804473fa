"""Take the pictures of the pages: screenshots of reports, plots and the studio, by Chromium.

Options of a ``<!-- picture … -->`` mark: ``file=`` an HTML or SVG file of the page's folder, or ``studio=`` a page of
the studio's demo (``admin``, ``agreement/TASK``, ``adjudicate/TASK``, ``rate/TASK``); ``select=`` a CSS selector
(spaces as ``_``) of the part that is shown, ``click=`` one of what is pressed before, ``width=`` and ``height=`` the
window, ``from=`` the first row of pixels that is shown; of a selected part, ``height=`` is the most that is shown.
"""

import contextlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from playwright._impl._api_structures import FloatRect

LARGEST = 150_000
"""Bytes of a picture."""


def take_picture(target: Path, folder: Path, environment: Mapping[str, str], options: Mapping[str, str]) -> None:
    """Write one picture; where there is no browser, the one that is there stays."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        sys.stderr.write(f"{target.name} stays as it is: no Chromium here\n")
        return
    from playwright.sync_api import Page, sync_playwright

    def shoot(page: Page) -> None:
        page.wait_for_timeout(int(options.get("wait", "1200")))
        if "click" in options:
            page.locator(options["click"].replace("_", " ")).first.click()
            page.wait_for_timeout(600)
        target.parent.mkdir(exist_ok=True)
        box = {"x": 0.0, "y": float(options.get("from", "0")), "width": float(width), "height": float(height)}
        if "select" in options:
            part = page.locator(options["select"].replace("_", " ")).first
            found = part.bounding_box()
            assert found is not None
            most = min(found["height"], float(options.get("height", "inf")))
            box = {"x": found["x"], "y": found["y"], "width": found["width"], "height": most}
        page.screenshot(path=target, clip=cast("FloatRect", box), full_page="select" in options)

    width = int(options.get("width", "960"))
    height = int(options.get("height", "700"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": width, "height": height}, color_scheme="light")
        if "studio" in options:
            with _studio(folder, environment) as link:
                page.goto(link)
                page.wait_for_timeout(1500)
                page.goto(f"{link.partition('/join')[0]}/{options['studio']}")
                shoot(page)
        else:
            page.goto((folder / options["file"]).resolve().as_uri())
            shoot(page)
        browser.close()
    size = target.stat().st_size
    if size > LARGEST:
        raise SystemExit(f"{target}: {size} bytes, at most {LARGEST}; choose a smaller window or part.")


@contextlib.contextmanager
def _studio(folder: Path, environment: Mapping[str, str]) -> Iterator[str]:
    """The demo of the studio at a free port; the link of its admin."""
    command = [sys.executable, "-m", "aptone", "studio", "--demo", "--no-browser", "--port", "0", "--json"]
    with subprocess.Popen(command, cwd=folder, env=dict(environment), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = ""
        for printed in process.stdout:
            line += printed
            with contextlib.suppress(json.JSONDecodeError):
                yield str(json.loads(line)["link"])
                break
        process.terminate()
        process.wait(timeout=30)
