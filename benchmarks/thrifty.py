"""Calls that a thrifty vote saves, and whether its winner is that of the full vote.

Two kinds of sequences. *Random*: every window draws one of K plans, all equally likely; nothing that a planner does is
as bad. *Persistent*: a window keeps the plan of the window that is one line shorter with a probability p, since it
reads nearly the same text, and else draws one of ten plans, the likelier the lower its number (Zipf). In both, two
replies in a hundred cannot be read. Stories give 15 windows; lines of a short dialogue have as many windows as lines
stand before them.

For these no model is asked: what a planner saves depends on how often its windows agree, and that is what p stands for.
With the folder of text sets, the built-in planner votes on every line of MELD's test part as well.

    python -m benchmarks.thrifty --data TEXTS
"""

import argparse
import json
import platform
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import cast

import numpy as np

from aptone.planner import LARGEST_WINDOW, next_windows, winner
from aptone.planner.built_in import BuiltInPlanner
from aptone.planner.labelled_dialogues import read_meld
from aptone.run import Call
from aptone.types import AudioRef, Intonation, NoVote, Rhythm, Sample, Vote
from benchmarks.made_with import with_revisions

Answer = Vote | NoVote

RANDOM_PLANS = (2, 3, 5, 10)
PERSISTENCE = (0.5, 0.7, 0.8, 0.9, 0.95)
PLANS = 10
UNREADABLE = 0.02
DIALOGUE = 10
"""Lines of a short dialogue."""
NOBODY = cast(Call, None)
"""The built-in planner asks nobody."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A kind of sequences.

    Args:
        name: for the table.
        windows: how many windows a line has.
        plans: which plan each window names, given their number.
    """

    name: str
    windows: Callable[[np.random.Generator], int]
    plans: Callable[[np.random.Generator, int], Sequence[int]]


def long_story(generator: np.random.Generator) -> int:
    """Windows of a line that has a long story before it."""
    return LARGEST_WINDOW


def short_dialogue(generator: np.random.Generator) -> int:
    """Windows of a random line of a short dialogue; the first has one window without lines."""
    return max(1, int(generator.integers(DIALOGUE)))


def random_plans(plans: int) -> Callable[[np.random.Generator, int], Sequence[int]]:
    """Every window for itself."""

    def draw(generator: np.random.Generator, windows: int) -> Sequence[int]:
        return [int(plan) for plan in generator.integers(plans, size=windows)]

    return draw


def persistent_plans(persistence: float) -> Callable[[np.random.Generator, int], Sequence[int]]:
    """Every window as the one before, or sampled independently."""
    weights = 1 / np.arange(1, PLANS + 1)
    shares = weights / weights.sum()

    def draw(generator: np.random.Generator, windows: int) -> Sequence[int]:
        drawn = [int(generator.choice(PLANS, p=shares))]
        while len(drawn) < windows:
            keeps = generator.random() < persistence
            drawn.append(drawn[-1] if keeps else int(generator.choice(PLANS, p=shares)))
        return drawn

    return draw


def settings() -> list[Setting]:
    """All that are measured."""
    found = [Setting(f"random, {plans} plans, story", long_story, random_plans(plans)) for plans in RANDOM_PLANS]
    for name, windows in (("story", long_story), ("dialogue", short_dialogue)):
        found += [Setting(f"persistent {p:g}, {name}", windows, persistent_plans(p)) for p in PERSISTENCE]
    return found


def answers_of(setting: Setting, generator: np.random.Generator) -> dict[int, Answer]:
    """Return the answer of every window of a line."""
    plans = setting.plans(generator, setting.windows(generator))
    silent = generator.random(len(plans)) < UNREADABLE
    return {
        window: NoVote(window, "unreadable")
        if silent[window - 1]
        else Vote(window, f"plan {plan}", Rhythm.TENSE, Intonation.FLAT)
        for window, plan in enumerate(plans, start=1)
    }


def thrifty_vote(answers: dict[int, Answer]) -> tuple[list[Answer], int]:
    """Return the result of a thrifty vote, and its number of rounds."""
    heard: list[Answer] = []
    rounds = 0
    while sizes := next_windows(tuple(answers), heard, thrifty=True):
        heard += [answers[size] for size in sizes]
        rounds += 1
    return heard, rounds


def votes(answers: Sequence[Answer]) -> list[Vote]:
    """Without those that are none."""
    return [answer for answer in answers if isinstance(answer, Vote)]


def measure(setting: Setting, *, lines: int, seed: int) -> dict[str, object]:
    """Calls that a setting saves."""
    generator = np.random.default_rng([seed, *setting.name.encode()])
    return saved(setting.name, (answers_of(setting, generator) for _ in range(lines)))


def planned_answers(data: Path) -> Iterator[dict[int, Answer]]:
    """Return the built-in planner's answer for every window of every line in MELD's test part."""
    planner = BuiltInPlanner()
    for dialogue in read_meld(data):
        if dialogue.part != "test":
            continue
        lines = [labelled.line for labelled in dialogue.lines]
        for place, line in enumerate(lines):
            sample = Sample("line", AudioRef("none"), line, context=tuple(lines[:place]))
            plan = planner.plan(sample, NOBODY)
            yield {vote.window: vote for vote in plan.votes}


def saved(name: str, sequences: Iterable[dict[int, Answer]]) -> dict[str, object]:
    """Calls that a thrifty vote saves over all windows, and whether its winner is theirs."""
    lines = calls = asked = rounds = differing = 0
    agreement: list[float] = []
    for answers in sequences:
        heard, turns = thrifty_vote(answers)
        everything = votes(list(answers.values()))
        elected = winner(everything)
        differing += elected != winner(votes(heard))
        if everything:
            agreement.append(sum(vote.choice == elected for vote in everything) / len(everything))
        lines += 1
        calls += len(answers)
        asked += len(heard)
        rounds += turns
    return {
        "setting": name,
        "lines": lines,
        "mean_share_of_votes_for_the_winner": round(float(np.mean(agreement)), 3),
        "share_of_calls_saved": round(1 - asked / calls, 4),
        "mean_rounds": round(rounds / lines, 2),
        "other_winners": differing,
    }


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description="Calls that a thrifty vote saves.")
    parser.add_argument("--lines", type=int, default=10_000)
    parser.add_argument("--data", type=Path, help="Folder of the text sets, among them meld.")
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "thrifty.json")
    options = parser.parse_args()
    results = [measure(setting, lines=options.lines, seed=options.seed) for setting in settings()]
    if options.data is not None:
        results.append(saved("built-in planner, MELD test", planned_answers(options.data)))
    for result in results:
        print(
            f"{result['setting']:<28} winner's share {float(str(result['mean_share_of_votes_for_the_winner'])):.0%}, "
            f"saved {float(str(result['share_of_calls_saved'])):.1%} of the calls in {result['mean_rounds']} rounds, "
            f"other winners: {result['other_winners']} of {result['lines']:,}"
        )
    record = {
        "what": "share of the calls that a thrifty vote saves against asking every window",
        "seed": options.seed,
        "most_that_can_be_saved_of_15_windows": round(7 / 15, 4),
        "versions": {"python": platform.python_version()} | {name: version(name) for name in ("aptone", "numpy")},
        "results": results,
    }
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(
        json.dumps(with_revisions(record, "planner"), indent=2, sort_keys=True) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
