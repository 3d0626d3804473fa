"""Things that an item shows, as other tools take it: sounds and texts under plain names, sets of clips by letters."""

from typing import Literal

from aptone.studio.exchange.flat_answers import LETTERS, plain_name
from aptone.studio.exchange.tool_files import story_text
from aptone.studio.store.answers import pair_fields
from aptone.types import AudioRef, Json, RatingItem, RatingTask


def shown_kinds(task: RatingTask) -> dict[str, Literal["audio", "text"]]:
    """Map the name of everything that is shown to its kind; a set of clips has a name for each place in it."""
    found: dict[str, Literal["audio", "text"]] = {}
    for shown in task.shown:
        if shown.kind == "audio":
            found[plain_name(shown.name)] = "audio"
        if shown.reference:
            found[plain_name(shown.reference)] = "audio"
    for name in pair_fields(task):
        size = max((len(_members(item, name)) for item in task.items), default=2)
        found |= dict.fromkeys((_place(name, place) for place in range(size)), "audio")
    return found | dict.fromkeys((plain_name(one.name) for one in task.shown if one.kind in ("text", "story")), "text")


def shown_clips(task: RatingTask, item: RatingItem) -> dict[str, AudioRef]:
    """Clips of an item by those names."""
    clips = {plain_name(shown.name): item.audio[shown.name] for shown in task.shown if shown.kind == "audio"}
    clips |= {plain_name(shown.reference): item.audio[shown.reference] for shown in task.shown if shown.reference}
    for name in pair_fields(task):
        clips |= {_place(name, place): item.audio[clip] for place, clip in enumerate(_members(item, name))}
    return clips


def shown_texts(task: RatingTask, item: RatingItem) -> dict[str, str]:
    """Texts of an item by those names; a story as plain text."""
    return {
        plain_name(shown.name): story_text(item.fields[shown.name])
        for shown in task.shown
        if shown.kind in ("text", "story")
    }


def _place(field: str, place: int) -> str:
    return f"{plain_name(field)}_{LETTERS[place]}"


def _members(item: RatingItem, field: str) -> list[str]:
    clips: Json = item.fields.get(field)
    return [str(clip) for clip in clips] if isinstance(clips, list | tuple) else []
