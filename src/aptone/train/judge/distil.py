"""Distil a captioner into a student: it hears clips and learns what a teacher wrote about how they sound.

CEAEval's first stage (section 3.3.2), which makes a speech-language model attend to how something is said before it is
asked to judge that. Top to bottom: a teacher captions the clips of a corpus, where it has no captions yet (`Captioner`:
any model that hears and chats, or the built-in ear in the words of our grammar); the captions go into shards; the
student learns them as its answers to the very prompt that captioners get.

Where this departs from the paper: its teacher wrote freely, ours is held to how the voice sounds and to a language;
the attention bias stays off, since a caption has no span that it would be active in.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from aptone.audio import read_bytes
from aptone.errors import UsageError
from aptone.rooms.aptness.step import LONGEST_LINE
from aptone.rooms.style.build.captions import FULL, Captioner
from aptone.run import Budget, Display, Ended, InProcess, RunConfig, run_items
from aptone.run.sources.shards import (
    Caption,
    ShardPlace,
    ShardSample,
    read_recording,
    shard_files,
    shard_places,
    write_shards,
)
from aptone.run.step import Call
from aptone.train.judge.config import JudgeRecipe
from aptone.train.judge.dataset import Wanted
from aptone.train.judge.model import Trained
from aptone.train.judge.run import MadeJudge
from aptone.train.judge.sft import fine_tune
from aptone.types import Item, Json, Language, Outcome, Score, State, from_json, to_json

CAPTIONS = Wanted(kinds=("caption",))
TRAINED = Trained(bias=False, tokens=False)
ASKED, SHARDS = "teacher", "captions"
"""Folders of what the teacher said, and of the shards that are made of it."""


@dataclass(frozen=True, slots=True)
class CaptionStep:
    """A clip in a shard → what a teacher says of it, in every language that is asked for.

    Args:
        captioner: the teacher.
        languages: of the captions.
    """

    captioner: Captioner
    languages: tuple[Language, ...]

    async def __call__(self, item: Item, call: Call, /) -> Outcome:
        """The outcome of one clip; unscored where the teacher has nothing to say."""
        place = _place(item.payload)
        recording = await asyncio.to_thread(read_recording, place)
        name = f"{place.shard}:{place.key}"
        audio = await asyncio.to_thread(
            read_bytes, recording, name=name, rate=None, channel="mix", max_seconds=LONGEST_LINE
        )
        captions = []
        for language in self.languages:
            said = await self.captioner.caption(audio, language=language, call=call)
            captions.append(Caption(said.text, language, FULL))
        return Outcome(
            State.DONE,
            {"seconds": Score(audio.seconds, unit="s", higher_is_better=None)},
            evidence={"captions": [to_json(one) for one in captions]},
            signature=self.captioner.signature,
        )


@dataclass(frozen=True, slots=True)
class TaughtClips:
    """What a teacher has made.

    Args:
        shards: folder of the captioned clips.
        clips: how many.
        left_out: clips that it could not caption.
        stopped: why it stopped before the last clip; empty when it did not.
    """

    shards: Path
    clips: int
    left_out: int
    stopped: str = ""


def caption_clips(
    data: Path,
    out: Path,
    captioner: Captioner,
    *,
    languages: Sequence[Language] = ("en",),
    config: RunConfig,
    workers: int = 1,
    cache: Path | None = None,
    budget: Budget | None = None,
    display: Display | None = None,
) -> TaughtClips:
    """Let a teacher caption every clip in the shards of a folder; the same call goes on where it was stopped.

    Args:
        data: folder of shards; what their JSON says is not looked at.
        out: folder for what the teacher says, and for the shards with its captions.
        captioner: the teacher.
        languages: of the captions.
        config: of the run over all clips; what the teacher is goes into its settings.
        workers: clips that are captioned at once.
        cache: file of the reply cache.
        budget: when to stop.
        display: how progress is shown.

    Raises:
        RecordError: if a shard is damaged.
        RunError: if a folder cannot be written, or was made with another teacher.
        UsageError: if there is no shard, or no language.
    """
    if not languages:
        raise UsageError("captions are in a language; name one with --language.")
    items = list(_items(data))
    if not items:
        raise UsageError(f"{data}: no shard (.tar) in it; make some: aptone build style-corpus")
    step = CaptionStep(captioner, tuple(languages))
    settings: dict[str, Json] = {**config.settings, "captioner": captioner.signature, "languages": list(languages)}
    ended = run_items(
        items,
        step,
        folder=out / ASKED,
        config=replace(config, settings=settings),
        executor=InProcess(workers),
        cache=cache,
        budget=budget,
        display=display,
    )
    folder = out / SHARDS
    captioned = [entry for entry in ended.run.entries if entry.outcome.state is State.DONE]
    if not ended.stopped:
        write_shards(folder, _samples(ended))
    return TaughtClips(folder, len(captioned), len(items) - len(captioned), ended.stopped)


def _items(data: Path) -> Iterator[Item]:
    position = 0
    for shard in shard_files(data):
        for place in shard_places(shard):
            payload: dict[str, Json] = {
                "shard": str(shard.absolute()),
                "key": place.key,
                "ending": place.ending,
                "recording": list(place.recording),
                "about": list(place.about),
            }
            yield Item.make(place.key, payload, position=position, hashed={**payload, "shard": shard.name})
            position += 1


def _place(payload: Mapping[str, Any]) -> ShardPlace:
    recording, about = (tuple(payload[name]) for name in ("recording", "about"))
    return ShardPlace(Path(payload["shard"]), payload["key"], payload["ending"], recording, about)


def _samples(ended: Ended) -> Iterator[ShardSample]:
    for entry in sorted(ended.run.entries, key=lambda entry: entry.item.position):
        if entry.outcome.state is not State.DONE:
            continue
        place = _place(entry.item.payload)
        listed: Any = entry.outcome.evidence["captions"]
        yield ShardSample(
            place.key,
            read_recording(place),
            place.ending,
            seconds=entry.outcome.scores["seconds"].value,
            captions=tuple(from_json(Caption, one) for one in listed),
            about={"teacher": entry.outcome.signature},
        )


def distil(
    data: Path,
    out: Path,
    *,
    base: str,
    recipe: JudgeRecipe,
    trained: Trained = TRAINED,
    epochs: float | None = None,
    wanted: Wanted = CAPTIONS,
    log: Callable[[str], None],
    **options: Any,
) -> MadeJudge:
    """Teach a student what a teacher has said of clips; the same call goes on where it was stopped.

    Args:
        data: folder of shards with captions: `caption_clips` writes some, so does ``aptone build style-corpus``.
        out: folder for the model.
        base: the student: a folder, or a name on the Hugging Face hub.
        recipe: how it is taught.
        trained: what of it is trained.
        epochs: rounds through the data, instead of the recipe's steps.
        wanted: captions that count, by level and language.
        log: is told what is seen.
        options: as for `aptone.train.judge.sft.fine_tune`, with the same errors.
    """
    return fine_tune(
        data,
        out,
        base=base,
        recipe=recipe,
        trained=trained,
        epochs=epochs,
        wanted=wanted,
        stage="distil",
        log=log,
        **options,
    )
