"""Questions that are asked in a certain way, ready answers to them, what people gave those, and manifests of them.

ParaS2SBench has four dimensions of how a question is asked, each with its categories, and two kinds of speech:
synthetic, in which every sentence is asked in two styles (a contrast pair), and real, with the emotions of IEMOCAP and
MELD.

A manifest has one JSON object a line (or is one JSON array, or a table with a heading):

======================  ===============================================================================================
``id``                  unique; by default the number of the record
``prompt``              id of the question, where several records answer one; by default the id of the record
``content``             the words of the question (also ``text``)
``dimension``           ``emotion``, ``sarcasm``, ``age`` or ``gender``; by default that of the category
``category``            its speaking style, such as ``angry`` (also ``style``)
``audio``               the recorded question, a path relative to the manifest; ``start`` and ``end`` in seconds
``topic``, ``pair``     what it is about; id of its contrast pair
``speaker``             whose voice asks
``source``              ``synthetic`` (unless said otherwise), ``iemocap`` or ``meld``
``language``            ``en`` or ``zh``; by default that of the characters
``answer``              a ready answer, a path relative to the manifest (also ``response``)
``answer_text``         its words, where they are known (also ``response_text``)
``system``              whose answer it is
``human_score``         what people gave the answer, 1 to 5; by default the mean of ``ratings``
``ratings``             the same by rater, ``{"rater": 4}``; in a table the columns ``rating_<rater>``
``ids``                 what else identifies it
======================  ===============================================================================================

A manifest is untrusted: its paths may not leave its own folder.
"""

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from aptone.errors import RecordError
from aptone.files import file_hash
from aptone.messages import message
from aptone.run import write_whole
from aptone.run.sources.audio_cache import audio_cache
from aptone.run.sources.columns import NAMES as COMMON
from aptone.run.sources.manifest import check_fields, human_opinions, number_in_cell, read_identified
from aptone.run.sources.records import Reading, SourceOptions, identified, read_source
from aptone.types import AudioRef, Item, Json, Language, dumps, from_json, language_of_text, schema_name, to_json


class Dimension(StrEnum):
    """Dimension in which the style of a question differs."""

    EMOTION = "emotion"
    SARCASM = "sarcasm"
    AGE = "age"
    GENDER = "gender"


class Source(StrEnum):
    """Origin of a question's speech; the average weighs each part alike."""

    SYNTHETIC = "synthetic"
    IEMOCAP = "iemocap"
    MELD = "meld"

    @property
    def is_real(self) -> bool:
        """Return whether people spoke it."""
        return self is not Source.SYNTHETIC


RATED_PER_DIMENSION = 30
"""Answers of each synthetic dimension that people rate, to check a judge."""

CATEGORIES: Mapping[Dimension, tuple[str, ...]] = {
    Dimension.EMOTION: ("happy", "surprised", "sad", "angry", "fear", "disgust"),
    Dimension.SARCASM: ("sincere", "sarcastic"),
    Dimension.AGE: ("adult", "child"),
    Dimension.GENDER: ("male", "female"),
}
"""The speaking styles, by dimension, in the paper's order."""
DIMENSIONS = {category: dimension for dimension, categories in CATEGORIES.items() for category in categories}

TOPICS = ("interests", "work", "studies", "relationships", "travel", "health", "religion", "fashion", "finance")
"""Topics of questions, in the paper's order."""

