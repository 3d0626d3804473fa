"""What an address asks for is read leniently, bounded, and written back the same."""

import math

from starlette.datastructures import QueryParams

from aptone.view.runs.asked import Asked, read_asked

SCORES = ("aptness", "emotion")


def test_a_query_is_read_and_written_back_the_same() -> None:
    query = "?text=dark+lamp&state=failed&label.role=Mara&score=emotion&low=1.5&high=4&sort=-aptness&page=3"
    asked = read_asked(QueryParams(query.removeprefix("?")), scores=SCORES)
    assert asked == Asked("dark lamp", "failed", {"role": "Mara"}, "emotion", 1.5, 4.0, "-aptness", 3)
    assert asked.query() == query
    assert asked.query(page=1, sort="") == query.replace("&sort=-aptness&page=3", "")


def test_what_makes_no_sense_is_left_out() -> None:
    asked = read_asked(QueryParams("state=x&score=x&low=abc&high=inf&sort=x&page=-1&label.a="), scores=SCORES)
    assert (asked.state, asked.score, asked.sort, asked.page, asked.labels) == ("", "aptness", "", 1, {})
    assert math.isnan(asked.low)
    assert math.isnan(asked.high)
    assert not asked.is_filtered
    assert asked.query() == ""


def test_texts_and_labels_are_bounded() -> None:
    many = "&".join(f"label.{number}=x" for number in range(100))
    asked = read_asked(QueryParams(f"text={'a' * 5000}&{many}&page=99999999999"), scores=())
    assert (len(asked.text), len(asked.labels), asked.page) == (200, 12, 1)
