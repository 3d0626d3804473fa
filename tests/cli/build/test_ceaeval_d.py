"""``aptone build ceaeval-d`` as it is typed, on recordings of which it is known what is said in them."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aptone.audio import read, write
from aptone.models import TimedText
from aptone.ratings.tasks import read_task
from aptone.rooms.aptness.books.word_times import find_aligner
from aptone.rooms.aptness.data import read_manifest
from aptone.run.sources.shards import read_shards
from aptone.types import Audio
from tests.models.mock_server import MockServer, completion
from tests.rooms.aptness.spoken_books import RATE, KnowingTranscriber, stitch

pytestmark = pytest.mark.slow

Aptone = Callable[..., Any]

ISLAND = """Chapter 1

“Get out! The water is over the wall!” cried Mara.
Nobody answered, and the wind went on and on.
“Is anybody there?” asked Mara.

Chapter 2

The keeper slept through all of it, far away on the mainland.
“Yes,” he said to nobody.

Chapter 3

“Stay where you are. We will not come tonight,” said the keeper.
“Sleep now, child. The wind is going home,” said Mara.
"""
READ = {
    "one.wav": [
        ("wall-apt", "Get out! The water is over the wall, cried Mara"),
        ("keeper-flat", "Nobody answered and the wind went on and on"),
        ("sleep-flat", "Is anybody there, asked Mara"),
    ],
    "two.wav": [
        ("keeper-apt", "Stay where you are. We will not come tonight, said the keeper"),
        ("sleep-wrong", "This was recorded for friends of the island, and all of them may share it"),
        ("sleep-apt", "Sleep now, child. The wind is going home, said Mara"),
    ],
}
MANDARIN = "第一章\n“快出来！水漫过墙了！”玛拉喊道。\n没有人回答。\n“睡吧，风要回家了。”玛拉说。\n"
READ_IN_MANDARIN = [
    ("wall-zh-apt", "快出来水漫过墙了玛拉喊道"),
    ("wall-zh-flat", "没有人回答"),
    ("sleep-zh-apt", "睡吧风要回家了玛拉说"),
]


@pytest.fixture
def knowing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KnowingTranscriber:
    """Two recordings of a story of three chapters, the second of which is never read."""
    made = KnowingTranscriber()
    for name, readings in READ.items():
        stitch(tmp_path / name, readings, made)
    (tmp_path / "island.txt").write_text(ISLAND, encoding="utf-8")
    monkeypatch.setattr("aptone.cli.build.ceaeval_d.choose_transcriber", lambda name, **given: made)
    # The clips do not say what the transcriber makes of them, so that their sound must not be asked.
    monkeypatch.setattr("aptone.rooms.aptness.build.line_places.find_aligner", lambda language: None)
    return made


def subtitles(timed: list[TimedText]) -> str:
    """What is said, as a transcript with times."""

    def clock(seconds: float) -> str:
        return f"00:{int(seconds // 60):02d}:{int(seconds % 60):02d},{round(seconds % 1 * 1000):03d}"

    cues = [
        f"{number}\n{clock(one.segment.start)} --> {clock(one.segment.end)}\n{one.text}\n"
        for number, one in enumerate(timed, start=1)
    ]
    return "\n".join(cues)


def rejected(folder: str) -> dict[str, str]:
    rows = map(json.loads, Path(folder, "rejects.jsonl").read_text(encoding="utf-8").splitlines())
    return {row["text"] or row["work"]: row["reason"] for row in rows}


BUILD = ("build", "ceaeval-d", "one.wav", "two.wav", "--story", "island.txt", "--work", "island", "-o", "set")


def test_lines_are_found_cut_and_described_and_what_falls_has_its_reason(
    aptone: Aptone, knowing: KnowingTranscriber
) -> None:
    built = aptone(*BUILD, "--context", 2, "--licence", "CC0", "--source", "us", "--json")
    assert built.code == 0
    samples = {sample.target.text: sample for sample in read_manifest(Path("set/manifest.jsonl"))}
    assert list(samples) == [
        "Get out! The water is over the wall!",
        "cried Mara.",
        "Nobody answered, and the wind went on and on.",
        "Is anybody there?",
        "asked Mara.",
        "Stay where you are. We will not come tonight,",
        "said the keeper.",
        "Sleep now, child. The wind is going home,",
        "said Mara.",
    ]
    first = samples["Get out! The water is over the wall!"]
    assert first.target.role == "Mara"
    assert [line.text for line in first.context] == []  # nothing stands before it, so two lines behind it do
    assert [line.text for line in first.following] == ["cried Mara.", "Nobody answered, and the wind went on and on."]
    later = samples["Stay where you are. We will not come tonight,"]
    assert [line.text for line in later.context] == ["Yes,", "he said to nobody."]  # of the text, read or not
    assert later.following == ()
    assert dict(later.ids) == {
        "work": "island", "story": "island", "chapter": "Chapter 3", "scene": "island / Chapter 3", "line": "12",
        "character": f"island / {later.target.role}", "recording": "two.wav", "speech": "human", "licence": "CC0",
        "source": "us", "portion": "1",
    }  # fmt: skip
    weak = later.weak
    assert weak is not None
    assert weak.transcript.startswith("stay where you are we will not come")
    assert weak.confidence == 1.0
    assert "speak" in weak.caption or "voice" in weak.caption or "pitch" in weak.caption
    assert weak.heard.boundaries is not None
    assert weak.heard.boundaries.start == pytest.approx(1.45, abs=0.1)  # a second of silence, and that of the clip
    assert np.isnan(weak.heard.overall_score)

    assert rejected("set") == dict.fromkeys(
        ["The keeper slept through all of it, far away on the mainland.", "Yes,", "he said to nobody."],
        "not found in the recording: nobody seems to read it",
    )
    assert built.json["yields"]["lines"] == {"in": 12, "out": 9}
    assert built.json["reasons"] == {"alignment": {"not found in the recording: nobody seems to read it": 3}}
    report = json.loads(Path("set/build.json").read_text(encoding="utf-8"))
    (extra,) = report["works"][0]["alignment"]["not_in_the_text"]
    assert (extra["recording"], extra["words"]) == ("two.wav", 15)
    assert report["works"][0]["recordings"][1]["name"] == "two.wav"


def test_the_task_for_people_is_filled_in_and_tells_nothing_that_machines_said(
    aptone: Aptone, knowing: KnowingTranscriber
) -> None:
    aptone(*BUILD, "--context", 2, "--raters", 3, "--calibration-minutes", 0.1)
    task = read_task(Path("set/task.json"))
    assert task.raters_per_item == 3
    item = next(item for item in task.items if item.fields["line"] == "Is anybody there?")
    story: Any = item.fields["story"]
    assert [line["text"] for line in story["lines"]] == [
        "cried Mara.", "Nobody answered, and the wind went on and on.", "Is anybody there?"
    ]  # fmt: skip
    assert story["target"] == 2
    assert [line["clip"] for line in story["lines"]] == ["line_0", "line_1", ""]
    assert all(Path("set", ref.path).is_file() for ref in item.audio.values())
    assert item.fields["context"] == ["cried Mara.", "Nobody answered, and the wind went on and on."]
    boundaries: Any = item.fields["boundaries"]
    start, end = boundaries
    heard = read(Path("set") / item.audio["audio"].path, rate=None)
    assert start == 1.0
    assert 1.0 < end <= heard.seconds
    assert "caption" not in json.dumps(dict(item.fields))
    clips: list[Any] = [sample.audio for sample in read_manifest(Path("set/manifest.jsonl"))]
    seconds = {item.id: read(clip.path, rate=None).seconds for item, clip in zip(task.items, clips, strict=True)}
    in_order = [item.id for item in task.items]
    assert list(task.calibration) == in_order[: len(task.calibration)]
    assert 0 < sum(seconds[name] for name in task.calibration) <= 6.0 + 0.001  # 0.1 minutes


def test_captioned_clips_go_into_shards_for_a_student_and_the_manifest_can_be_scored(
    aptone: Aptone, knowing: KnowingTranscriber
) -> None:
    aptone(*BUILD, "--shards", "ogg")
    shards = list(read_shards(Path("set")))
    manifest = read_manifest(Path("set/manifest.jsonl"))
    assert [sample.captions[0].text for sample in shards] == [sample.weak.caption for sample in manifest if sample.weak]
    assert shards[0].ending == "ogg"
    assert aptone("score", "set/manifest.jsonl", "-o", "run", "--max-items", 1, "--json").json["worked"] == 1


def test_portions_are_contiguous_and_chosen_anew_without_listening_again(
    aptone: Aptone, knowing: KnowingTranscriber
) -> None:
    aptone(*BUILD, "--json")
    asked = knowing.asked
    fewer = aptone(*BUILD, "--portion", 0.1, "--calibration-minutes", 0, "--json")
    assert knowing.asked == asked
    assert fewer.json["lines"] == 9  # machines describe all lines
    assert 0 < fewer.json["task_lines"] < 9
    numbers = [int(item.id[-6:]) for item in read_task(Path("set/task.json")).items]
    told = [int(sample.ids["line"]) for sample in read_manifest(Path("set/manifest.jsonl"))]
    begin = told.index(numbers[0])
    assert numbers == told[begin : begin + len(numbers)]
    assert fewer.json["yields"]["task"]["minutes"] <= 0.1


def test_several_works_stand_in_a_file_and_one_that_cannot_be_used_does_not_stop_the_others(
    aptone: Aptone, knowing: KnowingTranscriber, tmp_path: Path
) -> None:
    stitch(tmp_path / "zh.wav", READ_IN_MANDARIN, knowing)
    (tmp_path / "zh.txt").write_text(MANDARIN, encoding="utf-8")
    write(tmp_path / "silence.wav", Audio(np.zeros(3 * RATE, dtype=np.float32), rate=RATE))
    tone = 0.2 * np.sin(2 * np.pi * np.arange(4 * RATE) / RATE * np.repeat([220, 277, 330, 440], RATE))
    write(tmp_path / "music.wav", Audio(tone.astype(np.float32), rate=RATE))
    (tmp_path / "broken.wav").write_bytes(b"RIFF")
    works: list[dict[str, Any]] = [
        {"work": "island", "recordings": ["one.wav", "two.wav"], "text": "island.txt", "licence": "CC0"},
        {"work": "灯塔", "recordings": "zh.wav", "text": "zh.txt", "speech": "synthetic"},
        {"work": "silent", "recordings": "silence.wav", "text": "island.txt"},
        {"work": "music", "recordings": "music.wav", "text": "island.txt"},
        {"work": "swapped", "recordings": "one.wav", "text": "zh.txt", "language": "en"},
        {"work": "broken", "recordings": "broken.wav", "text": "island.txt"},
        {"work": "textless", "recordings": "one.wav", "text": "nowhere.txt"},
    ]
    (tmp_path / "works.jsonl").write_text("".join(json.dumps(work) + "\n" for work in works), encoding="utf-8")
    built = aptone("build", "ceaeval-d", "works.jsonl", "-o", "set", "--json")
    assert built.code == 0
    assert built.json["yields"]["works"] == {"in": 7, "out": 2}
    fell = {name: why for name, why in rejected("set").items() if name in [work["work"] for work in works]}
    assert set(fell) == {"silent", "music", "swapped", "broken", "textless"}
    assert fell["silent"] == "nobody speaks in its recordings"
    assert "text and recordings do not match: 0 words agree" in fell["swapped"]
    samples = read_manifest(Path("set/manifest.jsonl"))
    mandarin = [sample for sample in samples if sample.language == "zh"]
    assert [sample.target.text for sample in mandarin] == ["快出来！水漫过墙了！", "玛拉喊道。", "没有人回答。", "睡吧，风要回家了。", "玛拉说。"]  # fmt: skip  # noqa: E501
    assert mandarin[0].weak is not None
    assert mandarin[0].weak.transcript == "快出来水漫过墙了"
    assert any("\u4e00" <= character <= "\u9fff" for character in mandarin[0].weak.caption)
    assert mandarin[0].ids["speech"] == "synthetic"
    shown = aptone("build", "ceaeval-d", "works.jsonl", "-o", "set", "--lang", "zh")
    assert "作品：7 部中 2 部可用。" in shown.out
    assert "以下作品没有注明许可：灯塔" in shown.out


def test_a_transcript_that_lies_gives_no_lines(
    aptone: Aptone, knowing: KnowingTranscriber, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    timed = stitch(tmp_path / "one.wav", READ["one.wav"], knowing)
    (tmp_path / "good.srt").write_text(subtitles(timed), encoding="utf-8")
    typed = ("build", "ceaeval-d", "one.wav", "--story", "island.txt", "--json", "--transcript")
    good = aptone(*typed, "good.srt", "-o", "good")
    assert knowing.asked == 0
    assert good.json["lines"] == 5
    monkeypatch.setattr("aptone.rooms.aptness.build.line_places.find_aligner", find_aligner)
    # all words of the text, long after the recording has ended
    late = [
        TimedText(line, type(timed[0].segment)(3000.0 + place, 3000.9 + place))
        for place, line in enumerate(ISLAND.splitlines())
        if line
    ]
    (tmp_path / "late.srt").write_text(subtitles(late), encoding="utf-8")
    lies = aptone(*typed, "late.srt", "-o", "late")
    assert (lies.code, lies.json["lines"]) == (1, 0)
    assert all(rejected("late").values())
    # all words of the text within half a second
    (tmp_path / "fast.srt").write_text("1\n00:00:01,000 --> 00:00:01,500\n" + " ".join(ISLAND.split()) + "\n")
    fast = aptone(*typed, "fast.srt", "-o", "fast")
    assert fast.json["lines"] == 0
    assert any("words a second" in reason or "it would last" in reason for reason in rejected("fast").values())
    (tmp_path / "none.srt").write_text("<script>alert(1)</script>")
    none = aptone(*typed, "none.srt", "-o", "none")
    assert "there are no subtitles" in rejected("none")["island"]
    assert none.code == 1


def test_a_film_whose_subtitles_are_its_text_needs_no_transcriber(
    aptone: Aptone, knowing: KnowingTranscriber, tmp_path: Path
) -> None:
    timed = stitch(tmp_path / "film.wav", READ["one.wav"], knowing)
    (tmp_path / "film.srt").write_text(subtitles(timed), encoding="utf-8")
    built = aptone("build", "ceaeval-d", "film.wav", "--story", "film.srt", "-o", "set", "--json")
    assert (built.json["lines"], knowing.asked) == (3, 0)
    sample = read_manifest(Path("set/manifest.jsonl"))[0]
    assert sample.weak is not None
    assert np.isnan(sample.weak.confidence)
    assert sample.weak.transcribed_by == "times of film.srt"


def test_a_model_that_hears_writes_the_captions(aptone: Aptone, knowing: KnowingTranscriber) -> None:
    with MockServer() as server:
        server.answers(completion("A woman calls out in alarm."))
        model = ("--set", f"captioner.base_url={server.base_url}", "--set", "captioner.model=m")
        built = aptone(*BUILD, "--captioner", "api", *model, "--json")  # it is on this machine: nobody need agree
    assert built.json["lines"] == 9
    captions = {sample.weak.caption for sample in read_manifest(Path("set/manifest.jsonl")) if sample.weak}
    assert captions == {"A woman calls out in alarm."}


def test_a_dry_run_says_what_it_would_cost_and_sends_nothing(aptone: Aptone, knowing: KnowingTranscriber) -> None:
    with MockServer() as server:
        away = f"captioner.base_url={server.base_url.replace('127.0.0.1', 'example.org')}"
        typed = (*BUILD, "--captioner", "api", "--set", away, "--set", "captioner.model=m", "--dry-run", "--json")
        unknown = aptone(*typed)
        priced = aptone(*typed, "--set", "captioner.input_price=2", "--set", "captioner.output_price=10")
        assert server.received == []
    assert unknown.json["costs_at_most"]["captions"] is None
    (work,) = priced.json["works"]
    assert work["lines"] == 12
    # 25 tokens a second of sound and 400 a question at 2 a million, 512 tokens a caption at 10 a million
    tokens = 25 * 60 * work["minutes"] + 400 * 12
    assert priced.json["costs_at_most"]["captions"] == pytest.approx((2 * tokens + 10 * 512 * 12) / 1e6, rel=0.01)
    assert priced.json["costs_at_most"]["transcripts"] == 0.0  # the scripted one is here
    assert not Path("set").exists()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("-o", "set"), "from which recordings?"),
        (("one.wav", "-o", "set"), "which text is read in these recordings?"),
        (("one.wav", "--story", "island.txt", "-o", "set", "--set", "judge.model=x"), "an option of the transcriber"),
        (("one.wav", "--story", "island.txt", "-o", "set", "--hours", "-1"), "--hours is a positive number"),
        (("one.wav", "two.wav", "--story", "island.txt", "-o", "set", "--transcript", "island.txt"),
         "2 recordings, but 1 transcripts"),
    ],
)  # fmt: skip
def test_what_is_not_clear_is_refused(
    aptone: Aptone, knowing: KnowingTranscriber, given: tuple[str, ...], message: str
) -> None:
    shown = aptone("build", "ceaeval-d", *given)
    assert shown.code == 2
    assert message in " ".join(shown.err.split())


def test_a_build_that_was_stopped_goes_on_and_other_settings_need_another_folder(
    aptone: Aptone, knowing: KnowingTranscriber
) -> None:
    stopped = aptone(*BUILD, "--max-items", 1, "--no-cache", "--json")
    assert (stopped.json["stopped"], stopped.json["lines"]) == ("--max-items 1 reached", 0)
    later = aptone(*BUILD, "--max-items", 4, "--no-cache")
    assert "lines are not described yet" not in later.out
    assert "Ended early: --max-items 4 reached" in later.out
    assert not Path("set/task.json").exists()
    assert aptone(*BUILD, "--no-cache", "--json").json["lines"] == 9
    assert knowing.asked == 6  # three phrases a recording, each once
    other = aptone(*BUILD, "--context", 3)
    assert (other.code, "context" in other.err) == (2, True)


OUTPUT = ("manifest.jsonl", "task.json", "rejects.jsonl", "build.json", "shards/shard-000000.tar")


KILLED = """
import os, signal, sys
from aptone.__main__ import main
from aptone.rooms.aptness.build import line_places
from aptone.run.journal import Journal
append = Journal.append
line_places.find_aligner = lambda language: None  # as in the fixture

def append_and_die(journal, entries):
    append(journal, entries)
    if journal.path.parent.name == "killed":  # not that of the words' times, which come first
        os.kill(os.getpid(), signal.SIGKILL)

Journal.append = append_and_die
sys.exit(main())
"""


def test_a_build_that_was_killed_ends_with_the_same_bytes(
    aptone: Aptone, knowing: KnowingTranscriber, tmp_path: Path
) -> None:
    for name, readings in READ.items():
        timed = stitch(tmp_path / name, readings, knowing)
        (tmp_path / f"{name}.srt").write_text(subtitles(timed), encoding="utf-8")
    typed = (*BUILD[:-2], "--transcript", "one.wav.srt", "--transcript", "two.wav.srt", "-o")
    assert aptone(*typed, "whole").code == 0
    command = [sys.executable, "-c", KILLED, *map(str, typed), "killed"]
    ended = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert (tmp_path / "killed" / "journal.jsonl").stat().st_size
    assert not (tmp_path / "killed" / "task.json").exists()
    assert aptone(*typed, "killed").code == 0
    for name in OUTPUT:
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
