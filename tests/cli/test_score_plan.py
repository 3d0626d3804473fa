"""What is shown of a plan that was read from the story: above the verdict, and in the report."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any


def test_the_plan_that_was_read_stands_above_the_verdict_with_the_words_it_rests_on(
    aptone: Callable[..., Any], clip: Path, tmp_path: Path
) -> None:
    (tmp_path / "story.txt").write_text('The keeper sighed.\n"Stay where you are," he said angrily.\n', "utf-8")
    shown = aptone("score", clip, "--line", "Stay where you are", "--story", "story.txt").out
    words = " ".join(shown.split())
    assert "Emotion angry" in words
    assert "“angrily” (its tag): angry" in words
    assert words.index("“angrily”") < words.index("aptness") < words.index("The emotion should be “angry”")


def test_the_report_marks_the_words_that_a_plan_rests_on(
    aptone: Callable[..., Any], clip: Path, tmp_path: Path
) -> None:
    shutil.copy(clip, tmp_path / "a.opus")
    told = {
        "audio": "a.opus",
        "id": "a",
        "line": "Stay where you are,",
        "context": ["The keeper sighed."],
        "following": [{"text": "he said angrily.", "continues": True}, "Rain fell."],
    }
    (tmp_path / "manifest.jsonl").write_text(json.dumps(told) + "\n", encoding="utf-8")
    assert aptone("score", "manifest.jsonl", "-o", "run").code == 0
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "Read from the story" in page
    assert re.search(r"<mark[^>]*>angrily</mark>", page)
