import dataclasses
import math
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable

import numpy as np
import pytest

import aptone.report.hearing.plot as module
from aptone.errors import AudioError
from aptone.report.hearing.plot import LONGEST_DRAWN, WIDE, draw, hearing_html, hearing_svg, is_over_time
from aptone.types import (
    Audio,
    AudioRef,
    Language,
    Perception,
    Score,
    Segment,
    SoundEvent,
    Tracks,
    Trajectory,
)

MakePerception = Callable[..., Perception]
MakeSound = Callable[..., Audio]
Render = Callable[..., str]

CLIP = AudioRef("takes/one.wav")
HOSTILE = (
    "</title></style><script>alert(1)</script>\" onload='x' {{7*7}} ]]> &lt; \u202e \x00\x1b[2J \ud83d http://e.x "
)
SVG = "{http://www.w3.org/2000/svg}"

both_pictures = pytest.mark.parametrize("render", [hearing_svg, hearing_html], ids=["svg", "html"])
both_languages = pytest.mark.parametrize("language", ["en", "zh"])


def _text(picture: str) -> str:
    bare = re.sub(r"<(style|script)>.*?</\1>", " ", picture, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", bare).split())


def _root(picture: str) -> ElementTree.Element:
    return ElementTree.fromstring(picture)  # raises where it is not well-formed


def test_the_picture_is_well_formed_has_no_script_and_points_nowhere(
    make_perception: MakePerception, make_sound: MakeSound
) -> None:
    picture = hearing_svg(make_perception(4.0), make_sound(4.0), clip=CLIP, speech=[Segment(0.0, 1.6)])
    root = _root(picture)
    assert root.tag == f"{SVG}svg"
    assert not [element for element in root.iter() if element.tag in (f"{SVG}script", f"{SVG}image", f"{SVG}a")]
    assert "href" not in picture
    assert re.findall(r"https?://[^\"]+", picture) == ["http://www.w3.org/2000/svg"]
    assert "var(--" not in picture
    assert "prefers-color-scheme: dark" in picture


def test_the_picture_shows_every_panel_and_the_main_findings(
    make_perception: MakePerception, make_sound: MakeSound
) -> None:
    root = _root(hearing_svg(make_perception(4.0), make_sound(4.0), clip=CLIP, speech=[Segment(0.0, 1.6)]))
    texts = ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]
    for said in ("one.wav", "clearly angry, with a trace of disgust", "laugh", "crying baby", "valence", "0 s", "4 s"):
        assert said in texts
    assert "4.0 s · 80 % speech · female 98 % · tense 64 % · falling 45 % · normal 97 % · naturalness 4.1 / 5" in texts
    classes = [element.get("class") for element in root.iter(f"{SVG}path")]
    assert {"outline", "curve ", "curve loudness", "curve valence", "curve arousal", "curve dominance"} <= set(classes)
    assert len([rect for rect in root.iter(f"{SVG}rect") if rect.get("class") == "speech"]) == 1
    assert len([rect for rect in root.iter(f"{SVG}rect") if rect.get("class") == "event"]) == 3


def test_in_mandarin_the_titles_are_mandarin(make_perception: MakePerception, make_sound: MakeSound) -> None:
    shown = _text(hearing_svg(make_perception(4.0), make_sound(4.0), clip=CLIP, language="zh"))
    for said in (
        "明显愤怒，略带厌恶",
        "波形，峰值 -6 dBFS",
        "音高（Hz 与音名）",
        "情感变化",
        "效价",
        "婴儿哭声",
        "语音占 80 %",
    ):
        assert said in shown


@pytest.mark.slow
@both_pictures
def test_two_hours_make_a_file_below_300_kilobytes(
    make_perception: MakePerception, make_sound: MakeSound, render: Render
) -> None:
    speech = [Segment(2.0 * index, 2.0 * index + 1.6) for index in range(3600)]
    events = tuple(SoundEvent("laugh", 10.0 * index, 10.0 * index + 1, 0.5) for index in range(720))
    perception = dataclasses.replace(make_perception(7200.0, step=1.0), events=events)
    picture = render(perception, make_sound(7200.0, rate=1000), clip=CLIP, speech=speech)
    assert len(picture.encode()) < 300_000
    assert "2:00:00" in picture
    assert 'class="area ' in picture  # the spread within a column


@both_pictures
@both_languages
@pytest.mark.parametrize("samples", [1, 2, 100, 4000])
def test_a_very_short_or_silent_clip_is_drawn(
    make_perception: MakePerception, render: Render, language: Language, samples: int
) -> None:
    audio = Audio(np.zeros(samples, dtype=np.float32), rate=8000)
    for perception in (make_perception(audio.seconds), Perception(audio.seconds)):
        picture = render(perception, audio, clip=CLIP, language=language)
        assert ("数字静音" if language == "zh" else "digital silence") in picture
        assert re.search(r"\bnan\b", re.sub(r"base64,[^\"]*", "", picture)) is None


