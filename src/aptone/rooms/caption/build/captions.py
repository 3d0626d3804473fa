"""Reference captions from what was measured and labelled: by our grammar, or by a chat model shown people's examples.

Measured are pitch and its variation, loudness, jitter, shimmer and tempo, as in the paper; the labels are the corpus's
emotion, sex and age. The emotion is only ever the label: what verifies captions later must not have written them. A sex
that the corpus does not tell is the ear's.
"""

import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Protocol

from aptone.ear.describe import Style, describe, narrow, style_from, style_of
from aptone.errors import RecordError, UnusableReplyError, UsageError
from aptone.messages import message
from aptone.models import About
from aptone.models.asking.guard import guard
from aptone.models.asking.json_objects import object_schema, one_object
from aptone.models.asking.prompts import WritingPart
from aptone.models.asking.writers import Writing, writer_by_kind
from aptone.models.chat import Chat, Message
from aptone.rooms.caption.bench.perturb import ACOUSTICS
from aptone.rooms.caption.build.selection import RatedClip
from aptone.run import Call
from aptone.run.sources.manifest import check_fields, manifest_records
from aptone.types import Json, Language, Perception, language_of_text, signature

PROMPTS = Path(str(files("aptone.rooms.caption"))) / "prompts"
CAPTIONERS = ("grammar", "api", "local")
LONGEST_CAPTION = 3000
MOST_EXAMPLES = 20
MEASURED: Mapping[str, Mapping[Language, str]] = {
    "pitch level": {"en": "pitch", "zh": "音高"},
    "pitch range": {"en": "pitch variation", "zh": "音高变化"},
    "loudness": {"en": "loudness", "zh": "响度"},
    "jitter": {"en": "jitter", "zh": "频率微扰"},
    "shimmer": {"en": "shimmer", "zh": "振幅微扰"},
    "articulation rate": {"en": "tempo", "zh": "语速"},
}
"""The measures that a caption rests on, and what they are called for its writer."""
LABELS: Mapping[str, Mapping[Language, str]] = {
    "emotion": {"en": "emotion", "zh": "情绪"},
    "sex": {"en": "speaker", "zh": "说话人"},
    "age": {"en": "age", "zh": "年龄"},
}
FEELINGS: Mapping[str, Mapping[Language, str]] = {
    "valence": {"en": "valence, 1 unpleasant to 7 pleasant", "zh": "效价（1 不愉快，7 愉快）"},
    "arousal": {"en": "arousal, 1 calm to 7 excited", "zh": "唤醒度（1 平静，7 激动）"},
    "dominance": {"en": "dominance, 1 weak to 7 strong", "zh": "支配度（1 弱，7 强）"},
}
SPOKEN: Mapping[Language, str] = {"en": "words", "zh": "所说的话"}
STYLED: Mapping[Language, str] = {"en": "in words", "zh": "用文字说"}


@dataclass(frozen=True, slots=True)
class Evidence:
    """Evidence for a caption: measured attributes in steps with the labels, and the same as lines for a writer."""

    style: Style
    text: str


@dataclass(frozen=True, slots=True)
class Example:
    """A caption that a person wrote.

    Args:
        evidence: measurements and labels, as lines; empty where the example is only shown for its manner.
        file: name of its recording in the corpus, whose evidence is measured then.
    """

    caption: str
    evidence: str = ""
    file: str = ""


class Captioner(Protocol):
    """Writes reference captions."""

    @property
    def signature(self) -> str:
        """Everything that a caption depends on besides its evidence and the seed."""
        ...

    @property
    def about(self) -> About:
        """Its requirements."""
        ...

    async def write(self, evidence: Evidence, *, name: str, language: Language, call: Call) -> str:
        """The caption of one recording.

        Raises:
            UnusableReplyError: if no reply of a model can be used.
        """
        ...


def evidence_of(clip: RatedClip, heard: Perception, *, language: Language) -> Evidence:
    """Return the evidence about a recording.

    Raises:
        RecordError: if a label of the corpus is not one that we know.
    """
    labels = style_from({"emotion": clip.emotion, "sex": clip.sex, "age": clip.age})
    measured = style_of(heard, language=clip.spoken or None)
    style = replace(narrow(measured, ACOUSTICS), emotion=labels.emotion, sex=labels.sex or measured.sex, age=labels.age)
    lines = [
        f"{names[language]}: {value.label(language)}"
        for name, names in LABELS.items()
        if (value := getattr(style, name)) is not None
    ]
    lines += [
        f"{names[language]}: {mean:.1f}" for name, names in FEELINGS.items() if not math.isnan(mean := clip.mean(name))
    ]
    for name, names in MEASURED.items():
        score = heard.measures.get(name)
        if score is not None and score.is_defined:
            lines.append(f"{names[language]}: {score.value:.2f} {score.unit}".rstrip())
    if (words := narrow(style, ACOUSTICS)) != Style():
        lines.append(f"{STYLED[language]}: {describe(words, language=language, length='caption')}")
    if clip.text:
        lines.append(f"{SPOKEN[language]}: {guard(clip.text)}")
    return Evidence(style, "\n".join(lines))


