"""Choose the gains that bring the ear's trajectory to the paper's scale, on several corpora.

    python -m benchmarks.dialogue_gains --data DATA [--write]

Training and dev speakers. For every triple of gains and every corpus: does EBS prefer a calm answer to an angry one
where the user is angry (pairs in which no balancing is needed count half), and does a user need balancing just where
the actor is angry, sad or afraid (balanced accuracy against neutral and calm)? The triple with the best mean of the
two over corpora, each counted once, is chosen; of equals the smallest. Also printed: the choice with every corpus
left out in turn, and what it reaches on that one; and both figures on speakers of test parts, and on a corpus that
nothing is chosen on.

``--write`` puts the choice into ``hearing/gains.json`` of the room. It takes about two minutes; do it after every
training of the ear. `DATA` holds a folder for each set, with its ``labels.csv``; it does not come with Aptone.
"""

import argparse
import itertools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from aptone.rooms.dialogue.config import PAPER
from aptone.rooms.dialogue.hearing.turns import GAIN, GAINS_FILE, MEAN_TALK
from aptone.rooms.dialogue.score import ebs
from benchmarks.dialogue_clips import CALM, UNHEARD, HeardClip, anger_trials, heard_sets
from benchmarks.made_with import with_revisions

RESULTS = Path(__file__).parent / "results" / "dialogue_gains.json"
VALENCE = (0.2, 0.3, 0.4, 0.5, 0.7, 1.0)
AROUSAL = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
DOMINANCE = (0.15, 0.3, 0.5, 0.7)
EXTREME = ("angry", "sad", "fear")
MOST_TRIALS = 80
FIRST = (0.7, 0.2, 0.5)
"""Gains of the first edition, chosen on RAVDESS's dev actors alone."""
SEED = 5

Gains = tuple[float, float, float]
Points = npt.NDArray[np.float64]
MEAN = np.array([MEAN_TALK.valence, MEAN_TALK.arousal, MEAN_TALK.dominance])


class Corpus:
    """One corpus: raw points of its clips, and trials with an angry user."""

    def __init__(self, clips: Sequence[HeardClip], present: Points) -> None:
        self.raw = {id(one): (one.heard.points - MEAN) / present for one in clips}
        self.clips = clips
        trials = anger_trials(clips, seed=SEED, count=8)
        order = np.random.default_rng(SEED).permutation(len(trials))[:MOST_TRIALS]
        self.trials = [trials[place] for place in order]

    def prefers(self, gains: Gains) -> float:
        """Share of trials in which EBS prefers the calm answer; half a point where nothing needs balancing."""
        hits = []
        for trial in self.trials:
            user, calm, angry = (self._scaled(one, gains) for one in (trial.user, trial.calm, trial.angry))
            first, second = ebs(user, calm), ebs(user, angry)
            hits.append(float(first.value > second.value) if first.needed else 0.5)
        return float(np.mean(hits))

    def needs(self, gains: Gains) -> float:
        """Balanced accuracy of "needs balancing"."""
        found: dict[bool, list[bool]] = {True: [], False: []}
        for one in self.clips:
            if one.clip.emotion in (*EXTREME, *CALM):
                mean, limit = self._scaled(one, gains).mean(axis=0), PAPER.extreme
                extreme = mean[0] < limit.valence or mean[1] > limit.arousal or mean[2] < limit.dominance
                found[one.clip.emotion in EXTREME].append(bool(extreme))
        return float((np.mean(found[True]) + 1 - np.mean(found[False])) / 2)

    def _scaled(self, one: HeardClip, gains: Gains) -> Points:
        return np.asarray(np.clip(MEAN + np.array(gains) * self.raw[id(one)], -1, 1))


def objective(figures: Sequence[tuple[float, float]]) -> float:
    """The mean of both figures over corpora."""
    return float(np.mean(figures))


def chosen(table: Mapping[Gains, Mapping[str, tuple[float, float]]], names: Sequence[str]) -> Gains:
    """The best gains on these corpora."""
    return max(sorted(table), key=lambda gains: round(objective([table[gains][name] for name in names]), 6))


def main() -> None:
    """Choose, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--write", action="store_true", help="Put the choice into the room.")
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    present = np.array([GAIN.valence, GAIN.arousal, GAIN.dominance])
    known = {name: Corpus(clips, present) for name, clips in heard_sets(options.data, ("train", "dev"), seed=SEED)}
    corpora = {name: one for name, one in known.items() if name not in UNHEARD and one.trials}
    grid = list(itertools.product(VALENCE, AROUSAL, DOMINANCE))
    table = {g: {name: (one.prefers(g), one.needs(g)) for name, one in corpora.items()} for g in grid}
    best = chosen(table, list(corpora))
    left_out = {}
    for name in corpora:
        others = chosen(table, [other for other in corpora if other != name])
        left_out[name] = {"gains": others, "figures": shown(table[others][name])}
    tests = {name: Corpus(clips, present) for name, clips in heard_sets(options.data, ("test",), seed=SEED)}
    record = {
        "what": "gains of the built-in trajectory, chosen on training and dev speakers",
        "gains": {"valence": best[0], "arousal": best[1], "dominance": best[2]},
        "objective": round(objective(list(table[best].values())), 4),
        "corpora": {name: shown(figures) for name, figures in table[best].items()},
        "each corpus left out": left_out,
        "test speakers": {
            name: {
                "chosen": shown((one.prefers(best), one.needs(best))),
                "first edition": shown((one.prefers(FIRST), one.needs(FIRST))),
            }
            for name, one in tests.items()
            if one.trials
        },
        "gains of the first edition": FIRST,
    }
    print(json.dumps(record, indent=1))
    options.output.write_text(json.dumps(with_revisions(record, "ear"), indent=1) + "\n", encoding="utf-8")
    if options.write:
        GAINS_FILE.write_text(json.dumps(record["gains"], indent=1) + "\n", encoding="utf-8")
        print(f"written: {GAINS_FILE.name}")


def shown(figures: tuple[float, float]) -> dict[str, float]:
    """The two figures with their names."""
    return {"EBS prefers calm": round(figures[0], 3), "needs balancing": round(figures[1], 3)}


if __name__ == "__main__":
    main()
