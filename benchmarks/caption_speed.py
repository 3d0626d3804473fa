"""Cost of judging captions beside hearing the recordings: 100 captions of 60 words, each with a clip of 5 s.

    python -m benchmarks.caption_speed --data DATA

Clips of unseen actors are joined and cut to exactly 5 s. A caption of exactly 60 words says random things in the words
of our grammar, and so does its reference: what they say does not matter here, every claim is checked. Each clip is
heard by the ear alone, and its caption judged whole (taken apart, clip heard, every unit checked, reference taken
apart, matched, written as an outcome) by the built-in parts, one after the other in one process, in CPU time. The
caption of 10,000 words beside them is taken apart only. `DATA` holds ``ravdess/`` with its ``labels.csv``; it does not
come with Aptone.
"""

import argparse
import asyncio
import json
import platform
import random
import statistics
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import numpy as np

from aptone.audio import read
from aptone.ear import load_ear
from aptone.ear.describe import ATTRIBUTES, Style, describe, style_from, values_of
from aptone.ear.perceive import HEARING_RATE
from aptone.rooms.caption.data import CaptionSample
from aptone.rooms.caption.decompose.built_in import decompose
from aptone.rooms.caption.parts import make_step
from aptone.run import Call
from aptone.types import Audio
from benchmarks.ear_data import load_set
from benchmarks.made_with import with_revisions

CAPTIONS, WORDS, SECONDS, GOAL = 100, 60, 5.0, 2.0
LONG, REPETITIONS = 10_000, 5
"""Words of the caption that is taken apart alone, and how often; the quickest counts."""


def make_clips(data: Path) -> list[Audio]:
    """Clips of exactly five seconds, each of two recordings of unseen actors."""
    found = load_set(data, "ravdess", part="test")[: 2 * CAPTIONS]
    clips = []
    for first, second in zip(found[::2], found[1::2], strict=True):
        joined = np.concatenate([read(clip.path, rate=HEARING_RATE, channel="mix").samples for clip in (first, second)])
        clips.append(Audio(joined[: int(SECONDS * HEARING_RATE)], rate=HEARING_RATE, source=first.path.name))
    return clips


def random_style(generator: random.Random) -> Style:
    """A value for every attribute."""
    labels: dict[str, str] = {attribute: generator.choice(values_of(attribute)).value for attribute in ATTRIBUTES}
    if labels["emotion"] == "neutral":
        del labels["intensity"]
    return style_from(labels)


def caption_of(words: int, generator: random.Random) -> str:
    """Exactly so many words about random voices."""
    said: list[str] = []
    while len(said) < words:
        style = random_style(generator)
        said += describe(style, language="en", length="caption", seed=generator.randrange(10**6)).split()
    return " ".join(said[:words])


def judged_beside_the_ear(data: Path, *, seed: int) -> dict[str, object]:
    """CPU time of whole captions over that of the ear on the same clips."""
    generator = random.Random(seed)
    step, ear = make_step(), load_ear()
    samples = [
        CaptionSample(str(number), clip, caption_of(WORDS, generator), caption_of(WORDS, generator))
        for number, clip in enumerate(make_clips(data))
    ]
    asyncio.run(step.on_sample(samples[0], Call()))  # loads lexicons and weights
    alone, whole, units = [], [], []
    for sample in samples:
        assert isinstance(sample.audio, Audio)
        begin = time.process_time()
        ear.perceive(sample.audio)
        alone.append(time.process_time() - begin)
        begin = time.process_time()
        outcome = asyncio.run(step.on_sample(sample, Call()))
        whole.append(time.process_time() - begin)
        found = outcome.evidence["units"]
        assert isinstance(found, list)
        units.append(len(found))
    return {
        "captions": len(samples),
        "words": WORDS,
        "seconds_of_each_clip": SECONDS,
        "units_of_a_caption_median": statistics.median(units),
        "times_the_ear_alone": round(sum(whole) / sum(alone), 3),
        "goal": GOAL,
    }


def long_caption(*, seed: int) -> dict[str, object]:
    """CPU time for each word of a long caption over that of short ones: 1 where it grows with the words alone."""
    generator = random.Random(seed)
    short = [caption_of(WORDS, generator) for _ in range(CAPTIONS)]
    long = caption_of(LONG, generator)
    in_short = min(_seconds(short) for _ in range(REPETITIONS)) / (WORDS * CAPTIONS)
    in_long = min(_seconds([long]) for _ in range(REPETITIONS)) / LONG
    ratio = in_long / in_short
    return {"words": LONG, "times_the_cost_of_a_word_in_a_short_caption": round(ratio, 2)}


def _seconds(captions: Sequence[str]) -> float:
    begin = time.process_time()
    for caption in captions:
        decompose(caption, language="en")
    return time.process_time() - begin


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description="What judging captions costs beside hearing the recordings.")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=6)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "caption_speed.json")
    options = parser.parse_args()
    judged = judged_beside_the_ear(options.data, seed=options.seed)
    long = long_caption(seed=options.seed)
    print(
        f"{CAPTIONS} captions of {WORDS} words against clips of {SECONDS:g} s: {judged['times_the_ear_alone']} times "
        f"the ear alone (goal {GOAL}); {judged['units_of_a_caption_median']} units a caption"
    )
    print(f"a word in {LONG:,} costs {long['times_the_cost_of_a_word_in_a_short_caption']} times one in {WORDS}")
    record = {
        "what": "judging captions by the built-in parts: CPU time beside the ear alone, and a very long caption",
        "seed": options.seed,
        "versions": {"python": platform.python_version()}
        | {name: version(name) for name in ("aptone", "numpy", "onnxruntime")},
        "judged": judged,
        "long": long,
    }
    options.output.write_text(
        json.dumps(with_revisions(record, "ear"), indent=2, sort_keys=True) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
