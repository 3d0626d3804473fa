"""No page shows a command without what one sees, and the marks of `docs/make_pages.py` are in order."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from docs.make_pages import ELLIPSIS, FENCE, MARK, Block, blocks, chosen, commands, pages
from docs.page_pictures import LARGEST

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
OPTIONS = {
    "run": {"from", "until", "lines", "stop", "exit", "needs"},
    "picture": {"file", "studio", "select", "click", "width", "height", "from", "wait"},
}


def marked(kind: str) -> Iterator[tuple[Path, Block]]:
    for page in pages():
        for block in blocks(page.read_text(encoding="utf-8")):
            if block.kind == kind:
                yield page, block


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def fences(page: Path) -> Iterator[tuple[str, str, bool]]:
    """Language and body of every block of a page, and whether a mark stands before it."""
    text = page.read_text(encoding="utf-8")
    marks = {block.start for block in blocks(text) if block.kind in {"run", "kept"}}
    place = 0
    while fence := FENCE.search(text, place):
        yield fence["language"], fence["body"], fence.start() in marks
        place = fence.end()


def outputs(body: str) -> Iterator[tuple[str, list[str]]]:
    """Every command of a console block with the lines below it."""
    command, below, continued = "", list[str](), False
    for line in body.splitlines():
        if line.startswith("$ "):
            if command:
                yield command, below
            command, below = line, []
        elif continued:
            command += line
        else:
            below.append(line)
        continued = (line.startswith("$ ") or continued) and line.endswith("\\")
    if command:
        yield command, below


SILENT = re.compile(r"\$ (export |python3 -m venv |\. \.venv/bin/activate)")
"""What a shell answers to with nothing."""


def test_commands_stand_in_console_blocks_behind_a_mark() -> None:
    wrong = []
    for page in pages():
        for language, body, is_marked in fences(page):
            if language in {"sh", "bash", "shell"}:
                wrong.append(f"{named(page)}: a block of {language}; use console, with what one sees: {body[:50]!r}")
            if language == "console" and not is_marked:
                wrong.append(f"{named(page)}: no <!-- run --> or <!-- kept --> before {body[:50]!r}")
    assert wrong == []


def test_every_command_is_followed_by_what_one_sees() -> None:
    bare = []
    for page in pages():
        for language, body, _ in fences(page):
            if language == "console":
                pairs = list(outputs(body))
                assert pairs, f"{named(page)}: a console block without a command"
                bare += [
                    f"{named(page)}: {command}"
                    for command, below in pairs
                    if SILENT.match(command) is None and not any(line.strip() for line in below)
                ]
    assert bare == []


def test_code_that_is_run_is_followed_by_what_it_prints() -> None:
    for page, block in marked("run"):
        if block.language == "python":
            behind = page.read_text(encoding="utf-8")[block.end :]
            output = re.match(r"\n\n```text\n(.*?)```", behind, flags=re.DOTALL)
            assert output is not None, f"{named(page)}: {block.body[:60]!r}"
            assert output[1].strip(), f"{named(page)}: run python -m docs.make_pages"


def test_marks_have_options_that_are_known_and_blocks_behind_them() -> None:
    for kind, known in OPTIONS.items():
        for page, block in marked(kind):
            assert set(block.options) <= known, f"{named(page)}: {block.rest}"
            assert all("=" in part for part in block.rest.split()), f"{named(page)}: {block.rest}"
    for page, block in (*marked("run"), *marked("kept")):
        assert block.language in {"console", "python"}, f"{named(page)}: <!-- {block.kind} {block.rest} -->"
    assert all(block.rest for _, block in marked("kept")), "a kept block says why it is not run"


def test_no_output_shows_a_path_of_the_machine_that_it_was_made_on() -> None:
    for page in pages():
        for language, body, _ in fences(page):
            if language in {"console", "text"}:
                assert not re.search(r"(?<![\w.:/])/(tmp|home|root|work|usr)/", body), f"{named(page)}: {body[:80]!r}"


def test_every_picture_is_small_shown_and_made_by_one_mark() -> None:
    taken = [
        (page.parent / target).resolve()
        for page, block in marked("picture")
        for target in re.findall(r"\A!\[[^]]+\]\(([^)]+)\)", page.read_text(encoding="utf-8")[block.start :])
    ]
    assert len(taken) == len(list(marked("picture"))), "an image with a description stands behind every picture mark"
    assert sorted(taken) == sorted(PICTURES.iterdir())
    for picture in taken:
        data = picture.read_bytes()
        assert data.startswith(b"\x89PNG")
        assert len(data) <= LARGEST, picture.name


def test_every_kind_of_user_has_a_page_with_a_picture_and_a_decision() -> None:
    for name in ("tts-engineer", "audiobook-producer", "dialogue-builder", "annotation-lead", "researcher"):
        text = (ROOT / "docs" / "start" / f"{name}.md").read_text(encoding="utf-8")
        assert "## The decision" in text
        assert "../pictures/" in text
        assert sum(mark["kind"] == "run" for mark in MARK.finditer(text)) >= 3


def test_commands_are_joined_over_continued_lines() -> None:
    body = "$ aptone score a.wav \\\n    --line x\nEmotion  fear\n$ ls\na.wav\n"
    assert commands(body) == ["aptone score a.wav \\\n    --line x", "ls"]
    assert [below for _, below in outputs(body)] == [["Emotion  fear"], ["a.wav"]]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ["a", "b", "", "c", "d"]),
        ({"lines": "1,-1"}, ["a", ELLIPSIS, "d"]),
        ({"until": "c"}, ["a", "b", ELLIPSIS]),  # the empty line before what is left out goes with it
        ({"from": "b", "until": "d"}, [ELLIPSIS, "b", "", "c", ELLIPSIS]),
    ],
)
def test_an_ellipsis_stands_for_what_is_left_out(options: dict[str, str], expected: list[str]) -> None:
    assert chosen(["a", "b", "", "c", "d"], options) == expected


def test_a_word_that_no_line_holds_is_an_error() -> None:
    with pytest.raises(SystemExit, match="no line of the output"):
        chosen(["a"], {"until": "nowhere"})
