import dataclasses
import io
import math
import re
from collections.abc import Callable

import pytest
from rich.cells import cell_len
from rich.console import Console, RenderableType

from aptone.messages import known_name, message
from aptone.report.hearing.findings import (
    MOST_EMOTIONS,
    MOST_EVENTS,
    Finding,
    Heard,
    event_times,
    hearing_headline,
    hearing_json,
    hearing_phrase,
    hearing_sections,
    hearing_table,
    hearings_table,
    trajectory_table,
)
from aptone.types import (
    AudioRef,
    Emotion,
    Intonation,
    Language,
    Perception,
    Score,
    Sex,
    SoundEvent,
    Trajectory,
    Vad,
    dumps,
    from_json,
    loads,
)
from tests.tables import for_each

MakePerception = Callable[..., Perception]

CLIP = AudioRef("takes/one.wav")
HOSTILE = "[red]\x1b[2J\u202e[/red]\n" + "x" * 5000


def _printed(renderable: RenderableType, *, width: int = 120) -> str:
    file = io.StringIO()
    Console(file=file, width=width, color_system=None).print(renderable)
    return file.getvalue()


def _findings(perception: Perception, title: str, language: Language = "en") -> dict[str, Finding]:
    (section,) = [section for section in hearing_sections(perception, language=language) if section.title == title]
    return {finding.name: finding for finding in section.findings}


def test_the_likeliest_emotions_come_first_and_the_others_are_left_out(make_perception: MakePerception) -> None:
    found = _findings(make_perception(2.0), "Emotion")
    assert list(found)[:MOST_EMOTIONS] == ["angry", "disgust", "fear", "sad"]
    assert "happy" not in found
    assert (found["angry"].value, found["angry"].low, found["angry"].high) == ("78 %", 0.0, 0.78)


def test_a_bar_of_valence_grows_from_the_middle(make_perception: MakePerception) -> None:
    found = _findings(make_perception(2.0), "Emotion")
    assert found["valence"].value == "-0.62"
    assert [found["valence"].low, found["valence"].high] == pytest.approx([0.19, 0.5])  # (-0.62 + 1) / 2
    assert [found["arousal"].low, found["arousal"].high] == pytest.approx([0.5, 0.855])  # (0.71 + 1) / 2
    # Twenty cells, whose middles are 0.025, 0.075, …: those of the cells 4 to 9 lie between 0.19 and 0.5.
    assert "-0.62 ░░░░██████░░░░░░░░░░" in _printed(hearing_table(Heard(CLIP, make_perception(2.0))))


def test_a_pitch_level_is_told_in_hertz_too(make_perception: MakePerception) -> None:
    # 12 semitones above 100 Hz are 100 * 2^(12 / 12) = 200 Hz.
    found = _findings(make_perception(2.0), "Pitch")
    assert found["pitch level"].value == "12 semitones above 100 Hz, 200 Hz"


def test_a_share_is_told_in_percent_and_an_unknown_measure_with_its_unit(make_perception: MakePerception) -> None:
    perception = make_perception(2.0)
    assert _findings(perception, "Tempo")["pause share"].value == "20 %"
    assert _findings(perception, "Texture")["sparkle"].value == "3 glints"


def test_distributions_name_what_has_a_tenth_at_least(make_perception: MakePerception) -> None:
    perception = make_perception(2.0)
    assert _findings(perception, "Delivery")["rhythm"].value == "tense 64 %, high-energy 21 %, brisk 15 %"
    assert _findings(perception, "Recording")["recording condition"].value == "normal 97 %"
    even = dataclasses.replace(perception, sex={Sex.MALE: 0.05, Sex.FEMALE: 0.02})
    assert _findings(even, "Voice")["sex"].value == "male 5 %"  # the first is named whatever it has


def test_music_is_told_in_words(make_perception: MakePerception) -> None:
    perception = make_perception(2.0)
    assert _findings(perception, "Recording")["music"].value == "not heard, 2 %"
    loud = dataclasses.replace(perception, music=0.9)
    assert _findings(loud, "Recording")["music"].value == "present, 90 %"
    assert "music 90 %" in hearing_headline(loud, language="en")


def test_speech_is_told_as_seconds_and_as_a_share(make_perception: MakePerception) -> None:
    assert _findings(make_perception(2.0), "Recording")["speech"].value == "1.6 s of 2.0 s, 80 %"  # 0.8 * 2


