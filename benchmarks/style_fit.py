"""Fits from 0 to 5 of the built-in style model: negated descriptions, and single attributes that hold or do not.

    pip install pyworld "setuptools<81"
    python -m benchmarks.style_fit --data FOLDER_WITH_THE_SETS [--cache FOLDER]

- *own against negated*: a description of the emotion (and the sex, where it is labelled) and the same denied, in words
  of `benchmarks.style_words`; the share of clips whose own description has the higher fit. Beside it what the cosine
  says, by which fits were drawn before.
- *true denials*: a denial of another emotion of the set, which is true, against the claim, which is false: the share in
  which the denial has the higher fit, and the mean fit of both.
- *single attributes*: the mean fit of descriptions that say one thing, right (the label) and wrong (every other emotion
  of the set, near misses included; the other sex; for pitch, rate and volume all values that `flip` calls different).
  In the last three the truth was put there by WORLD or a gain (`recipes.claims.clips`).

- *left out*: emotion alone, by ears that never heard the corpus (``results/ear_predictions``), on its test speakers.

Unseen speakers: the test splits of the sets that the ear was trained on. Unseen corpora: turev, and the test splits of
korean and emospeech, which nothing of the style model was fitted to. The calibration is fitted to answers of ears about
training and dev speakers (`recipes.style.calibrate`). What was set while figures on test speakers were in view: that
the point where claim and denial are equal goes by the worst set of the dev speakers instead of their mean (0.950 of own
descriptions above the denied one with the mean), and for scales by 2 % of true values instead of 3 to 10.
"""

import argparse
import functools
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.ear import load_ear
from aptone.ear.claims.limits import EVIDENCE
from aptone.ear.describe import Attribute, Sense, Style, describe, different_values, style_from, values_of
from aptone.ear.labelled_clips import LabelledClip, read_labels
from aptone.ear.reading import Reading, read_description
from aptone.files import write_whole
from aptone.models.parts import Vectors
from aptone.rooms.style.embedding.built_in import BuiltInStyleEmbedder
from aptone.rooms.style.evidence.judge import grades
from aptone.rooms.style.evidence.odds import MOST, evidence_signature, load_calibration
from aptone.stats import bootstrap
from aptone.types import ClosedSet, Emotion, Json, Language, Perception, Sex, dumps, from_json, to_json
from benchmarks.made_with import with_revisions
from benchmarks.style_words import ADJECTIVES, NEGATED, OWN, PERSONS, SINGLE, article
from recipes.style.calibrate import LEFT_OUT, emotion_claims, read_answers
from recipes.style.heard import Heard, ear_mark, heard_clips

SEED = 24
UNSEEN_SPEAKERS = ("ravdess", "nemo", "emodb", "csemotions")
UNSEEN_CORPORA = ("turev", "korean", "emospeech")
LANGUAGES: tuple[Language, ...] = ("en", "zh")
CHANGED = 30
"""Clips of a set that WORLD changes."""
SCALES: tuple[Attribute, ...] = ("pitch", "rate", "volume")
GOALS = {"own against negated": 0.95, "wrong single attribute, mean fit": 1.0}
Floats = npt.NDArray[np.float64]
Changed = dict[str, list[tuple[Attribute, ClosedSet, Perception]]]
"""By set, the attribute of a changed clip, the value that was put there, and what the ear hears."""


class Fits:
    """Fits and cosines of descriptions for the clips of a set."""

    def __init__(self, heard: Sequence[Perception]) -> None:
        self._embedder = BuiltInStyleEmbedder()
        self._odds = np.stack([load_calibration().log_odds(one) for one in heard])
        self._voices = np.stack([self._embedder.embed_heard(one) for one in heard])

    def fit(self, place: int, text: str) -> float:
        """The fit of one clip with a description."""
        return float(grades(_read(text), self._odds[place : place + 1])[0])

    def cosine(self, place: int, text: str) -> float:
        """The cosine of one clip with a description."""
        return float(self._voices[place] @ _embedded(text))


@functools.cache
def _read(text: str) -> Reading:
    return read_description(text)


@functools.cache
def _embedded(text: str) -> Vectors:
    vector: Vectors = BuiltInStyleEmbedder().embed_texts([text])[0]
    return vector


def shown(values: Sequence[float] | Sequence[bool] | npt.NDArray[Any]) -> dict[str, float]:
    """A mean with its interval over clips."""
    found = bootstrap(np.mean, np.asarray(values, dtype=float), seed=SEED)
    return {"mean": found.value, "low": found.low, "high": found.high, "count": len(values)}


def sex_of(clip: LabelledClip) -> Sex | None:
    """The labelled sex."""
    return Sex.parse(clip.sex) if clip.sex else None


