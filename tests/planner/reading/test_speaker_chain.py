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
