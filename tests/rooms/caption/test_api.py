from pathlib import Path

import numpy as np
import pytest

import aptone
from aptone.rooms.caption.parts import make_step
from aptone.types import State
from tests.rooms.caption.caption_parts import TONE

CLIP = Path(__file__).resolve().parents[3] / "examples" / "lighthouse" / "clips" / "keeper-apt.opus"


def test_a_caption_of_a_file_is_judged_in_one_call() -> None:
    outcome = aptone.caption(CLIP, "A man speaks.", "A woman speaks slowly.")
    assert outcome.state is State.DONE
    assert outcome.scores["s_p"].value == 1.0  # the keeper of the example is a man
    assert outcome.scores["s_r"].value == pytest.approx(1 / 3)  # (0 + 1) / (2 + 1)


def test_samples_need_their_rate() -> None:
    assert aptone.caption(TONE, "Hm.").state is State.UNSCORED
    assert aptone.caption(np.zeros(8000), "A man speaks.", rate=16_000).scores["s_p"].value == 0.0
    with pytest.raises(aptone.UsageError, match="rate"):
        aptone.caption(np.zeros(8000), "A man speaks.")


def test_models_on_this_machine_are_made_without_loading_them(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "qwen2_audio"}', encoding="utf-8")
    step = make_step("local", settings={"reader.model": "reads", "verifier.model": str(tmp_path)})
    assert "local-chat" in step.decomposer.signature
    assert "local-audio-chat" in step.verifier.signature
    assert step.matcher.signature.count("reads") == 1
    (tmp_path / "config.json").write_text('{"model_type": "qwen2_5_omni"}', encoding="utf-8")
    assert "omni" in make_step(verifier="local", settings={"verifier.model": str(tmp_path)}).verifier.signature