PUBLISHED_PROMPTS: Mapping[tuple[Source, Dimension], int] = {
    **{(Source.SYNTHETIC, dimension): 300 for dimension in Dimension},
    (Source.IEMOCAP, Dimension.EMOTION): 709,
    (Source.MELD, Dimension.EMOTION): 781,
}
"""Questions of the published benchmark; each synthetic one is said in two styles, which makes 600 recordings."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One recorded question: a sentence, asked in one style.

    Args:
        id: unique within its benchmark.
        category: speaking style; one of `CATEGORIES`.
        audio: the recording; ``None`` where it is to be found by its id in a release that we do not pass on.
        pair: id of the contrast pair, shared with its twin; empty where there is none.
        speaker: voice: a voice of the synthesiser, a reference speaker, or a person's id.
        source: synthetic, or the corpus of real speech.
        ids: other ids: id in an official release, synthesiser, reference clip.

    Raises:
        ValueError: if the id or the words are empty, the category does not belong to the dimension, or real speech has
            another dimension than emotion.
    """

    id: str
    content: str
    dimension: Dimension
    category: str
    audio: AudioRef | None = None
    topic: str = ""
    pair: str = ""
    speaker: str = ""
    source: Source = Source.SYNTHETIC
    language: Language = "en"
    ids: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.id or not self.content.strip():
            raise ValueError(f"prompt {self.id!r}: a prompt has an id and words.")
        if self.category not in CATEGORIES[self.dimension]:
            known = ", ".join(CATEGORIES[self.dimension])
            raise ValueError(f"prompt {self.id!r}: {self.dimension.value} is one of {known}, not {self.category!r}.")
        if self.source.is_real and self.dimension is not Dimension.EMOTION:
            raise ValueError(f"prompt {self.id!r}: real speech has emotions, not {self.dimension.value}.")


@dataclass(frozen=True, slots=True)
class AnswerStyle:
    """Style of an answer: in words for a chat model, and in closed terms for a table.

    Args:
        emotion: name to probability, as the ear has them (`aptone.types.Emotion` values) or as an audio-chat model said
            (then one name with 1.0); empty where it is not known.
        rate: words such as slow, normal, fast; empty where it is not known.
        volume: quiet, normal, loud; likewise.
        pitch: low, normal, high; likewise.
        description: the whole in a sentence.
        unknown: reason why a term is unknown, by term.
    """

    emotion: Mapping[str, float] = field(default_factory=dict)
    rate: str = ""
    volume: str = ""
    pitch: str = ""
    description: str = ""
    unknown: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fields:
    """The four fields that a judge reads, and nothing else.

    Args:
        input_content: c_i, the words of the question.
        input_style: s_i, the category in which it was asked; taken from the benchmark, never guessed.
        output_content: c_o, the words of the answer.
        output_style: s_o, how the answer sounds.
        answer_language: language of the answer; empty where unknown.
    """

    input_content: str
    dimension: Dimension
    input_style: str
    output_content: str
    output_style: AnswerStyle
    language: Language = "en"
    answer_language: str = ""


@dataclass(frozen=True, slots=True)
class Fitness:
    """Verdict of a judge on an answer, 1 to 5 (NaN where it could not be judged), and the same of its parts by name."""

    value: float
    reason: str = ""
    rationale: str = ""
    parts: Mapping[str, float] = field(default_factory=dict)
    raw_reply: str = ""

    def __post_init__(self) -> None:
        if not math.isnan(self.value) and not LOWEST <= self.value <= HIGHEST:
            raise ValueError(f"a fitness lies between {LOWEST:g} and {HIGHEST:g}, got {self.value}.")
        if math.isnan(self.value) and not self.reason:
            raise ValueError("a fitness that is not there has a reason.")


LOWEST, HIGHEST = 1.0, 5.0


MANIFEST = "manifest.jsonl"

_FIELDS = frozenset(
    {"id", "prompt", "content", "dimension", "category", "audio", "start", "end", "topic", "pair", "speaker"}
    | {"source", "language", "answer", "answer_text", "system", "human_score", "ratings", "ids"}
)
_OTHER_NAMES: Mapping[str, str] = {
    "text": "content",
    "style": "category",
    "response": "answer",
    "response_text": "answer_text",
}
NAMES: Mapping[str, tuple[str, ...]] = {
    **COMMON,
    **{name: (name,) for name in ("prompt", "dimension", "topic", "pair", "source")},
    "audio": (*COMMON["audio"], "question_audio"),
    "content": ("content", "text", "question_text"),
    "category": ("category", "style"),
    "answer": ("answer", "response", "answer_audio"),
    "answer_text": ("answer_text", "response_text"),
}
"""Names that are understood as a field of a question and its answer."""
_NUMBERS = ("start", "end", "human_score")
_TEXTS = ("content", "topic", "pair", "speaker", "system", "answer", "answer_text")
_RATING = "rating_"
_SAID_OF_IT = ("human_score", "ratings", "ids")


