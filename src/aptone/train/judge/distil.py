"""Distil a captioner: a student model is trained on what a teacher wrote about how clips sound.

CEAEval's first stage (section 3.3.2), which makes a speech-language model attend to how something is said before it has
to judge it. A teacher captions the clips of a corpus that has no captions yet (`Captioner`: any model that hears and
chats, or the built-in ear with our grammar); the captions go into shards; the student is trained to give them as
answers to the prompt of captioners.

Departures from the paper: its teacher wrote freely, ours is limited to how the voice sounds and to one language; the
attention bias stays off, since a caption has no span in which it would be active.
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
from aptone.train.judge.config import JudgeConfig
from aptone.train.judge.dataset import ExampleFilter
from aptone.train.judge.model import AdapterConfig
from aptone.train.judge.run import TrainedJudge, fine_tune
from aptone.types import Item, Json, Language, Outcome, Score, State, from_json, to_json

CAPTIONS = ExampleFilter(kinds=("caption",))
DEFAULT_ADAPTER = AdapterConfig(bias=False, tokens=False)
ASKED, SHARDS = "teacher", "captions"
"""Folders of the teacher's run and of the captioned shards."""


@dataclass(frozen=True, slots=True)
class CaptionStep:
    """Step from a clip in a shard to a teacher's captions in every language."""

    captioner: Captioner
    languages: tuple[Language, ...]

    async def __call__(self, item: Item, call: Call, /) -> Outcome:
        """Return the outcome of one clip; unscored if the teacher gives no caption."""
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
class CaptionedClips:
    """Result of captioning; `stopped` is the reason of an early stop, empty if all clips were done."""

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
) -> CaptionedClips:
    """Caption every clip in the shards of a folder with a teacher; the same call resumes.

    Args:
        data: folder of shards; their JSON is ignored.
        out: folder for the teacher's run and the captioned shards.
        config: configuration of the run; the teacher's signature is added to its settings.

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
    return CaptionedClips(folder, len(captioned), len(items) - len(captioned), ended.stopped)


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
    config: JudgeConfig,
    adapter: AdapterConfig = DEFAULT_ADAPTER,
    epochs: float | None = None,
    example_filter: ExampleFilter = CAPTIONS,
    log: Callable[[str], None],
    **options: Any,
) -> TrainedJudge:
    """Train a student on captions of a teacher; the same call resumes an interrupted training.

    Args:
        data: folder of shards with captions, from `caption_clips` or ``aptone build style-corpus``.
        base: the student: a folder, or a name on the Hugging Face hub.
        epochs: passes over the data, in the place of ``config.steps``.
        example_filter: captions to use, by level and language.
        options: further arguments of `aptone.train.judge.run.fine_tune`, whose errors it raises.
    """
    return fine_tune(
        data,
        out,
        base=base,
        config=config,
        adapter=adapter,
        epochs=epochs,
        example_filter=example_filter,
        stage="distil",
        log=log,
        **options,
    )
