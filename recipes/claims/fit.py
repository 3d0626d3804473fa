"""Fit the limits of claims (`aptone.ear.claims.limits`) to training and dev speakers, and print the file.

    python -m recipes.claims.fit DATA --answers RUNS > src/aptone/ear/claims/limits.json

`DATA` holds a folder for each set, with clips and a ``labels.csv``; `RUNS` the ``.npz`` files of ``python -m
recipes.ear run``, such as ``benchmarks/results/ear_predictions``. What the ear hears is kept in a temporary folder,
by the ear that heard it; with ``--keep pitch pitch_variation rate volume``, which do not depend on the network, a fit
takes seconds. Clips of the ``test`` split count nowhere. Everywhere the limit ``yes`` is set where some share of true
claims would be refused, and ``no`` where a smaller share would be called false; false claims determine nothing but
the weights of the emotions, so their detection rate is a result, not a setting.

- *Emotion, intensity and sex*: answers of networks that never heard the speaker (`recipes.claims.answers`).
- *Pitch, pitch variation, rate, volume*: clips as they are whose values other trackers and texts tell (the facts in
  ``benchmarks/caption_sentences/learn.*.jsonl``), where three sets have a value; else together with clips that were
  given known values (`recipes.claims.clips`), which spread more: their limits let every fourth false "lively" pass.
  Opposites exclude each other: where the limits of slow and fast would cross, they meet.
- *Changes*: two clips of one speaker with different emotions, one behind the other (`recipes.claims.changes`), and
  single clips.
- *Sounds*: those of ESC-50's train and dev parts, put into dev speech (`recipes.claims.sounds`). The ear was trained on
  many of them and hears unseen ones less clearly: so the limit goes down to where one clip in ten of dev speech without
  such a sound would pass.

The scales' limits are never narrower than the steps by which `aptone.ear.describe.style_of` names a value: a claim that
the ear itself would make is always verified.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.audio import read
from aptone.ear import load_ear
from aptone.ear.claims.limits import SHIPPED
from aptone.ear.claims.rules import MEASURES, Hearing
from aptone.ear.describe import Attribute, VocalEvent, values_of
from aptone.ear.describe.attributes import CLOSED_SETS
from aptone.ear.describe.levels import FIVE_STEPS, THREE_STEPS
from aptone.ear.labelled_clips import LabelledClip, read_labels
from aptone.errors import UsageError
from aptone.types import Audio, ClosedSet, Sex
from recipes.claims.answers import fit_emotion, fit_intensity, fit_sex, mean_quantile, read_blocks
from recipes.claims.changes import measure_changes
from recipes.claims.clips import PLACES, know_speakers, known_clips, spread_over
from recipes.claims.perceptions import FOLDER, Perceptions
from recipes.claims.sounds import KINDS, PLACINGS, Placing
from recipes.claims.vocoder import load_world
from recipes.ear.data import SOUND_SET, SPEECH_SETS

RATE = 16_000
SEED = 6
CLIPS = 40
"""Clips of each set that are augmented."""
EACH = 2
"""Values of each scale per clip."""
OFF_SCALE, FAR_OFF_SCALE = 0.10, 0.02
"""Shares of true values of scales that are refused and called false; middle values, which have two sides, split
them."""
OFF_RATE = 0.18
"""The same for the rate, which is measured least surely: with fewer refused, half of all clips would be slow."""
UNHEARD, SURELY_UNHEARD = 0.10, 0.03
"""Shares of true sounds that are refused, and that are called false."""
PASSING = 0.90
"""Share of clips without a sound that stay below its limit, however far below it those with the sound would reach."""
FAINTER = 0.75
"""Largest ratio of the limit for a false sound to that for a true one."""
FEWEST_TOLD = 10
"""Clips of a set with a value that others measured, without which they count for nothing."""
FEWEST_SETS = 3
"""Sets with a value that others measured from which on these clips, as they are, count alone."""
SPOKEN = 100
"""Clips of each set for the level of a sound in speech without it."""
NARROWEST = 0.25
"""Smallest distance of the two limits of a scale, in spreads."""
MEETING = 0.01
"""Distance of the limits of two opposites that meet, in spreads."""

NARROWEST_CHANGE = 0.02
"""Smallest distance of the two limits of a change."""
UNCHANGED, HARDLY_CHANGED = 0.98, 0.85
"""Shares of clips without a change that stay below the limits of a true and of a false change."""
TOLD = Path(__file__).resolve().parents[2] / "benchmarks" / "caption_sentences"
"""Folder with facts about clips as they are."""

Floats = npt.NDArray[np.float64]
Groups = dict[Attribute, dict[ClosedSet, list[Floats]]]
ABOUT = (
    "Written by `python -m recipes.claims.fit`: from how much of a measured quantity on a claim is true, and from "
    "how much on false. Fitted on training and dev speakers; never on test."
)


def measure_known(data: Path, scales: Iterable[Attribute], heard: Perceptions, *, count: int) -> Groups:
    """Return the distance of clips with known values from the norm: by attribute and value, a group for each set."""
    world = load_world()
    dice = np.random.default_rng(SEED)
    found: Groups = {name: defaultdict(list) for name in scales}
    if not found:
        return found
    for of_set in SPEECH_SETS:
        clips = read_labels(data / of_set)
        speakers = know_speakers(world, clips)
        away: dict[tuple[Attribute, ClosedSet], list[float]] = defaultdict(list)
        for clip in spread_over([clip for clip in clips if clip.split != "test"], count=count, seed=SEED):
            wanted = [(name, value) for name, places in PLACES.items() for value in _drawn(dice, places)]
            for known in known_clips(world, clip, speakers, [pair for pair in wanted if pair[0] in found]):
                key = f"{of_set}/{clip.path.name}/{known.attribute}/{known.value}"
                perception = heard(key, partial(_same, known.audio), clip.language)
                distance = Hearing(perception, language=clip.language).distance(
                    MEASURES[known.attribute], described=speakers.sexes[clip.speaker]
                )
                away[known.attribute, known.value].append(distance)
        for (attribute, value), distances in away.items():
            found[attribute][value].append(np.array([one for one in distances if np.isfinite(one)]))
    return found


def measure_told(data: Path, scales: Iterable[Attribute], heard: Perceptions, *, folder: Path) -> Groups:
    """Return the distance of clips as they are from the norm, by the values that others measured; a group a set."""
    wanted = list(scales)
    away: dict[tuple[str, Attribute, ClosedSet], list[float]] = defaultdict(list)
    languages: dict[str, str] = {}
    for path in sorted(folder.glob("learn.*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            of_set = row["clip"].partition("/")[0]
            if of_set not in languages and (data / of_set).is_dir():
                languages |= {of_set: ""} | {
                    f"{of_set}/{clip.path.name}": clip.language for clip in read_labels(data / of_set)
                }
            if row["clip"] not in languages:
                continue
            language, facts = languages[row["clip"]], row["facts"]
            perception = heard(row["clip"], partial(read, data / row["clip"], rate=RATE), language)
            sex = Sex.parse(facts["sex"]) if "sex" in facts else None
            for name in wanted:
                if name in facts:
                    distance = Hearing(perception, language=language).distance(MEASURES[name], described=sex)
                    away[of_set, name, CLOSED_SETS[name].parse(facts[name])].append(distance)
    found: Groups = {name: defaultdict(list) for name in wanted}
    for (_, name, value), distances in away.items():
        finite = np.array([one for one in distances if np.isfinite(one)])
        if finite.size >= FEWEST_TOLD:
            found[name][value].append(finite)
    return found


def _same(audio: Audio) -> Audio:
    return audio


def _drawn(dice: np.random.Generator, values: Iterable[ClosedSet]) -> list[ClosedSet]:
    """Return a random subset of the values of a scale, in order."""
    listed = list(values)
    return [listed[place] for place in sorted(dice.permutation(len(listed))[:EACH])]


def fit_scale(attribute: Attribute, groups: Mapping[ClosedSet, Sequence[Floats]]) -> dict[str, list[list[float]]]:
    """Fit limits of every value of a scale, in spreads: an upper one in the low half, a lower one in the high half."""
    scale = values_of(attribute)
    steps = FIVE_STEPS if len(scale) > 3 else THREE_STEPS
    middle = (len(scale) - 1) / 2.0
    limits: dict[str, list[list[float]]] = {}
    refused = OFF_RATE if attribute == "rate" else OFF_SCALE
    for place, value in enumerate(scale):
        if not any(group.size for group in groups[value]):
            raise UsageError(f"no clip could be made {value} and measured; give more clips.")
        sides = 2 if place == middle else 1
        limits[value] = []
        if place >= middle:
            limits[value].append(_side(groups[value], steps[place - 1], sign=1.0, share=refused / sides, sides=sides))
        if place <= middle:
            limits[value].append(_side(groups[value], steps[place], sign=-1.0, share=refused / sides, sides=sides))
    return apart(limits)


def apart(limits: dict[str, list[list[float]]]) -> dict[str, list[list[float]]]:
    """Return limits of a scale whose opposites exclude each other: where they cross, they meet half-way.

    >>> apart({"slow": [[0.1, 0.6]], "moderate": [[-1.0, -2.0], [1.0, 2.0]], "fast": [[-0.2, -0.8]]})["fast"]
    [[-0.04, -0.8]]
    """
    values = list(limits)
    low, high = values[: len(values) // 2], values[len(values) // 2 + 1 :]
    lowest, highest = max(limits[value][0][0] for value in low), min(limits[value][0][0] for value in high)
    if lowest < highest:
        return limits
    middle = (lowest + highest) / 2.0
    met = dict(limits)
    for value in low:
        yes, no = limits[value][0]
        met[value] = [[round(min(yes, middle - MEETING), 2), no]]
    for value in high:
        yes, no = limits[value][0]
        met[value] = [[round(max(yes, middle + MEETING), 2), no]]
    return met


def _side(groups: Sequence[Floats], step: float, *, sign: float, share: float, sides: int) -> list[float]:
    """Return the two limits on one side: beyond a share of true clips, but not inside of the step."""
    turned = [sign * group for group in groups if group.size]
    yes = min(mean_quantile(turned, share), sign * step)
    no = min(mean_quantile(turned, FAR_OFF_SCALE / sides), yes - NARROWEST)
    return [round(sign * yes, 2), round(sign * no, 2)]


def hear_sounds(data: Path, heard: Perceptions) -> dict[str, list[Floats]]:
    """Return the maximum of each trained sound in dev speech that holds it: a group for each way of mixing."""
    names = {VocalEvent.parse(name): name for name in heard.ear.meaning.events if _is_vocal(name)}
    speech = [clip for name in SPEECH_SETS for clip in _spoken(read_labels(data / name))]
    speech = spread_over(speech, count=len(speech), seed=SEED)
    sounds = [clip for clip in read_labels(data / SOUND_SET) if clip.split != "test" and clip.emotion in KINDS]
    peaks: dict[tuple[str, str], list[float]] = defaultdict(list)
    for number, sound in enumerate(sounds):
        words = speech[number % len(speech)]
        name = names[KINDS[sound.emotion]]
        for placing in PLACINGS:
            key = f"{words.path.name}/{SOUND_SET}/{sound.path.name}/{placing.name}"
            peaks[name, placing.name].append(heard(key, partial(_put, placing, words, sound), "").sounds[name])
    present = sorted({name for name, _ in peaks})
    return {name: [np.array(peaks[name, placing.name]) for placing in PLACINGS] for name in present}


def _put(placing: Placing, words: LabelledClip, sound: LabelledClip) -> Audio:
    return placing.put(read(words.path, rate=RATE), read(sound.path, rate=RATE))


def hear_speech(data: Path, names: Iterable[str], heard: Perceptions) -> dict[str, list[Floats]]:
    """Return the maximum of each sound in unchanged dev speech: a group for each set."""
    found = []
    for of_set in SPEECH_SETS:
        clips = spread_over(list(_spoken(read_labels(data / of_set))), count=SPOKEN, seed=SEED)
        found.append(
            [
                heard(f"{of_set}/{clip.path.name}", partial(read, clip.path, rate=RATE), clip.language).sounds
                for clip in clips
            ]
        )
    return {name: [np.array([peaks[name] for peaks in of_set]) for of_set in found] for name in names}


def fit_changes(changed: Floats, unchanged: Floats, courses: Mapping[Attribute, Floats]) -> dict[str, list[float]]:
    """Fit limits of changes: above most clips without one.

    Args:
        changed: how far clips with a change go its way; they determine nothing.
        unchanged: the same without one.
        courses: second half less first half of ordinary clips, by scale; either way is as likely.
    """
    fitted = {"emotion": [mean_quantile([unchanged], share) for share in (UNCHANGED, HARDLY_CHANGED)]}
    for name, course in courses.items():
        both = [np.concatenate([course, -course])]
        fitted[name] = [mean_quantile(both, share) for share in (UNCHANGED, HARDLY_CHANGED)]
    return {name: [round(yes, 2), round(min(no, yes - NARROWEST_CHANGE), 2)] for name, (yes, no) in fitted.items()}


def _is_vocal(name: str) -> bool:
    return any(name.replace(" ", "_") == kind for kind in KINDS)


def _spoken(clips: Sequence[LabelledClip]) -> Iterator[LabelledClip]:
    """Return the dev clips of a set; the training clips if it has none."""
    part = "dev" if any(clip.split == "dev" for clip in clips) else "train"
    return (clip for clip in clips if clip.split == part)


def fit_sounds(
    present: Mapping[str, Sequence[Floats]], absent: Mapping[str, Sequence[Floats]]
) -> dict[str, list[float]]:
    """Fit limits of the level of each sound.

    Args:
        present: levels in speech with that sound, in groups.
        absent: levels in speech without it.
    """
    fitted = {}
    for name, peaks in present.items():
        yes = min(mean_quantile(peaks, UNHEARD), mean_quantile(absent[name], PASSING))
        no = min(mean_quantile(peaks, SURELY_UNHEARD), FAINTER * yes)
        fitted[name] = [round(yes, 4), round(no, 4)]
    return fitted


def fit(
    data: Path,
    runs: Path,
    *,
    count: int,
    kept: Mapping[str, Any] | None = None,
    cache: Path | None = FOLDER,
    told: Path = TOLD,
) -> dict[str, Any]:
    """Fit all limits, as the file holds them.

    Args:
        data: folder with the sets.
        runs: folder with the answers.
        count: clips of each set that are augmented.
        kept: limits of scales that are not fitted again, by attribute.
        cache: folder in which perceptions are kept.
        told: folder with facts about clips as they are.
    """
    blocks = read_blocks(data, runs)
    heard = Perceptions(load_ear("full"), cache)
    scales = dict(kept or {})
    wanted: list[Attribute] = [name for name in PLACES if name not in scales]
    known = measure_known(data, wanted, heard, count=count)
    as_they_are = measure_told(data, wanted, heard, folder=told)
    for attribute in wanted:
        for value, groups in as_they_are[attribute].items():
            known[attribute][value] = groups if len(groups) >= FEWEST_SETS else known[attribute][value] + groups
        scales[attribute] = fit_scale(attribute, known[attribute])
    present = hear_sounds(data, heard)
    changed, unchanged, courses = measure_changes(data, SPEECH_SETS, heard, splits=("train", "dev"), seed=SEED)
    return {
        "about": ABOUT,
        "scales": {attribute: scales[attribute] for attribute in PLACES},
        "intensity": fit_intensity(blocks),
        "emotion": fit_emotion(blocks),
        "sex": fit_sex(blocks),
        "sounds": fit_sounds(present, hear_speech(data, present, heard)),
        "changes": fit_changes(changed, unchanged, courses),
    }


def main() -> None:
    """Fit and print."""
    parser = argparse.ArgumentParser(description="Fit the limits of aptone.ear.claims.limits.")
    parser.add_argument("data", type=Path, help="Folder with a folder for each corpus.")
    parser.add_argument("--answers", type=Path, required=True, help="Folder with answers of python -m recipes.ear run.")
    parser.add_argument("--clips", type=int, default=CLIPS, help="Clips of each corpus to augment.")
    parser.add_argument("--keep", nargs="*", default=[], choices=list(PLACES), help="Scales to keep as shipped.")
    parser.add_argument("--cache", type=Path, default=FOLDER, help="Folder in which perceptions are kept.")
    options = parser.parse_args()
    shipped = json.loads(SHIPPED.read_text(encoding="utf-8"))["scales"] if options.keep else {}
    kept = {attribute: shipped[attribute] for attribute in options.keep}
    found = fit(options.data, options.answers, count=options.clips, kept=kept, cache=options.cache)
    sys.stdout.write(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
