"""What machines say about a clip before any person has heard it."""

import math
from dataclasses import dataclass, field

from aptone.types.annotation import Annotation


@dataclass(frozen=True, slots=True)
class WeakAnnotation:
    """What machines say about a clip: material to train with and to start from, never taken for what people say.

    Args:
        heard: the fifteen dimensions as far as a machine fills them in; scores stay open.
        caption: how the clip sounds, in a sentence or more; empty where nothing could be said.
        transcript: what a transcriber heard in it, as words are compared.
        confidence: share of the line's words that were heard as they stand, from 0 to 1; NaN when nobody transcribed.
        heard_by: signature of the ear.
        captioned_by: signature of what wrote the caption.
        transcribed_by: signature of the transcriber, or the name of a file.

    Raises:
        ValueError: if the confidence lies outside 0 to 1.
    """

    heard: Annotation = field(default_factory=Annotation)
    caption: str = ""
    transcript: str = ""
    confidence: float = math.nan
    heard_by: str = ""
    captioned_by: str = ""
    transcribed_by: str = ""

    def __post_init__(self) -> None:
        if not math.isnan(self.confidence) and not 0 <= self.confidence <= 1:
            raise ValueError(f"a confidence lies between 0 and 1, got {self.confidence}.")