@dataclass(frozen=True, slots=True)
class AnswerSample:
    """A question, a ready answer to it where there is one, and what people gave that.

    Args:
        id: unique within its source.
        answer: the recorded answer; ``None`` where a system is yet to give it.
        answer_text: its words, where they are known; empty where they are to be transcribed.
        human_score: human score of the answer, 1 to 5; NaN without one.
        ratings: the ratings of the single raters behind `human_score`, rater to rating.
        ids: other ids, such as the system.

    Raises:
        ValueError: if the id is empty, or a rating lies outside of 1 to 5.
    """

    id: str
    prompt: Prompt
    answer: AudioRef | None = None
    answer_text: str = ""
    human_score: float = math.nan
    ratings: Mapping[str, float] = field(default_factory=dict)
    ids: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.id:
            raise ValueError("the id of a sample is empty.")
        given = dict(self.ratings) if math.isnan(self.human_score) else {**self.ratings, "everyone": self.human_score}
        for rater, rating in given.items():
            if not LOWEST <= rating <= HIGHEST:
                raise ValueError(f"people rate an answer from {LOWEST:g} to {HIGHEST:g}; {rater} gave {rating:g}.")


def read_manifest(path: Path) -> list[AnswerSample]:
    """The samples of a manifest, in their order.

    Raises:
        RecordError: if a record cannot be understood, two have one id, or a path leaves the folder of the manifest; the
            message names the file and the line.
    """
    return read_identified(
        path, lambda data, number: _sample(data, number=number, root=path.parent), expected="questions"
    )


def read_answers(path: Path, options: SourceOptions | None = None) -> tuple[list[AnswerSample], Reading]:
    """The samples of a source of any kind, and how it was read; errors as `read_manifest`."""
    reading = read_source(path, NAMES, options, passed=f"{_RATING}.+", identities=("system",), words="content")
    root = (options.data_root if options else None) or (path if path.is_dir() else path.parent)
    return identified(reading, lambda data, number: _sample(data, number=number, root=root)), reading


def write_manifest(path: Path, samples: Iterable[AnswerSample]) -> None:
    """Write samples so that `read_manifest` gives them back; recordings get paths relative to the manifest.

    Raises:
        RecordError: if a recording does not lie below the folder of the manifest.
        RunError: if the file cannot be written.
    """
    root = path.parent.absolute()
    rows = [dumps(to_json(_moved(sample, lambda audio: _near(audio, root)))) for sample in samples]
    write_whole(path, "".join(f"{row}\n" for row in rows))


def make_items(samples: Iterable[AnswerSample]) -> Iterator[Item]:
    """Samples as items, whose hash covers what a score depends on.

    That is the bytes of question and answer and what is said of the question, but not where they lie on the disk, nor
    what people gave. A recording that cannot be read is not an error here: its item fails when it is worked on.
    """
    known: dict[str, str] = {}  # one question may have many answers

    def hashed(audio: AudioRef) -> AudioRef:
        if audio.path not in known:
            known[audio.path] = file_hash(Path(audio.path))
        return replace(audio, sha256=known[audio.path])

    for position, sample in enumerate(samples):
        whole = _moved(sample, hashed)
        placeless = to_json(_moved(whole, lambda audio: replace(audio, path="-")))
        content = {name: value for name, value in placeless.items() if name not in _SAID_OF_IT}
        digest = hashlib.sha256(dumps(content).encode()).hexdigest()
        yield Item(id=sample.id, payload=to_json(whole), content_hash=digest, position=position)


def _moved(sample: AnswerSample, move: Callable[[AudioRef], AudioRef]) -> AnswerSample:
    """The sample with every recording changed."""
    question, answer = sample.prompt.audio, sample.answer
    return replace(
        sample,
        prompt=sample.prompt if question is None else replace(sample.prompt, audio=move(question)),
        answer=None if answer is None else move(answer),
    )


