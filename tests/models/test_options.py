import inspect
from collections.abc import Callable
from typing import Any

import pytest

from aptone.errors import UsageError
from aptone.models.options import passes_on
from aptone.models.parts import PartKind, find_part, make_part

SERVER = ("model", "base_url", "key_variable", "timeout", "input_price", "output_price", "limit_field", "extra")
WEIGHTS = ("model", "revision", "device", "precision")
JUDGE = ("reasoning", "show", "context_size", "prompt_language", "prompts", "temperature", "max_tokens")
PLANNER = ("prompts", "windows", "voting", "thrifty", "temperature", "max_tokens", "replan")
ADAPTERS: tuple[tuple[PartKind, str, tuple[str, ...]], ...] = (
    ("judge", "api", (*SERVER, *JUDGE)),
    ("judge", "local", (*WEIGHTS, "gated", "gate_position", "aac", "batch_size", *JUDGE)),
    ("planner", "api", (*SERVER, *PLANNER)),
    ("planner", "local", (*WEIGHTS, "template", *PLANNER)),
    ("transcriber", "api", (*SERVER[:4], "times", "price_per_minute")),
    ("transcriber", "local", (*WEIGHTS, "max_tokens")),
    ("speaker", "local", (*WEIGHTS, "voice", "seed")),
    ("text_embedder", "local", (*WEIGHTS, "pooling", "prompt", "batch")),
    ("style_embedder", "local", ("model", "revision", "device", "batch", "features")),
)


@pytest.mark.parametrize(("kind", "name", "options"), ADAPTERS, ids=lambda value: str(value)[:20])
def test_options_that_are_passed_on_are_found_in_the_signature(
    kind: PartKind, name: str, options: tuple[str, ...]
) -> None:
    known = inspect.signature(find_part(kind, name, options)).parameters
    assert set(known) == set(options)
    assert next(iter(known)) == "model"
    assert all(one.default is not one.empty for one in known.values()), "each has a default"


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, name, _ in ADAPTERS])
def test_an_unknown_option_is_refused_from_python_too(
    kind: PartKind, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:9/v1")
    monkeypatch.setattr("aptone.judge.chat.local.is_omni", lambda placement: True)
    with pytest.raises(TypeError, match="colour"):
        find_part(kind, name)(model="m", colour="red")


@pytest.mark.parametrize("kind", ["judge", "planner", "speaker", "style_embedder", "text_embedder", "transcriber"])
def test_a_device_of_another_type_is_refused_by_every_local_model(kind: PartKind) -> None:
    with pytest.raises(UsageError, match=f"the {kind}'s option device is a device such as cuda, or auto, got 3"):
        make_part(kind, "local", {f"{kind}.model": "m", f"{kind}.device": 3})


def test_a_keyword_of_its_own_keeps_the_default_of_its_own() -> None:
    def receive(*, model: str, device: str = "auto") -> tuple[str, str]:
        return model, device

    @passes_on(receive)
    def make(**options: Any) -> Any:
        return receive(**options)

    @passes_on(receive)
    def make_with_default(*, model: str = "small", **options: Any) -> Any:
        return receive(model=model, **options)

    def default(function: Callable[..., Any], name: str) -> Any:
        return inspect.signature(function).parameters[name].default

    assert default(make, "model") is inspect.Parameter.empty
    assert default(make_with_default, "model") == "small"
    assert default(make_with_default, "device") == "auto"
    assert make_with_default(device="cpu") == ("small", "cpu")
