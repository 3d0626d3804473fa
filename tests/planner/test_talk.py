"""Talk without a story: its detection, and its recalibration."""

import math

import numpy as np
import pytest

from aptone.planner.built_in import BuiltInPlanner
from aptone.planner.fusion import EMOTIONS, UNSAID
from aptone.planner.talk import Talk, is_talk, load_talk
from aptone.run import Call
from aptone.types import AudioRef, Emotion, Language, Line, Sample
from tests.tables import for_each

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


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_ships_makes_plain_lines_likelier(language: Language) -> None:
    story = np.full(UNSAID + 1, 0.02)
    story[[EMOTIONS.index(Emotion.NEUTRAL), EMOTIONS.index(Emotion.HAPPY)]] = 0.41
    shares = load_talk(language).probabilities(story, np.full(UNSAID + 1, 1.0 / 11))
    assert shares.argmax() == EMOTIONS.index(Emotion.NEUTRAL)
    assert shares[EMOTIONS.index(Emotion.NEUTRAL)] > 1.5 * shares[EMOTIONS.index(Emotion.HAPPY)]


@pytest.mark.parametrize(
    ("words", "emotion"),
    [("(sobbing) I can't do this any more.", Emotion.SAD), ("(furious) I can't do this any more.", Emotion.ANGRY)],
)
def test_a_direction_inside_a_turn_is_read_as_it_stands(words: str, emotion: Emotion) -> None:
    plan = BuiltInPlanner().plan(sample(*TURNS, target=Line(words, "Joey")), Call())
    assert plan.emotion == emotion.label("en")
    assert (plan.evidence[0].kind, plan.evidence[0].line) == ("direction", 0)
