"""Stage 4: nothing of the benchmark may stand in the training data: no topic, text, near-duplicate or voice.

A near-duplicate is a sentence whose vector (by the built-in text embedder) has a cosine of `NEAR` or more with another.
Of two near-duplicates within the benchmark the later one falls. Every reject names what it collides with.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from aptone.errors import RecordError
from aptone.models.text.built_in_embedder import load_static_vectors
from aptone.models.text.units import spoken_words
from aptone.rooms.answer.build.records import RAISED_MARK, Candidate
from aptone.run.sources.manifest import manifest_records
from aptone.types import Json, Language, language_of_text

NEAR = 0.85
"""Cosine from which on two sentences are near-duplicates."""

_TEXT = ("content", "text", "transcript", "sentence", "utterance", "input_content")
_SPEAKER = ("speaker", "reference_speaker", "speaker_id")


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """Texts, topics and speakers that the benchmark must not share, each with the place of its first record."""

    texts: Mapping[str, str] = field(default_factory=dict)
    topics: Mapping[str, str] = field(default_factory=dict)
    speakers: Mapping[str, str] = field(default_factory=dict)


def read_training(path: Path) -> TrainingSet:
    """The texts, topics and speakers of a training manifest (``.jsonl``, ``.json``, ``.csv``).

    A record may be one of this room, or any object with some of ``content`` (or text, transcript, sentence,
    utterance), ``topic`` and ``speaker`` (or reference_speaker).

    Raises:
        RecordError: if a record is no object, or none of them has any of these: then nothing could be kept apart.
    """
    texts: dict[str, str] = {}
    topics: dict[str, str] = {}
    speakers: dict[str, str] = {}
    for where, data in manifest_records(path):
        if not isinstance(data, Mapping):
            raise RecordError(f"{where}: expected a JSON object, got {type(data).__name__}.")
        prompt = data.get("prompt")
        record = prompt if isinstance(prompt, Mapping) else data
        for names, found in ((_TEXT, texts), (("topic",), topics), (_SPEAKER, speakers)):
            if value := next(filter(None, (_text(record.get(name)) for name in names)), ""):
                found.setdefault(value, where)
    if not (texts or topics or speakers):
        raise RecordError(f"{path}: no record has a text, a topic or a speaker; expected content, topic or speaker.")
    return TrainingSet(texts, topics, speakers)


def collisions(candidates: Sequence[Candidate], training: TrainingSet, *, near: float = NEAR) -> dict[str, str]:
    """Candidates that may not stand in the benchmark: id to what they collide with or, by cosine, are near to."""
    found: dict[str, str] = {}
    topics = {topic.casefold(): place for topic, place in training.topics.items()}
    same = {_key(text): (text, place) for text, place in training.texts.items()}
    kept = _Near([text for text in training.texts if _key(text)])
    for candidate in candidates:
        vector = load_static_vectors().embed([candidate.content])[0]
        if place := topics.get(candidate.topic.casefold()):
            found[candidate.id] = f"topic {candidate.topic!r} is trained on ({place})"
        elif twin := same.get(_key(candidate.content)):
            found[candidate.id] = f"the same words: {twin[0]!r} ({twin[1]})"
        elif (nearest := kept.nearest(vector)) and nearest[1] >= near:
            text, cosine = nearest
            place = training.texts.get(text, "this benchmark")
            found[candidate.id] = f"near-duplicate, cosine {cosine:.2f}: {text!r} ({place})"
        else:
            same[_key(candidate.content)] = (candidate.content, "this benchmark")
            kept.add(candidate.content, vector)
    return found


def speaker_collision(speakers: Sequence[str], training: TrainingSet) -> str:
    """Return the first of some speakers that is in the training data; empty if none is."""
    for speaker in speakers:
        names = _names(speaker)
        if place := next((training.speakers[name] for name in names if name in training.speakers), ""):
            return f"speaker {speaker!r} is trained on ({place})"
    return ""


def _names(speaker: str) -> tuple[str, ...]:
    """The names by which a training manifest may know a voice: with its collection and without, and as it was raised.

    >>> _names("flite:slt+raised")
    ('flite:slt+raised', 'slt+raised', 'flite:slt', 'slt')
    """
    plain = speaker.removesuffix(RAISED_MARK)
    return tuple(dict.fromkeys(name for one in (speaker, plain) for name in (one, one.rpartition(":")[2])))


class _Near:
    """Sentences by their vectors; those of the training data, which may be many, are held once and not copied."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = list(texts)
        self._trained = load_static_vectors().embed(texts).astype(np.float64) if texts else None
        self._added: list[np.ndarray] = []

    def add(self, text: str, vector: np.ndarray) -> None:
        self._texts.append(text)
        self._added.append(vector.astype(np.float64))

    def nearest(self, vector: np.ndarray) -> tuple[str, float] | None:
        if not self._texts:
            return None
        known = [block for block in (self._trained, self._added) if block is not None and len(block)]
        cosines = np.concatenate([np.asarray(block) @ vector.astype(np.float64) for block in known])
        best = int(np.argmax(cosines))
        return self._texts[best], float(cosines[best])


def _text(value: Json) -> str:
    """A text or a number as text, since speakers are often numbers; empty where it is neither."""
    return str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _key(text: str) -> tuple[str, ...]:
    language: Language = language_of_text(text)
    return tuple(spoken_words(text, language=language))
