"""Rates of false claims found, and of true ones refused, by the ear on unseen speakers.

For every clip and attribute there is a description that is true of it and the same with one value flipped
(`aptone.ear.describe.flip`). A perturbation is detected if the flipped claim is not verified: false or undecided. A
false alarm is a true claim that is not verified. Speakers and sounds are those of the ``test`` splits.

Nothing is tested in a circle:

- *gender*: labels. CSEMOTIONS has none and is left out.
- *emotion*: the emotion that was acted. Actors miss and listeners differ: some "true" claims are not. "Emotion, any
  other" is a random one of the nine others, near misses included, in the place of a far flip; "emotion denied" is the
  denial of a random other one (true) and of the acted one (false).
- *pitch, pitch variation, tempo, volume*: clips that were made so by WORLD or a gain (`recipes.claims.clips`), each
  to one value of the scale, drawn at random. The description names the sex, as captions do ("a woman with a low
  voice"); "pitch, sex not named" is the same clips where only what is heard decides, and a woman who was lowered by an
  octave is taken for a man with an ordinary voice. EmoDB and CSEMOTIONS are peak-normalised and have no volume row.
- *vocal event*: fabricated ones on test speech as it is; true ones on test speech into which sounds of ESC-50's test
  part and of Deeply were put, behind the words and under them in turn (`recipes.claims.sounds`). The ear was not
  trained on sighs, sobs, screams, yawns or clearing the throat: their true captions count like the others.
  "Exchanged" is another event claimed of the clips that hold one.

Limits were fitted by ``recipes.claims.fit`` on training and dev speakers. What had been seen of test by then: with
a first set of limits, gender 97.6 %, emotion 91.1 % at 3.8 % false alarms, fabricated events 98.4 %; after that, the
limits of sounds were let down to where one clip in ten of dev speech would pass, and that of the sexes was raised from
half of the probability to where 3 % of true claims are refused on unseen speakers and sets. No true event and no
changed clip had been heard. Tempo was seen once more (83.9 % at 15.3 %, RAVDESS 65 %) before its truth was mended:
sentences had been timed with the breaths around them.

Shares with intervals of 95 % (bootstrap
over clips); no goal is pooled over attributes. ``trade_off`` holds detection and false alarms for other limits of the
support than the one in use.

WORLD comes with pyworld, which is not a dependency of ours:

    pip install pyworld "setuptools<81"
    python -m benchmarks.caption_detection --data FOLDER_WITH_THE_SETS
"""

import argparse
import json
import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from aptone.audio import read
from aptone.ear import load_ear
from aptone.ear.claims.verification import DECIDED, Claim, ClaimCheck, Verdict, check, check_all
from aptone.ear.describe import Attribute, Style, VocalEvent, flip, style_from
from aptone.ear.labelled_clips import LabelledClip, read_labels
from aptone.stats import bootstrap
from aptone.types import Audio, ClosedSet, Emotion, Perception, Sex
from benchmarks.made_with import with_revisions
from recipes.claims.clips import PLACES, know_speakers, known_clips, spread_over
from recipes.claims.perceptions import FOLDER, Perceptions
from recipes.claims.sounds import KINDS, PLACINGS, Placing
from recipes.claims.vocoder import load_world

RATE = 16_000
SEED = 20_260
SPEECH_SETS = ("ravdess", "nemo", "emodb", "csemotions")
SOUND_SETS = ("esc50", "deeply")
LEVELLED = frozenset({"emodb", "csemotions"})
"""Peak-normalised: their levels say nothing."""
GOALS = {
    "gender": 0.975,
    "pitch": 0.91,
    "tempo": 0.91,
    "volume": 0.91,
    "emotion": 0.825,
    "emotion, any other": 0.80,
    "vocal event": 0.60,
}
MOST_FALSE_ALARMS = 0.15
DENIED, DENIALS_VERIFIED = "emotion denied", 0.70
"""Row of denials, and the least share of true ones that is to be verified."""
NAMES: dict[Attribute, str] = {"rate": "tempo", "pitch_variation": "pitch variation"}
SWEEP = (-0.7, -0.5, -0.3, -0.1, 0.0, 0.1, 0.3, 0.5, 0.6, 0.7, 0.8)
"""Limits of the support that the trade-off is shown for."""


@dataclass(frozen=True, slots=True)
class Case:
    """A claim that was checked.

    Args:
        row: of the table.
        group: the set, or the kind of sound, that it belongs to.
        is_true: whether it is the true one.
        checked: what became of it.
    """

    row: str
    group: str
    is_true: bool
    checked: ClaimCheck

    @property
    def is_verified(self) -> bool:
        """True if the ear verifies it."""
        return self.checked.verdict is Verdict.TRUE


