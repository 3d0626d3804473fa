"""The trust card: what has not been tried is said to be untried."""

import math

from aptone.types import Probe, ProbeState, TrustCard


def test_a_probe_that_was_not_run_has_found_nothing() -> None:
    probe = Probe()
    assert probe.state is ProbeState.NOT_RUN
    assert math.isnan(probe.value)
    assert probe.items == 0


def test_a_card_without_labels_claims_no_agreement_and_no_probe() -> None:
    card = TrustCard("aptness", items=3, done=2, unscored={"no score in the reply": 1})
    assert (card.agreement, card.ceiling) == ({}, {})
    assert [probe.state for probe in (card.repeat, card.batch, card.order)] == [ProbeState.NOT_RUN] * 3


def test_two_cards_do_not_share_their_mappings() -> None:
    first, second = TrustCard("aptness", 1, 1), TrustCard("aptness", 1, 1)
    assert first.unscored is not second.unscored
    assert first.agreement is not second.agreement
