"""What all stages of ``aptone train`` share on the command line."""

import contextlib
from collections.abc import Iterator

from aptone.errors import MissingExtraError


@contextlib.contextmanager
def training_parts() -> Iterator[None]:
    """Around imports of what trains: where a library is missing, the extra that brings it is named."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in {"onnx", "safetensors", "torch", "transformers"}:
            raise
        raise MissingExtraError("training", extra="train") from error
