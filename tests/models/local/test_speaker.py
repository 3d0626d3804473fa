import asyncio
from pathlib import Path
from typing import Any

import pytest

from aptone.errors import UsageError
from aptone.models.local.speaker import LocalSpeaker
from aptone.types import Audio
from tests.models.local_models import save_chat
from tests.models.local_speech_models import save_vits

# transformers scripts a function of VITS with torch.jit when it is imported.
pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_vits(tmp_path_factory.mktemp("vits"))


def speak(folder: Path, text: str = "is anybody there", *, seed: int = 0, **options: Any) -> Audio:
    speaker = LocalSpeaker(model=str(folder), device="cpu", seed=seed)
    return asyncio.run(speaker.speak(text, **{"language": "en", **options}))


def test_a_text_becomes_sound_at_the_model_s_rate_and_the_same_every_time(folder: Path) -> None:
    first, again, other = speak(folder), speak(folder), speak(folder, seed=1)
    assert first.rate == 8000
    assert first == again
    assert first.hash != other.hash


def test_twice_the_speed_takes_about_half_the_time(folder: Path) -> None:
    usual, fast = speak(folder, "a" * 60), speak(folder, "a" * 60, speed=2.0)
    # Durations are whole frames, rounded up for each letter, so half is reached only nearly.
    assert 0.4 < fast.seconds / usual.seconds < 0.8
    assert speak(folder, "a" * 60).seconds == usual.seconds, "the speed of one call is not that of the next"


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("room 7", {}, "has no letter '7' and would leave it out"),
        ("你好", {}, "has no letter '你'"),
        (" \n", {}, "the text is empty"),
        ("hello", {"language": "zh"}, "speaks 'eng', got a text in 'zh'"),
        ("hello", {"instruction": "sadly"}, "takes no instruction on how to speak"),
        ("hello", {"speed": 9.0}, "the speed lies between"),
        ("hello", {"voice": "3"}, "has the voices 0 to 0, got '3'"),
    ],
)
def test_what_it_cannot_do_is_said_and_not_left_out(
    folder: Path, text: str, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        speak(folder, text, **options)


def test_a_model_with_several_voices_has_them_by_number(tmp_path: Path) -> None:
    save_vits(tmp_path, speakers=3)
    assert speak(tmp_path, voice="0").hash != speak(tmp_path, voice="2").hash


def test_a_model_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a qwen2 is not run here; name a VITS or MMS-TTS model"):
        speak(save_chat(tmp_path))
    with pytest.raises(UsageError, match="seed is a whole number"):
        LocalSpeaker(seed="x")  # type: ignore[arg-type]
    assert "seed:3" in LocalSpeaker(seed=3).signature
