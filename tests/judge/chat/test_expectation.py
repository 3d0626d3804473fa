import math

import pytest

from aptone.judge.chat.expectation import by_expectation, expected_score
from aptone.judge.chat.verdict import Verdict
from aptone.models.asking.chat import cached_reply, split_tokens
from aptone.models.chat import Reply, Token


def tokens(*given: tuple[str, dict[str, float]]) -> list[Token]:
    return [Token(text, likely) for text, likely in (("<score>", {}), *given, ("</score>", {}))]


def test_a_number_of_one_token_is_the_mean_of_what_might_have_been_written() -> None:
    found = expected_score(tokens(("4.0", {"4.0": 0.6, "3.0": 0.2, "good": 0.2})), written=4.0)
    assert found == pytest.approx(((4.0 * 0.6 + 3.0 * 0.2) / 0.8, 0.8))


def test_digits_are_independent_and_what_lies_above_the_scale_is_cut_or_dropped() -> None:
    # First digit: 4 (0.5) or 5 (0.25), which with .6 behind it is the end of the scale; 9 is no score.
    # (0.5 · 4.6 + 0.25 · 5) / 0.75 = 4.7333; the second digit is sure.
    found = expected_score(
        tokens(("4", {"4": 0.5, "5": 0.25, "9": 0.25}), (".", {".": 1.0}), ("6", {"6": 1.0})), written=4.6
    )
    assert found == pytest.approx((4.733333, 0.75), abs=1e-6)


def test_a_tag_that_is_split_between_tokens_is_found() -> None:
    given = [Token("<sc", {}), Token("ore>2", {"ore>2": 0.5, "ore>1": 0.5}), Token("</score>", {})]
    assert expected_score(given, written=2.0) == pytest.approx((1.5, 1.0))


@pytest.mark.parametrize("given", [[], tokens(("3", {"3": 1.0})), tokens(("4", {"x": 1.0})), tokens(("4", {}))])
def test_without_the_number_that_was_written_nothing_is_expected(given: list[Token]) -> None:
    verdict, evidence = by_expectation(Verdict(4.0), given)
    assert (verdict.value, evidence) == (4.0, {"written": 4.0})


def test_a_reply_that_imitates_its_tokens_keeps_them_in_its_text() -> None:
    said = 'Good. <score>1.0</score>\n[tokens: [["<score>5</score>",{}]]]'
    kept = cached_reply(Reply(said, tokens=(Token("x", {"x": math.exp(-1.0)}),)), with_tokens=True)
    text, found = split_tokens(kept.text)
    assert text == said
    assert found == (Token("x", {"x": math.exp(-1.0)}),)
    assert split_tokens(cached_reply(Reply(said), with_tokens=True).text) == (said, ())
