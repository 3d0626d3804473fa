import io
import json
import math
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

import aptone.cli.hear as module
from aptone.errors import UsageError
from aptone.run.progress import Bar
from aptone.types import Audio, Perception, Rhythm, Sex, Tracks, Trajectory
from tests.models.local_speech_models import save_audio_classifier


class FakeEar:
    """Hears that everything is angry, in the language that it was told, for as long as the clip lasts."""

    def __init__(self) -> None:
        self.heard: list[float] = []

    def perceive(
        self, audio: Audio, *, language: str | None = None, trajectory: float | None = None, tracks: bool = False
    ) -> Perception:
        self.heard.append(audio.seconds)
        points = 0 if trajectory is None else math.ceil(audio.seconds / trajectory)
        frames = math.ceil(audio.seconds / 0.01)
        column = (0.5,) * points
        return Perception(
            audio.seconds,
            speech_seconds=audio.seconds,
            emotion={"angry": 0.75, "sad": 0.25},
            phrase={"en": "clearly angry", "zh": "明显愤怒"},
            rhythm={Rhythm.TENSE: 1.0},
            sex={Sex.FEMALE: 1.0},
            trajectory=None if trajectory is None else Trajectory(trajectory, column, column, column),
            tracks=Tracks(0.01, (200.0,) * frames, (-20.0,) * frames) if tracks else None,
            unjudged={"age": f"speaks {language}"},
            signature="ear:fake",
            licence="nobody's",
        )


@pytest.fixture
def ear(monkeypatch: pytest.MonkeyPatch) -> FakeEar:
    fake = FakeEar()

    def load(name: str | None = None) -> FakeEar:
        if name not in (None, "full", "permissive"):
            raise UsageError(f"there is no ear {name!r}; expected full or permissive.")
        return fake

    monkeypatch.setattr(module, "load_ear", load)
    return fake


@pytest.fixture
def takes(tmp_path: Path, clip: Path) -> Path:
    """Two recordings and one that is none, and files that nobody asked for."""
    folder = tmp_path / "takes"
    (folder / "sub").mkdir(parents=True)
    shutil.copy(clip, folder / "a.opus")
    shutil.copy(clip, folder / "sub" / "C.OPUS")
    (folder / "b.wav").write_text("no sound")
    (folder / "notes.txt").write_text("no recording")
    (folder / ".hidden.wav").write_text("no recording")
    return folder


Aptone = Callable[..., Any]


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_one_clip_is_told_in_a_table(aptone: Aptone, ear: FakeEar, clip: Path) -> None:
    shown = aptone("hear", clip)
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.splitlines()[:2] == ["keeper-apt.opus", "clearly angry"]
    assert re.search(r"Emotion +angry +75 % █{15}░{5}\s", shown.out)  # 0.75 of 20 cells
    assert "nobody's" in shown.out


def test_in_mandarin_the_table_is_mandarin(aptone: Aptone, ear: FakeEar, clip: Path) -> None:
    shown = aptone("hear", clip, "--lang", "zh")
    assert "明显愤怒" in shown.out
    assert "紧张型 100 %" in shown.out


def test_one_clip_as_json_is_one_object_without_what_was_not_asked_for(
    aptone: Aptone, ear: FakeEar, clip: Path
) -> None:
    row = aptone("hear", clip, "--json").json
    assert row["clip"] == str(clip)
    assert row["perception"]["emotion"] == {"angry": 0.75, "sad": 0.25}
    assert (row["perception"]["trajectory"], row["perception"]["tracks"]) == (None, None)


def test_the_spoken_language_reaches_the_ear(aptone: Aptone, ear: FakeEar, clip: Path) -> None:
    assert aptone("hear", clip, "--language", "zh", "--json").json["perception"]["unjudged"] == {"age": "speaks zh"}


def test_a_trajectory_has_a_point_a_second_unless_told(aptone: Aptone, ear: FakeEar, clip: Path) -> None:
    shown = aptone("hear", clip, "--json", "--trajectory")
    seconds = shown.json["perception"]["seconds"]
    assert len(shown.json["perception"]["trajectory"]["valence"]) == math.ceil(seconds)
    finer = aptone("hear", clip, "--trajectory", "0.25", "--tracks", "--json").json["perception"]
    assert len(finer["trajectory"]["valence"]) == math.ceil(seconds / 0.25)
    assert len(finer["tracks"]["pitch"]) == math.ceil(seconds / 0.01)
    assert re.search(r"0\.5 s +\+0\.50 +\+0\.50 +\+0\.50", aptone("hear", clip, "--trajectory").out)


