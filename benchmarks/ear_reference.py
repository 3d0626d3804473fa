"""A voice's own reference for the ear on corpora that it was not trained on: gains, and harm where it cannot help.

    python -m benchmarks.ear_reference --data DATA --cache CACHE             # runs that left a corpus out
    python -m benchmarks.ear_reference --data DATA --cache CACHE --shipped   # and the shipped ear on unheard sets

Unweighted recall among the shared emotions (`benchmarks.ear_data.SHARED`; for the sets of --shipped among their own):
*alone* is a clip by itself; *self* is a clip against all clips of its speaker; *eight* against eight random ones (mean
of three draws); *one emotion* is the share that is right where the collection holds clips of one emotion only, before
and after: there a reference can only do harm. *All ten* has all ten emotions to choose from. *Order kept* is the share
of pairs of clips of one speaker that the probability of an emotion orders as without a reference. Means of three
runs with different seeds, with the lowest and highest; intervals and the order are of the first run, 95 %, by bootstrap
over clips. Clips with less than a second of speech are no part of a collection; *short clips count too* shows why.

The prosody of a left-out corpus is fitted to the three others (`recipes.ear.prosody`); *without prosody* is the rest of
the formula alone. CACHE keeps the measures of all clips. The constants of `aptone.ear.reference` were chosen on these
four corpora. *Chosen elsewhere* shows what each corpus has with the constants that are best on the other three (mean
gain, among the shared and among all emotions, less twice the mean loss on collections of one emotion).
"""

import argparse
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.ear import load_ear, reference
from aptone.ear.hearing import hear
from aptone.stats import bootstrap
from aptone.types import Score
from benchmarks import ear_rival
from benchmarks.ear_data import EMOTIONS, SHARED, Clip, load_set
from benchmarks.ear_scores import unweighted_recall
from benchmarks.made_with import with_revisions
from recipes.ear.prosody import Measured, fit_prosody, measured_clips

RESULTS = Path(__file__).parent / "results"
SETS = ("ravdess", "emodb", "csemotions", "nemo")
UNHEARD = ("turev", "emospeech", "korean")
RENAMED = {"turev": {"calm": "neutral"}, "emospeech": {"calm": "neutral"}}
"""The calm of single words and everyday calls is what other sets call neutral."""
SEEDS = (1, 2, 3)
GRID = [
    {"DIVERSITY": span, "RARITY": rarity}
    for span in ((0.1, 0.2), (0.15, 0.25), (0.2, 0.3), (0.25, 0.35))
    for rarity in (0.0, 0.1, 0.25)
]
Emotion = Mapping[str, float]


@dataclass(frozen=True)
class Heard:
    """Clips of a corpus and what an ear heard in them.

    Args:
        judged: clips that are decided; the others are part of a speaker's collection only.
        counted: clips that say enough to be part of a collection.
        names: emotions that are decided among.
        measures: measures of each clip.
        prosody: weights of the prosody.
    """

    clips: tuple[Clip, ...]
    emotion: tuple[Emotion, ...]
    judged: tuple[int, ...]
    counted: frozenset[int]
    names: tuple[str, ...]
    measures: tuple[Mapping[str, Score], ...]
    prosody: Mapping[str, tuple[float, ...]]

    def reference_of(self, places: Iterable[int]) -> reference.Reference:
        """Return the reference of a collection."""
        chosen = list(places)
        return reference.make_reference([self.emotion[p] for p in chosen], [self.measures[p] for p in chosen])

    def against(self, place: int, made: reference.Reference) -> Emotion:
        """Return the emotion of a clip against a reference."""
        departures = reference.departures_from(made.habits, self.measures[place], self.prosody)
        return reference.against(self.emotion[place], made, reference.by_prosody(departures, self.prosody))

    def places(self, speaker: str, emotion: str | None = None) -> list[int]:
        """Return the clips of a speaker, or those of one emotion that count."""
        if emotion is None:
            return [place for place in sorted(self.counted) if self.clips[place].speaker == speaker]
        return [p for p in self.judged if (self.clips[p].speaker, self.clips[p].emotion) == (speaker, emotion)]

    def truth(self) -> npt.NDArray[np.int64]:
        """Return the emotions of the clips that count."""
        return np.array([EMOTIONS.index(self.clips[place].emotion) for place in self.judged])

    def decided(self, emotion: Iterable[Emotion], names: Iterable[str]) -> npt.NDArray[np.int64]:
        """Return the likeliest of some emotions for each."""
        among = list(names)
        return np.array([EMOTIONS.index(max(among, key=one.__getitem__)) for one in emotion])


