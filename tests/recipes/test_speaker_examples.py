"""Examples of who speaks hide what the author says, and keep it as the answer."""

import itertools

import numpy as np
import pytest

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
