"""Spoken lines from sources of any kind: our manifest, tables, datasets, lists of other toolkits, folders.

Fields are those of `aptone.rooms.aptness.data`, and besides ``story``, a file or a text in which the line is found,
with ``occurrence`` where several lines of it have the same words.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from aptone.errors import AptoneError, RecordError
from aptone.messages import labelled, message
from aptone.rooms.aptness.books.formats.registry import ENDINGS
from aptone.rooms.aptness.data import make_items, read_record
from aptone.rooms.aptness.story import Story, language_of, load_story, story_from_text
from aptone.run.sharded.shards import SourceShard
from aptone.run.sources.audio_cache import is_address, mirrored
from aptone.run.sources.columns import NAMES as COMMON
from aptone.run.sources.columns import TEXTS
from aptone.run.sources.manifest import refuse_doubles
from aptone.run.sources.records import Reading, SourceOptions, read_source
from aptone.run.sources.remote import local
from aptone.types import Item, Json, Sample, language_of_text, to_json

NAMES: Mapping[str, tuple[str, ...]] = {
    **COMMON,
    "line": ("line", "target_line", "spoken_content", *TEXTS),
    "role": ("role", "character"),
    "context": ("context", "novel_context", "novel_context_lines", "novel_context_text"),
    "following": ("following",),
    "story": ("story",),
    "occurrence": ("occurrence",),
    "plan": ("plan",),
    "ideal_en": ("ideal_en",),
    "ideal_zh": ("ideal_zh",),
    "proxy_score": ("proxy_score",),
    "weak": ("weak",),
    "take": ("take", "take_id"),
}
"""Names that are understood as a field of a spoken line."""

STORY_FILES = (".json", ".jsonl", *ENDINGS)
"""Endings of files that hold a story."""


def read_lines(
    path: Path, options: SourceOptions | None = None, *, story: Path | None = None, shard: str = ""
) -> tuple[list[Sample], Reading]:
    """The samples of a source, and how it was read.

    Args:
        story: file with the story of the records that name none, and have no lines around theirs.
        shard: name of the shard that it is, which goes before the number of a record that has no id of its own.

    Raises:
        RecordError: if a record cannot be understood; the message names the file and the record.
        UsageError: if the source is of no known kind.
    """
    reading = read_source(path, NAMES, options)
    root = (options.data_root if options else None) or path.parent
    stories: dict[str, Story] = {}
    samples: list[Sample] = []
    places: dict[str, str] = {}
    for number, (where, record) in enumerate(reading.rows, start=1):
        if story is not None and not any(record.get(name) for name in ("schema", "story", "context", "following")):
            record = {**record, "story": str(story.absolute())}
        data = _told(record, stories, where=where, root=root if path.is_file() else path)
        name = f"{shard}/{number}" if shard else number
        samples.append(read_record(data, where=where, number=name, root=root))
        places[where] = samples[-1].id
    refuse_doubles(places)
    return samples, reading


@dataclass(frozen=True, slots=True)
class ShardLines:
    """Reader of the items of a shard, which is sent to workers; see `read_lines`."""

    options: SourceOptions

    def __call__(self, shard: SourceShard) -> list[Item]:
        """The items of a shard, in their order."""
        samples, _ = read_lines(shard.path, self.options, shard=shard.name)
        return list(make_items(samples))


def _told(record: dict[str, Json], stories: dict[str, Story], *, where: str, root: Path) -> dict[str, Json]:
    """A record with the lines around its own in place of the story that it names, and with its language."""
    if record.get("story") is None:
        before = record.get("context")
        said = [record.get("line"), *(before if isinstance(before, list) else [before])]
        texts = [text for text in said if isinstance(text, str)]
        return {"language": language_of_text("".join(texts)), **record} if texts else record
    rest = {name: value for name, value in record.items() if name not in ("story", "occurrence")}
    given, line, occurrence = record["story"], record.get("line"), record.get("occurrence")
    if rest.get("context") or rest.get("following"):
        raise RecordError(labelled(where, message("aptness.story-and-context")))
    if not isinstance(given, str) or not isinstance(line, str):
        raise RecordError(message("sources.story-no-text", where=where))
    if isinstance(occurrence, str) and occurrence.isdecimal():
        occurrence = int(occurrence)
    if occurrence is not None and (not isinstance(occurrence, int) or isinstance(occurrence, bool)):
        raise RecordError(message("sources.no-number", where=where, name="occurrence", what=repr(occurrence)[:100]))
    try:
        if given not in stories:
            stories[given] = _story(given, root)
        story = stories[given]
        around = story.around_words(story.find(line, occurrence=occurrence), line)
    except AptoneError as error:
        raise RecordError(labelled(where, str(error))) from error
    rest["line"] = around.target.text
    rest.setdefault("role", around.target.role)
    rest.setdefault("language", language_of([*around.before, around.target, *around.after]))
    rest["context"] = [to_json(one) for one in around.before]
    rest["following"] = [to_json(one) for one in around.after]
    return rest


def _story(given: str, root: Path) -> Story:
    """The story in a file, or the text itself: a name of one line that ends like a file, or of a file that is there."""
    is_name = "\n" not in given and len(given) < 256
    if is_name and is_address(given):
        return load_story(local(mirrored(given)))
    if is_name and (given.lower().endswith(STORY_FILES) or (root / given).is_file()):
        return load_story(local((root / given).absolute()))
    return story_from_text(given)
