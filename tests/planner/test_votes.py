"""Windows, normalised spellings and the rule of the vote; a thrifty vote ends as the full one, not a call too late."""

from collections import Counter
from collections.abc import Sequence

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from aptone.errors import UnusableReplyError, UsageError
from aptone.lexicon.plan_words import normalise_condition, normalise_emotion
from aptone.planner import (
    LARGEST_WINDOW,
    Window,
    context_window,
    elected_plan,
    next_windows,
    stability,
    voting_windows,
    winner,
)
from aptone.types import Intonation, Language, Line, NoVote, Rhythm, Vote
from tests.tables import for_each


def lines(names: str) -> tuple[Line, ...]:
    return tuple(Line(name) for name in names)


def text(window: Window) -> tuple[str, str]:
    return "".join(line.text for line in window.before), "".join(line.text for line in window.after)


@for_each(
    ("before", "after", "size", "expected"),
    [
        ("abcde", "xyz", 3, ("cde", "")),  # enough before it
        ("ab", "xyz", 4, ("ab", "xy")),  # two are missing, so two that follow
        ("", "xyz", 2, ("", "xy")),  # the first line of a story
        ("abc", "xyz", 0, ("", "")),  # context-free
        ("a", "x", 5, ("a", "x")),  # the whole story is shorter
        ("abc", "", 3, ("abc", "")),
    ],
)
def test_a_context_of_c_lines_looks_back_first_and_then_ahead(
    before: str, after: str, size: int, expected: tuple[str, str]
) -> None:
    assert text(context_window(lines(before), lines(after), size=size)) == expected


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 20))
def test_a_context_has_exactly_c_lines_unless_the_story_is_shorter(before: int, after: int, size: int) -> None:
    story = [Line(str(number)) for number in range(before + after)]
    window = context_window(story[:before], story[before:], size=size)
    assert window.size == min(size, before + after)
    # They are neighbours of the target, in order, and none that follows is taken while one before is left.
    assert [*window.before, *window.after] == story[before - len(window.before) : before + len(window.after)]
    assert not window.after or len(window.before) == before


def test_voting_windows_only_look_back_and_stop_growing_where_the_story_begins() -> None:
    windows = voting_windows(lines("abc"))
    assert [text(window) for window in windows] == [("c", ""), ("bc", ""), ("abc", "")]


def test_there_are_fifteen_voting_windows_in_a_long_story() -> None:
    windows = voting_windows(lines("abcdefghijklmnopqrst"))
    assert [window.size for window in windows] == list(range(1, LARGEST_WINDOW + 1))
    assert text(windows[-1]) == ("fghijklmnopqrst", "")


@pytest.mark.parametrize(("before", "largest"), [("", 15), ("abc", 0)])
def test_a_line_without_context_still_has_one_window(before: str, largest: int) -> None:
    assert voting_windows(lines(before), largest=largest) == (Window(),)


@for_each("size", [-1, True, 2.0, "3"])
def test_a_size_that_is_no_count_is_refused(size: int) -> None:
    with pytest.raises(UsageError, match="a context has 0 lines or more"):
        context_window([], [], size=size)
    with pytest.raises(UsageError, match="a context has 0 lines or more"):
        voting_windows([], largest=size)


def vote(window: int, emotion: str) -> Vote:
    return Vote(window, emotion, Rhythm.TENSE, Intonation.FALLING)


def votes(emotions: str) -> list[Vote]:
    """The first letter is the vote of window 1, and so on."""
    return [vote(window, emotion) for window, emotion in enumerate(emotions, start=1)]


def emotion_of_winner(cast: Sequence[Vote]) -> str | None:
    elected = winner(cast)
    return elected[0] if elected else None


def counted_again(cast: Sequence[Vote]) -> str:
    """The rule, written down once more: most votes, then the longest window."""
    counts = Counter(one.emotion for one in cast)
    most = max(counts.values())
    return next(one.emotion for one in sorted(cast, key=lambda one: -one.window) if counts[one.emotion] == most)


