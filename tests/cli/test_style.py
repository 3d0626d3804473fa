"""``aptone style``, ``aptone search`` and ``aptone bench s3bench`` as they are typed."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aptone.audio import write
from aptone.run import RunConfig, RunFolder
from aptone.types import Audio
from tests.rooms.style.voices import ToneEmbedder, write_tone
from tests.tables import for_each

Aptone = Callable[..., Any]


@pytest.fixture(autouse=True)
def tones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aptone.cli.options.style.load_style_embedder", lambda name, **options: ToneEmbedder())


@pytest.fixture
def rated_set(tmp_path: Path) -> Path:
    folder = tmp_path / "s3"
    rows = []
    for place, (name, hertz) in enumerate({"low": 100.0, "middle": 400.0, "high": 1600.0, "deep": 120.0}.items()):
        write_tone(folder / f"{name}.wav", hertz)
        for word, fit in (("low", 5 - 2 * place % 5), ("high", place)):
            rows.append({"audio": f"{name}.wav", "description": word, "ratings": [fit] * 5, "id": f"{name}-{word}"})
    (folder / "pairs.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return folder


def test_one_clip_and_one_description(aptone: Aptone) -> None:
    write_tone(Path("low.wav"), 100.0)
    shown = aptone("style", "low.wav", "a low voice")
    assert shown.code == 0
    assert "1.000" in shown.out
    assert "compare its cosines with each other only" in shown.out
    assert "Note: tones only" in shown.out


def test_several_descriptions_are_ranked_and_json_holds_them(aptone: Aptone) -> None:
    write_tone(Path("low.wav"), 100.0)
    shown = aptone("style", "low.wav", "a high voice", "a low voice", "--json")
    assert [one["description"] for one in shown.json["descriptions"]] == ["a low voice", "a high voice"]
    assert shown.json["descriptions"][0]["outcome"]["scores"]["cosine"]["value"] == pytest.approx(1.0)


def test_mandarin_is_answered_in_mandarin(aptone: Aptone) -> None:
    write_tone(Path("low.wav"), 100.0)
    shown = aptone("style", "low.wav", "低沉的声音")
    assert "余弦值只能彼此比较" in shown.out


def test_a_clip_in_a_folder_of_a_run_gets_a_report(aptone: Aptone) -> None:
    write_tone(Path("low.wav"), 100.0)
    shown = aptone("style", "low.wav", "low", "high", "-o", "run", "--batch-check")
    assert shown.code == 0
    page = Path("run/report.html").read_text(encoding="utf-8")
    assert "data:audio/ogg" in page
    again = aptone("style", "low.wav", "low", "high", "-o", "run", "--json")
    assert again.json["worked"] == 0
    cosines = [item["scores"]["cosine"]["value"] for item in again.json["items"]]
    assert cosines == pytest.approx([1.0, 0.0], abs=1e-5)


def test_a_set_is_run_and_compared_with_people(aptone: Aptone, rated_set: Path) -> None:
    shown = aptone("style", rated_set, "-o", "run", "--json")
    assert shown.code == 0
    assert len(shown.json["items"]) == 8
    assert shown.json["trust"]["agreement"]


@for_each(
    ("arguments", "problem"),
    [
        (("style", "low.wav"), "compared with what"),
        (("style", "low.wav", " "), "description 1 is empty"),
        (("style", "nowhere.wav", "low"), "nowhere.wav"),
        (("style", "pairs.jsonl", "low"), "brings its own descriptions"),
        (("style", "low.wav", "low", "--repeat", 2), "needs a run folder"),
        (("search", "nowhere", "low"), "no such folder"),
        (("search", ".", ""), "the description is empty; say how the voice should sound"),
        (("search", ".", "low", "--report", "found.txt"), "found.txt: a page ends in .html or .htm"),
        (("style", "low.wav", "low", "--model", "x:device"), "expected NAME:option=value"),
    ],
)
def test_what_cannot_be_done_is_said(arguments: tuple[object, ...], problem: str, aptone: Aptone) -> None:
    write_tone(Path("low.wav"), 100.0)
    shown = aptone(*arguments)
    assert shown.code == 2
    assert problem in shown.err


def test_a_search_shows_the_best_and_writes_a_page_with_players(aptone: Aptone) -> None:
    for name, hertz in (("low", 100.0), ("middle", 400.0), ("high", 1600.0)):
        write_tone(Path("clips") / f"{name}.wav", hertz)
    Path("clips/broken.wav").write_bytes(b"RIFF")
    shown = aptone("search", "clips", "a high voice", "--top", 2, "--report", "found.html")
    assert shown.code == 0
    rows = [line.split() for line in shown.out.splitlines()]
    assert ["1", "high.wav", "1.000"] in rows
    assert ["2", "middle.wav", "0.707"] in rows
    assert "3 clips in the index, 3 of them new." in shown.out
    assert "1 file left out, broken.wav: not a recording that can be read" in shown.out
    page = Path("found.html").read_text(encoding="utf-8")
    assert page.count("<audio controls") == 2
    again = aptone("search", "clips", "高亢的声音", "--json")
    assert again.json["embedded"] == 0
    assert again.json["found"][0]["path"] == "high.wav"
    assert again.json["found"][0]["fit"]["value"] is None


def test_a_search_names_every_file_that_is_left_out_and_passes_over_folders_of_runs(aptone: Aptone) -> None:
    write_tone(Path("clips/low.wav"), 100.0)
    for name in ("broken", "torn"):
        Path(f"clips/{name}.wav").write_bytes(b"RIFF")
    with RunFolder(Path("clips/takes-run"), RunConfig("score", "built-in")):
        write_tone(Path("clips/takes-run/clips/000001.wav"), 1600.0)
    Path("clips/takes").mkdir()
    Path("clips/takes/config.json").write_text("{}")  # a folder with a configuration is no run yet
    write_tone(Path("clips/takes/high.wav"), 800.0)
    shown = aptone("search", "clips", "a high voice")
    assert "2 clips in the index, 2 of them new." in shown.out
    assert "2 files left out:\n- broken.wav: not a recording" in shown.out
    assert "\n- torn.wav: not a recording" in shown.out
    assert "Folders of runs are not searched: takes-run/." in shown.out
    assert aptone("search", "clips", "a high voice", "--json").json["runs_left_out"] == ["takes-run"]
    for number in range(10):
        Path(f"clips/x{number}.wav").write_bytes(b"RIFF")
    assert "- 另有 2 个" in aptone("search", "clips", "高亢的声音").out


def test_a_folder_without_clips_has_nothing_to_find(aptone: Aptone) -> None:
    Path("clips").mkdir()
    shown = aptone("search", "clips", "low")
    assert shown.code == 1
    assert "There is no voice to be found in clips; a search looks for .wav, " in shown.out


def test_the_benchmark_prints_its_tables_and_writes_its_page(aptone: Aptone, rated_set: Path) -> None:
    shown = aptone("bench", "s3bench", rated_set, "-o", "bench", "--repeats", 5, "--model", "built-in:name=ours")
    assert shown.code == 0
    assert "ours" in shown.out
    assert "random (shuffle)" in shown.out
    assert "Retrieval" in shown.out
    assert Path("bench/report.html").is_file()
    chinese = aptone("bench", "s3bench", rated_set, "-o", "bench", "--repeats", 5, "--language", "zh", "--json")
    assert {row["name"] for row in chinese.json["result"]["rows"]} >= {"built-in", "random (uniform)"}
    assert "与人工评分的相关" in Path("bench/report.html").read_text(encoding="utf-8")


def test_a_benchmark_with_an_unreadable_clip_says_so_and_ends_with_1(aptone: Aptone) -> None:
    for name, hertz in (("low", 100.0), ("high", 1600.0)):
        write_tone(Path(f"{name}.wav"), hertz)
    Path("broken.wav").write_bytes(b"RIFF")
    rows = [{"audio": f"{name}.wav", "description": f"a {name} voice"} for name in ("low", "high", "broken")]
    Path("pairs.jsonl").write_text("\n".join(map(json.dumps, rows)))
    shown = aptone("bench", "s3bench", "pairs.jsonl", "-o", "bench")
    assert shown.code == 1
    assert "! built-in: 1 pair has no score: " in shown.out
    assert "broken.wav: not a recording" in shown.out


def test_words_alone_and_labelled_clips_get_their_tables(aptone: Aptone, rated_set: Path, tmp_path: Path) -> None:
    rows = ["file,speaker,sex,age,language,emotion,intensity,text,split"]
    for name, hertz, sex in (("a", 100.0, "male"), ("b", 1600.0, "female")):
        write_tone(tmp_path / "labelled" / f"{name}.wav", hertz)
        rows.append(f"{name}.wav,s,{sex},,en,,,,test")
    (tmp_path / "labelled" / "labels.csv").write_text("\n".join(rows), encoding="utf-8")
    Path("prompts.json").write_text('{"male": ["a low voice"], "female": ["a high voice"]}', encoding="utf-8")
    typed = ("bench", "s3bench", rated_set, "-o", "bench", "--repeats", 2, "--text-only", "built-in")
    shown = aptone(*typed, "--labelled", "labelled", "--attribute", "sex", "--prompts", "prompts.json", "--json")
    assert shown.code == 0
    (row,) = shown.json["result"]["classification"]
    assert row["found"]["accuracy"]["value"] == 1.0
    words = shown.json["result"]["rows"][2]
    assert words["kind"] == "text-only"
    assert words["unscored"] == {"there is no transcript": 8}


def test_silence_is_told_in_words(aptone: Aptone) -> None:
    write(Path("silent.wav"), Audio(np.zeros(8000, dtype=np.float32), 16_000))
    shown = aptone("style", "silent.wav", "low", "--lang", "zh")
    assert shown.code == 1
    assert "没有评分：音频中听不到人声" in shown.out


def test_two_models_of_one_name_are_refused(aptone: Aptone, rated_set: Path) -> None:
    shown = aptone("bench", "s3bench", rated_set, "--model", "built-in", "--model", "built-in")
    assert shown.code == 2
    assert "two models are called" in shown.err


def test_what_is_not_understood_is_named_and_the_rest_is_scored(aptone: Aptone) -> None:
    write_tone(Path("low.wav"), 100.0)
    shown = aptone("style", "low.wav", "low", "???")
    assert shown.code == 1
    assert "1.000" in shown.out
    assert "No score for “???”: the model knows none of the words of the description" in shown.out


def test_a_folder_of_clips_with_a_description_is_led_to_the_search(aptone: Aptone) -> None:
    write_tone(Path("clips/low.wav"), 100.0)
    shown = aptone("style", "clips", "a low voice")
    assert shown.code == 2
    assert 'aptone search clips "a low voice"' in shown.err


def test_the_example_for_a_clip_without_a_description_can_be_typed(aptone: Aptone) -> None:
    write_tone(Path("deep/low.wav"), 100.0)
    shown = aptone("style", "deep/low.wav")
    assert shown.code == 2
    assert 'aptone style deep/low.wav "a slow whisper"' in shown.err


def test_a_run_shows_descriptions_under_their_own_heading(aptone: Aptone, rated_set: Path) -> None:
    english, mandarin = (aptone("style", rated_set, "-o", lang, "--lang", lang).out for lang in ("en", "zh"))
    assert english.split()[:3] == ["Item", "Description", "cosine"]  # no column for reasons, since there is none
    assert mandarin.split()[:3] == ["条目", "描述", "余弦相似度"]
    page = Path("zh/report.html").read_text(encoding="utf-8")
    assert '<span class="role">描述</span>' in page
    assert '<span class="role">description</span>' not in page


def test_a_pair_that_is_not_understood_is_counted_in_the_benchmark(aptone: Aptone, rated_set: Path) -> None:
    with (rated_set / "pairs.jsonl").open("a", encoding="utf-8") as file:
        file.write("\n" + json.dumps({"audio": "low.wav", "description": "???", "ratings": [1], "id": "odd"}))
    shown = aptone("bench", "s3bench", rated_set, "-o", "bench", "--repeats", 2, "--json")
    (reason,) = shown.json["result"]["rows"][2]["unscored"].items()
    assert reason[0].startswith("the model knows none of the words of the description")
    assert reason[1] == 1
