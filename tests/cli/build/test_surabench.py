"""``aptone build surabench`` as it is typed, on ratings that are made up."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aptone.rooms.caption.data import read_manifest
from tests.models.mock_server import MockServer, completion
from tests.tables import for_each

Aptone = Callable[..., Any]
RATINGS = {"sad.opus": ((1, 2), (2, 2)), "glad.opus": ((5, 4), (5, 5)), "torn.opus": ((1, 3), (5, 3))}


@pytest.fixture
def corpus(tmp_path: Path, clip: Path) -> Path:
    """Three recordings of a clip, and a table of what two people gave each of them from 1 to 5."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    rows = ["file,rater,valence,arousal,dominance,emotion,sex"]
    for name, ratings in RATINGS.items():
        shutil.copyfile(clip, folder / name)
        rows += [f"{name},r{rater},{valence},{arousal},3,sad,M" for rater, (valence, arousal) in enumerate(ratings)]
    table = folder / "ratings.csv"
    table.write_text("\n".join(rows) + "\n")
    return table


LENGTHS = ("--shortest", 1, "--longest", 30)


@pytest.mark.slow
def test_a_benchmark_is_built_resumed_and_judged(aptone: Aptone, corpus: Path) -> None:
    built = aptone("build", "surabench", corpus, "--scale", 1, 5, *LENGTHS, "-o", "bench", "--json")
    assert built.code == 0
    # torn: 1 and 5 of 5 are 1 and 7 of 7, a deviation of 6 / √2
    assert {name: counts["out"] for name, counts in built.json["yields"].items()} == {
        "audio": 3, "length": 3, "agreement": 2, "grid": 2, "caption": 2
    }  # fmt: skip
    samples = read_manifest(Path("bench/manifest.jsonl"))
    assert [sample.id for sample in samples] == ["sad.opus", "glad.opus"]
    assert samples[0].ids["valence"] == "1.750"  # (1 + 2.5) / 2
    assert samples[0].caption == samples[0].reference
    assert samples[0].audio.path == str(corpus.parent / "sad.opus")  # type: ignore[union-attr]
    assert not Path("bench/audio").exists()
    (reject,) = map(json.loads, Path("bench/rejects.jsonl").read_text().splitlines())
    assert (reject["id"], reject["step"]) == ("torn.opus", "agreement")
    again = aptone("build", "surabench", corpus, "--scale", 1, 5, *LENGTHS, "-o", "bench", "--lang", "zh")
    assert "评分者一致：3 段中 2 段。" in again.out
    assert "从语料到基准" in Path("bench/distribution.html").read_text(encoding="utf-8")
    judged = aptone("caption", "bench/manifest.jsonl", "-o", "run", "--json")
    assert judged.json["items"][0]["scores"]["s_r"]["value"] == 1.0  # a caption covers itself


def test_stricter_settings_in_the_same_folder_leave_out_what_they_do_not_pick(aptone: Aptone, corpus: Path) -> None:
    typed = ("build", "surabench", corpus, "--scale", 1, 5, *LENGTHS, "-o", "bench", "--json")
    assert aptone(*typed, "--max-deviation", 5).json["recordings"] == 3  # torn has 6 / √2 = 4.24
    stricter = aptone(*typed)
    assert (stricter.json["recordings"], stricter.json["unfinished"]) == (2, 0)
    assert [sample.id for sample in read_manifest(Path("bench/manifest.jsonl"))] == ["sad.opus", "glad.opus"]


def test_captions_can_wait_and_recordings_can_be_copied(aptone: Aptone, corpus: Path) -> None:
    typed = ("build", "surabench", corpus, "--scale", 1, 5, *LENGTHS, "-o", "bench", "--copy-audio", "--language", "zh")
    first = aptone(*typed, "--max-items", 1)
    assert "1 recordings have no caption yet; type the same command to go on." in first.out
    second = aptone(*typed, "--json")
    assert (second.json["recordings"], second.json["unfinished"]) == (2, 0)
    samples = read_manifest(Path("bench/manifest.jsonl"))
    assert samples[0].language == "zh"
    assert len(list(Path("bench/audio").iterdir())) == 1  # both have the same bytes
    assert Path(samples[0].audio.path).parent.name == "audio"  # type: ignore[union-attr]


@for_each(
    ("options", "problem"),
    [
        ((), "as --scale 1 5"),
        (("--scale", 1, 5, "--shortest", 500, "--longest", 501), "nothing was picked from 3 recordings"),
        (("--scale", 1, 5, "--captions", "api", "--set", "writer.model=m"), "which model is the writer, and where"),
        (("--scale", 1, 5, "--set", "captioner.model=m"), "expected an option of the writer, as writer.model"),
        (("--scale", 1, 4), "5 lies outside the scale from 1 to 4"),
    ],
)
def test_what_cannot_be_built_says_why(aptone: Aptone, corpus: Path, options: tuple[object, ...], problem: str) -> None:
    shown = aptone("build", "surabench", corpus, *options, "-o", "bench")
    assert shown.code == 2
    assert problem in " ".join(shown.err.split())


def test_options_of_tables_do_not_go_with_msp_podcast(aptone: Aptone, corpus: Path) -> None:
    shown = aptone("build", "surabench", corpus.parent, "--scale", 1, 7, "-o", "bench")
    assert "MSP-Podcast is read as released" in shown.err


def test_a_chat_model_writes_in_the_manner_of_examples(aptone: Aptone, corpus: Path) -> None:
    Path("examples.jsonl").write_text('{"caption": "A man mutters.", "file": "sad.opus"}\n')
    options = ("--captions", "api", "--examples", "examples.jsonl", *LENGTHS, "-o", "bench", "--json")
    with MockServer() as server:
        server.answers(completion('{"caption": "A man speaks sadly."}'))
        model = ("--set", f"writer.base_url={server.base_url}", "--set", "writer.model=m")
        built = aptone("build", "surabench", corpus, "--scale", 1, 5, *options, *model)
        asked = server.received[0].json["messages"][0]["content"]
    assert "→ A man mutters." in asked
    assert asked.count("emotion: sad") == 2  # of the example, and of the recording
    assert built.json["recordings"] == 2
    assert {sample.reference for sample in read_manifest(Path("bench/manifest.jsonl"))} == {"A man speaks sadly."}


def test_examples_name_recordings_of_the_corpus_and_are_for_a_chat_model(aptone: Aptone, corpus: Path) -> None:
    Path("examples.jsonl").write_text('{"caption": "A man.", "file": "nowhere.wav"}\n')
    typed = ("build", "surabench", corpus, "--scale", 1, 5, "--examples", "examples.jsonl", "-o", "bench")
    assert "--examples are for a chat model" in aptone(*typed).err
    shown = aptone(*typed, "--captions", "api")
    assert "no recording 'nowhere.wav'" in " ".join(shown.err.split())