def _near(audio: AudioRef, root: Path) -> AudioRef:
    path = Path(audio.path).absolute()
    if not path.is_relative_to(root):
        raise RecordError(f"{path}: the recording does not lie below {root}; write the manifest above its recordings.")
    return replace(audio, path=path.relative_to(root).as_posix())


def _placed(audio: AudioRef, root: Path) -> AudioRef:
    """Make the path absolute, so that a run does not depend on the folder in which commands are typed."""
    if Path(audio.path).is_relative_to(audio_cache()):  # a copy of what lies inside its source, or was fetched
        return audio
    folder = root.resolve()
    path = (folder / audio.path).resolve()
    if not path.is_relative_to(folder):
        raise RecordError(
            f"the path {audio.path!r} leaves the folder of the manifest; put the manifest above its recordings and "
            "give paths below its folder."
        )
    return replace(audio, path=str(root.absolute() / path.relative_to(folder)))


def _sample(data: Json, *, number: int, root: Path) -> AnswerSample:
    if not isinstance(data, Mapping):
        raise RecordError(f"expected a JSON object, got {type(data).__name__}.")
    if data.get("schema") == schema_name(AnswerSample):
        return _moved(from_json(AnswerSample, data), lambda audio: _placed(audio, root))
    given = _plain(data)
    identity = given.get("id", number)
    prompt = given.get("prompt", identity)
    for name, value in (("id", identity), ("prompt", prompt)):
        if not isinstance(value, str | int) or isinstance(value, bool) or value == "":
            raise RecordError(f'"{name}" is text or a number, got {value!r}.')
    ids, system = given.get("ids", {}), given.get("system")
    if not isinstance(ids, Mapping):
        raise RecordError('"ids" is an object of texts.')
    content, category = str(given.get("content", "")), given.get("category")
    if not content.strip() or category not in DIMENSIONS:
        lacking = "category" if content.strip() else "content"
        names, known, got = ", ".join(NAMES[lacking]), ", ".join(DIMENSIONS), repr(given.get(lacking))[:60]
        raise RecordError(message(f"answer.lacks-{lacking}", names=names, known=known, got=got))
    question: dict[str, Json] = {
        "id": str(prompt),
        "content": content,
        "dimension": given.get("dimension", DIMENSIONS[str(category)]),
        "category": category,
        "audio": _recording(given.get("audio"), given),
        "topic": given.get("topic", ""),
        "pair": given.get("pair", ""),
        "speaker": given.get("speaker", ""),
        "source": given.get("source", Source.SYNTHETIC.value),
        "language": given.get("language") or language_of_text(content),
    }
    fields: dict[str, Json] = {
        "id": str(identity),
        "prompt": to_json(from_json(Prompt, question)),
        "answer": _recording(given.get("answer"), {}),
        "answer_text": given.get("answer_text", ""),
        **human_opinions(given),
        "ids": {**ids, "system": system} if system else ids,
    }
    return _moved(from_json(AnswerSample, fields), lambda audio: _placed(audio, root))


def _plain(data: Mapping[str, Json]) -> dict[str, Json]:
    """A record under our names, with numbers as numbers and the ratings of a table in one place."""
    columns = {name for name in data if name.startswith(_RATING) and name != _RATING}
    named: dict[str, Json] = {}
    for name, value in data.items():
        if name in columns:
            continue
        ours = _OTHER_NAMES.get(name, name)
        if ours in named:
            raise RecordError(f"{name!r} and {ours!r} are the same field; keep one of them.")
        named[ours] = number_in_cell(value, ours) if ours in _NUMBERS else value
    check_fields(named, _FIELDS)
    for name in _TEXTS:
        if not isinstance(named.get(name, ""), str):
            raise RecordError(f'"{name}" is text, got {named[name]!r}.')
    if columns and "ratings" in named:
        raise RecordError('ratings stand in "ratings" or in columns of their own, not in both.')
    if columns:
        named["ratings"] = {name.removeprefix(_RATING): number_in_cell(data[name], name) for name in sorted(columns)}
    return named


def _recording(path: Json, times: Mapping[str, Json]) -> Json:
    if path is None:
        return None
    return to_json(from_json(AudioRef, {"path": path, "start": times.get("start", 0.0), "end": times.get("end")}))