def both(row: str, group: str, attribute: Attribute, value: ClosedSet, see: "Check", *, seed: int) -> Iterator[Case]:
    """The true claim and the flipped one."""
    yield Case(row, group, True, see(Claim(attribute, value)))
    flipped = getattr(flip(style_from({attribute: value}), attribute, seed=seed).style, attribute)
    yield Case(row, group, False, see(Claim(attribute, flipped)))


Check = Callable[[Claim], ClaimCheck]


def alone(perception: Perception, language: str) -> Check:
    """A claim that stands for itself."""
    return lambda claim: check(claim, perception, language=language)


def beside_sex(perception: Perception, language: str, sex: Sex) -> Check:
    """A claim beside one that names the sex."""
    return lambda claim: check_all([Claim("sex", sex), claim], perception, language=language)[1]


def as_they_are(data: Path, heard: Perceptions) -> Iterator[Case]:
    """Sex and emotion of all test clips, and an event that none of them has."""
    for name in SPEECH_SETS:
        for number, clip in enumerate(_test(data, name)):
            perception = heard(f"{name}/{clip.path.name}", partial(read, clip.path, rate=RATE), clip.language)
            see = alone(perception, clip.language)
            if clip.sex:
                yield from both("gender", name, "sex", Sex.parse(clip.sex), see, seed=number)
            yield from both("emotion", name, "emotion", Emotion.parse(clip.emotion), see, seed=number)
            yield from any_other(name, Emotion.parse(clip.emotion), see, seed=number)
            (event,) = flip(Style(), "events", seed=number).style.events
            yield Case("vocal event", name, False, see(Claim("events", event)))


def any_other(group: str, truth: Emotion, see: Check, *, seed: int) -> Iterator[Case]:
    """The acted emotion and a random other one, claimed and denied."""
    others = [emotion for emotion in Emotion if emotion is not truth]
    other = others[int(np.random.default_rng((SEED, seed)).integers(len(others)))]
    yield Case("emotion, any other", group, True, see(Claim("emotion", truth)))
    yield Case("emotion, any other", group, False, see(Claim("emotion", other)))
    yield Case(DENIED, group, True, see(Claim("emotion", other, is_denied=True)))
    yield Case(DENIED, group, False, see(Claim("emotion", truth, is_denied=True)))


def changed(data: Path, heard: Perceptions, *, count: int) -> Iterator[Case]:
    """Pitch, pitch variation, tempo and volume of test clips that were made to have a value."""
    world = load_world()
    for name in SPEECH_SETS:
        dice = np.random.default_rng(SEED)
        clips = read_labels(data / name)
        speakers = know_speakers(world, clips)
        chosen = spread_over([clip for clip in clips if clip.split == "test"], count=count, seed=SEED)
        for number, clip in enumerate(chosen):
            wanted = [(attribute, list(places)[dice.integers(len(places))]) for attribute, places in PLACES.items()]
            named = {f"{name}/{clip.path.name}/{attribute}/{value}": (attribute, value) for attribute, value in wanted}
            missing = [pair for one, pair in named.items() if one not in heard.known]
            for known in known_clips(world, clip, speakers, missing):
                one = f"{name}/{clip.path.name}/{known.attribute}/{known.value}"
                heard(one, partial(_same, known.audio), clip.language)
            for one, (attribute, value) in named.items():
                if one not in heard.known or (attribute == "volume" and name in LEVELLED):
                    continue
                row, perception = NAMES.get(attribute, attribute), heard.known[one]
                see = beside_sex(perception, clip.language, speakers.sexes[clip.speaker])
                yield from both(row, name, attribute, value, see, seed=number)
                if attribute == "pitch":
                    see = alone(perception, clip.language)
                    yield from both("pitch, sex not named", name, "pitch", value, see, seed=number)


def _same(audio: Audio) -> Audio:
    return audio


def with_sounds(data: Path, heard: Perceptions) -> Iterator[Case]:
    """Events that were put into test speech, each in one place in turn."""
    speech = [clip for name in SPEECH_SETS for clip in _test(data, name)]
    speech = spread_over(speech, count=len(speech), seed=SEED)
    number = 0
    for name in SOUND_SETS:
        for sound in (sound for sound in _test(data, name) if sound.emotion in KINDS):
            words, placing = speech[number % len(speech)], PLACINGS[number % len(PLACINGS)]
            put = partial(_with_sound, placing, words, sound)
            see = alone(heard(f"{words.path.name}/{name}/{sound.path.name}/{placing.name}", put, ""), "")
            event = KINDS[sound.emotion]
            yield Case("vocal event", f"{name} {event}", True, see(Claim("events", event)))
            yield Case("vocal event by place", placing.name, True, see(Claim("events", event)))
            other = flip(Style(events=(event,)), "events", seed=number).style.events[0]
            yield Case("vocal event exchanged", f"{name} {event}", True, see(Claim("events", event)))
            yield Case("vocal event exchanged", f"{name} {event}", False, see(Claim("events", other)))
            number += 1


