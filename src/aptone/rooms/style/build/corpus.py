"""A corpus of clips with descriptions, for training: recordings → segments → quality → speakers → captions → shards.

Two runs, each of which a kill cannot hurt: the first cuts recordings into segments of speech (an item a recording), the
second works on the segments one by one: how good is the recording, do one or several people speak, what does it sound
like, and the same at three levels of detail. What is rejected stays in the journal with its reason. At the end single
speakers and several are balanced, and the clips go into shards (`aptone.run.sources.shards`).
"""

import asyncio
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import numpy as np
import onnxruntime

from aptone.audio import RECORDINGS, read_ref, resample, speech_pieces
from aptone.errors import MissingExtraError, UsageError
from aptone.files import file_hash
from aptone.messages import message
from aptone.models import About, Transcriber
from aptone.rooms.style.build.captions import Captioner, Rewriter
from aptone.rooms.style.build.speakers import count_speakers, tagged_speakers
from aptone.rooms.style.data import piece_times
from aptone.run import Call, Run
from aptone.run.sources.shards import Caption
from aptone.types import Audio, AudioRef, Item, Json, Language, Outcome, Score, Segment, State, from_json, to_json

RATE = 16_000
SECONDS = 9.01
WINDOW = int(SECONDS * RATE)
MODULE, EXTRA = "speechmos", "speech"
NETWORK = Path("dnsmos_models") / "sig_bak_ovr.onnx"
SIGNAL, BACKGROUND, OVERALL = (
    np.poly1d(numbers)
    for numbers in (
        [-0.08397278, 1.22083953, 0.0052439],
        [-0.13166888, 1.60915514, -0.39604546],
        [-0.06766283, 1.11546468, 0.04602535],
    )
)
ABOUT = About(modules=(MODULE,), extra=EXTRA)


@dataclass(frozen=True, slots=True)
class Quality:
    """Predicted opinion scores of overall, voice and background quality, from 1 (bad) to 5; at times a bit beyond."""

    overall: float
    signal: float
    background: float


def recording_quality(audio: Audio) -> Quality:
    """DNSMOS of a clip.

    Raises:
        MissingExtraError: if the package with the network is not installed.
    """
    session = _session()
    samples = resample(audio, rate=RATE).samples.astype(np.float32)
    samples = samples / max(1.0, float(np.abs(samples).max()))  # the network was trained within full scale
    while len(samples) < WINDOW:
        samples = np.concatenate([samples, samples])
    hops = int(np.floor(len(samples) / RATE) - SECONDS) + 1
    # the package leaves out windows whose end, computed in floats, falls a sample short; so its means are over fewer
    begins = [hop * RATE for hop in range(hops) if int((hop + SECONDS) * RATE) - hop * RATE >= WINDOW]
    windows = [samples[begin : begin + WINDOW][np.newaxis] for begin in begins]
    raw = np.array([session.run(None, {"input_1": window})[0][0] for window in windows], dtype=np.float64)
    return Quality(
        overall=float(OVERALL(raw[:, 2]).mean()),
        signal=float(SIGNAL(raw[:, 0]).mean()),
        background=float(BACKGROUND(raw[:, 1]).mean()),
    )


@cache
def _session() -> onnxruntime.InferenceSession:
    spec = find_spec(MODULE)
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError(message("style.quality-of-recordings"), extra=EXTRA)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    path = Path(next(iter(spec.submodule_search_locations))) / NETWORK
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


LONGEST, SHORTEST = 30.0, 1.0
"""Seconds of a segment."""
SEGMENT_RATE = 16_000
"""Samples per second at which speech is looked for; segments keep the rate of their recording."""

Counting = Literal["built-in", "tags", "none"]
COUNTING: tuple[Counting, ...] = ("built-in", "tags", "none")
ONE, SEVERAL, UNKNOWN = "one", "several", "unknown"


@dataclass(frozen=True, slots=True)
class CorpusSettings:
    """Settings of the filters and of the descriptions.

    Args:
        longest, shortest: seconds of a segment; shorter ones are dropped.
        least_quality: overall DNSMOS below which a segment is dropped; NaN to measure none.
        counting: method of counting speakers: by the built-in ear, by tags in a transcript, or not at all.

    Raises:
        UsageError: if nothing could be kept.
    """

    languages: tuple[Language, ...] = ("en",)
    spoken: Language = "en"
    longest: float = LONGEST
    shortest: float = SHORTEST
    least_quality: float = math.nan
    counting: Counting = "built-in"

    def __post_init__(self) -> None:
        if not self.languages:
            raise UsageError("captions need a language; name one with --language.")
        if not 0 < self.shortest <= self.longest <= LONGEST:
            raise UsageError(
                f"segments last from above 0 s to {LONGEST:g} s, got {self.shortest:g} to {self.longest:g} s."
            )

    @property
    def measures_quality(self) -> bool:
        """True if recordings are rated."""
        return not math.isnan(self.least_quality)


def find_recordings(sources: Sequence[Path]) -> list[Path]:
    """Recordings that are named, and those in folders that are; each once, in order.

    Raises:
        UsageError: if a source is missing, or there is none.
    """
    found: list[Path] = []
    for source in sources:
        if source.is_dir():
            found += sorted(
                path
                for path in source.rglob("*")
                if path.suffix.lower() in RECORDINGS and path.is_file() and not path.name.startswith(".")
            )
        elif source.is_file():
            found.append(source)
        else:
            raise UsageError(f"{source}: there is no such file or folder; name recordings that are there.")
    if not found:
        raise UsageError(f"no recording was found; expected files that end in {', '.join(RECORDINGS)}.")
    return list(dict.fromkeys(path.absolute() for path in found))