def test_what_was_not_judged_is_grouped_by_its_reason_and_so_are_undefined_measures(
    make_perception: MakePerception,
) -> None:
    perception = make_perception(2.0)
    found = _findings(perception, "Not judged")
    assert found["sigh, cry"].value == "nobody taught it"
    assert found["jitter"].value == "3 voiced frames, need 12"
    assert "jitter" not in _findings(perception, "Texture")


def test_sounds_are_in_the_order_of_time_and_those_beyond_the_limit_are_counted() -> None:
    events = tuple(SoundEvent("cough", float(index), index + 0.5, 0.9) for index in reversed(range(MOST_EVENTS + 3)))
    (section,) = [s for s in hearing_sections(Perception(60.0, events=events), language="en") if s.title == "Sounds"]
    assert section.findings[0].value == "0 – 0.5 s, 90 %"
    assert section.findings[-1].value == "and 3 more"
    assert len(section.findings) == MOST_EVENTS + 1


@for_each(
    ("start", "end", "said"),
    [
        (61.04, 62.97, "1:01.0 – 1:02.9"),
        (59.0, 61.0, "0:59.0 – 1:01.0"),
        (math.nan, 90.0, "– – 90 s"),
        (-5.0, math.inf, "-5 – inf s"),
    ],
)
def test_times_of_sounds_are_told_as_a_player_does_and_odd_ones_as_they_are(
    start: float, end: float, said: str
) -> None:
    assert event_times(SoundEvent("laugh", start, end, 0.5)) == said


def test_which_ear_heard_it_and_its_licence_are_told(make_perception: MakePerception) -> None:
    found = _findings(make_perception(2.0), "Ear")
    assert found["licence"].value == "CC BY-NC-SA 4.0"
    assert found["signature"].value == "ear:full|weights:3f9ac1"


def test_an_ear_that_judged_nothing_claims_nothing() -> None:
    silent = Perception(2.0, speech_seconds=0.0, unjudged={"emotion": "no speech"})
    titles = [section.title for section in hearing_sections(silent, language="en")]
    assert titles == ["Recording", "Not judged"]
    assert hearing_phrase(silent, language="en") == "No emotion was judged: no speech"
    assert hearing_phrase(Perception(2.0), language="en") == "No emotion was judged: –"
    assert hearing_headline(silent, language="en") == ("2.0 s", "0 % speech")
    assert [section.title for section in hearing_sections(Perception(2.0), language="en")] == ["Recording"]


def test_the_phrase_of_the_ear_is_preferred_to_the_likeliest_name(make_perception: MakePerception) -> None:
    perception = make_perception(2.0)
    assert hearing_phrase(perception, language="en") == "clearly angry, with a trace of disgust"
    bare = dataclasses.replace(perception, phrase={})
    assert hearing_phrase(bare, language="en") == "angry 78 %"
    assert hearing_phrase(bare, language="zh") == "愤怒 78 %"


def test_the_headline_holds_the_main_findings(make_perception: MakePerception) -> None:
    assert hearing_headline(make_perception(2.0), language="en") == (
        "2.0 s",
        "80 % speech",
        "female 98 %",
        "tense 64 %",
        "falling 45 %",
        "normal 97 %",
        "naturalness 4.1 / 5",
    )


def test_in_mandarin_every_name_of_ours_is_mandarin(make_perception: MakePerception) -> None:
    few = message("ear.too-few-voiced-frames", count=3, needed=12)
    why = message("ear.measure-undefined", measure=known_name("pitch level"), why=few)
    perception = dataclasses.replace(make_perception(2.0), measures={}, unjudged={"age": why})
    for section in hearing_sections(perception, language="zh"):
        assert not re.search("[A-Za-z]", section.title)
        for finding in section.findings:
            assert not re.search("[A-Za-z]", finding.name), finding
    found = _findings(perception, "未判断", "zh")
    assert found["年龄"].value == "音高水平：只有 3 个浊音帧，至少需要 12 个"


def test_a_row_for_machines_gives_the_perception_back(make_perception: MakePerception) -> None:
    perception = make_perception(2.0)
    row = loads(dumps(hearing_json(Heard(CLIP, perception))))
    assert isinstance(row, dict)
    assert (row["clip"], set(row)) == ("takes/one.wav", {"clip", "perception"})
    again = from_json(Perception, row["perception"])
    assert again.emotion == perception.emotion
    assert again.trajectory is not None
    assert len(again.trajectory) == 8  # 2 s in steps of 0.25 s


def test_a_row_for_machines_names_the_part_and_the_error() -> None:
    part = hearing_json(Heard(AudioRef("a.wav", 1.5, 3.0), error="a.wav: broken."))
    assert part == {"clip": "a.wav", "start": 1.5, "end": 3.0, "error": "a.wav: broken."}