def against_self(heard: Heard, pick: Callable[[list[int]], list[int]] = lambda places: places) -> list[Emotion]:
    """Return the emotions of the clips that count, against the collection of their speaker."""
    made = {}
    for speaker in sorted({clip.speaker for clip in heard.clips}):
        places = pick(heard.places(speaker))
        if len(places) >= reference.FEWEST:
            made[speaker] = heard.reference_of(places)
    return [
        heard.against(place, made[speaker]) if (speaker := heard.clips[place].speaker) in made else heard.emotion[place]
        for place in heard.judged
    ]


def one_emotion(heard: Heard) -> tuple[float, float]:
    """Return the share that is right in collections of one speaker and one emotion, alone and against themselves."""
    shares = []
    for speaker in sorted({clip.speaker for clip in heard.clips}):
        for name in heard.names:
            places = heard.places(speaker, name)
            own = [heard.emotion[place] for place in places]
            counted = [place for place in places if place in heard.counted]
            if len(places) < reference.FEWEST:
                continue
            after = own
            if len(counted) >= reference.FEWEST:
                made = heard.reference_of(counted)
                after = [heard.against(place, made) for place in places]
            wanted = EMOTIONS.index(name)
            shares.append([np.mean(heard.decided(each, heard.names) == wanted) for each in (own, after)])
    return (math.nan, math.nan) if not shares else tuple(np.mean(shares, axis=0).tolist())


def figures(heard: Heard) -> dict[str, float]:
    """Return all figures of one run on one corpus."""
    truth, names = heard.truth(), heard.names
    alone = [heard.emotion[place] for place in heard.judged]
    own, plain = against_self(heard), against_self(replace(heard, prosody={}))
    few = [against_self(heard, partial(_eight, np.random.default_rng(seed))) for seed in range(3)]
    before, after = one_emotion(heard)
    return {
        "alone": unweighted_recall(truth, heard.decided(alone, names)),
        "self": unweighted_recall(truth, heard.decided(own, names)),
        "self, without prosody": unweighted_recall(truth, heard.decided(plain, names)),
        "eight": float(np.mean([unweighted_recall(truth, heard.decided(each, names)) for each in few])),
        "one emotion, alone": before,
        "one emotion, self": after,
        "all ten, alone": unweighted_recall(truth, heard.decided(alone, EMOTIONS)),
        "all ten, self": unweighted_recall(truth, heard.decided(own, EMOTIONS)),
        "worst emotion, alone": _worst(truth, heard.decided(alone, names)),
        "worst emotion, self": _worst(truth, heard.decided(own, names)),
    }


def order_kept(heard: Heard) -> float:
    """Return the share of pairs of clips of one speaker that the probability of an emotion orders as before."""
    after = dict(zip(heard.judged, against_self(heard), strict=True))
    shares = []
    for speaker in sorted({clip.speaker for clip in heard.clips}):
        places = [place for place in heard.judged if heard.clips[place].speaker == speaker]
        for name in heard.names:
            one, other = (np.array([each[p][name] for p in places]) for each in (heard.emotion, after))
            first, second = np.triu_indices(len(places), 1)
            same = np.sign(one[first] - one[second]) == np.sign(other[first] - other[second])
            shares.append(float(np.mean(same)))
    return float(np.mean(shares))


def _eight(draw: np.random.Generator, places: list[int]) -> list[int]:
    return sorted(draw.choice(places, min(8, len(places)), replace=False).tolist()) if places else []


