"""Labels from a served recogniser of emotions that writes them into its transcript, as SenseVoice does.

SenseVoice begins what it writes with tags, ``<|en|><|HAPPY|><|Speech|><|withitn|>``. Any server that answers
``POST /audio/transcriptions`` in that form will do. Only the tags at the beginning count: words that are spoken cannot
forge one.
"""

import re
from dataclasses import dataclass

from aptone.errors import UnusableReplyError
from aptone.messages import message
from aptone.models.about import About
from aptone.models.openai.parts import OpenAiTranscriber
from aptone.run import Call, Reply, Request
from aptone.types import Audio, Language, signature

TAGS = {
    "NEUTRAL": "neutral",
    "HAPPY": "happy",
    "ANGRY": "angry",
    "SAD": "sad",
    "FEARFUL": "fear",
    "DISGUSTED": "disgust",
    "SURPRISED": "surprise",
    "EMO_UNKNOWN": "",
}

_BEGINNING = re.compile(r"\s*((?:<\|[^|<>]{1,40}\|>\s*)+)")
_TAG = re.compile(r"<\|([^|<>]+)\|>")


def tagged_emotion(text: str) -> str:
    """The emotion in the tags at the beginning of a transcript; empty where the recogniser was not sure.

    >>> tagged_emotion("<|en|><|HAPPY|><|Speech|>I said <|SAD|> things")
    'happy'

    Raises:
        UnusableReplyError: if no tag there names an emotion, or two differ.
    """
    beginning = _BEGINNING.match(text)
    found = {TAGS[tag] for tag in _TAG.findall(beginning[1] if beginning else "") if tag in TAGS}
    if len(found) != 1:
        raise UnusableReplyError(message("dialogue.no-emotion-tag"), raw_reply=text)
    return found.pop()


@dataclass(frozen=True, slots=True)
class ServedRecogniser:
    """A recogniser behind ``/audio/transcriptions``."""

    transcriber: OpenAiTranscriber

    @property
    def signature(self) -> str:
        """Whose labels these are."""
        return signature("tagged-emotion", {"transcriber": self.transcriber.signature})

    @property
    def about(self) -> About:
        """What it needs, and the machine to which recordings go."""
        return self.transcriber.about

    async def recognise(self, audio: Audio, call: Call, *, language: Language) -> str:
        """The label of a recording; empty where the recogniser was not sure.

        Raises:
            UnusableReplyError: if no reply names an emotion.
        """

        async def send(seed: int) -> Reply:
            transcript = await self.transcriber.transcribe(audio, language=language)
            return Reply(transcript.text, cost=transcript.cost)

        request = Request(self.signature, prompt=language, audio_hash=audio.hash)
        return await call.ask(request, send, tagged_emotion)