class GrammarCaptioner:
    """Our own grammar: every measured and labelled attribute once, worded by the seed and the name of the recording."""

    @property
    def signature(self) -> str:
        """The grammar has no settings of its own."""
        return signature("captions:grammar", {})

    @property
    def about(self) -> About:
        """Its requirements: none."""
        return About()

    async def write(self, evidence: Evidence, *, name: str, language: Language, call: Call) -> str:
        """See `Captioner.write`."""
        seed = zlib.crc32(f"{call.seed} {name}".encode())
        return describe(evidence.style, language=language, length="caption", seed=seed)


class ChatCaptioner(WritingPart[Chat]):
    """A chat model that is shown what was measured, and captions that people wrote.

    Raises:
        UsageError: if there is no example, or there are too many for a prompt.
    """

    def __init__(self, writing: Writing[Chat], examples: Sequence[Example]) -> None:
        if not 1 <= len(examples) <= MOST_EXAMPLES:
            raise UsageError(
                f"a chat model writes in the manner of 1 to {MOST_EXAMPLES} captions that people wrote, got "
                f"{len(examples)}; give them with --examples FILE."
            )
        self._examples = tuple(examples)
        options: dict[str, Json] = {"examples": [[one.evidence, one.caption] for one in examples]}
        super().__init__(
            "captions:chat", writing, {"reference": ("examples", "evidence")}, ours=PROMPTS, options=options
        )

    async def write(self, evidence: Evidence, *, name: str, language: Language, call: Call) -> str:
        """See `Captioner.write`; what cannot be used is asked for again."""
        shown = [
            "\n".join([*map(guard, one.evidence.splitlines()), f"→ {guard(one.caption)}"]) for one in self._examples
        ]
        material = {"examples": "\n\n".join(shown), "evidence": evidence.text}
        return await self._answer(
            Message("user", self._prompts.fill("reference", language, material)),
            read=lambda reply: read_caption(reply, language=language),
            call=call,
            json_schema=CAPTION_SCHEMA,
        )


CAPTION_SCHEMA = object_schema({"caption": {"type": "string"}})


def read_caption(reply: str, *, language: Language) -> str:
    """The caption in a reply, on one line.

    Raises:
        UnusableReplyError: if there is not exactly one, or it is empty, far too long, or in another language.
    """
    found = one_object(reply, holds=lambda one: isinstance(one.get("caption"), str), what="a caption")
    caption = guard(found["caption"])
    if not any(character.isalpha() for character in caption) or len(caption) > LONGEST_CAPTION:
        raise UnusableReplyError(message("caption.wrong-length", limit=LONGEST_CAPTION), raw_reply=reply)
    if language_of_text(caption) != language:
        raise UnusableReplyError(message("caption.other-language", language=repr(language)), raw_reply=reply)
    return caption


def read_examples(path: Path) -> list[Example]:
    """Captions that people wrote, one JSON object a line or a row of a table.

    Each has a ``caption`` and either ``evidence`` (lines of what is known about the recording) or ``file`` (a recording
    of the corpus, which is measured then).

    Raises:
        RecordError: if a record cannot be used.
    """
    examples = []
    for where, row in manifest_records(path):
        try:
            if not isinstance(row, Mapping):
                raise RecordError(f"expected an object, got {type(row).__name__}.")
            check_fields(row, frozenset({"caption", "evidence", "file"}))
            fields = {
                name: value for name in ("caption", "evidence", "file") if isinstance(value := row.get(name), str)
            }
            example = Example(**fields) if "caption" in fields else Example("")
            if not example.caption.strip() or not (example.evidence or example.file):
                raise RecordError('expected a "caption", and its "evidence" or the "file" that it describes.')
        except RecordError as error:
            raise RecordError(f"{where}: {error}") from error
        examples.append(example)
    return examples


def make_captioner(kind: str, settings: Mapping[str, Json], *, examples: Sequence[Example] = ()) -> Captioner:
    """Make a caption writer by its kind: one of `CAPTIONERS`, with options as ``writer.<option>``.

    Raises:
        MissingExtraError: if it cannot run here.
        UsageError: if there is no such kind or option, or a chat model has no example.
    """
    return writer_by_kind(
        kind,
        settings,
        built_in={"grammar": GrammarCaptioner},
        by_chat=lambda writing: ChatCaptioner(writing, examples),
        what="captions",
    )
