import dataclasses
import math
import re
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from rich.cells import cell_len

from aptone.report.hearing.plot import CELL, MOST_LANES, NARROW, WIDE, Drawing, Layout, draw
from aptone.types import Audio, AudioRef, Language, Perception, Segment, SoundEvent, Tracks, Trajectory
from tests.tables import for_each

MakePerception = Callable[..., Perception]
MakeSound = Callable[..., Audio]

CLIP = AudioRef("takes/one.wav")


@pytest.fixture
def drawn(make_perception: MakePerception, make_sound: MakeSound) -> Drawing:
    speech = (Segment(0.0, 1.6), Segment(2.0, 3.6))
    return draw(make_perception(4.0), make_sound(4.0), clip=CLIP, speech=speech, language="en", layout=WIDE)


def _events(*events: SoundEvent, seconds: float = 10.0, layout: Layout = WIDE) -> Drawing:
    audio = Audio(np.zeros(100, dtype=np.float32), rate=round(100 / seconds))
    return draw(Perception(seconds, events=events), audio, clip=CLIP, language="en", layout=layout)


def test_panels_stand_below_each_other_on_one_axis(drawn: Drawing) -> None:
    titles = [panel.title.partition(" ")[0] for panel in drawn.panels]
    assert titles == ["Waveform,", "Sounds", "Pitch", "Loudness", "Emotion"]
    for above, below in pairwise(drawn.panels):
        assert below.frame.top - above.frame.base == WIDE.gap
        assert (below.frame.left, below.frame.end) == (above.frame.left, above.frame.end)
    assert drawn.frame.base == drawn.panels[-1].frame.base < drawn.frame.height


def test_the_peak_of_the_waveform_is_told_in_decibels(drawn: Drawing) -> None:
    assert drawn.panels[0].title == "Waveform, peak -6 dBFS; speech is shaded"  # 20 * log10(0.5) = -6.02


def test_speech_is_shaded_where_it_is(drawn: Drawing) -> None:
    first, second = drawn.speech
    width = drawn.frame.end - drawn.frame.left
    assert first.x == drawn.frame.left
    assert first.width == pytest.approx(width * 1.6 / 4, abs=0.01)
    assert second.x == pytest.approx(drawn.frame.left + width * 2 / 4, abs=0.01)


def test_stretches_of_speech_that_would_touch_are_one(make_sound: MakeSound) -> None:
    # On 872 units, 2 h in stretches of 2 s with pauses of 0.5 s: 0.06 units apart.
    speech = [Segment(2.5 * index, 2.5 * index + 2.0) for index in range(2880)]
    audio = make_sound(7200.0, rate=1000)
    (mark,) = draw(Perception(7200.0), audio, clip=CLIP, speech=speech, language="en", layout=WIDE).speech
    assert mark.width == pytest.approx(WIDE.width - WIDE.left - WIDE.right, abs=0.1)


def test_the_pitch_axis_is_logarithmic_and_at_least_an_octave_high(make_sound: MakeSound) -> None:
    tracks = Tracks(0.01, (200.0,) * 100, (-20.0,) * 100)
    drawing = draw(Perception(1.0, tracks=tracks), make_sound(1.0), clip=CLIP, language="en", layout=WIDE)
    pitch = drawing.panels[1]
    middle = (pitch.frame.top + pitch.frame.base) / 2
    assert {tick.label: tick.at for tick in pitch.y_ticks}["200"] == pytest.approx(middle)  # from 141 to 283 Hz
    assert [tick.label for tick in pitch.y_ticks] == ["150", "175", "200", "250"]
    assert {float(y) for y in re.findall(r"[ML][\d.]+ ([\d.]+)", pitch.curves[0].path)} == {middle}


def test_gaps_of_the_tracks_are_gaps_of_the_drawing(drawn: Drawing) -> None:
    # Pitch is undefined from 1.6 to 2 s and from 3.6 to 4 s, loudness never.
    pitch, loudness = drawn.panels[2], drawn.panels[3]
    assert pitch.curves[0].path.count("M") == 2
    assert loudness.curves[0].path.count("M") == 1


def test_digital_silence_is_drawn_at_the_end_of_the_axis(make_sound: MakeSound) -> None:
    tracks = Tracks(0.01, (math.nan,) * 100, (-math.inf,) * 50 + (-10.0,) * 50)
    drawing = draw(Perception(1.0, tracks=tracks), make_sound(1.0), clip=CLIP, language="en", layout=WIDE)
    pitch, loudness = drawing.panels[1:]
    assert pitch.empty == "nothing to draw here"
    assert loudness.y_ticks[0].label == "-10"
    assert re.match(rf"M[\d.]+ {loudness.frame.base:g}L", loudness.curves[0].path)  # - 90 dBFS is the bottom


