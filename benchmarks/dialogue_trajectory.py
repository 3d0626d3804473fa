"""The built-in trajectory of emotion on actors that the ear never heard, and what the scores make of it.

    python -m benchmarks.dialogue_trajectory --data DATA

`DATA` holds ``ravdess/`` with its ``labels.csv``; it does not come with Aptone. There is no truth about valence,
arousal and dominance over time in it: what can be asked is whether the trajectory tells acted emotions apart, and when
they change.

- *Arousal*: area under the curve of the trajectory's mean arousal, high (angry, fear, happy) against low (sad, calm,
  neutral), and the same with low acted at normal intensity only. *Intensity*: pairs of a strong and a normal clip,
  alike in actor, emotion, sentence and repetition, in which the strong one has the larger mean arousal, the larger
  distance of the mean from neutral (0, 0, 0), or the larger intensity by the ear.
- *Change point*: clips of two emotions of one actor behind one another; found when it is within 1 s. Three designs: two
  clips as they are (``plain``); without the silence around them, 0.2 s apart (``trimmed``); one to three clips of the
  one emotion and then one to three of the other, 0.2 s apart (``varied``). Beside it stands what the middle of the
  recording would find: in the first two designs that is everything, only the third tells a listener from a ruler. Step
  and rule were chosen on the two actors of ``dev``, which are given too.
- *Balancing*: stereo recordings of an angry user with a calm, a neutral and an angry agent, four turns each, cut by who
  speaks and scored; the calm agent must have the higher EBS.
"""

import argparse
import itertools
import json
import math
import platform
import tempfile
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

import numpy as np
import numpy.typing as npt
import soundfile

from aptone.audio import cut, find_speech, read
from aptone.ear import Ear, load_ear
from aptone.ear.measures.change_point import FINE_STEP, change_point
from aptone.rooms.dialogue.data import read_stereo
from aptone.rooms.dialogue.hearing.turns import HEARING_RATE, EarListener
from aptone.rooms.dialogue.step import DialogueStep
from aptone.stats import bootstrap
from aptone.types import Audio, Perception, Segment
from benchmarks.ear_data import Clip, load_set
from benchmarks.ear_rows import intensity_pairs
from benchmarks.ear_scores import area_under_curve
from benchmarks.made_with import with_revisions

HIGH, LOW = ("angry", "fear", "happy"), ("sad", "calm", "neutral")
AUC_GOAL, PAIR_GOAL, CHANGE_GOAL = 0.96, 0.85, 0.80
SPLICES, TOLERANCE, JOINT = 40, 1.0, 0.2
DESIGNS = ("plain", "trimmed", "varied")
AGENTS = ("calm", "neutral", "angry")
TURNS = 4

Samples = npt.NDArray[np.float32]


def recording(clip: Clip) -> Audio:
    """A clip as the ear hears it."""
    return read(clip.path, rate=HEARING_RATE, channel="mix")


def estimate(statistic: Callable[..., float], *arrays: npt.ArrayLike) -> dict[str, object]:
    """A statistic with its interval, rounded."""
    found = bootstrap(statistic, *arrays, seed=0)
    return {"value": round(found.value, 4), "low": round(found.low, 4), "high": round(found.high, 4), "of": found.count}


def arousal_and_intensity(clips: Sequence[Clip], ear: Ear) -> dict[str, object]:
    """Measure how well the trajectory's mean tells acted arousal and intensity apart."""
    heard = {clip.name: ear.perceive(recording(clip), trajectory=1.0) for clip in clips}
    mean = {name: _mean(perception) for name, perception in heard.items()}
    known = [clip for clip in clips if not np.isnan(mean[clip.name]).any()]

    def curve(chosen: Sequence[Clip]) -> dict[str, object]:
        high = np.array([clip.emotion in HIGH for clip in chosen])
        arousal = np.array([mean[clip.name][1] for clip in chosen])
        return estimate(area_under_curve, arousal, high)

    acted = [clip for clip in known if clip.emotion in (*HIGH, *LOW)]
    pairs = intensity_pairs(known)
    measures: dict[str, Callable[[Clip], float]] = {
        "mean arousal": lambda clip: float(mean[clip.name][1]),
        "distance of the mean from neutral": lambda clip: float(np.linalg.norm(mean[clip.name])),
        "intensity by the ear": lambda clip: heard[clip.name].intensity,
    }
    return {
        "clips": len(clips),
        "clips without a trajectory": len(clips) - len(known),
        "arousal, area under the curve": curve(acted),
        "arousal, low at normal intensity only, area under the curve": curve(
            [clip for clip in acted if clip.emotion in HIGH or clip.intensity == "normal"]
        ),
        "strong over normal, share of pairs": {
            name: estimate(np.mean, [float(measure(strong) > measure(normal)) for strong, normal in pairs])
            for name, measure in measures.items()
        },
    }


def _mean(perception: Perception) -> npt.NDArray[np.float64]:
    trajectory = perception.trajectory
    if trajectory is None:
        return np.full(3, math.nan)
    columns = np.array([trajectory.valence, trajectory.arousal, trajectory.dominance])
    return np.asarray(np.nanmean(columns, axis=1))


