from aptone.rooms.aptness.takes.ranking import Take, rank_takes
from aptone.rooms.aptness.takes.words import explain

GOOD = Take(
    "b.wav", (3.9,), aspects={"emotion": 4.5, "rhythm": 2.0}, planned={"emotion": "fear"}, heard={"emotion": "afraid"}
)
POOR = Take(
    "a.wav", (3.1,), aspects={"emotion": 2.0, "rhythm": 3.0}, planned={"emotion": "fear"}, heard={"emotion": "bored"}
)
SILENT = Take("c.wav", (), reason="no speech found")


def test_the_winner_is_explained_aspect_by_aspect_with_what_speaks_against_it() -> None:
    assert explain(rank_takes([POOR, GOOD, SILENT]), language="en") == (
        "b.wav is the best of 3 takes: 3.9 of 5, 0.8 ahead of a.wav. It fits better in emotion (4.5 against 2; "
        "asked for “fear”, heard in b.wav: afraid, in a.wav: bored). a.wav fits better in rhythm (3 against 2). "
        "Without a score: c.wav (no speech found)."
    )


def test_the_same_in_mandarin() -> None:
    assert explain(rank_takes([POOR, GOOD]), language="zh") == (
        "2条录音中b.wav最好：3.9分（满分5分），比a.wav高0.8分。它更符合要求的是情感（4.5对2：要求“fear”，b.wav听来afraid，"
        "a.wav听来bored）。a.wav更符合要求的是节奏（3对2）。"
    )


def test_a_tie_is_called_a_tie_with_the_reason() -> None:
    told = explain(rank_takes([Take("a", (3.0,)), Take("b", (3.1,))]), language="en")
    assert told == (
        "Too close to call: b, a. The first two of them are 0.1 apart, and a difference of less than 0.5 is none that "
        "this judge can vouch for (the least lead that is called). Listen to them."
    )


def test_a_tie_by_the_judges_own_spread_says_how_far_it_strays() -> None:
    told = explain(rank_takes([Take("a", (2.0, 4.0)), Take("b", (1.0, 3.0))]), language="en")
    assert "asked again, it strays by 1.41 points" in told


def test_one_score_has_nothing_to_compare_with_and_none_is_said_so() -> None:
    assert "the only take with a score: 3.9 of 5" in explain(rank_takes([GOOD, SILENT]), language="en")
    assert explain(rank_takes([SILENT]), language="en").startswith("No take has a score.")
