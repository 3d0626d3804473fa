"""Both readers as one distribution."""

import numpy as np
import pytest

from aptone.lexicon.feelings import Meaning
from aptone.planner.encoder import Answers, EncoderWindow
from aptone.planner.fusion import EMOTIONS, UNSAID, Fusion, features_of, load_fusion
from aptone.planner.reading.feeling_cues import FeelingCue
from aptone.types import Emotion, Language

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
