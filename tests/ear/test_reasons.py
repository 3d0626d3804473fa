"""What an ear could not judge is said in Mandarin, too."""

import re

import numpy as np
import pytest

from aptone.ear import load_ear
from aptone.ear.measures.rhythm import REQUIRED, rhythm
from aptone.messages import Message, translate
from aptone.types import Audio, Score

RATE = 16_000


@pytest.mark.parametrize("seconds", [0.1, 1.0])
def test_every_reason_of_a_real_ear_is_a_message_with_mandarin_words(seconds: float) -> None:
    noise = np.random.default_rng(1).normal(0.0, 0.05, round(RATE * seconds)).astype(np.float32)
    heard = load_ear("permissive").perceive(Audio(noise, rate=RATE))
    undefined = [score.reason for score in heard.measures.values() if not score.is_defined]
    assert heard.unjudged
    for reason in [*heard.unjudged.values(), *undefined]:
        assert isinstance(reason, Message), reason
        assert re.search("[\u4e00-\u9fff]", translate(reason, "zh"))
        assert not re.search("[a-z]{4}", translate(reason, "zh"))


def test_a_measure_that_a_rhythm_needs_is_named() -> None:
    missing = rhythm({}).reason
    assert missing == f"{REQUIRED[0]}: not measured"
    assert translate(missing, "zh").endswith("：未测量")
    undefined = {name: Score(float("nan"), reason="the moon was full") for name in REQUIRED}
    assert translate(rhythm(undefined).reason, "zh").endswith("：the moon was full")
