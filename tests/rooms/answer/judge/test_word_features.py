"""Plain features of question and answer: derivations on small texts."""

import numpy as np
import pytest

from aptone.rooms.answer.judge.word_features import BUCKETS, counted, nearness, ngrams, tf_idf


def test_ngrams_do_not_cross_marks_in_mandarin_and_are_words_in_english() -> None:
    assert list(ngrams("好的，走", "zh")) == ["好", "的", "好的", "走"]
    assert list(ngrams("Oh no, OH no", "en")) == ["oh", "no", "oh", "no", "oh no", "no oh", "oh no"]
    assert list(ngrams("?!", "en")) == []


def test_counts_are_dampened_and_weighed_by_idf_to_length_one() -> None:
    counts = counted("so so so", "en")  # three times "so", twice "so so"
    assert sorted(counts.values()) == pytest.approx([1 + np.log(2), 1 + np.log(3)])
    buckets, values = tf_idf(counts, np.full(BUCKETS, 2.0))
    assert set(buckets.tolist()) == set(counts)
    assert float(np.square(values).sum()) == pytest.approx(1.0)
    empty, nothing = tf_idf({}, np.ones(BUCKETS))
    assert (empty.size, nothing.size) == (0, 0)


def test_an_answer_is_nearer_to_its_own_question() -> None:
    question = "Where did you buy those shoes?"
    own, other = "In the shoe shop next to the station.", "Boil the potatoes for twenty minutes."
    assert all(near > far for near, far in zip(nearness(question, own), nearness(question, other), strict=True))
    assert nearness(question, question) == pytest.approx((1.0, 1.0, 1.0))
    assert nearness(question, "") == (0.0, 0.0, 0.0)
