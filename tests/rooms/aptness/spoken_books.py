"""Long recordings of which it is known what is said in them, and a transcriber that knows it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from aptone.audio import read, write
from aptone.models import About, TimedText, Transcript
from aptone.types import Audio, Language, Segment

RATE = 16_000
CLIPS = Path(__file__).resolve().parents[3] / "examples" / "lighthouse" / "clips"


@dataclass
class KnowingTranscriber:
    """Knows what is said where in some recordings, and finds a piece in them by its samples."""

    spoken: dict[bytes, list[TimedText]] = field(default_factory=dict)
    about = About()
    signature = "transcriber:knowing"
    asked: int = 0

    async def transcribe(self, audio: Audio, *, language: Language) -> Transcript:
        self.asked += 1
        piece = np.rint(audio.samples * 32768).astype("<i2").tobytes()
        for whole, lines in self.spoken.items():
            start = whole.find(piece) / 2 / RATE
            if start >= 0:
                inside = [
                    TimedText(line.text, Segment(max(0.0, line.segment.start - start), line.segment.end - start))
                    for line in lines
                    if start <= (line.segment.start + line.segment.end) / 2 < start + audio.seconds
                ]
                return Transcript(" ".join(line.text for line in inside), pieces=tuple(inside))
        raise AssertionError("the piece is of no recording")


def stitch(
    path: Path, readings: Sequence[tuple[str, str]], knowing: KnowingTranscriber, *, pause: float = 1.0
) -> list[TimedText]:
    """String readings together with pauses before, between and behind them, and tell the transcriber what they say.

    Args:
        path: of the long recording.
        readings: name of a clip of the example, and what is said in it; an empty text for what no transcriber hears.
        knowing: what shall know it.
        pause: seconds.

    Returns:
        When each reading is said.
    """
    silence = np.zeros(round(pause * RATE), dtype=np.float32)
    parts, timed, reached = [silence], [], pause
    for name, text in readings:
        sound = read(CLIPS / f"{name}.opus", rate=RATE, channel="mix")
        timed.append(TimedText(text, Segment(reached, reached + sound.seconds)))
        parts += [sound.samples, silence]
        reached += sound.seconds + pause
    write(path, Audio(np.concatenate(parts), rate=RATE))
    exact = read(path, rate=RATE).samples
    knowing.spoken[np.rint(exact * 32768).astype("<i2").tobytes()] = [one for one in timed if one.text]
    return timed
