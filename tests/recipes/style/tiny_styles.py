"""Rows that were never recorded: styles drawn at random, numbers that say what the style says, and ears' answers."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from aptone.ear.describe import Intensity, Music, Pitch, Rate, Style, Texture, Volume, values_of
from aptone.ear.labelled_clips import COLUMNS
from aptone.ear.measures.norms import norm
from aptone.rooms.style.embedding.built_in import EMOTIONS, numbers_of
from aptone.types import AgeBand, Emotion, Perception, RecordingCondition, Score, Sex, Vad
from aptone.types.story import TYPICAL_VAD
from recipes.ear.data import STYLE_FOLDS
from recipes.style.examples import Rows
from recipes.style.rows import Made, encode

MEASURES = {"pitch level": "pitch", "articulation rate": "rate", "loudness": "volume"}
"""By measure, which attribute it tells."""


def draw_style(generator: np.random.Generator) -> Style:
    def one(values: Sequence[str]) -> str:
        return values[int(generator.integers(len(values)))]

    emotion = Emotion.parse(one(EMOTIONS))
    return Style(
        emotion=emotion,
        intensity=None if emotion is Emotion.NEUTRAL else Intensity.parse(one([str(each) for each in Intensity])),
        sex=Sex.parse(one(["female", "male"])),
        age=AgeBand.YOUNG_ADULT,
        pitch=Pitch.parse(one([str(each) for each in Pitch])),
        rate=Rate.parse(one([str(each) for each in Rate])),
        volume=Volume.parse(one([str(each) for each in Volume])),
        texture=Texture.parse(one([str(each) for each in Texture])),
        recording_condition=RecordingCondition.NORMAL,
        music=Music.ABSENT,
    )


def perceived(style: Style) -> Perception:
    """Features of an ear that hears the style well: a step on a scale is a spread from the norm."""
    assert style.emotion is not None
    assert style.sex is not None
    place = TYPICAL_VAD[style.emotion]
    measures = {}
    for measure, attribute in MEASURES.items():
        scale = values_of(attribute)  # type: ignore[arg-type]
        step = scale.index(getattr(style, attribute)) - len(scale) // 2
        centre, spread = norm(measure, sex=None, language=None)
        measures[measure] = Score(centre + step * spread)
    return Perception(
        2.0,
        emotion={str(style.emotion): 0.9, "neutral" if style.emotion is not Emotion.NEUTRAL else "calm": 0.1},
        vad=Vad(place.valence, place.arousal, 0.0),
        sex={style.sex: 1.0},
        recording_condition={"normal": 1.0},
        measures=measures,
    )


def make_styles(count: int, *, split: str = "train", seed: int = 1) -> list[Made]:
    """Clips of the speakers that are left out by turns, each as it is and moved."""
    generator = np.random.default_rng(seed)
    speakers = [fold[place] for place in range(2) for fold in STYLE_FOLDS]
    made = []
    for number in range(count):
        style, speaker = draw_style(generator), speakers[number % len(speakers)]
        of_set = ("ravdess", "nemo")[number % 2]
        numbers = numbers_of(perceived(style))
        made += [
            Made(f"{of_set}/{split}{number}.wav", split, speaker, variant, numbers, style)
            for variant in ("plain", "moved")
        ]
    return made


def rows_of(made: Sequence[Made]) -> Rows:
    """The same as they are read from a file."""
    return Rows(
        np.array([one.name for one in made]),
        np.array([one.split for one in made]),
        np.array([one.speaker for one in made]),
        np.array([one.variant for one in made]),
        np.stack([one.numbers for one in made]),
        np.array([encode(one.style) for one in made], dtype=np.int16),
    )


def write_answers(folder: Path, made: Sequence[Made]) -> list[Path]:
    """Answers of the four ears: the truth about held-out speakers, disgust about the others."""
    clips = {one.name: one for one in made}
    paths = []
    for number, fold in enumerate(STYLE_FOLDS):
        felt = [str(one.style.emotion) if one.speaker in fold else "disgust" for one in clips.values()]
        women = np.array([one.style.sex is Sex.FEMALE for one in clips.values()])
        places = [TYPICAL_VAD[Emotion.parse(name)] for name in felt]
        path = folder / f"style-fold{number}-seed1.npz"
        np.savez(
            path,
            name=np.array(list(clips)),
            emotion_logits=4.0
            * np.array([[name == emotion for emotion in EMOTIONS] for name in felt], dtype=np.float32),
            valence=np.array([place.valence for place in places]),
            arousal=np.array([place.arousal for place in places]),
            intensity=np.zeros(len(clips)),
            sex_logit=np.where(women, 3.0, -3.0),
        )
        paths.append(path)
    return paths


def write_table(folder: Path, rows: Sequence[Mapping[str, str]]) -> None:
    """The labels of a set; what a row does not say stays empty."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "labels.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, COLUMNS, restval="")
        table.writeheader()
        table.writerows(rows)