@pytest.mark.parametrize("step", ["0", "nan", "inf", "clip.wav"])
def test_a_step_that_is_no_time_is_refused_and_the_way_out_is_named(aptone: Aptone, ear: FakeEar, step: str) -> None:
    shown = aptone("hear", f"--trajectory={step}", "x.wav")
    assert shown.code == 2
    assert f"expected seconds above 0, got '{step}'; name the clips first, or write =1 behind it." in shown.err


def test_a_part_and_a_channel_can_be_chosen(aptone: Aptone, ear: FakeEar, tmp_path: Path) -> None:
    soundfile.write(tmp_path / "two.wav", np.zeros((16_000, 2)), 8000)
    row = aptone("hear", "two.wav", "--start", "0.5", "--end", "1.25", "--channel", "1", "--json").json
    assert (row["start"], row["end"], row["perception"]["seconds"]) == (0.5, 1.25, 0.75)
    assert "there is no channel 2" in aptone("hear", "two.wav", "--channel", "2").err
    assert "expected mix, or a number from 0 on, got 'left'" in aptone("hear", "two.wav", "--channel", "left").err
    assert "got '99999'" in aptone("hear", "two.wav", "--channel", "99999").err


@pytest.mark.parametrize(("start", "end"), [("1", "0.5"), ("1", "1"), ("nan", "1"), ("0", "nan"), ("0", "inf")])
def test_a_part_that_cannot_be_is_a_user_error(aptone: Aptone, ear: FakeEar, start: str, end: str) -> None:
    shown = aptone("hear", "x.wav", "--start", start, "--end", end)
    assert shown.code == 2
    assert f"--start {start} and --end {end} can be no part of a clip; " in shown.err
    assert "--start inf can be no part of a clip" in aptone("hear", "x.wav", "--start", "inf").err


def test_a_missing_clip_is_a_user_error_that_names_the_file(aptone: Aptone, ear: FakeEar) -> None:
    shown = aptone("hear", "gone.wav", "--json")
    assert shown.code == 2
    assert shown.json["error"].startswith("gone.wav: no such file; ")


def test_an_unknown_ear_is_a_user_error(aptone: Aptone, ear: FakeEar, clip: Path) -> None:
    shown = aptone("hear", clip, "--ear", "golden")
    assert (shown.code, "expected full or permissive" in shown.err) == (2, True)


def test_tracks_without_json_are_refused(aptone: Aptone, ear: FakeEar, clip: Path) -> None:
    assert "add --json, or a file with -o" in aptone("hear", clip, "--tracks").err


@pytest.mark.parametrize(("name", "begin"), [("one.svg", "<svg "), ("one.html", "<!doctype html>")])
def test_a_clip_is_drawn(aptone: Aptone, ear: FakeEar, clip: Path, tmp_path: Path, name: str, begin: str) -> None:
    shown = aptone("hear", clip, "--plot", name, "--lang", "zh")
    assert shown.code == 0
    assert shown.out.endswith(f"Picture: {name}\n")
    picture = (tmp_path / name).read_text(encoding="utf-8").lstrip()
    assert picture.startswith(begin)
    assert "明显愤怒" in picture
    assert 'class="curve valence"' in picture
    assert 'class="speech"' in picture


def test_a_drawn_clip_keeps_its_json_short(aptone: Aptone, ear: FakeEar, clip: Path) -> None:
    row = aptone("hear", clip, "--plot", "one.svg", "--json").json
    assert row["plot"] == "one.svg"
    assert (row["perception"]["trajectory"], row["perception"]["tracks"]) == (None, None)
    asked = aptone("hear", clip, "--plot", "two.svg", "--json", "--trajectory=0.5").json
    assert asked["perception"]["trajectory"]["step"] == 0.5
    assert len(ear.heard) == 2  # each is heard once, not once more for the picture


@pytest.mark.parametrize(
    ("picture", "said"),
    [("one.png", "a picture ends in .svg or .html"), ("nowhere/one.svg", "there is no folder nowhere")],
)
def test_a_picture_that_cannot_be_drawn_is_refused_before_anything_is_heard(
    aptone: Aptone, ear: FakeEar, clip: Path, picture: str, said: str
) -> None:
    shown = aptone("hear", clip, "--plot", picture)
    assert (shown.code, said in shown.err, ear.heard) == (2, True, [])


