"""The clients beside the documentation, against a service: what they print is what the command line scores."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples" / "service"
LIGHTHOUSE = ROOT / "examples" / "lighthouse"
TOKEN = "a-token-of-some-length"

pytestmark = pytest.mark.slow


def run(*command: object, **variables: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *map(str, command)], capture_output=True, text=True, env={**os.environ, **variables}, cwd=ROOT
    )


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Address of a service that asks for a token given to it, and does not print it."""
    command = [sys.executable, "-m", "aptone", "view", "--serve", "--port", "0", "--json"]
    variables = {**os.environ, "APTONE_VIEW_TOKEN": TOKEN}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=variables, cwd=ROOT) as process:
        assert process.stdout is not None
        printed = ""
        while not printed.rstrip().endswith("}"):
            line = process.stdout.readline()
            assert line, "the service has not started"
            printed += line
        assert TOKEN not in printed
        yield json.loads(printed)["address"]
        process.terminate()


def test_a_build_gets_the_scores_of_the_command_line_and_a_status(address: str, tmp_path: Path) -> None:
    records = [json.loads(line) for line in (LIGHTHOUSE / "manifest.jsonl").read_text(encoding="utf-8").splitlines()]
    told = {**records[3], "story": "story.en.txt"}
    del told["context"], told["following"]
    manifest = tmp_path / "manifest.jsonl"
    for name in ("clips", "story.en.txt"):
        (tmp_path / name).symlink_to(LIGHTHOUSE / name)
    manifest.write_text("".join(f"{json.dumps(one)}\n" for one in (records[0], told)), encoding="utf-8")
    scored = run("-m", "aptone", "score", manifest, "-o", tmp_path / "run", "--json")
    assert scored.returncode == 0, scored.stderr
    entries = [json.loads(line) for line in (tmp_path / "run" / "journal.jsonl").read_text().splitlines()]
    values = {one["item"]["id"]: one["outcome"]["scores"]["aptness"]["value"] for one in entries}
    for bound, status in ((0.0, 0), (5.0, 1)):
        options = (manifest, "--service", address, "--at-least", bound)
        built = run(EXAMPLES / "score_build.py", *options, APTONE_VIEW_TOKEN=TOKEN)
        assert built.returncode == status, built.stderr
        shown = [line.rpartition(" ")[2] for line in built.stdout.splitlines()[:2]]
        assert shown == [f"{values[one['id']]:.2f}" for one in records[:4:3]]
    assert run(EXAMPLES / "score_build.py", manifest, "--service", address).stderr.startswith("401")


def test_the_client_of_ten_lines_prints_score_and_reason(address: str) -> None:
    story = LIGHTHOUSE / "story.en.txt"
    client = (EXAMPLES / "score_clip.py", LIGHTHOUSE / "clips" / "anybody-apt.opus", "Is anybody there?", story)
    score, _, reason = run(*client, APTONE_SERVICE=address, APTONE_VIEW_TOKEN=TOKEN).stdout.partition(" ")
    assert 0 < float(score) < 5
    assert reason.startswith("The emotion should be “fear”")
    assert "401" in run(*client, APTONE_SERVICE=address, APTONE_VIEW_TOKEN="").stderr