def said(pattern: str, emotion: Emotion, clip: LabelledClip, language: Language, place: int) -> str:
    """A description by a pattern."""
    word = ADJECTIVES[language][emotion][place % 2]
    text = pattern.format(word=word, person=PERSONS[language][sex_of(clip)])
    return article(text) if language == "en" else text


def negated_rows(name: str, heard: Heard) -> Iterator[tuple[str, dict[str, Any]]]:
    """Own against negated, and true denials, for each language."""
    fits = Fits([perception for _, perception in heard])
    known = sorted({Emotion.parse(clip.emotion) for clip, _ in heard})
    for language in LANGUAGES:
        own_higher, own_nearer, denial_higher, denied_fit, claimed_fit = [], [], [], [], []
        for place, (clip, _) in enumerate(heard):
            truth = Emotion.parse(clip.emotion)
            own_pattern = OWN[language][place % len(OWN[language])]
            no_pattern = NEGATED[language][place % len(NEGATED[language])]
            own, negated = (said(one, truth, clip, language, place) for one in (own_pattern, no_pattern))
            own_higher.append(fits.fit(place, own) > fits.fit(place, negated))
            own_nearer.append(fits.cosine(place, own) > fits.cosine(place, negated))
            others = [emotion for emotion in known if emotion is not truth]
            other = others[place % len(others)]
            claim, denial = (
                fits.fit(place, said(one, other, clip, language, place)) for one in (own_pattern, no_pattern)
            )
            denial_higher.append(denial > claim)
            denied_fit.append(denial)
            claimed_fit.append(claim)
        yield (
            f"own against negated, {name}, {language}",
            {**shown(own_higher), "by the cosine": float(np.mean(own_nearer))},
        )
        yield (
            f"true denial against false claim, {name}, {language}",
            {
                **shown(denial_higher),
                "mean fit of the denial": float(np.mean(denied_fit)),
                "of the claim": float(np.mean(claimed_fit)),
            },
        )


def single_rows(name: str, heard: Heard) -> Iterator[tuple[str, dict[str, Any]]]:
    """Mean fits of one emotion or sex, right and wrong."""
    fits = Fits([perception for _, perception in heard])
    known = sorted({Emotion.parse(clip.emotion) for clip, _ in heard})
    for language in LANGUAGES:
        right: dict[str, list[float]] = {"emotion": [], "sex": []}
        wrong: dict[str, list[float]] = {"emotion": [], "sex": []}
        for place, (clip, _) in enumerate(heard):
            pattern = SINGLE[language][place % len(SINGLE[language])]
            truth = Emotion.parse(clip.emotion)
            for emotion in known:
                word = ADJECTIVES[language][emotion][place % 2]
                text = article(pattern.format(word=word)) if language == "en" else pattern.format(word=word)
                (right if emotion is truth else wrong)["emotion"].append(fits.fit(place, text))
            own = sex_of(clip)
            for sex in (Sex.FEMALE, Sex.MALE) if own else ():
                (right if sex is own else wrong)["sex"].append(fits.fit(place, f"{PERSONS[language][sex]}"))
        for attribute in right:
            if right[attribute]:
                key = f"single {attribute}, {name}, {language}"
                yield key, {"right": shown(right[attribute]), "wrong": shown(wrong[attribute])}