def test_tracks_without_a_number_say_that_nothing_is_drawn(make_sound: MakeSound) -> None:
    tracks = Tracks(0.01, (0.0, 1e9, math.nan), (math.nan,) * 3)  # neither 0 Hz nor 10^9 Hz is a pitch
    drawing = draw(Perception(1.0, tracks=tracks), make_sound(1.0), clip=CLIP, language="en", layout=WIDE)
    assert [panel.empty for panel in drawing.panels[1:]] == ["nothing to draw here"] * 2


def test_a_trajectory_without_a_number_says_that_nothing_is_drawn(make_sound: MakeSound) -> None:
    empty = Trajectory(0.5, *[(math.nan,) * 2] * 3)
    drawing = draw(Perception(1.0, trajectory=empty), make_sound(1.0), clip=CLIP, language="zh", layout=WIDE)
    assert drawing.panels[-1].empty == "没有可画出的内容"


def test_what_the_ear_did_not_give_has_no_panel(make_sound: MakeSound) -> None:
    drawing = draw(Perception(1.0), make_sound(1.0), clip=CLIP, language="en", layout=WIDE)
    assert len(drawing.panels) == 1
    odd = Perception(1.0, tracks=Tracks(0.0, (1.0,), (1.0,)))  # no step: no places
    assert len(draw(odd, make_sound(1.0), clip=CLIP, language="en", layout=WIDE).panels) == 1


def test_sounds_at_the_same_time_stand_in_rows_of_their_own() -> None:
    laugh, cough, breath = _events(
        SoundEvent("laugh", 1.0, 3.0, 0.9), SoundEvent("cough", 2.0, 4.0, 0.9), SoundEvent("breath", 6.0, 7.0, 0.9)
    ).events
    assert cough.y - laugh.y == WIDE.lane
    assert breath.y == laugh.y
    assert (laugh.name, cough.name, breath.name) == ("laugh", "cough", "breath")
    assert laugh.width == pytest.approx(2 / 10 * (WIDE.width - WIDE.left - WIDE.right), abs=0.01)


def test_no_two_names_of_sounds_overlap_and_every_sound_is_drawn() -> None:
    events = [SoundEvent(f"sound {index}", 0.1 * index, 0.1 * index + 0.05, 0.5) for index in range(60)]
    drawing = _events(*events, layout=NARROW)
    assert len(drawing.events) == 60
    named = [mark for mark in drawing.events if mark.name]
    assert MOST_LANES < len(named) < 60  # there is not room for all of them
    for y in {mark.y for mark in named}:
        row = sorted((mark.name_at, mark.name_at + CELL * cell_len(mark.name)) for mark in named if mark.y == y)
        assert all(end <= begin for (_, end), (begin, _) in pairwise(row))
    assert {mark.title for mark in drawing.events} >= {"sound 0, 0 – 0.05 s", "sound 59, 5.9 – 5.95 s"}


def test_a_sound_outside_the_clip_stays_inside_the_frame() -> None:
    (mark,) = _events(SoundEvent("laugh", 9.9, 30.0, 0.9)).events
    assert mark.x + mark.width <= WIDE.width - WIDE.right
    assert mark.name_at + CELL * 5 <= WIDE.width - WIDE.right + 0.01
    (early,) = _events(SoundEvent("laugh", -5.0, -1.0, 0.9)).events
    assert (early.x, early.width) == (WIDE.left, 2.0)


@for_each("language", ["en", "zh"])
@for_each("layout", [WIDE, NARROW], ids=["wide", "narrow"])
def test_titles_and_legends_fit(
    make_perception: MakePerception, make_sound: MakeSound, language: Language, layout: Layout
) -> None:
    drawing = draw(make_perception(4.0), make_sound(4.0), clip=CLIP, language=language, layout=layout)
    for panel in drawing.panels:
        assert panel.frame.left + CELL * cell_len(panel.title) <= layout.width
    for curve in drawing.panels[-1].curves:
        assert curve.name
        assert curve.at + 28 + CELL * cell_len(curve.name) <= layout.width


def test_headings_hold_the_main_findings_and_long_ones_are_wrapped(
    make_perception: MakePerception, make_sound: MakeSound
) -> None:
    perception = dataclasses.replace(
        make_perception(4.0), recording_condition={"in a very large and dark hall " * 4: 1.0}
    )
    drawing = draw(perception, make_sound(4.0), clip=CLIP, language="en", layout=WIDE, headings=True)
    texts = [line.text for line in drawing.headings]
    assert texts[:2] == ["one.wav", "clearly angry, with a trace of disgust"]
    assert texts[-1] == "ear:full|weights:3f9ac1 · CC BY-NC-SA 4.0"
    assert len(texts) >= 5  # the line of findings is broken
    assert drawing.headings[-2].y < drawing.panels[0].frame.top
    assert drawing.panels[-1].frame.base < drawing.headings[-1].y < drawing.frame.height
    assert all(left.y < right.y for left, right in pairwise(drawing.headings))
