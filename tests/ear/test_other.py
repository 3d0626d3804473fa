"""Ears of others: the feeling by a model from elsewhere, everything else by the built-in ear."""

import math
import re
from dataclasses import replace
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from pathlib import Path

import numpy as np
import pytest

import aptone
from aptone.ear import ear_and_licence, ear_name, load_ear
from aptone.ear.other import (
    ABBREVIATIONS,
    FEELING,
    LABELS,
    WINDOW,
    by_our_names,
    emotion_of_label,
    load_other,
    parse_typed,
)
from aptone.ear.perceive import ClipNumbers
from aptone.ear.reference import make_references
from aptone.errors import MissingExtraError, RecordError, RegistryError, UsageError
from aptone.judge import BuiltInJudge
from aptone.messages import translate
from aptone.rooms.dialogue.hearing.turns import EarListener
from aptone.types import Audio, AudioRef, Emotion, EmotionEstimate, Line, Perception, Plan, Sample, State, to_json
from tests.tables import for_each

CLIP = Path(__file__).parents[2] / "examples" / "lighthouse" / "clips" / "anybody-apt.opus"
EARS = ("Labels", "Place", "Broken", "Missing", "Sending", "Unset")


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ears of `tests.ear.other_ears`, as if a plugin had brought them."""

    def find(*, group: str) -> EntryPoints:
        ours = [EntryPoint(name.lower(), f"tests.ear.other_ears:{name}", "aptone.ears") for name in EARS]
        return EntryPoints([*entry_points(group=group), *(point for point in ours if point.group == group)])

    monkeypatch.setattr("aptone.registry.entry_points", find)
    load_other.cache_clear()


@pytest.fixture(scope="module")
def audio() -> Audio:
    return aptone.read_audio(CLIP, rate=16_000)


@pytest.fixture(scope="module")
def built_in(audio: Audio) -> Perception:
    return load_ear("full").perceive(audio, language="en", trajectory=0.5, tracks=True)


def test_the_emotion_is_the_model_s_and_the_rest_the_built_in_ear_s(audio: Audio, built_in: Perception) -> None:
    heard = load_ear("labels").perceive(audio, language="en", trajectory=0.5, tracks=True)
    # 0.6 and 0.2 of 0.8: the label "other" has no name here
    assert heard.emotion == pytest.approx({"happy": 0.75, "angry": 0.25})
    assert heard.phrase["en"].startswith("happy")
    assert (heard.vad, heard.trajectory) == (None, None)
    assert math.isnan(heard.intensity)
    replaced = {name: getattr(built_in, name) for name in ("emotion", "phrase", "vad", "trajectory", "unjudged")}
    same = replace(heard, **replaced, intensity=0.0, signature="", licence="")
    assert to_json(same) == to_json(replace(built_in, intensity=0.0, signature="", licence=""))  # tracks hold NaN


def test_what_the_model_does_not_judge_or_say_in_our_words_is_said(audio: Audio, built_in: Perception) -> None:
    unjudged = load_ear("labels").perceive(audio).unjudged
    assert unjudged["vad"] == unjudged["intensity"] == "the ear labels does not judge it"
    assert unjudged[LABELS] == "labels of the ear labels that have no name here are left out (other: 20 %)"
    assert translate(unjudged["vad"], "zh") == "听觉模型 labels 不判断这一项"
    assert {topic for topic in unjudged if topic not in (*FEELING, LABELS)} == set(built_in.unjudged)


def test_dimensions_leave_the_emotion_open(audio: Audio) -> None:
    heard = load_ear("place").perceive(audio)
    assert (heard.emotion, heard.phrase) == ({}, {})
    assert heard.unjudged["emotion"] == "the ear place does not judge it"
    assert heard.vad is not None
    assert heard.vad.arousal == pytest.approx(audio.seconds / 10)
    assert heard.intensity == 0.75
    assert not {"vad", "intensity", LABELS} & set(heard.unjudged)


def test_dimensions_over_time_are_those_of_windows_around_speech(audio: Audio, built_in: Perception) -> None:
    heard = load_ear("place").perceive(audio, trajectory=0.5).trajectory
    assert heard is not None
    assert built_in.trajectory is not None
    spoken = ~np.isnan(built_in.trajectory.arousal)
    assert spoken.any()
    assert np.array_equal(~np.isnan(heard.arousal), spoken)
    # every window is as long as it can be: 2 s, whose tenth is the arousal
    np.testing.assert_allclose(np.array(heard.arousal)[spoken], min(WINDOW, audio.seconds) / 10, atol=1e-4)


def test_what_mostly_has_no_name_here_is_no_emotion(audio: Audio) -> None:
    heard = load_ear("labels:labels=happy:0.4 contempt:0.6").perceive(audio)
    assert heard.emotion == {}
    assert heard.unjudged["emotion"].endswith("has no name here (contempt: 60 %)")


def test_where_nobody_speaks_no_model_is_asked() -> None:
    silence = Audio(np.zeros(16_000, dtype=np.float32), rate=16_000)
    heard = load_ear("broken").perceive(silence)
    assert heard.unjudged["emotion"] == "the clip is silent"
    assert heard.signature.startswith("ear:broken|")


def test_an_answer_without_numbers_is_an_error_that_names_the_ear(audio: Audio) -> None:
    with pytest.raises(RecordError, match=r"the ear broken gave no usable answer .*share of 'happy' is a finite"):
        load_ear("broken").perceive(audio)


def test_model_and_built_in_ear_are_in_the_signature(audio: Audio) -> None:
    ear = load_ear("labels")
    assert "labels|[('angry', 0.2)" in ear.signature
    assert "ear:full" in ear.signature
    assert "ear:permissive" in load_ear("labels:base=permissive").signature
    others = [load_ear(name).signature for name in ("labels:mine", "labels:base=permissive", "place")]
    assert len({ear.signature, *others}) == 4
    assert ear.perceive(audio).signature == ear.signature


def test_licences_of_both_are_said_and_an_unknown_one_too(audio: Audio) -> None:
    assert ear_and_licence("place") == "ear: place (MIT; full: CC-BY-NC-SA-4.0)"
    unknown = "labels: licence not known, see its model card; permissive: Apache-2.0"
    assert load_ear("labels:base=permissive").perceive(audio).licence == unknown


@for_each(
    ("typed", "options"),
    [
        ("labels", {}),
        ("labels:folder/of=mine", {"model": "folder/of=mine"}),
        ("labels:folder,device=cuda:1", {"model": "folder", "device": "cuda:1"}),
        ("labels:model=C:\\a,b,batch=3", {"model": "C:\\a,b", "batch": 3}),
    ],
)
def test_options_are_typed_behind_the_name(typed: str, options: dict[str, object]) -> None:
    assert parse_typed(typed) == ("labels", "full", options)


def test_an_unknown_ear_is_answered_with_all_that_there_are() -> None:
    with pytest.raises(UsageError, match=r"there is no ear 'label'; choose one of full, permissive, .*labels, .*place"):
        load_ear("label")
    with pytest.raises(UsageError, match="base is the built-in ear for the rest, full or permissive, got 'big'"):
        ear_name("labels:base=big")
    with pytest.raises(UsageError, match="ear 'labels' has no option 'colour'; it has labels, model"):
        load_ear("labels:colour=red")


def test_the_environment_can_name_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APTONE_EAR", "labels:mine")
    assert ear_name() == load_ear().name == "labels:mine"


def test_one_that_cannot_run_here_names_its_extra_when_it_is_used() -> None:
    assert ear_name("missing") == "missing"
    with pytest.raises(MissingExtraError, match=r'ear .missing. .*pip install .*\[emotion2vec\]"'):
        load_ear("missing")


def test_one_that_would_send_recordings_away_is_refused() -> None:
    with pytest.raises(RegistryError, match=r"ear 'sending' .*sends recordings to ear\.example"):
        load_ear("sending")


def test_networks_are_trained_on_built_in_ears_only(audio: Audio) -> None:
    with pytest.raises(UsageError, match=r"the ear labels has no frames .*choose one of full, permissive"):
        ClipNumbers("labels")(audio)
    with pytest.raises(UsageError, match="has no frames"):
        load_ear("labels").listen(audio)


def test_a_judge_hears_with_it_and_says_that_nobody_checked_that(audio: Audio) -> None:
    judge = BuiltInJudge(ear="labels")
    assert judge.about.notes[1].endswith("with the ear labels its scores were never checked.")
    assert judge.about.parameters == 0
    assert "ear:labels" in judge.signature
    assert len(BuiltInJudge(ear="full").about.notes) == 1


def test_a_judge_scores_emotions_by_name_and_leaves_open_what_has_no_emotion(audio: Audio) -> None:
    sample = Sample("a", AudioRef(str(CLIP)), Line("Is anybody there?"))
    glad, furious = (
        BuiltInJudge(ear="labels").verdict(load_ear("labels").perceive(audio), Plan(emotion), sample).scores["emotion"]
        for emotion in ("happy", "angry")
    )
    assert glad.value > furious.value
    outcome = BuiltInJudge(ear="place").verdict(load_ear("place").perceive(audio), Plan("happy"), sample)
    assert (outcome.state, outcome.reason) == (State.UNSCORED, "the ear place does not judge it")


def test_a_dialogue_is_heard_over_time_or_by_labels(audio: Audio) -> None:
    over_time = EarListener("place", 0.5).hear(audio, labels=("happy", "angry"))
    assert len(over_time.points)
    assert (over_time.emotion, over_time.no_emotion) == ("", "the ear place does not judge it")
    by_label = EarListener("labels", 0.5).hear(audio, labels=("happy", "angry"))
    assert (by_label.trajectory, by_label.emotion) == (None, "happy")
    assert by_label.no_trajectory == "the ear labels does not judge it"


def test_a_reference_is_made_and_used_with_it(audio: Audio) -> None:
    ear = load_ear("labels")
    heard = ear.perceive(audio)
    references = make_references([("", heard)] * 8, ear=ear.signature)
    assert references.applied(heard).emotion == heard.emotion  # all clips sound alike: nothing is shifted


def test_labels_of_well_known_models_are_known() -> None:
    emotion2vec = ["angry", "disgusted", "fearful", "happy", "neutral", "other", "sad", "surprised", "unknown"]
    named = {label: emotion_of_label(label) for label in emotion2vec}
    assert [label for label, emotion in named.items() if emotion is None] == ["other", "unknown"]
    shares = by_our_names({"hap": 1.0, "exc": 2.0, "LABEL_3": 1.0})
    assert shares.known == {"happy": 3.0}
    assert shares.known_share == 0.75
    assert by_our_names({}).distribution == {}
    assert by_our_names({}).known_share == 0.0


def test_the_published_table_is_the_one_that_is_used() -> None:
    page = (Path(__file__).parents[2] / "docs" / "use" / "hear.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\w+) \| ([\w ,]+) \|$", page.partition("| emotion | labels")[2], flags=re.MULTILINE)
    assert [name for name, _ in rows] == [emotion.value for emotion in Emotion]
    listed = {label: name for name, labels in rows for label in labels.split(", ")}
    assert {label: emotion_of_label(label) for label in listed} == listed
    assert set(ABBREVIATIONS) - {"fear/anxiety"} <= set(listed)


def test_an_estimate_is_checked() -> None:
    with pytest.raises(ValueError, match="share of 'sad' is a finite number of 0 or more"):
        EmotionEstimate({"sad": -0.1})
    with pytest.raises(ValueError, match="an intensity lies between 0 and 1"):
        EmotionEstimate(intensity=2.0)
