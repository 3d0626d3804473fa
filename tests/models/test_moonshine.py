import asyncio
import re
import sys

import numpy as np
import pytest

from aptone.audio import read
from aptone.errors import MissingExtraError, UsageError
from aptone.models import Transcript
from aptone.models import moonshine as module
from aptone.models.moonshine import Moonshine
from aptone.types import Audio


def transcribe(audio: Audio) -> Transcript:
    return asyncio.run(Moonshine().transcribe(audio, language="en"))


def test_it_writes_down_what_its_own_example_says_with_times() -> None:
    package = pytest.importorskip("moonshine_voice", reason="the extra speech is not installed")
    clip = read(f"{package.get_assets_path()}/beckett.wav", rate=None, channel="mix")
    heard = transcribe(clip)
    words = re.findall(r"\w+", heard.text.casefold())
    assert words[:4] == ["ever", "tried", "ever", "failed"]
    starts = [piece.segment.start for piece in heard.pieces]
    assert starts == sorted(starts)
    assert heard.pieces[-1].segment.end <= clip.seconds + 0.5
    assert "version:0.1.0" in Moonshine().signature


def test_silence_holds_no_words() -> None:
    pytest.importorskip("moonshine_voice", reason="the extra speech is not installed")
    assert transcribe(Audio(np.zeros(16_000, dtype=np.float32), rate=16_000)) == Transcript("")


def test_another_language_is_refused_and_not_heard_as_english() -> None:
    with pytest.raises(UsageError, match="hears English only, got 'zh'"):
        asyncio.run(Moonshine().transcribe(Audio(np.zeros(8, dtype=np.float32), rate=16_000), language="zh"))


def test_the_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    module._model.cache_clear()
    monkeypatch.setitem(sys.modules, "moonshine_voice", None)
    with pytest.raises(MissingExtraError, match=r'pip install .*\[speech\]"'):
        transcribe(Audio(np.zeros(8, dtype=np.float32), rate=16_000))


def test_without_pauses_a_clip_is_heard_the_same_whatever_came_before() -> None:
    package = pytest.importorskip("moonshine_voice", reason="the extra speech is not installed")
    clip = read(f"{package.get_assets_path()}/beckett.wav", rate=None, channel="mix")
    noise = Audio(np.random.default_rng(0).normal(0.0, 0.1, 24_000).astype(np.float32), rate=16_000)
    alike = Moonshine(pauses=False)
    first = asyncio.run(alike.transcribe(clip, language="en")).text
    asyncio.run(alike.transcribe(noise, language="en"))
    assert asyncio.run(alike.transcribe(clip, language="en")).text == first
    assert first.casefold().startswith("ever tried")
    assert "pauses:false" in alike.signature
    long = Audio(np.tile(np.append(clip.samples, np.zeros(clip.rate, np.float32)), 4), rate=clip.rate)
    assert long.seconds > 30  # beyond which one piece would be heard over and over
    heard = asyncio.run(alike.transcribe(long, language="en"))
    assert heard.text.casefold().count("ever tried") == 4
    starts = [piece.segment.start for piece in heard.pieces]
    assert starts == sorted(starts)
    assert starts[-1] > 20
    assert "pauses" not in Moonshine().signature


def test_an_option_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match="pauses is true or false"):
        Moonshine(pauses="maybe")  # type: ignore[arg-type]