def recording_items(recordings: Sequence[Path]) -> Iterator[Item]:
    """Recordings as items; the hash of a file is part of it."""
    for position, path in enumerate(recordings):
        yield _audio_item(f"{position:06}", AudioRef(str(path), sha256=file_hash(path)), position=position)


@dataclass(frozen=True, slots=True)
class SegmentStep:
    """Recording → segments of speech."""

    settings: CorpusSettings

    def __call__(self, item: Item, call: Call, /) -> Outcome:
        """The segments of one recording."""
        path = from_json(AudioRef, item.payload["audio"]).path
        pieces = speech_pieces(path, rate=SEGMENT_RATE, max_seconds=self.settings.longest)
        found = [piece_times(one) for one in pieces]
        kept = [one for one in found if one.seconds >= self.settings.shortest]
        evidence: dict[str, Json] = {"segments": [to_json(one) for one in kept], "short": len(found) - len(kept)}
        if not kept:
            return Outcome.unscored(message("style.nobody-speaks"), evidence=evidence)
        seconds = Score(math.fsum(one.seconds for one in kept), unit="s", higher_is_better=None)
        return Outcome(State.DONE, {"speech": seconds}, evidence=evidence)


def segment_items(run: Run) -> list[Item]:
    """The segments that the first run has found, as items of the second."""
    items: list[Item] = []
    for entry in run.entries:
        whole = from_json(AudioRef, entry.item.payload["audio"])
        segments = entry.outcome.evidence.get("segments")
        for number, one in enumerate(segments if isinstance(segments, Sequence) else [], start=1):
            segment = from_json(Segment, one)
            ref = AudioRef(whole.path, segment.start, segment.end, whole.sha256)
            items.append(_audio_item(f"{entry.item.id}-{number:05}", ref, position=len(items)))
    return items


def _audio_item(name: str, ref: AudioRef, *, position: int) -> Item:
    """A clip as an item; where its file lies is not part of its hash."""
    hashed = {"audio": to_json(replace(ref, path="-"))}
    return Item.make(name, {"audio": to_json(ref)}, position=position, hashed=hashed)


@dataclass(frozen=True, slots=True)
class DescribeStep:
    """Segment → quality → speakers (by a transcriber where by tags) → captions at three levels.

    Raises:
        UsageError: if speakers are to be counted by tags, and nothing transcribes.
    """

    settings: CorpusSettings
    captioner: Captioner
    rewriter: Rewriter
    transcriber: Transcriber | None = None

    def __post_init__(self) -> None:
        if self.settings.counting == "tags" and self.transcriber is None:
            raise UsageError("tags of speakers come from a transcriber; name one with --transcriber.")

    async def __call__(self, item: Item, call: Call, /) -> Outcome:
        """The outcome of one segment."""
        ref = from_json(AudioRef, item.payload["audio"])
        audio = read_ref(AudioRef(ref.path, ref.start, ref.end), rate=None, channel="mix")
        scores: dict[str, Score] = {}
        if self.settings.measures_quality:
            quality = await asyncio.to_thread(recording_quality, audio)
            scores["quality"] = Score(quality.overall, higher_is_better=True)
            if quality.overall < self.settings.least_quality:
                evidence: dict[str, Json] = {"step": "quality", "quality": quality.overall}
                return Outcome.unscored(message("style.low-quality", value=quality.overall), evidence=evidence)
        speakers, why = await self._speakers(audio)
        captions: list[Caption] = []
        for language in self.settings.languages:
            described = await self.captioner.caption(audio, language=language, call=call)
            captions += await self.rewriter.rewrite(described, language=language, call=call)
        scores["seconds"] = Score(audio.seconds, unit="s", higher_is_better=None)
        evidence = {"speakers": speakers, "speakers_why": why, "captions": [to_json(one) for one in captions]}
        return Outcome(State.DONE, scores, evidence=evidence, signature=self.signature)

    async def _speakers(self, audio: Audio) -> tuple[str, str]:
        """``one``, ``several`` or ``unknown``, and what that rests on."""
        if self.settings.counting == "none":
            return UNKNOWN, "not asked"
        if self.settings.counting == "tags":
            assert self.transcriber is not None
            found = tagged_speakers((await self.transcriber.transcribe(audio, language=self.settings.spoken)).text)
            return (UNKNOWN, "no tags in the transcript") if not found else (ONE if found == 1 else SEVERAL, "tags")
        heard = await asyncio.to_thread(count_speakers, audio)
        if heard.several is None:
            return UNKNOWN, heard.reason
        return SEVERAL if heard.several else ONE, f"distance {heard.distance:.2f}"

    @property
    def signature(self) -> str:
        """Captions and rewriting."""
        return f"{self.captioner.signature} + {self.rewriter.signature}"

    def described(self) -> dict[str, Json]:
        """Everything that the corpus depends on, for the configuration of a run."""
        return {
            **asdict(self.settings),
            "languages": list(self.settings.languages),
            "captioner": self.captioner.signature,
            "rewriter": self.rewriter.signature,
            "transcriber": self.transcriber.signature if self.transcriber is not None else "",
        }

    @property
    def about(self) -> About:
        """Requirements and licences, shown before it runs."""
        whole = self.captioner.about + self.rewriter.about
        if self.transcriber is not None:
            whole += self.transcriber.about
        return whole + ABOUT if self.settings.measures_quality else whole
