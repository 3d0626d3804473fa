import itertools

import numpy as np
import pytest

from aptone.planner.reading.attribution import read_story
from aptone.planner.reading.speaker_chain import (
    LINKS,
    best_speakers,
    link_features,
    marginals,
    speaker_probabilities,
    speaker_weights,
)
from aptone.planner.reading.speaker_features import FEATURES
from aptone.types import Language, Line


def test_marginals_are_those_of_all_ways_to_give_speakers() -> None:
    # Every way through four units with 3, 2, 3 and 2 candidates is counted: exp of its scores and of its links.
    names = [["", "Tom", "Ann"], ["", "Ann"], ["", "Tom", "Eve"], ["", "Tom"]]
    rng = np.random.default_rng(3)
    scores = [rng.normal(size=len(one)).astype(np.float32) for one in names]
    links = rng.normal(size=(2, 4)).astype(np.float32)
    weight: dict[tuple[int, ...], float] = {}
    for way in itertools.product(*(range(len(one)) for one in names)):
        total = float(sum(scores[unit][choice] for unit, choice in enumerate(way)))
        for step in (1, 2):
            for unit in range(step, 4):
                if names[unit][way[unit]] == names[unit - step][way[unit - step]] != "":
                    total += float(links[step - 1, unit])
        weight[way] = np.exp(total)
    expected = [
        [
            sum(one for way, one in weight.items() if way[unit] == choice) / sum(weight.values())
            for choice in range(len(of))
        ]
        for unit, of in enumerate(names)
    ]
    for found, wanted in zip(marginals(scores, names, links), expected, strict=True):
        assert found == pytest.approx(wanted, abs=1e-5)


def exact_marginals(scores: list[list[int]], link: int) -> list[list[float]]:
    """Marginals of a chain in which all units have the candidates "", A and B, in whole numbers.

    Scores and the link are logarithms to the base of two, so that every weight is a whole number.
    """
    names = ["", "A", "B"]
    states = list(itertools.product(range(3), range(3)))

    def weight(number: int, earlier: int, before: int, now: int) -> int:
        alike = (names[now] == names[before] != "") + (number > 1 and names[now] == names[earlier] != "")
        return 1 << (scores[number][now] + link * alike)

    ahead = [{(0, now): 1 << scores[0][now] for now in range(3)}]
    for number in range(1, len(scores)):
        row = dict.fromkeys(states, 0)
        for (earlier, before), mass in ahead[-1].items():
            for now in range(3):
                row[before, now] += mass * weight(number, earlier, before, now)
        ahead.append(row)
    behind = [dict.fromkeys(states, 1)]
    for number in range(len(scores) - 1, 0, -1):
        last = behind[-1]
        behind.append(
            {
                (earlier, before): sum(weight(number, earlier, before, now) * last[before, now] for now in range(3))
                for earlier, before in states
            }
        )
    found = []
    for front, back in zip(ahead, reversed(behind), strict=True):
        masses = [sum(mass * back[pair] for pair, mass in front.items() if pair[1] == now) for now in range(3)]
        found.append([mass / sum(masses) for mass in masses])
    return found


def test_marginals_of_a_long_story_are_exact_to_five_digits() -> None:
    # 400 units with scores around 35 sum to logarithms around 14,000, where single precision has three digits behind
    # the point. Sums of whole numbers say what comes out.
    powers = np.random.default_rng(5).integers(40, 60, size=(400, 3)).tolist()
    scores = [(np.array(row) * np.log(2)).astype(np.float32) for row in powers]
    found = marginals(scores, [["", "A", "B"]] * 400, np.full((2, 400), 3 * np.log(2), np.float32))
    for one, wanted in zip(found, exact_marginals(powers, 3), strict=True):
        assert one == pytest.approx(wanted, abs=5e-6)  # scores themselves have 24 bits: 35 * 2**-24 is 2e-6


def test_nobody_is_never_the_same_person_twice() -> None:
    found = marginals([np.zeros(1, np.float32)] * 2, [[""], [""]], np.full((2, 2), 9.0, np.float32))
    assert [one.tolist() for one in found] == [[1.0], [1.0]]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_shipped_weights_are_of_the_features_that_are_read(language: Language) -> None:
    weights = speaker_weights(language)
    assert weights.hidden.shape[0] == len(weights.direct) == len(FEATURES)
    assert weights.links.shape == (2, len(LINKS))
    assert 0 < weights.sure < 1


def test_a_speaker_whom_the_text_names_has_all_of_the_probability() -> None:
    story = read_story([Line("“Go,” said Tom."), Line("“No,” said Ann.")])
    found = speaker_probabilities(story.candidates, story.events, speaker_weights("en"))
    assert [names[int(one.argmax())] for names, one in zip(story.candidates.names, found, strict=True)] == [
        "Tom",
        "Ann",
    ]
    assert min(float(one.max()) for one in found) > 0.999


def test_links_tell_turns_that_follow_each_other_from_those_that_do_not() -> None:
    story = read_story(
        [Line("“Go,” said Tom."), Line("“Why?”"), Line("It rained."), Line("It rained on."), Line("“Go!”")]
    )
    adjacent = link_features(story.events, 1)[:, LINKS.index("adjacent")]
    assert adjacent.tolist() == [0.0, 1.0, 0.0]
    assert link_features(story.events, 1)[2, LINKS.index("earlier asks")] == 1.0


def test_a_story_without_speech_has_no_speakers() -> None:
    story = read_story([Line("It rained.")])
    assert list(best_speakers(story.candidates, story.events, speaker_weights("en"))) == []


@pytest.mark.parametrize(
    ("narration", "feature"),
    [
        ("说罢，取了钥匙，便道：", "narration ends the speech"),
        ("张三听了这话，便道：", "narration hears the speech"),
        ("过了一会，又道：", "later goes on"),
        ("李四答道：", "later answers"),
        ("过了一会，又道：", "nobody acts between"),
    ],
)
def test_a_link_knows_what_the_narration_between_says_of_who_speaks_on(narration: str, feature: str) -> None:
    for words, expected in ((narration, 1.0), ("张三看了看李四。", 0.0)):
        story = read_story([Line("张三说：“走吧。”"), Line(f"{words}“你先走。”")])
        assert link_features(story.events, 1)[1][LINKS.index(feature)] == expected


@pytest.mark.parametrize(
    ("tag", "feature"),
    [("Tom went on", "later goes on"), ("replied Ann", "later answers"), ("he added", "later goes on")],
)
def test_a_link_knows_english_tags_that_go_on_or_answer(tag: str, feature: str) -> None:
    story = read_story([Line("“Go,” said Tom."), Line(f"“Now,” {tag}.")])
    assert link_features(story.events, 1)[1][LINKS.index(feature)] == 1.0


def test_all_narration_since_the_speech_before_tells_who_acted_last() -> None:
    rows = (
        "“Go,” said Tom.",
        "Ann rose. Tom sat down. It rained. The wind blew. It was late.",
        "“Why?” said Ann.",
        "“So.”",
    )
    story = read_story([Line(row) for row in rows])
    names, features = story.candidates.names[1], story.candidates.features[1]
    last = FEATURES.index("between: last subject")
    assert {name: features[row, last] for row, name in enumerate(names)} == {"": 0.0, "Tom": 1.0, "Ann": 0.0}
