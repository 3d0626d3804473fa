"""A view as a process of its own, and pages that make a test fail by what they load, throw, log or violate."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browsers import CHROMIUM, LEAN, SOUNDING

PATIENCE = 120_000.0
"""Milliseconds after which something that should happen does not, on a machine however crowded."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Address of a view over a folder."""
    command = [sys.executable, "-m", "aptone", "view", str(folder), "--no-browser", "--port", "0", "--json"]
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / ".cache")}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        try:
            assert server.stdout is not None
            said = server.stdout.readline()
            while "http" not in said:
                said += server.stdout.readline()
            found = re.search(r"http://[\d.:]+", said)
            assert found, said
            yield found[0]
        finally:
            server.terminate()


@contextmanager
def launched() -> Iterator[Browser]:
    """A Chromium."""
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*LEAN, SOUNDING])
        yield browser
        browser.close()


@contextmanager
def opened(browser: Browser, address: str, *, locale: str = "en-GB") -> Iterator[Page]:
    """A page of a view; what it loads from elsewhere, throws, logs or violates makes the test fail."""
    context = browser.new_context(base_url=address, locale=locale)
    context.set_default_timeout(PATIENCE)
    problems: list[str] = []
    page = context.new_page()
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    page.on("request", lambda asked: None if asked.url.startswith(address) else problems.append(asked.url))
    yield page
    context.close()
    assert problems == []
