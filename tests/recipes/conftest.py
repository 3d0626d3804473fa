from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from aptone.audio import telephone_band, write
from aptone.types import Audio
from recipes.ear import naturalness_clips as ear_naturalness_clips
from recipes.ear.data import SPEECH_SETS
from recipes.ear.naturalness_clips import PARTS, Part
from tests.recipes.ear.natural_clips import tone

if TYPE_CHECKING:
    from tests.recipes.ear.tiny_corpus import Tiny


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> "Tiny":
    """The tiny corpus, with 40 rows of one second; made once."""
    pytest.importorskip("torch", reason="training needs torch: pip install 'aptone[train]'")
    from tests.recipes.ear.tiny_corpus import make_tiny

    return make_tiny(tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def lines() -> list[str]:
    """Logged lines."""
    return []


@pytest.fixture
def log(lines: list[str]) -> Callable[[str], None]:
    return lines.append


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The four sets, with one speaker and two emotions in each part; Mandarin has no dev part."""
    folder = tmp_path / "data"
    for name in SPEECH_SETS:
        (folder / name).mkdir(parents=True)
        lines = ["file,speaker,emotion,split"]
        for part in ("train", "test") if name == "csemotions" else PARTS:
            for number, emotion in enumerate(("angry", "sad")):
                file = f"{part}{number}.ogg"
                write(folder / name / file, tone(hertz=200.0 + 50 * number))
                lines.append(f"{file},{name}-{part},{emotion},{part}")
        (folder / name / "labels.csv").write_text("\n".join(lines), encoding="utf-8")
    table = "Nr.\tSatz\terkannt\tnatuerlich\n1\xa0\ttrain0.wav\t65,00\xa0\t35,00\xa0\n2\ttrain1.wav\t5,00\t80,00\n\n"
    (folder / "emodb" / "erkennung.txt").write_text(table, encoding="latin-1")
    return folder


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small parts, rooms that take no seconds, and machines that hum, since they may not be installed."""
    parts = {name: Part(1, 1, 4, 1, 1, ("kal16",), ("",), plan.sentences) for name, plan in PARTS.items()}
    monkeypatch.setattr(ear_naturalness_clips, "PARTS", parts)

    def hum(machine: str, number: int, plan: Part, *, generator: np.random.Generator) -> tuple[str, Audio]:
        return machine, tone(hertz=float(generator.uniform(100, 200)))

    monkeypatch.setattr(ear_naturalness_clips, "spoken", hum)
    monkeypatch.setattr(ear_naturalness_clips, "far_field", lambda audio, **_: telephone_band(audio))
