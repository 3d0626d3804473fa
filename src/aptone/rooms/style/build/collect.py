"""Corpus from the run over segments: a balance of single speakers and several, shards, rejects, yields."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from aptone.audio import encode_lossless, encode_opus, read_ref
from aptone.errors import UsageError
from aptone.rooms.style.build.corpus import ONE, SEVERAL, UNKNOWN, DescribeStep
from aptone.run import Run, write_whole
from aptone.run.sources.shards import PER_SHARD, SHARDS, Caption, ShardSample, write_shards
from aptone.types import AudioRef, Entry, Json, State, dumps, from_json

REJECTS, ABOUT = "rejects.jsonl", "build.json"
LARGEST_SHARE = 0.75
"""Of the clips of one kind, single speakers or several, among both."""

Format = Literal["flac", "ogg"]
FORMATS: tuple[Format, ...] = ("flac", "ogg")


@dataclass(frozen=True, slots=True)
class Corpus:
    """Result of a build; the yields say by step how many went in and came out."""

    shards: Path
    clips: int
    seconds: float
    yields: Mapping[str, Mapping[str, int]]


def balanced(kinds: Sequence[str], *, largest_share: float, seed: int) -> list[int]:
    """Places of what stays when one kind is thinned out until it is at most a share of both.

    Only where both kinds occur; what is of neither kind stays.

    >>> len(balanced(["one"] * 9 + ["several"], largest_share=0.75, seed=0))  # 3 of 4 are of the larger kind
    4
    >>> len(balanced(["one"] * 9, largest_share=0.5, seed=0))
    9

    Args:
        kinds: ``one``, ``several`` or anything else.
        largest_share: share from 0.5 to 1; 1 keeps everything.

    Raises:
        UsageError: if the share is none of these.
    """
    if not 0.5 <= largest_share <= 1:
        raise UsageError(f"the larger kind has a share from 0.5 to 1, got {largest_share}.")
    places = {kind: [place for place, one in enumerate(kinds) if one == kind] for kind in (ONE, SEVERAL)}
    few, many = sorted(places.values(), key=len)
    if few and largest_share < 1:
        most = int(len(few) * largest_share / (1 - largest_share) + 1e-9)
        dropped = set(np.random.default_rng(seed).permutation(many)[most:].tolist()) if len(many) > most else set()
    else:
        dropped = set()
    return [place for place in range(len(kinds)) if place not in dropped]


def collect(
    segments: Run,
    described: Run,
    step: DescribeStep,
    *,
    folder: Path,
    largest_share: float = LARGEST_SHARE,
    per_shard: int = PER_SHARD,
    format: Format = "flac",
) -> Corpus:
    """Write the corpus of two finished runs; a call that was killed is made again.

    Args:
        largest_share: largest share of single speakers or several among both.
        format: audio format of the clips: lossless, or Ogg Opus, which takes a tenth of the room.

    Raises:
        RunError: if a file cannot be written.
        UsageError: if an option makes no sense.
    """
    done = [entry for entry in described.entries if entry.outcome.state is State.DONE]
    kinds = [str(entry.outcome.evidence.get("speakers")) for entry in done]
    kept = [done[place] for place in balanced(kinds, largest_share=largest_share, seed=described.config.seed)]
    write_shards(folder / SHARDS, _samples(kept, format), per_shard=per_shard)
    rejects = [*_rejects(segments.entries, "segments"), *_rejects(described.entries, "captions")]
    write_whole(folder / REJECTS, "".join(f"{dumps(one)}\n" for one in rejects))
    found = Counter(str(one["step"]) for one in rejects)
    unreadable = sum(entry.outcome.state is State.FAILED for entry in segments.entries)
    yields = {
        "segments": {
            "recordings": len(segments.entries),
            "unreadable": unreadable,
            "without speech": found["segments"],
            "too short": sum(
                short for one in segments.entries if isinstance(short := one.outcome.evidence.get("short"), int)
            ),
            "segments": len(described.entries),
        },
        "quality": {"dropped": found["quality"]} if step.settings.measures_quality else {"measured": 0},
        "speakers": {kind: kinds.count(kind) for kind in (ONE, SEVERAL, UNKNOWN)},
        "captions": {"without": found["captions"], "failed": found["failed"] - unreadable, "clips": len(done)},
        "balance": {"dropped": len(done) - len(kept), "kept": len(kept)},
    }
    about: dict[str, Json] = {
        "settings": {**step.described(), "largest_share": largest_share, "format": format},
        "notes": list(step.about.notes),
        "licence": step.about.licence,
        "yields": {name: dict(counts) for name, counts in yields.items()},
    }
    write_whole(folder / ABOUT, dumps(about, indent=1) + "\n")
    return Corpus(folder / SHARDS, len(kept), sum(entry.outcome.scores["seconds"].value for entry in kept), yields)


def _samples(entries: Sequence[Entry], format: Format) -> Iterator[ShardSample]:
    for entry in entries:
        ref = from_json(AudioRef, entry.item.payload["audio"])
        audio = read_ref(replace(ref, sha256=""), rate=None, channel="mix")
        recording, ending = (encode_opus(audio), "ogg") if format == "ogg" else encode_lossless(audio)
        listed = entry.outcome.evidence["captions"]
        assert isinstance(listed, Sequence)
        mark = hashlib.sha256(f"{ref.sha256} {ref.start} {ref.end}".encode()).hexdigest()[:8]
        yield ShardSample(
            key=f"{entry.item.id}-{mark}",
            recording=recording,
            ending=ending,
            seconds=audio.seconds,
            captions=tuple(from_json(Caption, one) for one in listed),
            about={
                "source": Path(ref.path).name,
                "start": ref.start,
                "end": ref.end,
                "speakers": entry.outcome.evidence["speakers"],
                **{name: score.value for name, score in entry.outcome.scores.items() if name == "quality"},
            },
        )


def _rejects(entries: Sequence[Entry], step: str) -> Iterator[dict[str, Json]]:
    for entry in entries:
        if entry.outcome.state is not State.DONE:
            failed = entry.outcome.state is State.FAILED
            told = "failed" if failed else str(entry.outcome.evidence.get("step") or step)
            yield {
                "id": entry.item.id,
                "audio": entry.item.payload["audio"],
                "step": told,
                "reason": entry.outcome.reason,
            }