def spliced(clips: Sequence[Clip], design: str, generator: np.random.Generator) -> tuple[Audio, float]:
    """Clips of two emotions of one actor behind one another, and when the emotion changes."""
    emotions = sorted({clip.emotion for clip in clips})
    chosen = generator.choice(len(emotions), size=2, replace=False)
    counts = generator.integers(1, 4, size=2) if design == "varied" else (1, 1)
    gap = np.zeros(0 if design == "plain" else int(JOINT * HEARING_RATE), dtype=np.float32)
    parts = []
    for emotion, count in zip(chosen, counts, strict=True):
        mine = [clip for clip in clips if clip.emotion == emotions[emotion]]
        drawn = generator.choice(len(mine), size=int(count), replace=False)
        pieces = [_samples(mine[place], trimmed=design != "plain") for place in drawn]
        parts.append(np.concatenate([pieces[0], *(part for piece in pieces[1:] for part in (gap, piece))]))
    whole = np.concatenate([parts[0], gap, parts[1]])
    return Audio(whole, rate=HEARING_RATE), (parts[0].size + gap.size / 2) / HEARING_RATE


def _samples(clip: Clip, *, trimmed: bool) -> Samples:
    audio = recording(clip)
    if trimmed and (speech := find_speech(audio)):
        audio = cut(audio, Segment(speech[0].start, speech[-1].end))
    return audio.samples


def changes(clips: Sequence[Clip], ear: Ear, *, seed: int) -> dict[str, object]:
    """Measure how often the change is found within the tolerance, by design."""
    found: dict[str, object] = {}
    for number, design in enumerate(DESIGNS):
        generator = np.random.default_rng([seed, number])
        hits, middles = [], []
        for actor in sorted({clip.speaker for clip in clips}):
            mine = [clip for clip in clips if clip.speaker == actor]
            for _ in range(SPLICES):
                audio, truth = spliced(mine, design, generator)
                trajectory = ear.perceive(audio, trajectory=FINE_STEP).trajectory
                place = math.nan if trajectory is None else change_point(trajectory).value
                hits.append(float(abs(place - truth) <= TOLERANCE))
                middles.append(float(abs(audio.seconds / 2 - truth) <= TOLERANCE))
        found[design] = {"found": estimate(np.mean, hits), "middle of the recording": round(float(np.mean(middles)), 4)}
    return found


def balancing(clips: Sequence[Clip], *, seed: int) -> dict[str, object]:
    """EBS of agents of three feelings who answer the same angry users, in stereo recordings."""
    generator, step = np.random.default_rng(seed), DialogueStep(EarListener("full"))
    actors = sorted({clip.speaker for clip in clips})
    scores: dict[str, list[float]] = {agent: [] for agent in AGENTS}
    with tempfile.TemporaryDirectory() as folder:
        for user, other in itertools.permutations(actors, 2):
            asked = _drawn(clips, user, "angry", generator)
            for agent in AGENTS:
                path = Path(folder) / f"{user}-{other}-{agent}.wav"
                write_stereo(path, asked, _drawn(clips, other, agent, generator))
                outcome = step.judge(*step.listen(read_stereo(path)))
                scores[agent].append(outcome.scores["EBS"].value)
    table = np.array([scores[agent] for agent in AGENTS])
    return {
        "recordings of each kind": table.shape[1],
        "turns": TURNS,
        "mean EBS": {agent: estimate(np.nanmean, table[row]) for row, agent in enumerate(AGENTS)},
        "calm above angry": estimate(np.mean, (table[0] > table[2]).astype(np.float64)),
        "neutral above angry": estimate(np.mean, (table[1] > table[2]).astype(np.float64)),
    }


def _drawn(clips: Sequence[Clip], actor: str, emotion: str, generator: np.random.Generator) -> list[Samples]:
    mine = [clip for clip in clips if clip.speaker == actor and clip.emotion == emotion]
    return [recording(mine[place]).samples for place in generator.choice(len(mine), size=TURNS, replace=False)]


def write_stereo(path: Path, user: Sequence[Samples], agent: Sequence[Samples]) -> None:
    """A call in which the two take turns: the user left, the agent right."""
    left = [part for asked, said in zip(user, agent, strict=True) for part in (asked, np.zeros_like(said))]
    right = [part for asked, said in zip(user, agent, strict=True) for part in (np.zeros_like(asked), said)]
    soundfile.write(path, np.stack([np.concatenate(left), np.concatenate(right)], axis=1), HEARING_RATE)


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description="The built-in trajectory of emotion on unseen actors.")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "dialogue_trajectory.json")
    options = parser.parse_args()
    ear = load_ear("full")
    results = {}
    for part in ("dev", "test"):
        clips = load_set(options.data, "ravdess", part=part)
        results[part] = {
            "actors": len({clip.speaker for clip in clips}),
            "arousal and intensity": arousal_and_intensity(clips, ear),
            "change point": changes(clips, ear, seed=options.seed),
            "balancing": balancing(clips, seed=options.seed),
        }
        print(part, json.dumps(results[part], indent=2))
    record = {
        "what": "the built-in trajectory of emotion on RAVDESS actors that the ear never heard (test), chosen on dev",
        "goals": {"arousal": AUC_GOAL, "strong over normal": PAIR_GOAL, "change point": CHANGE_GOAL},
        "seed": options.seed,
        "ear": ear.signature,
        "step of the change point": FINE_STEP,
        "tolerance": TOLERANCE,
        "versions": {"python": platform.python_version()} | {n: version(n) for n in ("aptone", "numpy", "onnxruntime")},
        "results": results,
    }
    options.output.write_text(
        json.dumps(with_revisions(record, "ear"), indent=2, sort_keys=True) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
