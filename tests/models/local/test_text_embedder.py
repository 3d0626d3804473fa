import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aptone.errors import UsageError
from aptone.models import load_text_embedder
from aptone.models.local.text_embedder import LocalTextEmbedder
from aptone.models.parts import Vectors
from tests.models.local_models import transformers
from tests.models.local_speech_models import save_sentence_encoder

TEXTS = ["a", "a soft voice", "a loud one", "轻声", "She whispers, as if afraid of being heard."]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_sentence_encoder(tmp_path_factory.mktemp("last"), pooling="pooling_mode_lasttoken")


def embed(folder: Path, *texts: str, **options: Any) -> Vectors:
    return asyncio.run(LocalTextEmbedder(model=str(folder), device="cpu", **options).embed(texts))


def test_a_text_has_the_same_vector_alone_and_among_others(folder: Path) -> None:
    together = embed(folder, *TEXTS)
    for batch in (1, 2, 32):
        np.testing.assert_allclose(embed(folder, *reversed(TEXTS), batch=batch)[::-1], together, atol=1e-5)
    for text, row in zip(TEXTS, together, strict=True):
        np.testing.assert_allclose(embed(folder, text)[0], row, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1.0, atol=1e-6)


def states(folder: Path, text: str) -> Any:
    import torch

    library = transformers()
    tokens = library.AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt")
    with torch.inference_mode():
        return library.AutoModel.from_pretrained(folder)(**tokens).last_hidden_state[0].numpy()


def test_pooling_is_what_the_checkpoint_says_or_what_one_says_instead(folder: Path) -> None:
    every = states(folder, "a soft voice")
    expected = {"last": every[-1], "mean": every.mean(axis=0), "first": every[0], "max": every.max(axis=0)}
    np.testing.assert_allclose(
        embed(folder, "a soft voice")[0], expected["last"] / np.linalg.norm(expected["last"]), atol=1e-5
    )
    for pooling, vector in expected.items():
        found = embed(folder, "a soft voice", pooling=pooling)[0]
        np.testing.assert_allclose(found, vector / np.linalg.norm(vector), atol=1e-5)


def test_the_checkpoint_s_prompt_stands_before_the_text_unless_told_otherwise(tmp_path: Path) -> None:
    save_sentence_encoder(tmp_path, pooling="pooling_mode_mean_tokens", prompt="query: ")
    asked = embed(tmp_path, "a")
    np.testing.assert_allclose(asked, embed(tmp_path, "query: a", prompt=""), atol=1e-6)
    assert np.abs(asked - embed(tmp_path, "a", prompt="")).max() > 1e-3


def test_without_a_word_about_pooling_it_asks(tmp_path: Path) -> None:
    save_sentence_encoder(tmp_path)
    with pytest.raises(UsageError, match=r"--set text_embedder\.pooling=mean"):
        embed(tmp_path, "a")
    assert embed(tmp_path, "a", pooling="mean").shape == (1, 16)


def test_a_part_that_is_not_known_is_not_left_out_silently(tmp_path: Path) -> None:
    save_sentence_encoder(tmp_path, pooling="pooling_mode_mean_tokens", further="Dense")
    with pytest.raises(UsageError, match="its part 'Dense' is not known here"):
        embed(tmp_path, "a")


def test_a_text_that_would_be_cut_is_refused(tmp_path: Path) -> None:
    save_sentence_encoder(tmp_path, pooling="pooling_mode_mean_tokens", longest=5)
    assert embed(tmp_path, "abcde").shape == (1, 16)
    with pytest.raises(UsageError, match="text 2 has 6 tokens, more than the 5 that"):
        embed(tmp_path, "a", "abcdef")


def test_options_are_looked_at() -> None:
    with pytest.raises(UsageError, match="the pooling is mean, last, first, max or empty, got 'sum'"):
        load_text_embedder("local", pooling="sum")
    with pytest.raises(UsageError, match="the text_embedder's option batch is a number of texts"):
        load_text_embedder("local", batch="many")
    with pytest.raises(UsageError, match="no text was given"):
        asyncio.run(LocalTextEmbedder(model="nowhere").embed([]))


def test_the_signature_names_the_weights_and_not_the_machine() -> None:
    here, there = (LocalTextEmbedder(model="m", device=device).signature for device in ("cpu", "cuda"))
    assert here == there
    assert "model:m" in here
    assert LocalTextEmbedder(model="m", prompt="q: ").signature != here