def is_decided(cast: Sequence[Vote], left: Sequence[int]) -> bool:
    """True if the winner stays when all remaining windows vote for any one plan."""
    now = emotion_of_winner(cast)
    rivals = {*(one.emotion for one in cast), "somebody new"} - {now}
    outcomes = {emotion_of_winner([*cast, *(vote(window, rival) for window in left)]) for rival in rivals}
    return not left or (now is not None and outcomes <= {now})


def asked_one_by_one(answers: Sequence[Vote | NoVote]) -> list[Vote | NoVote]:
    """Windows asked one by one, the longest first, until the outcome is certain."""
    asked: list[Vote | NoVote] = []
    in_order = sorted(answers, key=lambda answer: -answer.window)
    for place, answer in enumerate(in_order):
        if is_decided(only_votes(asked), [one.window for one in in_order[place:]]):
            break
        asked.append(answer)
    return asked


def asked_thriftily(answers: Sequence[Vote | NoVote]) -> tuple[list[Vote | NoVote], int]:
    """Windows that a thrifty vote asks, and the number of rounds."""
    by_window = {answer.window: answer for answer in answers}
    asked: list[Vote | NoVote] = []
    rounds = 0
    while sizes := next_windows(tuple(by_window), asked, thrifty=True):
        asked += [by_window[size] for size in sizes]
        rounds += 1
    return asked, rounds


def only_votes(answers: Sequence[Vote | NoVote]) -> list[Vote]:
    return [answer for answer in answers if isinstance(answer, Vote)]


def random_answers(generator: np.random.Generator) -> list[Vote | NoVote]:
    windows = int(generator.integers(1, 16))
    plans = int(generator.integers(1, windows + 2))
    silent = generator.choice([0.0, 0.1, 0.5])
    return [
        NoVote(window, "nonsense")
        if generator.random() < silent
        else vote(window, chr(ord("a") + int(generator.integers(plans))))
        for window in range(1, windows + 1)
    ]


@for_each(
    ("cast", "expected"),
    [
        ("aab", "a"),  # 2 : 1
        ("aabb", "b"),  # 2 : 2, and b was seen at window 4
        ("bbaac", "a"),  # 2 : 2 : 1, and a was seen at 4, b at 2; c has the longest window but one vote
        ("abc", "c"),  # 1 : 1 : 1
    ],
)
def test_most_votes_win_and_a_tie_goes_to_the_longest_window(cast: str, expected: str) -> None:
    assert emotion_of_winner(votes(cast)) == expected


def test_the_four_fields_are_voted_on_together() -> None:
    cast = [
        Vote(1, "sad", Rhythm.HEAVY, Intonation.FALLING),
        Vote(2, "sad", Rhythm.TENSE, Intonation.FALLING),
        Vote(3, "sad", Rhythm.HEAVY, Intonation.FLAT),
        Vote(4, "calm", Rhythm.RELAXED, Intonation.FLAT, "phone"),
        Vote(5, "calm", Rhythm.RELAXED, Intonation.FLAT, "phone"),
    ]
    # Three windows say sad, but no two of them the same plan.
    assert winner(cast) == ("calm", Rhythm.RELAXED, Intonation.FLAT, "phone")


def test_without_votes_nobody_wins() -> None:
    assert winner([]) is None


@pytest.mark.slow
def test_a_thrifty_vote_has_the_same_winner_as_the_full_one_on_ten_thousand_random_sequences() -> None:
    generator = np.random.default_rng(20)
    saved = 0
    for _ in range(10_000):
        answers = random_answers(generator)
        asked, _ = asked_thriftily(answers)
        everything = only_votes(answers)
        assert emotion_of_winner(only_votes(asked)) == (counted_again(everything) if everything else None)
        saved += len(answers) - len(asked)
    assert saved > 0


answers_of_windows = st.lists(st.sampled_from(["a", "b", "c", "d", ""]), min_size=1, max_size=15).map(
    lambda emotions: [
        vote(window, emotion) if emotion else NoVote(window, "nonsense")
        for window, emotion in enumerate(emotions, start=1)
    ]
)


@given(answers_of_windows)
def test_asking_in_rounds_costs_no_call_more_than_asking_one_by_one(answers: list[Vote | NoVote]) -> None:
    assert asked_thriftily(answers)[0] == asked_one_by_one(answers)


