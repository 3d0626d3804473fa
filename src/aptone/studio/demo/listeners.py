"""Example clips and made-up listeners of the demonstration, so that agreement and adjudication have data to show.

They know the clips and answer what they are shown: some kindly, some severely, one without listening. Nothing of it was
said by people, and their names say so. The voices are synthetic and their rate, pitch, melody and loudness were set,
so the descriptions of the clips are known to be true.
"""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from aptone.studio.store.records import View
from aptone.types import Control, Json, Sample


@dataclass(frozen=True, slots=True)
class Reading:
    """One clip of the example.

    Args:
        description: the voice, as someone would describe it who knows nothing of the story.
        caption: the clip, as a captioning system would put it.
        fits: fitness for its place in the story, 0 to 5, by the synthesis settings.
    """

    clip: str
    description: str
    caption: str
    feeling: str
    fits: float

    @property
    def line(self) -> str:
        """Name of the line that is read."""
        return self.clip.rpartition("-")[0]

    @property
    def is_mandarin(self) -> bool:
        """True if it is spoken, and described, in Mandarin."""
        return self.line.endswith("-zh")

    @property
    def manner(self) -> str:
        """Manner of the reading: apt, flat or wrong."""
        return self.clip.rpartition("-")[2]


READINGS = tuple(
    Reading(**json.loads(line))
    for line in (files("aptone.studio.demo") / "readings.jsonl").read_text(encoding="utf-8").splitlines()
)

SAME_ENOUGH = 0.5
"""Points between two readings within which a listener calls them alike."""


@dataclass(frozen=True, slots=True)
class Listener:
    """Made-up listener.

    Args:
        leaning: points that are added to every score.
        spread: standard deviation of scores, in points.
        care: share of answers that follow what is heard; the others are random.
        pace: seconds an item takes besides its clips.
    """

    name: str
    language: str
    leaning: float
    spread: float
    care: float
    pace: float


LISTENERS = (
    Listener("Ada (made up)", "en", leaning=0.2, spread=0.3, care=0.97, pace=9.0),
    Listener("Bao (made up)", "zh", leaning=-0.4, spread=0.4, care=0.95, pace=14.0),
    Listener("Cleo (made up)", "en", leaning=0.0, spread=0.5, care=0.9, pace=11.0),
    Listener("Dov (made up)", "en", leaning=0.3, spread=0.8, care=0.35, pace=2.0),
)

_DIFFICULTY = {"wall": 3.4, "anybody": 2.2, "keeper": 3.0, "sleep": 2.7}
_OPPOSITES = {
    "falling": "rising",
    "rising": "falling",
    "high-energy": "low-paced",
    "tense": "relaxed",
    "heavy": "brisk",
    "relaxed": "high-energy",
}
"""Planned delivery to that of a wrong reading; only what the example's lines ask for."""
_ASKED = {
    "wall": {"rhythm": "high-energy", "intonation": "falling"},
    "anybody": {"rhythm": "tense", "intonation": "rising"},
    "keeper": {"rhythm": "heavy", "intonation": "falling"},
    "sleep": {"rhythm": "relaxed", "intonation": "falling"},
}
"""Planned delivery of the example's lines."""


@dataclass(frozen=True, slots=True)
class Heard:
    """Item as a listener hears it: the clips to be judged by blind name, and the line of the first in its story."""

    view: View
    readings: Mapping[str, Reading]
    sample: Sample

    @property
    def reading(self) -> Reading:
        """First reading of the item."""
        return next(iter(self.readings.values()))

    def described(self, field: str) -> Reading | None:
        """Reading that a description or caption refers to."""
        text = self.view.fields.get(field)
        return next((one for one in READINGS if text in (one.description, one.caption)), None)


def answers(listener: Listener, controls: Sequence[Control], heard: Heard, chance: random.Random) -> dict[str, Json]:
    """Answers of a listener about an item, control by control; texts to be corrected are left as they are."""
    given: dict[str, Json] = {}
    for control in controls:
        listens = chance.random() < listener.care
        if control.kind == "boundaries":
            given[control.name] = _edges(heard, chance)
        elif control.kind == "edit":
            given[control.name] = heard.view.fields[control.prefill]
        elif listens:
            given[control.name] = _attentive_answer(listener, control, heard, chance)
        else:
            given[control.name] = _random_answer(control, heard, chance)
    return given


def _attentive_answer(listener: Listener, control: Control, heard: Heard, chance: random.Random) -> Json:
    if control.kind == "scale":
        return _on_scale(control, _score(control.name, heard) + listener.leaning + chance.gauss(0.0, listener.spread))
    if control.kind == "preference":
        (first, one), (second, other) = list(heard.readings.items())[:2]
        apart = one.fits - other.fits + chance.gauss(0.0, listener.spread)
        return "same" if abs(apart) < SAME_ENOUGH else first if apart > 0 else second
    return _word(control.name, heard.reading, heard, chance)


def _score(control: str, heard: Heard) -> float:
    reading = heard.reading
    if control == "tts_difficulty":
        return _DIFFICULTY[reading.line.removesuffix("-zh")]
    field = {"fit": "description", "opinion": "caption"}.get(control)
    if field is None:
        return reading.fits
    described = heard.described(field)
    if described is reading:
        return 4.6
    return 3.0 if described is not None and described.manner == reading.manner else 1.2


def _word(control: str, reading: Reading, heard: Heard, chance: random.Random) -> Json:
    none = "无" if reading.is_mandarin else "none"
    if control in ("intonation", "rhythm"):
        planned = _ASKED[reading.line.removesuffix("-zh")][control]
        flat = "flat" if control == "intonation" else "relaxed"
        return {"apt": planned, "flat": flat, "wrong": _OPPOSITES[planned]}[reading.manner]
    if control == "emotion":
        very = "有点" if reading.is_mandarin else "rather "
        return chance.choice((reading.feeling, reading.feeling, very + reading.feeling))
    if control == "recording_condition":
        if reading.clip == "keeper-apt":
            return "telephone"
        return "正常" if reading.is_mandarin else "normal"
    known: dict[str, Json] = {
        "confidence": chance.choice(("high", "high", "medium")),
        "content_correct": "yes" if heard.view.fields.get("words") == heard.sample.target.text else "no",
        "style_correct": "yes" if reading.manner == "apt" else "no",
        "role": heard.sample.target.role,
        "age": chance.choice(("young adult", "young adult", "middle-aged")),
        "gender": "male" if reading.line == "keeper" else "female",
        "background_music": "no",
    }
    return known.get(control, none)


def _random_answer(control: Control, heard: Heard, chance: random.Random) -> Json:
    if control.kind == "scale":
        return _on_scale(control, chance.uniform(control.low, control.high))
    if control.kind == "choice":
        return chance.choice(control.choices).value
    if control.kind == "preference":
        return chance.choice(list(heard.readings))
    return "平淡" if heard.reading.is_mandarin else "neutral"


def _edges(heard: Heard, chance: random.Random) -> Json:
    seconds = next(clip.seconds for clip in heard.view.clips if clip.must_play)
    return [round(chance.uniform(0.0, 0.08), 2), round(seconds - chance.uniform(0.02, 0.12), 2)]


def _on_scale(control: Control, score: float) -> float:
    """Round a score to the nearest value of the scale."""
    steps = round((min(control.high, max(control.low, score)) - control.low) / control.step)
    return round(min(control.high, control.low + steps * control.step), 6)
