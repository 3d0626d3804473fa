"""The way of a newcomer, timed on a fresh clone: install, try page, two takes by microphone, verdict.

    python -m benchmarks.newcomer [--chromium PATH]

The last commit of this repository is cloned into a temporary folder. `make demo` runs there as the README says: the
environment is made first (timed apart), then the example is scored. The command in its last line is started, its page
opened in headless Chromium, whose microphone plays a clip of the example; two takes of two and three seconds are
recorded and ranked. Waiting is what a person waits for; the takes themselves are not counted.

The rival of the installation is what pip itself needs for the same packages: a fresh environment and one
`pip install` of their names and versions, without Aptone. Both run without pip's cache and read the same index.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Page, sync_playwright

from aptone.audio import read, write
from aptone.types import Audio
from benchmarks.made_with import with_revisions

ROOT = Path(__file__).resolve().parents[1]
RESULTS = Path(__file__).parent / "results" / "newcomer.json"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
GOAL_SECONDS = 60.0
"""Waiting from an installed clone to the first verdict."""
TAKES = (2.0, 3.0)
PATIENCE = 300_000.0
WITHOUT_CACHE = {**os.environ, "PIP_NO_CACHE_DIR": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
OWN = ("aptone", "pip", "setuptools")


def timed(*command: object, folder: Path) -> tuple[float, str]:
    """Wall time of a command, and what it printed."""
    begun = time.perf_counter()
    ended = subprocess.run(
        [str(part) for part in command], cwd=folder, env=WITHOUT_CACHE, capture_output=True, text=True
    )
    seconds = time.perf_counter() - begun
    if ended.returncode:
        sys.exit(f"{command[0]} ended with {ended.returncode}:\n{ended.stdout}{ended.stderr}")
    return seconds, ended.stdout


def bare_install(python: Path, folder: Path) -> tuple[float, int]:
    """Wall time of a fresh environment with the packages of another one, and their number."""
    listed = subprocess.run([python, "-m", "pip", "list", "--format=json"], check=True, capture_output=True).stdout
    packages = [f"{one['name']}=={one['version']}" for one in json.loads(listed) if one["name"].lower() not in OWN]
    begun = time.perf_counter()
    venv.create(folder, with_pip=True)
    command = [str(folder / "bin" / "python"), "-m", "pip", "install", "-q", *packages]
    subprocess.run(command, check=True, env=WITHOUT_CACHE, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begun, len(packages)


def microphone(file: Path) -> Path:
    """A clip of the example as Chromium's microphone plays it, with a second of silence behind it."""
    clip = read(ROOT / "examples" / "lighthouse" / "clips" / "anybody-apt.opus", rate=48_000, channel="mix")
    write(file, Audio(np.concatenate([clip.samples, np.zeros(48_000, dtype=np.float32)]), 48_000))
    return file


def record(page: Page, seconds: float) -> None:
    """Record a take of some seconds."""
    page.locator("#panel-rank .record").click()
    script = "least => parseFloat(document.querySelector('#panel-rank .clock').textContent) >= least"
    page.wait_for_function(script, arg=seconds)
    page.locator("#panel-rank .record").click()


def try_it(link: str, sound: Path, chromium: str) -> dict[str, Any]:
    """Open the page, record, rank, and read the verdict."""
    arguments = (
        *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
        *("--disable-component-update", "--disable-sync", "--use-fake-device-for-media-stream"),
        *("--use-fake-ui-for-media-stream", f"--use-file-for-fake-audio-capture={sound}"),
    )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(arguments))
        page = browser.new_context(permissions=["microphone"], locale="en").new_page()
        page.set_default_timeout(PATIENCE)
        begun = time.perf_counter()
        page.goto(link)
        page.locator("button.line[aria-pressed=true]").wait_for()
        shown = time.perf_counter() - begun
        page.wait_for_function("() => document.querySelector('.models').textContent.includes('loaded.')")
        loaded = time.perf_counter() - begun
        for seconds in TAKES:
            record(page, seconds)
        begun = time.perf_counter()
        page.get_by_role("button", name="Rank the takes").click()
        page.locator("#panel-rank .result table.ranking audio").last.wait_for()
        verdict = time.perf_counter() - begun
        rows = page.locator("#panel-rank .result table.ranking tbody tr").count()
        says = page.locator("#panel-rank .result .rationale").first.inner_text()
        browser.close()
    assert rows == len(TAKES), says
    return {"page": shown, "models loaded": loaded, "verdict after the click": verdict, "says": says}


def path_of_a_newcomer(folder: Path, chromium: str) -> dict[str, Any]:
    """Everything from the clone to the verdict; wall times in seconds."""
    clone, _ = timed("git", "clone", "-q", ROOT, folder / "aptone", folder=folder)
    installed, _ = timed("make", ".venv/.view", folder=folder / "aptone")
    demo, printed = timed("make", "demo", folder=folder / "aptone")
    last = printed.rstrip().splitlines()[-1]
    rival, packages = bare_install(folder / "aptone" / ".venv" / "bin" / "python", folder / "bare")
    begun = time.perf_counter()
    command = [*last.split(), "--no-browser", "--port", "0", "--json"]
    with subprocess.Popen(command, cwd=folder / "aptone", stdout=subprocess.PIPE, text=True) as view:
        assert view.stdout is not None
        told = ""
        while not told.rstrip().endswith("}"):
            line = view.stdout.readline()
            assert line, "the view has not started"
            told += line
        started = time.perf_counter() - begun
        try:
            found = try_it(json.loads(told)["link"], microphone(folder / "spoken.wav"), chromium)
        finally:
            view.terminate()
    waiting = demo + started + found["models loaded"] + found["verdict after the click"]
    times: Mapping[str, float] = {
        "clone": clone,
        "install": installed,
        "make demo": demo,
        "view started": started,
        "page with the example": found["page"],
        "models loaded": found["models loaded"],
        "verdict after the click": found["verdict after the click"],
    }
    return {
        "last line of make demo": last,
        "seconds": {name: round(value, 2) for name, value in times.items()},
        "install, times a bare pip install of the same packages": round(installed / rival, 2),
        "bare pip install, seconds": round(rival, 2),
        "packages": packages,
        "waiting from install to verdict, seconds": round(waiting, 1),
        "goal, seconds": GOAL_SECONDS,
        "verdict": found["says"],
        "takes, seconds": list(TAKES),
    }


def main() -> int:
    """Go the way, print and write the times."""
    parser = argparse.ArgumentParser(description="The way of a newcomer: install, record, verdict.")
    parser.add_argument("--chromium", default=CHROMIUM, help="Browser; by default the one on the path.")
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    if options.chromium is None:
        parser.error("no chromium, chromium-browser or google-chrome was found; name one with --chromium")
    with tempfile.TemporaryDirectory() as folder:
        found = path_of_a_newcomer(Path(folder), options.chromium)
    about = {"python": platform.python_version(), "aptone": version("aptone"), "cores": os.cpu_count()}
    options.output.write_text(
        json.dumps(with_revisions({**about, **found}, "ear", "planner", "judge"), indent=1, ensure_ascii=False) + "\n",
        encoding="utf-8",
    )
    for name, value in found.items():
        print(f"{name}: {value}")
    return int(found["waiting from install to verdict, seconds"] > GOAL_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
