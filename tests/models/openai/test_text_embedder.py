import asyncio

import numpy as np
import pytest

from aptone.errors import TransientError, UsageError
from aptone.models.openai.endpoint import Endpoint
from aptone.models.openai.parts import OpenAiTextEmbedder
from aptone.models.parts import Vectors
from tests.models.mock_server import Answer, MockServer


def embed(server: MockServer, *texts: str) -> Vectors:
    return asyncio.run(OpenAiTextEmbedder(Endpoint(server.base_url), "e5").embed(texts))


def test_rows_come_in_the_order_of_the_texts_whatever_the_server_does(server: MockServer) -> None:
    server.answers(Answer({"data": [{"index": 1, "embedding": [3, 4]}, {"index": 0, "embedding": [1, 2]}]}))
    vectors = embed(server, "a", "b")
    np.testing.assert_array_equal(vectors, np.array([[1, 2], [3, 4]], dtype=np.float32))
    assert vectors.dtype == np.float32
    assert server.received[0].json == {"model": "e5", "input": ["a", "b"]}


@pytest.mark.parametrize(
    "data",
    [
        None,
        "no",
        [],
        [{"index": 0, "embedding": [1.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": ["x"]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1e39]}],
        [{"index": 0, "embedding": []}, {"index": 1, "embedding": []}],
        [1, 2],
    ],
)
def test_a_row_that_is_missing_or_none_is_never_made_up(server: MockServer, data: object) -> None:
    server.answers(Answer({"data": data}))
    with pytest.raises(TransientError, match="expected 2 vectors of one length"):
        embed(server, "a", "b")


def test_nothing_to_embed_and_nobody_to_ask_are_errors(server: MockServer) -> None:
    with pytest.raises(UsageError, match="no text was given"):
        embed(server)
    with pytest.raises(UsageError, match="which model"):
        OpenAiTextEmbedder(Endpoint(server.base_url), "")
    assert OpenAiTextEmbedder(Endpoint("http://one/v1"), "e5").signature.endswith("model:e5|server:http://one/v1")
    assert OpenAiTextEmbedder(Endpoint("http://one/v1"), "e5").about.extra == "llm"