@both_pictures
def test_numbers_of_any_size_are_drawn_inside_the_picture(make_sound: MakeSound, render: Render) -> None:
    odd = (0.0, -1.0, 1e-9, 1e9, math.nan, math.inf)
    tracks = Tracks(0.1, odd, odd)
    trajectory = Trajectory(0.1, *[(-1.0, 1.0, math.nan)] * 3)
    perception = Perception(0.6, tracks=tracks, trajectory=trajectory, events=(SoundEvent("x", -1.0, 1e9, 2.0),))
    picture = render(perception, make_sound(0.6), clip=CLIP, speech=[Segment(0.0, 100.0)])
    places = [float(y) for y in re.findall(r"[ML]-?[\d.]+ (-?[\d.]+)", picture)]
    assert places
    assert all(0 <= y <= 1000 for y in places)


@both_pictures
@both_languages
def test_hostile_text_in_every_field_changes_nothing_but_text(
    make_sound: MakeSound, render: Render, language: Language
) -> None:
    def picture(text: str) -> str:
        perception = Perception(
            1.0,
            emotion={text: 1.0},
            phrase={"en": text, "zh": text},
            recording_condition={text: 1.0},
            measures={text: Score(1.0, unit=text), "m": Score(math.nan, reason=text)},
            events=(SoundEvent(text, 0.1, 0.2, 0.5),),
            unjudged={text: text},
            signature=text,
            licence=text,
        )
        return render(perception, make_sound(1.0), clip=AudioRef(f"{text}.wav".replace("/", "_")), language=language)

    hostile = picture(HOSTILE)
    hostile.encode("utf-8")  # no lone surrogate is left
    assert re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e]", hostile) is None
    tags = [
        re.findall(r"<(\w+)", re.sub(r"<(style|script)>.*?</\1>", r"<\1>", text)) for text in (hostile, picture("p"))
    ]
    assert sorted(tags[0]) == sorted(tags[1])
    assert "{{7*7}}" in hostile


def test_the_page_has_a_player_a_moving_line_and_everything_that_was_heard(
    make_perception: MakePerception, make_sound: MakeSound
) -> None:
    page = hearing_html(make_perception(4.0), make_sound(4.0), clip=CLIP)
    assert page.count('<audio controls preload="metadata" src="data:audio/ogg;base64,T2dn') == 1  # "Ogg"
    assert page.count('class="head"') == page.count('<svg class="timeline') == 2  # one for wide screens, one for narrow
    assert "default-src &#39;none&#39;" in page
    assert "https://" not in page
    shown = _text(page)
    for said in ("clearly angry, with a trace of disgust", "200 Hz", "nobody taught it", "CC BY-NC-SA 4.0"):
        assert said in shown


def test_a_clip_that_is_too_long_to_play_is_drawn_and_the_page_says_so(
    make_perception: MakePerception, make_sound: MakeSound, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_SOUND", 1000)
    page = hearing_html(make_perception(4.0), make_sound(4.0), clip=CLIP)
    assert "<audio" not in page
    assert 'class="head"' not in page
    assert "Without sound: the recording is too long to be part of this file" in page
    monkeypatch.setattr(module, "LONGEST_CLIP", 3.0)
    monkeypatch.setattr(module, "MOST_SOUND", 10**9)
    assert "不含声音：录音过长" in hearing_html(make_perception(4.0), make_sound(4.0), clip=CLIP, language="zh")


def test_a_clip_that_cannot_be_encoded_is_drawn_and_the_page_says_why(
    make_perception: MakePerception, make_sound: MakeSound, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(audio: Audio) -> str:
        raise AudioError("one.wav: cannot be encoded.")

    monkeypatch.setattr(module, "sound_uri", refuse)
    assert "Without sound: one.wav: cannot be encoded." in hearing_html(
        make_perception(4.0), make_sound(4.0), clip=CLIP
    )


def test_a_part_of_a_file_is_named(make_sound: MakeSound) -> None:
    picture = hearing_svg(Perception(1.5), make_sound(1.5), clip=AudioRef("takes/one.wav", 1.5, 3.0))
    assert "one.wav (1.5 – 3 s)" in _text(picture)


def test_without_the_sound_everything_is_drawn_but_the_waveform(
    make_perception: MakePerception, make_sound: MakeSound
) -> None:
    perception, clip = make_perception(2.0), AudioRef("a.wav")
    full = draw(perception, make_sound(2.0), clip=clip, language="en", layout=WIDE)
    bare = draw(perception, None, clip=None, language="en", layout=WIDE)
    assert [panel.title for panel in bare.panels] == [panel.title for panel in full.panels[1:]]
    assert bare.x_ticks == full.x_ticks
    assert [(mark.x, mark.width, mark.name) for mark in bare.events] == [
        (mark.x, mark.width, mark.name) for mark in full.events
    ]
    assert bare.frame.top == full.frame.top


def test_without_the_sound_and_anything_over_time_there_is_nothing_to_draw(make_perception: MakePerception) -> None:
    still = dataclasses.replace(make_perception(2.0), events=(), tracks=None, trajectory=None)
    assert not is_over_time(still)
    assert not is_over_time(dataclasses.replace(make_perception(2.0), seconds=math.nan))
    assert not is_over_time(dataclasses.replace(make_perception(2.0), seconds=2 * LONGEST_DRAWN))
    with pytest.raises(ValueError, match="nothing to draw over time"):
        draw(still, None, clip=None, language="en", layout=WIDE)
