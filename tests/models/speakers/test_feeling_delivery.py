import numpy as np

from aptone.models.speakers.delivery import DELIVERIES, Strength, instruction, sampled_delivery
from aptone.types import Emotion
from tests.tables import for_each


@for_each("emotion", DELIVERIES)
def test_a_feeling_is_said_further_from_plain_the_stronger_it_is(emotion: Emotion) -> None:
    distances = [
        abs(np.log(sampled_delivery(emotion, strength, attempt=1, name="x").pitch))
        for strength in (Strength.SUBTLE, Strength.NORMAL, Strength.EXAGGERATED)
    ]
    assert distances == sorted(distances)
    assert sampled_delivery(emotion, Strength.NORMAL, attempt=1, name="x") == DELIVERIES[emotion]
    again = sampled_delivery(emotion, Strength.NORMAL, attempt=2, name="x")
    assert again == sampled_delivery(emotion, Strength.NORMAL, attempt=2, name="x")
    assert (again != DELIVERIES[emotion]) == (emotion is not Emotion.NEUTRAL)


def test_words_say_how_clearly_a_feeling_is_shown() -> None:
    assert instruction(Emotion.NEUTRAL, Strength.NORMAL, language="en") == ""
    assert "angry" in instruction(Emotion.ANGRY, Strength.SUBTLE, language="en")
    assert "愤怒" in instruction(Emotion.ANGRY, Strength.EXAGGERATED, language="zh")
