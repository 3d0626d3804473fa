"""Models of transformers on this machine: their weights, where they run, how they are loaded, and long recordings."""

import contextlib
import itertools
import math
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypedDict, get_args

import numpy as np
import numpy.typing as npt

from aptone.errors import MissingExtraError, UsageError
from aptone.messages import message
from aptone.models.parts import About, Kinds, check_kinds
from aptone.types import Json, signature

ABOUT = About(modules=("torch", "transformers"), extra="local")

model_lock = threading.RLock()
"""Held while a local model loads or runs: they share the processor and its memory."""

Precision = Literal["auto", "float32", "bfloat16", "float16"]

_KINDS: Kinds = {
    "model": ((str,), "a folder, or a name on the Hugging Face hub"),
    "revision": ((str,), "the name of a revision"),
    "device": ((str,), "a device such as cuda, or auto"),
    "precision": ((str,), "a precision such as bfloat16, or auto"),
    "trust_remote_code": ((bool,), "true or false"),
}


class PlacementOptions(TypedDict, total=False):
    """Options of a part that runs a model on this machine, besides ``model``; defaults and meaning as `Placement`."""

    revision: str
    device: str
    precision: Precision
    trust_remote_code: bool


@dataclass(frozen=True, slots=True)
class Placement:
    """Weights to load, and the device to load them to.

    Args:
        model: folder, or name on the Hugging Face hub.
        revision: revision of the weights on the hub; empty for the newest. Set it to make scores repeatable.
        device: ``cpu``, ``cuda``, ``cuda:1``, …, or ``auto`` to spread the model over all devices.
        precision: data type of the weights; ``auto`` for that of the file.
        trust_remote_code: run Python files that come with the model, if it needs them. They can do whatever you can.

    Raises:
        UsageError: if no model is named, or the precision is unknown.
    """

    model: str
    revision: str = ""
    device: str = "auto"
    precision: Precision = "auto"
    trust_remote_code: bool = False

    def __post_init__(self) -> None:
        if not self.model:
            raise UsageError("which model runs here? Give a folder, or a name on the Hugging Face hub.")
        if self.precision not in get_args(Precision):
            raise UsageError(f"a precision is one of {', '.join(get_args(Precision))}, got {self.precision!r}.")

    @property
    def options(self) -> dict[str, Any]:
        """Arguments of ``from_pretrained`` for every file of the checkpoint."""
        return {"revision": self.revision or None, "trust_remote_code": self.trust_remote_code}

    def weights(self) -> dict[str, Any]:
        """Return the further arguments of ``from_pretrained`` for the weights."""
        import torch

        precision = "auto" if self.precision == "auto" else getattr(torch, self.precision)
        return {"dtype": precision, "device_map": self.device}

    @contextlib.contextmanager
    def load_errors(self) -> Iterator[None]:
        """Turn errors of transformers while it loads into one that names the model.

        Raises:
            UsageError: if the model cannot be loaded; the message says why.
        """
        try:
            yield
        except ImportError as error:
            raise UsageError(f"{self.model}: its model needs another library ({error}).") from error
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            if "trust_remote_code" in str(error):
                raise UsageError(message("models.needs-remote-code", model=self.model)) from error
            raise UsageError(f"{self.model}: cannot be loaded ({' '.join(str(error).split())[:300]}).") from error

    @property
    def identity(self) -> dict[str, Json]:
        """Parameters that identify the weights in a signature; the device is none of them."""
        code: dict[str, Json] = {"trust_remote_code": True} if self.trust_remote_code else {}
        return {"model": self.model, "revision": self.revision, "precision": self.precision, **code}

    def load(self, kind: str, reader: str) -> tuple[Any, Any]:
        """Return tokenizer or processor, and model, from the classes of transformers with these names.

        Raises:
            MissingExtraError: if torch or transformers is not installed.
            UsageError: if the model cannot be loaded; the message says why.
        """
        transformers = transformers_library()
        with self.load_errors():
            reads = getattr(transformers, reader).from_pretrained(self.model, **self.options)
            model = getattr(transformers, kind).from_pretrained(self.model, **self.options, **self.weights())
        return reads, model.eval()

    def config(self) -> Any:
        """Return the configuration of the model; errors as those of `load`."""
        transformers = transformers_library()
        with self.load_errors():
            return transformers.AutoConfig.from_pretrained(self.model, **self.options)


load_once = cache(Placement.load)
"""`Placement.load`, once for the process."""


def transformers_library() -> Any:
    """Import transformers on use; where it is not installed, a `MissingExtraError` is raised."""
    try:
        import transformers
    except ImportError as error:
        raise MissingExtraError(message("models.a-local-model"), extra="local") from error
    return transformers


def placement_of(
    part: str,
    *,
    model: str,
    revision: str = "",
    device: str = "auto",
    precision: Precision = "auto",
    trust_remote_code: bool = False,
) -> Placement:
    """Return the placement that the options of a part describe.

    Raises:
        UsageError: if no model is named, or an option has a wrong type or value.
    """
    given: PlacementOptions = {
        "revision": revision,
        "device": device,
        "precision": precision,
        "trust_remote_code": trust_remote_code,
    }
    check_kinds(part, {"model": model, **given}, _KINDS)
    return Placement(model, **given)


class LocalModel:
    """Base of adapters; output depends on `parameters` too. Weights load on first use and stay for the process."""

    def __init__(self, name: str, placement: Placement, **parameters: Json) -> None:
        self._name = name
        self._placement = placement
        self._parameters = parameters

    @property
    def about(self) -> About:
        """Requirements; nothing leaves this machine."""
        return ABOUT

    @property
    def signature(self) -> str:
        """Model, revision, precision, and the options that the output depends on."""
        return signature(self._name, {**self._placement.identity, **self._parameters})


def frame_grid(kernels: Iterable[int], strides: Iterable[int]) -> tuple[int, int]:
    """Return the hop of frames and the receptive field of one, in samples, from the convolutions of a model."""
    hop, span = 1, 1
    for kernel, stride in zip(kernels, strides, strict=True):
        span += (kernel - 1) * hop
        hop *= stride
    return hop, span


Floats = npt.NDArray[np.float32]

STRETCH = 10.0
"""Longest stretch in seconds: what the shortest-sighted models for audio classification hear at once."""


def mean_over_stretches(
    samples: Floats, hear: Callable[[Floats], npt.NDArray[np.floating]], *, rate: int
) -> npt.NDArray[np.float64]:
    """Return the mean of what a model says about each stretch, which is at most `STRETCH` seconds long.

    >>> mean_over_stretches(np.arange(40, dtype=np.float32), lambda part: np.array([len(part), part[0]]), rate=2)
    array([20., 10.])
    """
    parts = max(1, math.ceil(samples.size / (STRETCH * rate)))
    edges = [round(samples.size * number / parts) for number in range(parts + 1)]
    heard = [np.asarray(hear(samples[first:behind]), dtype=np.float64) for first, behind in itertools.pairwise(edges)]
    mean: npt.NDArray[np.float64] = np.mean(heard, axis=0)
    return mean
