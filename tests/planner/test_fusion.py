"""The readers as one distribution, word counts, and talk without a story."""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from aptone.lexicon.feelings import Meaning
from aptone.planner.built_in import BuiltInPlanner
from aptone.planner.encoder import Answers, EncoderWindow
from aptone.planner.fusion import (
    EMOTIONS,
    PLACES,
    UNSAID,
    VIEWS,
    Fusion,
    Talk,
    WordCounts,
    counts,
    features_of,
    is_talk,
    load_fusion,
    load_word_counts,
)
from aptone.planner.passage import Passage
from aptone.planner.reading.cues import FeelingCue
from aptone.run import Call
from aptone.types import AudioRef, Emotion, Language, Line, Sample
from tests.tables import for_each

EVEN = Answers(
    {"reader": np.zeros(11, dtype=np.float32), "tags": np.zeros(8, dtype=np.float32)},
    EncoderWindow((), (), 0, 0),
    np.zeros(0, dtype=np.float32),
)


NO_WORDS = np.zeros(11)


def cue(emotion: Emotion, *, denied: bool = False) -> FeelingCue:
    return FeelingCue(0, 1, Meaning({emotion: 1.0}, 2, "feeling", ()), "same", 0, 1.0, denied=denied)


def test_a_cue_raises_its_emotion_by_its_weight() -> None:
    # One cue of weight 1: s = tanh 1 = 0.7616; with w = 2 and eleven outcomes alike before,
    # p = e^1.5232 / (10 + e^1.5232) = 4.587 / 14.587
    plain = Fusion(1.0, 0.0, 0.0, (0.0, 0.0), {"same": 2.0}, 0.0, (0.0,) * 11, 0.0)
    shares = plain.probabilities(features_of([cue(Emotion.SAD)], EVEN, NO_WORDS))
    assert shares[EMOTIONS.index(Emotion.SAD)] == pytest.approx(4.587 / 14.587, abs=1e-3)
    assert shares.sum() == pytest.approx(1.0)


def test_what_is_said_outright_takes_from_the_story_does_not_say() -> None:
    plain = Fusion(1.0, 0.0, 0.0, (0.0, 0.0), {}, -2.0, (0.0,) * 11, 0.0)
    said, unsaid = (plain.probabilities(features_of(cues, EVEN, NO_WORDS))[UNSAID] for cues in ([cue(Emotion.SAD)], []))
    assert said < unsaid == pytest.approx(1 / 11)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_weights_that_ship_go_the_way_their_names_say(language: Language) -> None:
    fusion = load_fusion(language)
    assert all(fusion.groups[name] > 0 for name in ("tag", "direction", "same", "before", "after"))
    assert fusion.groups["denied"] < 0
    assert fusion.reader > 0
    assert fusion.explicit < 0
    assert 0 <= fusion.least < 1
    sad, denied = (
        fusion.probabilities(features_of([cue(Emotion.SAD, denied=way)], EVEN, NO_WORDS))[EMOTIONS.index(Emotion.SAD)]
        for way in (False, True)
    )
    assert denied < sad


def test_views_are_the_line_what_stands_near_and_what_stands_beside() -> None:
    passage = Passage("aa “bb bb” cc", 4, 9, "", ())
    line, near, beside = counts(passage, "en")
    assert sorted(line.values()) == [1, 2]  # bb twice, "bb bb" once
    assert sum(near.values()) == 4 + 3  # four words, three pairs
    assert sum(beside.values()) == 2 + 1


def test_mandarin_is_counted_by_one_two_and_three_characters() -> None:
    (line, *_) = counts(Passage("“快跑啊”", 1, 4, "", ()), "zh")
    assert sum(line.values()) == 3 + 2 + 1


def test_a_score_is_the_offset_and_the_normed_weights_of_its_places() -> None:
    passage = Passage("go", 0, 2, "", ())
    seen = counts(passage, "en")
    (place,) = seen[0]
    weights = np.zeros((VIEWS, PLACES, 2), dtype=np.float32)
    weights[0, place] = (1.0, 0.0)
    reader = WordCounts(np.ones((VIEWS, PLACES), dtype=np.float32), weights, np.zeros(2, dtype=np.float32), "en")
    # One place with norm 1: scores 1 and 0, so p = e / (e + 1).
    assert math.exp(reader.log_shares(passage)[0]) == pytest.approx(math.e / (math.e + 1.0))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_ships_gives_a_distribution_even_for_nothing(language: Language) -> None:
    reader = load_word_counts(language)
    for text in ("", "…", "Run!", "快跑！"):
        shares = np.exp(reader.log_shares(Passage(text, 0, len(text), "", ())))
        assert shares.sum() == pytest.approx(1.0)
    assert isinstance(counts(Passage("", 0, 0, "", ()), language)[0], Counter)