def _worst(truth: npt.NDArray[np.int64], decided: npt.NDArray[np.int64]) -> float:
    return float(min(np.mean(decided[truth == kind] == kind) for kind in np.unique(truth)))


def left_out(data: Path, name: str, seed: int, measured: Sequence[Measured]) -> Heard:
    """Return what a run that left a corpus out heard in it, as probabilities of the shipped temperature."""
    with np.load(RESULTS / "ear_predictions" / f"without-{name}-seed{seed}.npz", allow_pickle=False) as kept:
        said = dict(zip(kept["name"].tolist(), kept["emotion_logits"].astype(np.float64), strict=True))
    clips = tuple(clip for clip in load_set(data, name) if f"{name}/{clip.name}" in said)
    temperature = load_ear("full").meaning.temperatures["emotion"]
    emotion = []
    for clip in clips:
        logits = said[f"{name}/{clip.name}"] / temperature
        powers = np.exp(logits - logits.max())
        emotion.append(dict(zip(EMOTIONS, (powers / powers.sum()).tolist(), strict=True)))
    judged = tuple(place for place, clip in enumerate(clips) if clip.emotion in SHARED)
    by_name = {one.clip.path.name: one.measures for one in measured if one.set == name}
    prosody = fit_prosody([one for one in measured if one.set != name])
    measures = tuple(by_name[clip.path.name] for clip in clips)
    return Heard(clips, tuple(emotion), judged, frozenset(range(len(clips))), SHARED, measures, prosody)


def unheard_clips(data: Path, name: str) -> list[Clip]:
    """Return the clips of a set that the ear was not trained on, with the emotions that others have names for."""
    renamed = RENAMED.get(name, {})
    clips = [replace(clip, emotion=renamed.get(clip.emotion, clip.emotion)) for clip in load_set(data, name)]
    return [clip for clip in clips if clip.emotion in EMOTIONS]


def rival(data: Path, name: str, cache: Path) -> float:
    """Return the recall on such a set of eGeMAPS with a support vector machine that was trained on the ear's sets."""
    clips = unheard_clips(data, name)
    names = {clip.emotion for clip in clips}
    test = ear_rival.Material(tuple(clips), ear_rival.features_of(clips, cache=cache))
    sets = [load_set(data, each) for each in SETS]
    materials = [ear_rival.Material(tuple(each), ear_rival.features_of(each, cache=cache)) for each in sets]
    train = ear_rival.pooled([each.parts("train", "dev") for each in materials]).where(lambda one: one.emotion in names)
    answers = ear_rival.emotions_by(ear_rival.PLAIN, train, test)
    decided = np.nanargmax(answers.emotion, axis=1)
    return unweighted_recall(np.array([EMOTIONS.index(clip.emotion) for clip in clips]), decided)


def shipped(data: Path, name: str) -> Heard:
    """Return what the shipped ear hears in a set that it was not trained on; clips without speech are left out."""
    found = [(clip, hear(clip.path)) for clip in unheard_clips(data, name)]
    kept = [(clip, perception) for clip, perception in found if perception.emotion]
    enough = [perception.speech_seconds >= reference.LEAST_SPEECH for _, perception in kept]
    clips, emotion = tuple(clip for clip, _ in kept), tuple(perception.emotion for _, perception in kept)
    names = tuple(sorted({clip.emotion for clip in clips}, key=EMOTIONS.index))
    counted = frozenset(np.flatnonzero(enough).tolist())
    measures = tuple(perception.measures for _, perception in kept)
    return Heard(clips, emotion, tuple(range(len(kept))), counted, names, measures, load_ear("full").prosody)


def intervals(heard: Heard) -> dict[str, list[float]]:
    """Return the intervals of alone, self and their difference over clips."""
    truth, names = heard.truth(), heard.names
    alone = heard.decided([heard.emotion[place] for place in heard.judged], names)
    own = heard.decided(against_self(heard), names)

    def gain(t: Any, one: Any, other: Any) -> float:
        return unweighted_recall(t, other) - unweighted_recall(t, one)

    found = {
        "alone": bootstrap(unweighted_recall, truth, alone, seed=1),
        "self": bootstrap(unweighted_recall, truth, own, seed=1),
        "gain": bootstrap(gain, truth, alone, own, seed=1),
    }
    return {name: [round(one.low, 3), round(one.high, 3)] for name, one in found.items()}


