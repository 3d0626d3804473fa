"""Speech in the paragraphs of a story, and the narration beside it."""

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(slots=True)
class SpeechPart:
    """Speech in a paragraph.

    Args:
        tag: name that its tag states, or a pronoun; empty without a tag.
        role: speaker; empty where unknown.
    """

    start: int
    end: int
    tag: str = ""
    role: str = ""


@dataclass(slots=True)
class SpeechParagraph:
    """Paragraph of a story with its speech; without parts, it is narration.

    Args:
        begins: true if it begins with speech.
        continues: true if it continues the speech of the paragraph before.
        label: characters at the beginning that only name the speaker, as in a script.
        direction: stage direction in the label.
    """

    text: str
    parts: list[SpeechPart] = field(default_factory=list)
    begins: bool = False
    continues: bool = False
    label: int = 0
    direction: str = ""

    @property
    def narration(self) -> str:
        """All that is no speech."""
        return " ".join(text for _, text in self.narrated())

    def narrated(self) -> Iterator[tuple[int, str]]:
        """Yield narration with the number of parts of speech before it."""
        place = self.label
        for number, part in enumerate(self.parts):
            if text := self.text[place : part.start].strip():
                yield number, text
            place = part.end
        if text := self.text[place:].strip():
            yield len(self.parts), text