TURNS = (Line("Where were you?", "Ross"), Line("At work.", "Joey"), Line("Again?", "Ross"))


def sample(*context: Line, target: Line | None = None, following: tuple[Line, ...] = ()) -> Sample:
    spoken = target or Line("Yes.", "Joey")
    return Sample("a", AudioRef("a.wav"), spoken, context=context, following=following)


def test_turns_with_their_speakers_and_a_line_alone_are_talk() -> None:
    assert is_talk(sample(*TURNS))
    assert is_talk(sample(target=Line("Yes.")))
    assert is_talk(sample(*TURNS, Line("The telephone crackled.")))  # three of four


@for_each(
    "one",
    [
        sample(Line("It rained."), Line("He slammed the door.")),
        sample(*TURNS, target=Line("Yes.", "Joey", direction="furious")),
        sample(*TURNS, target=Line("Yes,", speech=True), following=(Line("said Joey.", continues=True),)),
        sample(*(Line(line.text, line.role, speech=True) for line in TURNS)),  # read from a text, not given
    ],
)
def test_stories_and_scripts_are_none(one: Sample) -> None:
    assert not is_talk(one)


def test_two_distributions_become_one() -> None:
    story, head = np.full(UNSAID + 1, 1.0 / 11), np.full(UNSAID + 1, 1.0 / 11)
    story[EMOTIONS.index(Emotion.SAD)] = 0.5
    same = np.eye(UNSAID + 1)
    shares = Talk(same, same, np.array([math.log(2.0), *[0.0] * UNSAID])).probabilities(story, head)
    # p ∝ story · head · e^offset: neutral 2/11, sad 1/2, nine others 1/11
    total = 2 / 11 + 0.5 + 9 / 11
    assert shares[0] == pytest.approx(2 / 11 / total)
    assert shares[EMOTIONS.index(Emotion.SAD)] == pytest.approx(0.5 / total)


def test_an_outcome_may_speak_for_another() -> None:
    story, head = np.full(UNSAID + 1, 0.05), np.full(UNSAID + 1, 1.0 / 11)
    story[EMOTIONS.index(Emotion.PLAYFUL)] = 0.5
    by_story = np.zeros((UNSAID + 1, UNSAID + 1))
    by_story[EMOTIONS.index(Emotion.PLAYFUL), EMOTIONS.index(Emotion.HAPPY)] = -1.0
    shares = Talk(by_story, np.zeros_like(by_story), np.zeros(UNSAID + 1)).probabilities(story, head)
    # only happy differs from the others: by e^(-log 0.5) = 2
    assert shares[EMOTIONS.index(Emotion.HAPPY)] == pytest.approx(2 / 12)
    assert shares[0] == pytest.approx(1 / 12)


@for_each(
    ("language", "speakers", "turns"),
    [
        (
            "en",
            ("Ann", "Joe"),
            ("Did you get the tickets?", "They're on the table.", "Which train?", "The ten past nine."),
        ),
        ("zh", ("小王", "小李"), ("票买了吗？", "在桌上。", "几点的车？", "九点十分的。")),
    ],
)
def test_plain_turns_of_talk_are_neutral(language: Language, speakers: tuple[str, str], turns: tuple[str, ...]) -> None:
    lines = [Line(words, speakers[number % 2]) for number, words in enumerate(turns)]
    for number in range(1, len(lines)):
        asked = replace(sample(*lines[:number], target=lines[number]), language=language)
        emotions = BuiltInPlanner().plan(asked, Call()).emotions
        assert max(emotions, key=lambda name: emotions[name]) == Emotion.NEUTRAL


@pytest.mark.parametrize(
    ("words", "emotion"),
    [("(sobbing) I can't do this any more.", Emotion.SAD), ("(furious) I can't do this any more.", Emotion.ANGRY)],
)
def test_a_direction_inside_a_turn_is_read_as_it_stands(words: str, emotion: Emotion) -> None:
    plan = BuiltInPlanner().plan(sample(*TURNS, target=Line(words, "Joey")), Call())
    assert plan.emotion == emotion.label("en")
    assert (plan.evidence[0].kind, plan.evidence[0].line) == ("direction", 0)