def chosen_elsewhere(heard: Mapping[str, list[Heard]]) -> dict[str, Any]:
    """Return what each corpus has with the constants that are best on the others."""
    kept = {name: getattr(reference, name) for name in GRID[0]}
    tried: list[dict[str, dict[str, float]]] = []
    try:
        for constants in GRID:
            for name, value in constants.items():
                setattr(reference, name, value)
            tried.append({corpus: figures(runs[0]) for corpus, runs in heard.items()})
    finally:
        for name, value in kept.items():
            setattr(reference, name, value)

    def worth(row: Mapping[str, Mapping[str, float]], corpora: Iterable[str]) -> float:
        rows = [row[corpus] for corpus in corpora]
        gain = np.mean([one["self"] - one["alone"] + one["all ten, self"] - one["all ten, alone"] for one in rows])
        return float(gain + 2 * np.nanmean([one["one emotion, self"] - one["one emotion, alone"] for one in rows]))

    found = {}
    for corpus in heard:
        others = [name for name in heard if name != corpus]
        best = int(np.argmax([worth(row, others) for row in tried]))
        found[corpus] = {"constants": GRID[best], **{k: round(v, 3) for k, v in tried[best][corpus].items()}}
    return found


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description="A voice's own reference on corpora that the ear was not trained on.")
    parser.add_argument("--data", type=Path, required=True, help="Folder with one folder a set.")
    parser.add_argument("--cache", type=Path, required=True, help="Folder in which the measures of clips are kept.")
    parser.add_argument("--shipped", action="store_true", help="Also hear sets that the shipped ear never heard.")
    options = parser.parse_args()
    output = RESULTS / "ear_reference.json"
    record: dict[str, Any] = json.loads(output.read_text(encoding="utf-8")) if output.is_file() else {}
    measured = measured_clips(options.data, options.cache)
    heard = {name: [left_out(options.data, name, seed, measured) for seed in SEEDS] for name in SETS}
    record["left out"] = {}
    for name, runs in heard.items():
        rows = [figures(run) for run in runs]
        record["left out"][name] = {
            key: [round(float(np.mean([row[key] for row in rows])), 3), *_range([row[key] for row in rows])]
            for key in rows[0]
        } | {"interval": intervals(runs[0]), "order kept": round(order_kept(runs[0]), 3)}
        print(name, record["left out"][name], flush=True)
    record["chosen elsewhere"] = chosen_elsewhere(heard)
    print("chosen elsewhere", json.dumps(record["chosen elsewhere"], indent=1))
    if options.shipped:
        record["never heard"] = {}
        for name in UNHEARD:
            one = shipped(options.data, name)
            record["never heard"][name] = {
                "clips": len(one.clips),
                "eGeMAPS + SVM": round(rival(options.data, name, options.cache), 3),
                "clips with a second of speech": len(one.counted),
                "as shipped": _rounded(figures(one)) | {"interval": intervals(one)},
                "short clips count too": _rounded(figures(replace(one, counted=frozenset(one.judged)))),
            }
            print(name, record["never heard"][name], flush=True)
    record["constants"] = {
        name: getattr(reference, name)
        for name in (
            *("FEWEST", "LEAST_SPEECH", "FLOOR", "DIVERSITY", "DEVIATION", "SHRINKAGE"),
            *("SHARPNESS", "RARITY", "PROSODY"),
        )
    }
    whole = with_revisions(record, "ear")
    output.write_text(json.dumps(_plain(whole), indent=1) + "\n", encoding="utf-8")


def _rounded(values: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 3) for name, value in values.items()}


def _range(values: list[float]) -> tuple[float, float]:
    return round(min(values), 3), round(max(values), 3)


def _plain(value: Any) -> Any:
    """Return JSON without NaN."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and math.isnan(value) else value


if __name__ == "__main__":
    main()
