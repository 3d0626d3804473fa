"""Base classes of the JSON of requests and replies, and the JSON of an error."""

from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from aptone.web.bodies import SMALL_BODY


class Reply(BaseModel):
    """Reply body."""

    model_config: ClassVar[ConfigDict] = {"extra": "forbid"}


class Body(BaseModel):
    """Request body; unknown fields and other types are refused, and so is more than `most_bytes`."""

    model_config: ClassVar[ConfigDict] = {"extra": "forbid", "strict": True, "frozen": True}
    most_bytes: ClassVar[int] = SMALL_BODY


class ErrorInMandarin(Reply):
    """Message and next step in Mandarin."""

    message: str
    next: str


class ErrorDetail(Reply):
    """Error: a code for programs, a sentence for people, and the next step; both in Mandarin, too."""

    code: str
    message: str
    next: str
    mandarin: ErrorInMandarin


class ErrorReply(Reply):
    """Reply to a refused request."""

    error: ErrorDetail
