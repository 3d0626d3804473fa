"""``aptone build``."""

from pathlib import Path

import numpy as np
import pytest

from aptone.audio import write
from aptone.types import Audio
from tests.cli.conftest import Aptone


@pytest.fixture
def material(tmp_path: Path) -> tuple[Path, Path]:
    """Dialogues and clips as they lie on a user's disk."""
    texts, voices = tmp_path / "texts", tmp_path / "voices"
    (texts / "meld").mkdir(parents=True)
    voices.mkdir()
    rows = [
        f"{number},Line {number}.,Ann,{label},negative,0,{number}" for number, label in enumerate(["joy", "sadness"])
    ]
    header = "Sr No.,Utterance,Speaker,Emotion,Sentiment,Dialogue_ID,Utterance_ID"
    (texts / "meld" / "test.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    labels = ["file,speaker,sex,age,language,emotion,intensity,text,split"]
    for emotion in ("happy", "sad"):
        samples = 0.2 * np.sin(np.arange(8_000) / 20)
        write(voices / f"{emotion}.wav", Audio(samples.astype(np.float32), rate=16_000, source=emotion))
        labels.append(f"{emotion}.wav,ann,female,,en,{emotion},,,test")
    (voices / "labels.csv").write_text("\n".join(labels) + "\n", encoding="utf-8")
    return texts, voices


def test_a_proxy_benchmark_is_built_and_says_what_it_is(
    aptone: Aptone, material: tuple[Path, Path], tmp_path: Path
) -> None:
    texts, voices = material
    command = ["build", "aptness-proxy", "--dialogues", str(texts), "--clips", str(voices), "--items", "6", "-o"]
    told = aptone(*command, str(tmp_path / "proxy"))
    assert told.code == 0
    assert "heard by nobody" in told.out
    assert "没有人听过" in aptone(*command, str(tmp_path / "told"), "--lang", "zh").out
    assert len((tmp_path / "proxy" / "manifest.jsonl").read_text(encoding="utf-8").splitlines()) == 6
    as_json = aptone(*command, str(tmp_path / "again"), "--json", "--seed", "3").json
    assert as_json["items"] == 6
    assert as_json["settings"]["seed"] == 3
    assert sum(as_json["counts"]["fit"].values()) == 6


def test_a_part_without_clips_is_refused(aptone: Aptone, material: tuple[Path, Path], tmp_path: Path) -> None:
    texts, voices = material
    told = aptone(
        *["build", "aptness-proxy", "--dialogues", str(texts), "--clips", str(voices)],
        *["--part", "dev", "-o", str(tmp_path / "proxy")],
    )
    assert told.code == 2
    assert "no clip belongs to the part dev" in told.err


def test_a_benchmark_that_is_not_known_is_answered_with_its_neighbour(aptone: Aptone) -> None:
    told = aptone("build", "aptness-prox")
    assert told.code == 2
    assert "did you mean aptness-proxy?" in told.err