def test_a_folder_gives_a_line_a_clip_and_a_bad_one_its_reason(aptone: Aptone, ear: FakeEar, takes: Path) -> None:
    shown = aptone("hear", "takes")
    assert shown.code == 1
    assert [name for name in ("a.opus", "b.wav", "sub/C.OPUS", "notes.txt", ".hidden.wav") if name in shown.out] == [
        "a.opus",
        "b.wav",
        "sub/C.OPUS",
    ]
    assert shown.out.count("clearly angry") == 2
    assert "error: not a recording" in " ".join(shown.out.split())
    assert "aptone: 1 of 3 clips could not be heard." in shown.err


def test_several_clips_as_json_are_an_object_a_line(aptone: Aptone, ear: FakeEar, takes: Path) -> None:
    shown = aptone("hear", "takes/a.opus", "takes/b.wav", "--json")
    assert shown.code == 1
    first, second = rows(shown.out)
    assert first["perception"]["signature"] == "ear:fake"
    assert second["error"].startswith("takes/b.wav: ")


def test_rows_go_to_a_new_file_as_they_come(aptone: Aptone, ear: FakeEar, takes: Path, tmp_path: Path) -> None:
    assert aptone("hear", "takes", "-o", "out.jsonl", "--tracks").code == 1
    written = rows((tmp_path / "out.jsonl").read_text(encoding="utf-8"))
    assert [row["clip"] for row in written] == ["takes/a.opus", "takes/b.wav", "takes/sub/C.OPUS"]
    assert written[2]["perception"]["tracks"]["step"] == 0.01
    again = aptone("hear", "takes", "-o", "out.jsonl")
    assert (again.code, "out.jsonl: exists already; name another file" in again.err) == (2, True)
    assert len(rows((tmp_path / "out.jsonl").read_text(encoding="utf-8"))) == 3  # as it was


def test_one_clip_goes_to_the_file_too(aptone: Aptone, ear: FakeEar, clip: Path, tmp_path: Path) -> None:
    aptone("hear", clip, "-o", "out.jsonl")
    (row,) = rows((tmp_path / "out.jsonl").read_text(encoding="utf-8"))
    assert row["perception"]["emotion"]["angry"] == 0.75


def test_ctrl_c_keeps_what_was_heard(
    aptone: Aptone, ear: FakeEar, takes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hears = ear.perceive

    def interrupted(audio: Audio, **options: Any) -> Perception:
        if ear.heard:
            raise KeyboardInterrupt
        return hears(audio, **options)

    monkeypatch.setattr(ear, "perceive", interrupted)
    shown = aptone("hear", "takes", "-o", "out.jsonl")
    assert shown.code == 130
    assert "interrupted after 2 of 3 clips" in shown.err
    assert shown.out.count("clearly angry") == 1
    assert [row["clip"] for row in rows((tmp_path / "out.jsonl").read_text())] == ["takes/a.opus", "takes/b.wav"]


class Terminal(io.StringIO):
    """A screen on which a progress bar is drawn."""

    def isatty(self) -> bool:
        return True


def test_a_progress_bar_on_the_screen_does_not_swallow_the_json(
    aptone: Aptone, ear: FakeEar, takes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = Terminal()
    monkeypatch.setattr(module, "display_for", lambda *, label: Bar(screen, label=label))
    shown = aptone("hear", "takes", "--json")
    assert [row["clip"] for row in rows(shown.out)] == ["takes/a.opus", "takes/b.wav", "takes/sub/C.OPUS"]
    assert "3/3" in screen.getvalue()
    assert "takes/a.opus" not in screen.getvalue()


def test_a_folder_without_recordings_is_a_user_error(aptone: Aptone, ear: FakeEar, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "empty: no recordings in this folder; expected files that end in .wav," in aptone("hear", "empty").err


def test_several_clips_cannot_be_drawn_in_one_picture(aptone: Aptone, ear: FakeEar, takes: Path) -> None:
    shown = aptone("hear", "takes", "--plot", "one.svg")
    assert (shown.code, "--plot draws one clip, but 3 were named" in shown.err) == (2, True)


def test_an_ear_by_a_model_of_one_s_own_is_named_with_its_checkpoint(
    aptone: Callable[..., Any], tmp_path: Path
) -> None:
    clip = Path(__file__).parents[2] / "examples" / "lighthouse" / "clips" / "anybody-apt.opus"
    folder = save_audio_classifier(tmp_path, labels=["neu", "hap", "ang", "contempt"])
    shown = aptone("hear", str(clip), "--ear", f"transformers:{folder},device=cpu", "--json")
    assert shown.code == 0, shown.err
    heard = shown.json["perception"]
    assert set(heard["emotion"]) <= {"neutral", "happy", "angry"}
    assert "does not judge it" in heard["unjudged"]["vad"]
    assert f"model:{folder}" in heard["signature"]
    assert "licence not known" in heard["licence"]
    assert heard["measures"]
