"""Examples of who speaks hide what the author says, and keep it as the answer."""

import itertools

import numpy as np
import pytest

from aptone.planner.reading.attribution import read_story
from aptone.types import Line
from recipes.planner.labelled_speakers import story_examples, unit_speakers
from recipes.planner.speaker_examples import book_examples, joined

torch = pytest.importorskip("torch")
fit_speakers = pytest.importorskip("recipes.planner.fit_speakers")

SCENE = """“Go,” said Tom, and rose.
“No,” said Ann.
Tom took his hat from the wall. He looked at Ann.
“Go,” said Tom.
“Why?” she asked.
“It is late,” said Tom.
Ann shook her head. “No,” said Ann."""


def test_a_hidden_tag_is_the_answer_and_no_feature() -> None:
    found = joined([one for seed in range(8) for one in book_examples(SCENE, "en", seed)])
    answers = found.allowed.sum(axis=1)
    assert (found.allowed <= found.present).all()
    assert (answers >= 1).all()
    # Some units have a tag in sight, some a hidden one: both allow one candidate, but only the former knows it.
    assert (answers == 1).any()


PIECE = ("Tom took his hat.", "“Go.”", "“Why?” said Ann.", "“It is late.”")


def test_a_label_allows_the_candidates_whom_it_names_and_else_nobody() -> None:
    story = read_story([Line(row) for row in PIECE])
    accepted = unit_speakers(story, {(1, 0): ["Tom"], (3, 1): ["the keeper"]})
    assert accepted == {0: frozenset({"Tom"}), 2: frozenset({""})}


def test_a_speech_without_a_label_allows_all_and_a_tag_stays() -> None:
    (found,) = story_examples(PIECE, {(1, 0): ["Tom"]}, "en")
    assert found.allowed.sum(axis=1)[:2].tolist() == [1, 1]
    assert found.allowed[2].sum() == found.present[2].sum() > 1


def test_the_windows_of_a_passage_begin_without_a_link() -> None:
    (found,) = story_examples(PIECE, {(3, 0): ["Tom"]}, "en", lead=1)
    assert len(found.features) == 2
    assert not found.links[0, 0].any()
    assert not found.alike[:, 0].any()


def test_pieces_stay_apart_when_they_are_joined() -> None:
    one = list(book_examples(SCENE, "en", 1))
    both = joined([joined(one), joined(one)])
    assert both.starts.tolist() == [0, len(one[0].features)]
    assert len(both.features) == 2 * len(one[0].features)


def test_the_sum_over_all_ways_is_that_of_each_way() -> None:
    # Three units of two candidates: the sum over eight ways of exp(scores and links).
    generator = torch.Generator().manual_seed(4)
    scores = torch.randn(1, 3, 2, generator=generator)
    first, second = (torch.randn(1, 3, 2, 2, generator=generator) for _ in range(2))
    total = 0.0
    for a, b, c in itertools.product(range(2), repeat=3):
        way = (
            scores[0, 0, a]
            + scores[0, 1, b]
            + scores[0, 2, c]
            + first[0, 1, a, b]
            + first[0, 2, b, c]
            + second[0, 2, a, c]
        )
        total += float(np.exp(float(way)))
    assert float(fit_speakers.log_total(scores, first, second)[0]) == pytest.approx(np.log(total), abs=1e-5)


def test_training_moves_every_parameter_and_lowers_the_loss() -> None:
    examples = joined([one for seed in range(8) for one in book_examples("\n".join([SCENE] * 4), "en", seed)])
    before = {name: part.detach().clone() for name, part in fit_speakers.Scorer().named_parameters()}
    scorer = fit_speakers.train(examples, steps=30)
    batch = fit_speakers.windows(examples, examples.starts[:4])
    torch.manual_seed(0)
    with torch.no_grad():
        after, at_first = (fit_speakers.loss_of(one, batch).item() for one in (scorer, fit_speakers.Scorer()))
    assert after < at_first
    assert all(not torch.equal(part, before[name]) for name, part in scorer.named_parameters())
