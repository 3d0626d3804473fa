"""Captions as people get them to rate: EmoSURA's listening test, from 1 to 5."""

import math

from aptone.errors import RecordError
from aptone.ratings.tasks import JUDGE_SCORE
from aptone.rooms.caption.data import CaptionSample
from aptone.types import AudioRef, Json, RatingItem

TASK = "emosura-mos"
CLIP, CAPTION = "clip", "caption"


def opinion_item(sample: CaptionSample, judged: float = math.nan) -> RatingItem:
    """A recording and its caption, as raters get them: whose caption it is stays hidden.

    Raises:
        RecordError: if the sample has its sound in memory.
    """
    if not isinstance(sample.audio, AudioRef):
        raise RecordError(f"caption {sample.id!r}: its sound is not in a file; write it to one first.")
    hidden: dict[str, Json] = {**sample.ids, "language": sample.language}
    if not math.isnan(judged):
        hidden[JUDGE_SCORE] = judged
    return RatingItem(sample.id, audio={CLIP: sample.audio}, fields={CAPTION: sample.caption}, hidden=hidden)
