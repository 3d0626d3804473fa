import math

import pytest
import torch

from aptone.errors import UsageError
from aptone.train.grpo.loss import MIN_DEVIATION, PolicyLossConfig, advantages, grpo_loss
from aptone.train.grpo.rollouts import score_reward

ONE = torch.ones(1, 1)


def loss_of(ratio: float, advantage: float, *, beta: float = 0.0, away: float = 0.0, epsilon: float = 0.1) -> float:
    """The loss of one token whose probability is `ratio` times what it was."""
    current = torch.tensor([[math.log(ratio)]])
    found = grpo_loss(
        current,
        old=torch.zeros(1, 1),
        reference=current + away,
        advantages=torch.tensor([advantage]),
        mask=ONE,
        config=PolicyLossConfig(epsilon=epsilon, beta=beta),
    )
    return float(found.value)


def test_advantages_are_distances_from_the_group_s_mean_in_its_deviations() -> None:
    # 0 and 2: mean 1, standard deviation (n - 1) √2; 5 and 5: no deviation, no advantage
    found = advantages(torch.tensor([0.0, 2.0, 5.0, 5.0]), num_generations=2)
    unit = 1.0 / (math.sqrt(2.0) + MIN_DEVIATION)
    assert found.tolist() == pytest.approx([-unit, unit, 0.0, 0.0])


@pytest.mark.parametrize("num_generations", [1, 3])
def test_advantages_need_whole_groups_of_two_or_more(num_generations: int) -> None:
    with pytest.raises(ValueError, match="whole groups"):
        advantages(torch.zeros(4), num_generations=num_generations)


@pytest.mark.parametrize(
    ("ratio", "advantage", "expected"),
    [
        (1.0, 2.0, -2.0),
        (1.05, 2.0, -2.1),  # within 0.9 to 1.1: the ratio counts
        (1.5, 2.0, -2.2),  # a good token is held at 1.1
        (0.5, 2.0, -1.0),  # one that became rarer still counts in full
        (0.5, -2.0, 1.8),  # a bad token is held at 0.9
        (1.5, -2.0, 3.0),  # one that became more likely counts in full
    ],
)
def test_a_ratio_counts_up_to_the_clip(ratio: float, advantage: float, expected: float) -> None:
    assert loss_of(ratio, advantage) == pytest.approx(expected)


def test_the_divergence_from_the_reference_is_added_with_its_weight() -> None:
    away = math.log(2.0)  # the reference finds the token twice as likely: exp(δ) - δ - 1 = 1 - ln 2
    assert loss_of(1.0, 0.0, beta=0.5, away=away) == pytest.approx(0.5 * (1.0 - math.log(2.0)))


def test_tokens_are_averaged_over_replies_or_tokens_or_by_length() -> None:
    # Replies of 1 and 3 tokens, every token of loss -A: A = 1 for the first reply, 5 for the second.
    mask = torch.tensor([[1, 0, 0], [1, 1, 1]])
    same = torch.zeros(2, 3)

    def value(config: PolicyLossConfig) -> float:
        weights = torch.tensor([1.0, 5.0])
        return float(grpo_loss(same, old=same, reference=None, advantages=weights, mask=mask, config=config).value)

    assert value(PolicyLossConfig(beta=0.0)) == pytest.approx(-3.0)  # (1 + 5) / 2
    assert value(PolicyLossConfig(beta=0.0, loss_type="bnpo")) == pytest.approx(-4.0)  # (1 + 15) / 4
    assert value(PolicyLossConfig(beta=0.0, loss_type="dr_grpo", length=8)) == pytest.approx(-1.0)  # 16 / (2 · 8)


def test_held_tokens_are_counted() -> None:
    current = torch.log(torch.tensor([[1.5, 1.0, 0.5, 1.5]]))
    mask = torch.tensor([[1, 1, 1, 0]])
    config = PolicyLossConfig(beta=0.0)
    found = grpo_loss(
        current, old=torch.zeros(1, 4), reference=None, advantages=torch.ones(1), mask=mask, config=config
    )
    assert found.clip_ratio == pytest.approx(1 / 3)  # of three tokens the first; 0.5 with a good advantage is not held


def gradient(rewards: torch.Tensor) -> float:
    """Gradient norm of the loss of a policy of two tokens whose four replies have these rewards."""
    policy = torch.zeros(2, requires_grad=True)
    chosen = torch.tensor([0, 1, 0, 1])
    current = policy.log_softmax(0)[chosen][:, None]
    grpo_loss(
        current,
        old=current.detach(),
        reference=current.detach(),
        advantages=advantages(rewards, num_generations=4),
        mask=torch.ones(4, 1),
        config=PolicyLossConfig(),
    ).value.backward()  # type: ignore[no-untyped-call]
    assert policy.grad is not None
    return float(policy.grad.abs().sum())


def test_equation_five_by_the_letter_makes_all_replies_alike_and_leaves_no_gradient() -> None:
    # Truth 3.0. Scores 3.0, 0.5, 4.0, 1.0 are worth from exp(-2.5) + exp(-3) = 0.132 up to 2: clipped to ±0.1, all 0.1.
    rewards = torch.tensor([score_reward(given, 3.0) for given in (3.0, 0.5, 4.0, 1.0)])
    by_the_letter = rewards.clamp(-0.1, 0.1)
    assert by_the_letter.tolist() == pytest.approx([0.1] * 4)
    assert gradient(by_the_letter) == 0.0
    assert gradient(rewards) > 0.1


def test_what_cannot_be_a_clip_is_refused() -> None:
    for wrong in (
        {"epsilon": 0.0},
        {"epsilon": 1.0},
        {"beta": -1.0},
        {"beta": math.inf},
        {"loss_type": "mean"},
        {"loss_type": "dr_grpo"},
    ):
        with pytest.raises(UsageError):
            PolicyLossConfig(**wrong)


def test_a_divergence_needs_a_reference() -> None:
    with pytest.raises(ValueError, match="reference"):
        grpo_loss(ONE, old=ONE, reference=None, advantages=torch.ones(1), mask=ONE, config=PolicyLossConfig())
