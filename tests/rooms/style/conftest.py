"""Makes the modules beside the tests importable; a corpus of tones."""

import sys
from pathlib import Path

import pytest

from aptone.rooms.style.data import StylePair
from aptone.types import AudioRef, Language

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.rooms.style.voices import write_tone


@pytest.fixture
def corpus(tmp_path: Path) -> list[StylePair]:
    """Twenty tones, each described in English and in Mandarin."""
    made = []
    feelings: dict[Language, list[str]] = {
        "en": ["angry", "sad", "happy", "calm", "bored"],
        "zh": ["愤怒", "悲伤", "开心", "平静", "无聊"],
    }
    for number in range(20):
        path = write_tone(tmp_path / "corpus" / f"{number}.wav", 100.0 * 2 ** (number / 5), seconds=0.2)
        for language, words in feelings.items():
            feeling = words[number % 5]
            text = f"A {feeling} man speaks slowly." if language == "en" else f"{feeling}的男声，语速缓慢"
            made.append(
                StylePair(f"{number}-{language}", AudioRef(str(path)), text, "zh" if language == "zh" else "en")
            )
    return made