def _with_sound(placing: Placing, words: LabelledClip, sound: LabelledClip) -> Audio:
    return placing.put(read(words.path, rate=RATE), read(sound.path, rate=RATE))


def _test(data: Path, name: str) -> list[LabelledClip]:
    return [clip for clip in read_labels(data / name) if clip.split == "test"]


def share(flags: Sequence[bool]) -> dict[str, Any]:
    """A share with its interval; empty where there is nothing to share."""
    if not flags:
        return {}
    estimate = bootstrap(np.mean, np.array(flags, dtype=np.float64), seed=SEED)
    return {
        "share": round(estimate.value, 4),
        "interval": [round(estimate.low, 4), round(estimate.high, 4)],
        "claims": len(flags),
    }


def summary(cases: Sequence[Case]) -> dict[str, Any]:
    """Detection, false alarms, and how many were undecided."""
    true, false = [case for case in cases if case.is_true], [case for case in cases if not case.is_true]
    return {
        "detected": share([not case.is_verified for case in false]),
        "false_alarms": share([not case.is_verified for case in true]),
        "undecided": {
            name: round(float(np.mean([case.checked.verdict is Verdict.UNDECIDED for case in some])), 4)
            for name, some in (("true", true), ("flipped", false))
            if some
        },
    }


def trade_off(cases: Sequence[Case]) -> list[dict[str, float]]:
    """Detection and false alarms if claims were verified from another support on; an undefined one verifies nothing."""
    supports = {
        kind: np.nan_to_num([case.checked.support for case in cases if case.is_true is kind], nan=-1.0)
        for kind in (True, False)
    }
    return [
        {
            "support": limit,
            "detected": round(float(np.mean(supports[False] < limit)), 3),
            "false_alarms": round(float(np.mean(supports[True] < limit)), 3),
        }
        for limit in SWEEP
    ]


def table(cases: Sequence[Case]) -> dict[str, Any]:
    """Every row, with its goal, its groups and its trade-off."""
    rows: dict[str, Any] = {}
    for name in dict.fromkeys(case.row for case in cases):
        of_row = [case for case in cases if case.row == name]
        rows[name] = summary(of_row)
        if name in GOALS:
            detected, alarms = rows[name]["detected"]["share"], rows[name]["false_alarms"]["share"]
            rows[name] |= {"goal": GOALS[name], "met": detected >= GOALS[name] and alarms <= MOST_FALSE_ALARMS}
        if name == DENIED:
            verified = 1.0 - rows[name]["false_alarms"]["share"]
            rows[name] |= {"goal": DENIALS_VERIFIED, "true_denials_verified": round(verified, 4)}
            rows[name]["met"] = verified >= DENIALS_VERIFIED
        rows[name]["by_group"] = {
            group: summary([case for case in of_row if case.group == group])
            for group in dict.fromkeys(case.group for case in of_row)
        }
        if any(not case.is_true for case in of_row):
            rows[name]["trade_off"] = trade_off(of_row)
    return rows


def shown(entry: dict[str, Any]) -> str:
    """A share as text."""
    if not entry:
        return "-"
    return f"{entry['share']:.1%} [{entry['interval'][0]:.1%}, {entry['interval'][1]:.1%}] of {entry['claims']}"


def main() -> None:
    """Check, print and write the results."""
    parser = argparse.ArgumentParser(description="False claims found and true ones refused, on unseen speakers.")
    parser.add_argument("--data", type=Path, required=True, help="Folder with the sets, each with a labels.csv.")
    parser.add_argument("--clips", type=int, default=40, help="Number of clips of each set to change.")
    parser.add_argument("--cache", type=Path, default=FOLDER, help="Folder in which perceptions are kept.")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "caption_detection.json")
    options = parser.parse_args()
    ear = load_ear("full")
    heard = Perceptions(ear, options.cache)
    cases = [
        *as_they_are(options.data, heard),
        *with_sounds(options.data, heard),
        *changed(options.data, heard, count=options.clips),
    ]
    rows = table(cases)
    for name, row in rows.items():
        goal = f"   goal {row['goal']:.1%}: {'met' if row['met'] else 'missed'}" if "goal" in row else ""
        print(f"{name:24} detected {shown(row['detected'])}   false alarms {shown(row['false_alarms'])}{goal}")
        for group, own in row["by_group"].items():
            print(f"    {group:28} detected {shown(own['detected'])}   false alarms {shown(own['false_alarms'])}")
    record = {
        "what": "share of flipped claims that are not verified, and of true claims that are not",
        "goals": GOALS | {"false alarms at most": MOST_FALSE_ALARMS},
        "support_in_use": DECIDED,
        "vocal_events": [event.value for event in VocalEvent],
        "rows": rows,
        "versions": {"python": platform.python_version(), "ear": ear.signature}
        | {name: version(name) for name in ("aptone", "numpy", "pyworld")},
    }
    options.output.write_text(
        json.dumps(with_revisions(record, "ear"), indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
