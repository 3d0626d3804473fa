"""``aptone bench emosura`` as it is typed."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aptone.types import Rating
from aptone.types.codec import dumps_record

pytestmark = pytest.mark.slow

Aptone = Callable[..., Any]
WORDS = ("--rival", "BLEU-4", "--rival", "ROUGE-L", "--rival", "CIDEr")


@pytest.fixture
def acted(tmp_path: Path, clip: Path) -> Path:
    folder = tmp_path / "acted"
    folder.mkdir()
    rows = ["file,speaker,sex,age,language,emotion,intensity,text,split"]
    for name, sex, emotion in (("one", "male", "sad"), ("two", "male", "angry"), ("three", "female", "happy")):
        shutil.copyfile(clip, folder / f"{name}.opus")
        rows.append(f"{name}.opus,s,{sex},,en,{emotion},,,{'dev' if name == 'three' else 'test'}")
    (folder / "labels.csv").write_text("\n".join(rows) + "\n")
    return folder


def test_captions_of_known_order_are_made_judged_and_drawn(aptone: Aptone, acted: Path) -> None:
    shown = aptone("bench", "emosura", acted, "-o", "bench", *WORDS)
    assert shown.code == 0
    assert "EmoSURA" in shown.out
    assert "The acoustics of these captions were measured by the ear itself" in shown.out
    results = json.loads(Path("bench/results.json").read_text())
    assert (results["captions"], results["recordings"], results["ratings"]) == (8, 2, "known order")
    assert [one["name"] for one in results["metrics"]] == ["EmoSURA", "BLEU-4", "ROUGE-L", "CIDEr"]
    assert results["metrics"][0]["scored"] == 8
    page = Path("bench/report.html").read_text(encoding="utf-8")
    assert page.count('<svg class="boxes"') == 4
    again = aptone("bench", "emosura", acted, "-o", "bench", *WORDS, "--lang", "zh", "--json")
    assert again.json["metrics"][0]["scored"] == 8
    assert "对长度的依赖" in Path("bench/report.html").read_text(encoding="utf-8")


def test_who_stopped_is_told_in_mandarin_how_to_go_on(aptone: Aptone, acted: Path) -> None:
    shown = aptone("bench", "emosura", acted, "-o", "part", *WORDS, "--max-items", 1, "--lang", "zh")
    assert "再次输入同一命令即可继续。" in shown.out
    assert "Type" not in shown.out


def test_people_are_believed_where_they_rated(aptone: Aptone, clip: Path) -> None:
    rows = [
        {"id": "good", "audio": str(clip), "caption": "A man speaks.", "reference": "A man speaks.", "human_score": 5},
        {"id": "bad", "audio": str(clip), "caption": "A woman speaks.", "reference": "A man speaks.", "human_score": 1},
    ]
    Path("rated.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    shown = aptone("bench", "emosura", "rated.jsonl", *WORDS, "--json")
    assert shown.json["folder"] == "rated-emosura"
    assert shown.json["ratings"] == "people"
    assert not Path("rated-emosura/captions.jsonl").exists()


def test_a_listening_test_in_the_studio_is_taken_in(aptone: Aptone, clip: Path) -> None:
    rows = [
        {"id": name, "audio": str(clip), "caption": f"A {who} speaks.", "reference": "A man speaks."}
        for name, who in (("good", "man"), ("bad", "woman"))
    ]
    Path("captions.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    ratings = [
        Rating("mos", name, who, {"opinion": score}) for name, score in (("good", 5), ("bad", 1)) for who in "ab"
    ]
    Path("ratings.jsonl").write_text("".join(f"{dumps_record(one)}\n" for one in ratings))
    shown = aptone("bench", "emosura", "captions.jsonl", "--ratings", "ratings.jsonl", *WORDS, "--json")
    assert shown.json["ratings"] == "people"
    Path("ratings.jsonl").write_text(dumps_record(Rating("mos", "other", "a", {"opinion": 1})))
    wrong = aptone("bench", "emosura", "captions.jsonl", "--ratings", "ratings.jsonl", *WORDS, "-o", "again")
    assert (wrong.code, "there is no caption 'other'" in wrong.err) == (2, True)


def test_what_cannot_be_compared_says_why(aptone: Aptone, acted: Path, manifest: Path) -> None:
    for typed, problem in (
        ((acted, manifest), "folders with labels.csv, or one manifest"),
        ((manifest, manifest), "one manifest at a time"),
        ((acted, "--split", "train"), "belongs to the split 'train'"),
    ):
        shown = aptone("bench", "emosura", *typed)
        assert shown.code == 2
        assert problem in " ".join(shown.err.split())
    Path("bare.jsonl").write_text(json.dumps({"id": "a", "audio": "a.wav", "caption": "A man."}) + "\n")
    assert "has no reference" in aptone("bench", "emosura", "bare.jsonl").err
