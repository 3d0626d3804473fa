"""From shards to a dual encoder that the embedder takes, by the command line."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("transformers", reason="training needs torch and transformers: pip install 'aptone[train]'")

from click.testing import CliRunner

from aptone.cli.main import aptone
from aptone.ear.perceive import ClipNumbers
from aptone.errors import MissingExtraError, UsageError
from aptone.models.clap.folder import load_clap
from aptone.models.clap.style_embedder import LocalStyleEmbedder
from aptone.train.clap import run as clap_run
from aptone.train.model_cards import clap_card
from aptone.types import Audio
from tests.models.local_claps import RATE, save_laion_clap
from tests.models.local_speech_models import save_sentence_encoder
from tests.train.clap_pairs import tone
from tests.train.style_shards import style_shards

SMALL = (
    "--embedding-dim",
    8,
    "--batch-size",
    4,
    "--micro-batch-size",
    2,
    "--steps",
    4,
    "--warmup-steps",
    0,
    "--save-every",
    1,
    "--eval-every",
    2,
    "--num-workers",
    1,
)


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("parts")
    save_laion_clap(folder / "audio")
    (folder / "text").mkdir()
    save_sentence_encoder(folder / "text", pooling="pooling_mode_lasttoken")
    style_shards(folder / "train", 10)
    style_shards(folder / "dev", 4)
    return folder


def typed(parts: Path, out: Path, *more: object, audio: object = None) -> Any:
    given = ["train", "clap", "--data", parts / "train", "--audio-encoder", audio or parts / "audio", "--device", "cpu"]
    given += ["--text-encoder", parts / "text", *SMALL, *more, "-o", out, "--json"]
    result = CliRunner().invoke(aptone, [str(one) for one in given], standalone_mode=False, catch_exceptions=False)
    assert result.exception is None
    return json.loads(result.stdout)


def test_from_shards_to_an_embedder(parts: Path, tmp_path: Path) -> None:
    made = typed(parts, tmp_path, "--eval-data", parts / "dev", "--no-tensorboard")
    assert (made["clips"], made["steps"]) == (10, 4)
    assert made["best_step"] in (2, 4)
    assert 0 <= made["eval_metrics"]["text to audio @1"] <= 1
    assert made["eval_metrics"]["text to audio @5"] == 1.0  # of four
    clap = load_clap(tmp_path)
    assert clap.training["eval metrics"] == made["eval_metrics"]
    assert clap.training["step"] == made["best_step"]
    found = LocalStyleEmbedder(model=str(tmp_path), device="cpu")
    assert found.embed_audio([Audio(tone(1).numpy(), rate=RATE)]).shape == (1, 8)
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "10 clips" in card
    assert "| text to audio @10 | 1.0000 |" in card
    # asked again, it has nothing left to do
    assert typed(parts, tmp_path, "--eval-data", parts / "dev", "--no-tensorboard") == made


def test_the_ear_s_numbers_can_be_learned_from(parts: Path, tmp_path: Path) -> None:
    made = typed(parts, tmp_path, "--no-tensorboard", audio="ear:permissive")
    assert made["best_step"] == 4
    numbers = ClipNumbers("permissive")
    found = LocalStyleEmbedder(model=str(tmp_path), device="cpu", features=numbers)
    clip = Audio(tone(1, seconds=0.5).numpy(), rate=RATE)
    assert np.linalg.norm(found.embed_audio([clip])) == pytest.approx(1.0, abs=1e-5)
    encoder = load_clap(tmp_path).network.audio_encoder
    assert encoder.centre.shape == (numbers.size,)
    assert encoder.centre.abs().max() > 0
    assert "never compared" not in (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "nobody knows yet how good it is" in (tmp_path / "README.md").read_text(encoding="utf-8")


def test_a_log_for_tensorboard_is_kept_by_default(parts: Path, tmp_path: Path) -> None:
    pytest.importorskip("tensorboard", reason="the extra train is not installed")
    typed(parts, tmp_path)
    (events,) = (tmp_path / "tensorboard").iterdir()
    assert b"pairs per second" in events.read_bytes()


def test_without_tensorboard_it_says_what_to_install(
    parts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "torch.utils.tensorboard", None)
    with pytest.raises(MissingExtraError, match=r'or say --no-tensorboard.*pip install .*\[train\]"'):
        typed(parts, tmp_path)


def test_the_ear_is_taught_on_in_one_process(parts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clap_run, "world_size", lambda: 2)
    with pytest.raises(UsageError, match="use one process"):
        typed(parts, tmp_path, "--no-tensorboard", audio="ear")


def test_names_in_a_card_cannot_mark_up_the_page() -> None:
    about: dict[str, Any] = {
        "data": {"folder": "a|b\n# c", "clips": 1, "hours": 0.5},
        "eval data": None,
        "captions": {"levels": ["full"], "languages": []},
        "audio encoder": "<script>",
        "text encoder": "`x`",
        "licence": "",
        "config": {"frozen": ["audio", "text"]},
        "step": 3,
        "loss": None,
        "eval metrics": {},
    }
    card = clap_card(about)
    assert "<script>" not in card
    assert "\n# c" not in card
    assert "| frozen | audio, text |" in card
    assert "levels full, languages all" in card
    assert "mean training loss unknown" in card


def test_a_clip_that_is_too_short_for_the_ear_is_named() -> None:
    from aptone.errors import AudioError

    with pytest.raises(AudioError, match=r"0\.10 s of sound"):
        ClipNumbers()(Audio(np.zeros(800, np.float32), rate=8000, source="short"))
    assert ClipNumbers("permissive").signature != ClipNumbers().signature
