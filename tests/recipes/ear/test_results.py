import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'aptone[train]'")

import math

import numpy as np

from aptone.types import Emotion
from recipes.ear.initial_weights import fresh_network
from recipes.ear.labels import EMOTION_ORDER
from recipes.ear.network import NetworkSettings
from recipes.ear.results import listen, unweighted_recall
from tests.recipes.ear.tiny_corpus import Tiny

NEUTRAL, HAPPY, BOREDOM = (EMOTION_ORDER.index(each) for each in (Emotion.NEUTRAL, Emotion.HAPPY, Emotion.BOREDOM))


def one_hot(*places: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    return np.eye(len(EMOTION_ORDER), dtype=np.float32)[list(places)]


def test_every_class_counts_the_same_however_many_clips_it_has() -> None:
    truth = one_hot(NEUTRAL, NEUTRAL, NEUTRAL, HAPPY)
    said = one_hot(NEUTRAL, NEUTRAL, HAPPY, NEUTRAL)
    # neutral 2 of 3, happy 0 of 1
    assert unweighted_recall(said, truth, np.ones_like(truth), shared=False) == pytest.approx(1 / 3)


def test_what_the_set_does_not_know_cannot_be_said() -> None:
    truth, said, allowed = one_hot(HAPPY), one_hot(NEUTRAL) + 0.5 * one_hot(HAPPY), one_hot(HAPPY)
    assert unweighted_recall(said, truth, allowed, shared=False) == 1.0


def test_a_foreign_set_is_judged_by_the_shared_emotions_only() -> None:
    truth = one_hot(BOREDOM, HAPPY)
    said = one_hot(NEUTRAL, BOREDOM) + 0.5 * one_hot(NEUTRAL, HAPPY)
    # the bored clip does not count, and boredom is no answer
    assert unweighted_recall(said, truth, np.ones_like(truth), shared=True) == 1.0


def test_without_clips_recall_is_not_defined() -> None:
    assert math.isnan(unweighted_recall(one_hot(), one_hot(), one_hot(), shared=False))
    assert math.isnan(unweighted_recall(one_hot(HAPPY), one_hot(BOREDOM), one_hot(HAPPY), shared=True))


def test_answers_come_in_the_order_that_was_asked_for_whatever_the_lengths(tiny: Tiny) -> None:
    network = fresh_network(NetworkSettings(events=3), tiny.start).eval()
    asked = [13, 0, 5]  # of 1.05 s, 0.9 s and 1.15 s
    together = listen(network, tiny.corpus.bank, asked, rows=1)
    for row, place in enumerate(asked):
        alone = listen(network, tiny.corpus.bank, [place])
        assert np.allclose(together["emotion"][row], alone["emotion"][0], atol=1e-5)


def test_nobody_unheard_gives_no_answers(tiny: Tiny) -> None:
    said = listen(fresh_network(NetworkSettings(), tiny.start).eval(), tiny.corpus.bank, [])
    assert {name: values.shape for name, values in said.items()} == {
        "emotion": (0, 10),
        "vad": (0, 3),
        "intensity": (0,),
        "sex": (0,),
    }