def test_a_clip_is_heard_or_it_is_not(make_perception: MakePerception) -> None:
    with pytest.raises(ValueError, match="either a perception or an error"):
        Heard(CLIP)
    with pytest.raises(ValueError, match="either a perception or an error"):
        Heard(CLIP, make_perception(2.0), error="broken")


def test_many_clips_have_a_line_each_and_a_bad_one_its_reason(make_perception: MakePerception) -> None:
    rows = [
        Heard(AudioRef("takes/one.wav"), make_perception(2.0)),
        Heard(AudioRef("takes/sub/two.wav"), error="takes/sub/two.wav: no such file."),
        Heard(AudioRef("takes/three.wav"), Perception(61.0, unjudged={"emotion": "no speech"})),
    ]
    lines = _printed(hearings_table(rows)).splitlines()
    assert lines[0].strip() == "takes"  # what they share is said once
    one, two, three = (next(line for line in lines if name in line) for name in ("one.wav", "two.wav", "three.wav"))
    assert re.split(" {2,}", one.strip())[:3] == ["one.wav", "2.0 s", "clearly angry, with a trace of disgust"]
    assert "error: no such file." in two
    assert re.split(" {2,}", three.strip())[-3:] == ["1 min 1 s", "No emotion was judged: no speech", "–"]


def test_what_is_less_likely_than_the_rest_has_a_question_mark(make_perception: MakePerception) -> None:
    # tense 0.64, falling 0.45: only the second is below a half.
    shown = _printed(hearings_table([Heard(CLIP, make_perception(2.0))]), width=160)
    assert "tense, falling?, female, normal" in shown


@for_each("paths", [("a/x.wav", "/b/y.wav"), ("x.wav", "y.wav"), ("a/x.wav", "b/y.wav")])
def test_clips_without_a_common_folder_keep_their_paths(paths: tuple[str, str]) -> None:
    shown = _printed(hearings_table([Heard(AudioRef(path), error="broken") for path in paths]))
    assert all(path in shown for path in paths)


def test_a_clip_that_could_not_be_heard_shows_its_error() -> None:
    assert _printed(hearing_table(Heard(CLIP, error="one.wav: broken."))).splitlines() == [
        "one.wav",
        "one.wav: broken.",
    ]


def test_a_trajectory_is_a_line_a_point_and_undefined_ones_are_a_dash() -> None:
    track = Trajectory(0.5, (0.5, math.nan, 0.1), (-0.25, math.nan, 0.0), (0.0, math.nan, 0.2))
    lines = _printed(trajectory_table(track, limit=2)).splitlines()
    assert lines[3].split() == ["0.25", "s", "+0.50", "-0.25", "+0.00"]
    assert lines[4].split() == ["0.75", "s", "–", "–", "–"]
    assert lines[-1].strip() == "1 more rows"
    assert "more rows" not in _printed(trajectory_table(track))


@for_each("language", ["en", "zh"])
@for_each("width", [40, 80, 200])
def test_hostile_names_and_reasons_are_shown_and_not_obeyed(language: Language, width: int) -> None:
    perception = Perception(
        math.nan,
        speech_seconds=math.nan,
        emotion={HOSTILE: math.nan},
        phrase={language: HOSTILE},
        vad=Vad(math.nan, 0.0, 1.0),
        measures={HOSTILE: Score(1e300, unit=HOSTILE), "x": Score(math.nan, reason=HOSTILE)},
        recording_condition={HOSTILE: 2.0},
        events=(SoundEvent(HOSTILE, math.nan, math.nan, math.nan),),
        unjudged={HOSTILE: HOSTILE, "y": ""},
        signature=HOSTILE,
        licence=HOSTILE,
    )
    row = Heard(AudioRef(HOSTILE), perception)
    for shown in (hearing_table(row, language=language), hearings_table([row, Heard(AudioRef("a"), error=HOSTILE)])):
        printed = _printed(shown, width=width)
        assert re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e]", printed) is None
        assert "[red]" in printed.replace("\n", "")
        assert all(cell_len(line) <= width for line in printed.splitlines())
        assert len(printed) < 60_000


def test_names_that_are_members_of_closed_sets_are_told_like_plain_ones() -> None:
    perception = Perception(1.0, emotion={Emotion.ANGRY: 1.0}, intonation={Intonation.FALLING: 1.0})
    assert list(_findings(perception, "情感", "zh")) == ["愤怒"]
    assert _findings(perception, "表达", "zh")["语调"].value == "下降调 100 %"