@for_each(
    ("windows", "first_round"),
    [(15, 8), (14, 7), (1, 1), (2, 1), (3, 2)],  # 8 of 15 cannot be outvoted; 7 of 14 win a tie by the longest window
)
def test_the_first_round_asks_what_is_needed_when_all_agree(windows: int, first_round: int) -> None:
    answers = votes("a" * windows)
    asked, rounds = asked_thriftily(answers)
    assert (len(asked), rounds) == (first_round, 1)


def test_a_full_vote_asks_all_windows_at_once() -> None:
    assert next_windows(range(1, 5), [], thrifty=False) == (4, 3, 2, 1)
    assert next_windows(range(1, 5), votes("aaaa"), thrifty=False) == ()


def test_unreadable_windows_are_no_votes_and_the_plan_says_why() -> None:
    plan = elected_plan(
        [vote(3, "a"), NoVote(2, "it was prose."), vote(1, "b")], windows=3, source="test", signature="s"
    )
    assert (plan.emotion, plan.windows, plan.source, plan.signature) == ("a", 3, "test", "s")
    assert [one.window for one in plan.votes] == [1, 3]
    assert plan.no_votes == (NoVote(2, "it was prose."),)


def test_without_a_single_vote_there_is_no_plan_but_the_reasons() -> None:
    with pytest.raises(UnusableReplyError, match=r"no window gave a plan: it was prose\. it was cut\."):
        elected_plan(
            [NoVote(1, "it was prose."), NoVote(2, "it was cut."), NoVote(3, "it was prose.")],
            windows=3,
            source="test",
            signature="s",
        )


def test_stability_counts_each_window_and_all_shorter_ones() -> None:
    found = stability(votes("aabb"))
    assert [at.window for at in found] == [1, 2, 3, 4]
    assert [at.choice[0] for at in found] == ["a", "a", "a", "b"]  # at 4 there is a tie, and b is at the longest
    assert [at.share for at in found] == [1.0, 1.0, 2 / 3, 0.5]
    # 1: -1·log2 1 = 0; 2/3 and 1/3: 2/3·0.58496 + 1/3·1.58496 = 0.91830; two halves: 1 bit
    assert [at.entropy for at in found] == pytest.approx([0.0, 0.0, 0.9182958, 1.0])


def test_without_votes_there_is_no_stability() -> None:
    assert stability([]) == ()


@for_each("text", ["angry", " Angry.", "ANGER", "Ａｎｇｒｙ", "生气", "愤怒", "愤怒的", "“angry”"])
def test_spellings_of_one_emotion_are_one_vote(text: str) -> None:
    assert normalise_emotion(text, language="en") == "angry"
    assert normalise_emotion(text, language="zh") == "愤怒"


@for_each(
    ("text", "language", "expected"),
    [
        ("Calm  turning into JOY", "en", "calm turning into joy"),  # no list: it stays one description
        ("sadness, and longing", "en", "sad, longing"),
        ("Joy / happiness", "en", "happy"),
        ("self - assured", "en", "self-assured"),
        ("温柔的、坚定", "zh", "温柔、坚定"),
        ("悲伤和愤怒", "zh", "悲伤、愤怒"),
        ("平和", "zh", "平和"),  # 和 is part of the word
        ("语气温和坚定的", "zh", "语气温和坚定"),
        ("!?", "en", ""),
    ],
)
def test_free_descriptions_are_told_apart_but_not_by_their_spelling(
    text: str, language: Language, expected: str
) -> None:
    assert normalise_emotion(text, language=language) == expected


@for_each("text", ["", "  ", "normal", "Normal speaking.", "正常说话", "none", "N/A", "无"])
def test_a_recording_condition_that_says_nothing_is_the_normal_one(text: str) -> None:
    assert normalise_condition(text, language="en") == "normal"


def test_a_recording_condition_without_a_name_of_ours_stays_as_it_is() -> None:
    assert normalise_condition("Through a closed door!", language="en") == "through a closed door"


@given(st.text(max_size=60), st.sampled_from(["en", "zh"]))
def test_normalising_twice_changes_nothing_more(text: str, language: Language) -> None:
    for normalise in (normalise_emotion, normalise_condition):
        once = normalise(text, language=language)
        assert normalise(once, language=language) == once