def left_out_rows(data: Path, answers: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Single emotions and denials by ears that never heard the corpus, on its test speakers; kept answers, no audio."""
    calibration = load_calibration()
    row = np.array([calibration.emotion[name] for name in (*EVIDENCE, "bias")])
    for name in UNSEEN_SPEAKERS:
        block = read_answers(data, answers, split="test").get(f"{LEFT_OUT}{name}", [])
        if not block:
            continue
        true, false = (np.clip(rows @ row, -MOST, MOST) for rows in emotion_claims(block))
        own, other = (5.0 / (1.0 + np.exp(-odds)) for odds in (true, false))
        yield f"left out, single emotion, {name}", {"right": shown(own), "wrong": shown(other)}
        denied = calibration.denial(Sense("emotion", Emotion.ANGRY), true)
        yield f"left out, own against negated, {name}", shown(true > denied)


def write_changed(path: Path, changed: Changed) -> None:
    """Write what was heard in changed clips as JSON."""
    records: Json = {
        name: [[attribute, str(value), to_json(heard)] for attribute, value, heard in each]
        for name, each in changed.items()
    }
    write_whole(path, dumps(records))


def read_changed(path: Path) -> Changed:
    """Read what `write_changed` wrote, sets in their order."""
    kept: dict[str, list[tuple[Attribute, str, object]]] = json.loads(path.read_text(encoding="utf-8"))
    return {
        name: [
            (attribute, value_named(attribute, value), from_json(Perception, heard))
            for attribute, value, heard in kept[name]
        ]
        for name in UNSEEN_SPEAKERS
        if name in kept
    }


def value_named(attribute: Attribute, name: str) -> ClosedSet:
    """The value of an attribute by its name."""
    return next(value for value in values_of(attribute) if str(value) == name)


def changed_clips(data: Path, cache: Path) -> Changed:
    """Clips of test speakers whose pitch, rate or volume was put there, as the ear hears them."""
    path = cache / f"changed-{ear_mark()}-{CHANGED}.json"
    if path.is_file():
        return read_changed(path)
    from recipes.claims.clips import PLACES, know_speakers, known_clips, spread_over
    from recipes.claims.vocoder import load_world

    world, ear, dice = load_world(), load_ear("full"), np.random.default_rng(SEED)
    found: Changed = {}
    for name in UNSEEN_SPEAKERS:
        clips = read_labels(data / name)
        speakers = know_speakers(world, clips)
        found[name] = []
        for clip in spread_over([one for one in clips if one.split == "test"], count=CHANGED, seed=SEED):
            wanted = [(scale, list(PLACES[scale])[int(dice.integers(len(PLACES[scale])))]) for scale in SCALES]
            for known in known_clips(world, clip, speakers, wanted):
                found[name].append((known.attribute, known.value, ear.perceive(known.audio)))
    cache.mkdir(parents=True, exist_ok=True)
    write_changed(path, found)
    return found


def scale_rows(data: Path, cache: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Mean fits of one pitch, rate or volume, right and wrong, over all sets."""
    every = [one for each in changed_clips(data, cache).values() for one in each if one[2].emotion]
    fits = Fits([perception for *_, perception in every])
    for language in LANGUAGES:
        for scale in SCALES:
            right, wrong, higher = [], [], []
            for place, (attribute, value, _) in enumerate(every):
                if attribute != scale:
                    continue
                own = style_from({scale: str(value)})
                right.append(fits.fit(place, describe(own, language=language, length="phrase", seed=place)))
                for other in different_values(own, scale):
                    text = describe(Style(**{scale: other}), language=language, length="phrase", seed=place)  # type: ignore[arg-type]
                    wrong.append(fits.fit(place, text))
                negated = ("not {}" if language == "en" else "并不{}").format(
                    value.label(language) + _noun(scale, language)
                )
                plain = f"{value.label(language)}{_noun(scale, language)}"
                higher.append(fits.fit(place, plain) > fits.fit(place, negated))
            yield f"single {scale}, all sets, {language}", {"right": shown(right), "wrong": shown(wrong)}
            yield f"own against negated {scale}, all sets, {language}", shown(higher)


def _noun(scale: Attribute, language: Language) -> str:
    nouns = {"pitch": (" pitch", "的音调"), "rate": (" pace", "的语速"), "volume": (" volume", "的音量")}
    return nouns[scale][LANGUAGES.index(language)]


def together(rows: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The headline figures: over all clips of the unseen speakers, and over the unseen corpora."""
    found: dict[str, Any] = {}
    for kind, names in (("unseen speakers", UNSEEN_SPEAKERS), ("unseen corpora", UNSEEN_CORPORA)):
        for language in LANGUAGES:
            for what in ("own against negated", "true denial against false claim"):
                chosen = [rows[f"{what}, {name}, {language}"] for name in names]
                clips = sum(row["count"] for row in chosen)
                found[f"{what}, {kind}, {language}"] = sum(row["mean"] * row["count"] for row in chosen) / clips
            for part in ("right", "wrong"):
                each = [rows[f"single emotion, {name}, {language}"][part] for name in names]
                found[f"single emotion {part}, mean fit, {kind}, {language}"] = float(
                    np.mean([row["mean"] for row in each])
                )
    return found


def main() -> None:
    """Measure, print, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "aptone-style-heard")
    parser.add_argument("--answers", type=Path, default=Path(__file__).parent / "results" / "ear_predictions")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "style_fit.json")
    options = parser.parse_args()
    rows: dict[str, dict[str, Any]] = {}
    for name in (*UNSEEN_SPEAKERS, *UNSEEN_CORPORA):
        heard = heard_clips(options.data, name, cache=options.cache, splits=("test",))
        rows |= dict(negated_rows(name, heard))
        rows |= dict(single_rows(name, heard))
    rows |= dict(scale_rows(options.data, options.cache))
    rows |= dict(left_out_rows(options.data, options.answers))
    headline = together(rows)
    report = {"evidence": evidence_signature(), "goals": GOALS, "together": headline, "rows": rows}
    options.output.write_text(json.dumps(with_revisions(report, "ear"), indent=1) + "\n", encoding="utf-8")
    for key, row in rows.items():
        parts = {"": row} if "mean" in row else row
        print(key, {name or "share": round(one["mean"], 3) for name, one in parts.items()})
    for key, value in headline.items():
        print(f"{key}: {value:.3f}")


if __name__ == "__main__":
    main()
