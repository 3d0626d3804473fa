"""BLEU-4, ROUGE-L and CIDEr by hand, and beside the toolkit that defines them."""

import importlib
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.rooms.caption.bench.rivals import bleu_4, cider, longest_common, rouge_l, words_of

TEXTS = st.lists(st.sampled_from("abcdef"), max_size=12)


def test_words_are_lower_case_without_punctuation_and_chinese_characters_stand_alone() -> None:
    assert words_of("Her low-pitched, SAD voice; 声音，low!") == (
        "her",
        "low-pitched",
        "sad",
        "voice",
        "声",
        "音",
        "low",
    )
    assert words_of("… !?") == ()


def test_bleu_punishes_a_caption_that_is_too_short_but_not_one_that_is_too_long() -> None:
    reference = [list("abcdefgh")]
    # all its phrases are in the reference; half as long: exp(1 - 8 / 4) = 0.3679
    assert bleu_4(list("abcd"), reference) == pytest.approx(math.exp(-1.0), abs=1e-6)
    # ten words of which eight match: (8/10 · 7/9 · 6/8 · 5/7)^¼, no penalty
    expected = (8 / 10 * 7 / 9 * 6 / 8 * 5 / 7) ** 0.25
    assert bleu_4(list("abcdefghxy"), reference) == pytest.approx(expected, abs=1e-6)


def test_a_word_counts_as_often_as_one_reference_has_it() -> None:
    # "a" three times against twice at most: (2/3 · 1/2 · 0 · 0)^¼ is nearly 0; with four shared phrases it is not
    assert bleu_4(["a"] * 3, [["a", "a"]]) < 0.01
    assert bleu_4(["a"] * 6, [["a"] * 5]) == pytest.approx((5 / 6 * 4 / 5 * 3 / 4 * 2 / 3) ** 0.25, abs=1e-6)


def test_cider_gives_rare_words_their_weight_and_common_ones_none() -> None:
    # "a" stands in both references, log(2/2) = 0; "b" and "a b" in one, so cosine 1 for n = 1 and 2 of 4, times 10
    assert cider([["a", "b"], ["a"]], [[["a", "b"]], [["a", "c"]]]) == pytest.approx([5.0, 0.0])


def test_cider_falls_with_the_difference_in_length() -> None:
    references = [[list("bcdef")], [list("xyz")]]
    same, longer = (cider([words, []], references)[0] for words in (list("bcdef"), list("bcdefghi")))
    # the three words more change the length by 3 pairs: a factor of exp(-9 / 72), besides the cosine
    assert longer < same * math.exp(-9 / 72)


def test_without_a_word_in_the_reference_nothing_is_defined_and_an_empty_caption_has_nothing() -> None:
    for score in (bleu_4, rouge_l):
        assert math.isnan(score(["a"], [[]]))
        assert score([], [["a"]]) == 0.0
    assert math.isnan(cider([["a"]], [[[]]])[0])


@given(TEXTS, TEXTS)
def test_the_longest_common_subsequence_is_as_long_either_way_and_that_of_itself_is_all(
    one: list[str], other: list[str]
) -> None:
    assert longest_common(one, other) == longest_common(other, one) <= min(len(one), len(other))
    assert longest_common(one, one) == len(one)


@given(st.lists(st.tuples(TEXTS, st.lists(TEXTS.filter(bool), min_size=1, max_size=2)), min_size=1, max_size=5))
def test_every_score_is_that_of_the_toolkit(items: list[tuple[list[str], list[list[str]]]]) -> None:
    bleu = pytest.importorskip("pycocoevalcap.bleu.bleu")
    rouge = importlib.import_module("pycocoevalcap.rouge.rouge")
    consensus = importlib.import_module("pycocoevalcap.cider.cider")
    items = [(caption or ["a"], references) for caption, references in items]
    gold = {place: [" ".join(text) for text in references] for place, (_, references) in enumerate(items)}
    given_ = {place: [" ".join(caption)] for place, (caption, _) in enumerate(items)}
    assert [bleu_4(*item) for item in items] == pytest.approx(bleu.Bleu(4).compute_score(gold, given_, verbose=0)[1][3])
    assert [rouge_l(*item) for item in items] == pytest.approx(rouge.Rouge().compute_score(gold, given_)[1])
    captions, references = zip(*items, strict=True)
    assert cider(captions, references) == pytest.approx(consensus.Cider().compute_score(gold, given_)[1], abs=1e-9)
