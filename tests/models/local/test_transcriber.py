import asyncio
from pathlib import Path

import numpy as np
import pytest

from aptone.errors import UsageError
from aptone.models import Transcript
from aptone.models.local import transcriber as module
from aptone.models.local.transcriber import LocalTranscriber
from aptone.types import Audio, Language, Segment
from tests.models.local_models import save_chat
from tests.models.local_speech_models import save_ctc, save_whisper


def noise(seconds: float, *, rate: int = 16_000) -> Audio:
    dice = np.random.default_rng(0)
    return Audio(dice.normal(0, 0.1, round(seconds * rate)).astype(np.float32), rate=rate)


@pytest.fixture
def speech(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """As if all were speech, cut into two pieces; gives the list of longest pieces that were asked for."""
    asked: list[float] = []

    def split(audio: Audio, *, max_seconds: float) -> tuple[Segment, ...]:
        asked.append(max_seconds)
        return Segment(0.0, 1.5), Segment(2.0, audio.seconds)

    monkeypatch.setattr(module, "split", split)
    return asked


def transcribe(folder: Path, audio: Audio, *, language: Language = "en") -> Transcript:
    return asyncio.run(
        LocalTranscriber(model=str(folder), device="cpu", max_tokens=20).transcribe(audio, language=language)
    )


def test_whisper_writes_phrases_with_times_within_their_pieces(tmp_path: Path, speech: list[float]) -> None:
    heard = transcribe(save_whisper(tmp_path, multilingual=True), noise(4.0))
    assert speech == [2.0], "the model hears two seconds at once"
    assert heard.pieces
    assert heard.text == " ".join(piece.text for piece in heard.pieces)
    for piece in heard.pieces:
        segment = piece.segment
        assert 0.0 <= segment.start <= segment.end <= 1.5 or 2.0 <= segment.start <= segment.end <= 4.0
    assert heard == transcribe(tmp_path, noise(4.0))


def test_a_whisper_of_one_language_refuses_another(tmp_path: Path, speech: list[float]) -> None:
    save_whisper(tmp_path, multilingual=False)
    assert transcribe(tmp_path, noise(3.0)).pieces
    with pytest.raises(UsageError, match="hears English only, got 'zh'"):
        transcribe(tmp_path, noise(3.0), language="zh")


def test_a_ctc_model_gives_words_with_times(tmp_path: Path, speech: list[float]) -> None:
    heard = transcribe(save_ctc(tmp_path), noise(4.0, rate=44_100))
    assert speech == [30.0]
    assert heard.pieces
    starts = [piece.segment.start for piece in heard.pieces]
    assert starts == sorted(starts)
    # A frame is 20 * 16 = 320 samples of 16,000: 20 ms, and the second piece begins at 2 s.
    frames = [(start - (2.0 if start >= 2.0 else 0.0)) / 0.02 for start in starts]
    np.testing.assert_allclose(frames, np.rint(frames), atol=1e-6)


def test_in_mandarin_each_character_has_its_time(tmp_path: Path, speech: list[float]) -> None:
    heard = transcribe(save_ctc(tmp_path, letters=list("你好世界声音")), noise(4.0), language="zh")
    assert heard.pieces
    assert all(len(piece.text) == 1 for piece in heard.pieces)
    assert heard.text == "".join(piece.text for piece in heard.pieces)


def test_where_nobody_speaks_no_word_is_invented(tmp_path: Path) -> None:
    silence = Audio(np.zeros(32_000, dtype=np.float32), rate=16_000)
    assert transcribe(save_whisper(tmp_path, multilingual=True), silence) == Transcript("")


def test_a_model_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a qwen2 does not write down speech"):
        transcribe(save_chat(tmp_path), noise(1.0))
    with pytest.raises(UsageError, match="the number of tokens is 1 or more"):
        LocalTranscriber(max_tokens=0)


def test_nothing_leaves_the_machine_and_the_signature_names_the_weights() -> None:
    made = LocalTranscriber(model="m", revision="abc")
    assert made.about.sends_audio_to == ()
    assert made.about.extra == "local"
    assert "model:m" in made.signature
    assert "revision:abc" in made.signature
