import inspect
from collections.abc import Callable
from typing import Any

import pytest

from aptone.errors import MissingExtraError, RegistryError, UsageError
from aptone.models import About, load_speaker, load_text_embedder, load_transcriber
from aptone.models.moonshine import Moonshine
from aptone.models.openai.parts import OpenAiSpeaker, OpenAiTextEmbedder, OpenAiTranscriber
from aptone.models.parts import MODEL_KINDS, PartKind, find_part, make_part, passes_on
from aptone.models.speakers.command import CommandSpeaker
from aptone.registry import Registry
from tests.tables import for_each


def test_a_part_whose_modules_are_there_can_run() -> None:
    about = About(modules=("json",))
    about.require("it")
    assert about.missing == ()


def test_a_part_that_lacks_a_module_names_it_and_the_pip_command() -> None:
    about = About(modules=("json", "no_such_module", "no_such_package.part"), extra="local")
    assert about.missing == ("no_such_module", "no_such_package.part")
    with pytest.raises(MissingExtraError, match=r'judge \'x\' .*no_such_module.*pip install .*\[local\]"'):
        about.require("judge 'x'")


def test_what_must_be_known_of_two_parts_is_the_union_of_both() -> None:
    planner = About(("a",), "llm", ("b.example",), ("careful",), "MIT")
    judge = About(("c",), "", ("a.example", "b.example"), ("careful", "slow"), "CC BY 4.0")
    assert planner + judge == About(
        ("a", "c"), "llm", ("a.example", "b.example"), ("careful", "slow"), "MIT, CC BY 4.0"
    )
    assert About() + About() == About()


def test_parameters_of_two_parts_add_up_only_where_both_say_theirs() -> None:
    assert (About(parameters=7) + About(parameters=8)).parameters == 15
    assert (About(parameters=7) + About()).parameters == 0


def test_a_part_that_lacks_a_program_names_it_and_what_installs_it() -> None:
    About(programs=(("python3", "apt install python3"),)).require("it")
    about = About(programs=(("no-such-program", "apt install nothing"),))
    with pytest.raises(UsageError, match=r"speaker 'x' needs the program no-such-program, .*: apt install nothing"):
        about.require("speaker 'x'")
    assert (about + about).programs == about.programs


SERVER = "http://localhost:8000/v1"


def test_a_transcriber_behind_a_server_is_made_from_options() -> None:
    made = load_transcriber("api", model="whisper-1", base_url=SERVER, times="word", price_per_minute=0.006)
    assert isinstance(made, OpenAiTranscriber)
    assert (made.model, made.endpoint.base_url, made.times, made.price_per_minute) == (
        "whisper-1",
        SERVER,
        "word",
        0.006,
    )


def test_a_speaker_and_an_embedder_behind_a_server_are_made_from_options() -> None:
    speaker = load_speaker("api", model="tts-1", voice="alloy", base_url=SERVER, format="wav")
    assert isinstance(speaker, OpenAiSpeaker)
    assert (speaker.model, speaker.voice, speaker.format) == ("tts-1", "alloy", "wav")
    embedder = load_text_embedder("api", model="e5", base_url=SERVER, timeout=7)
    assert isinstance(embedder, OpenAiTextEmbedder)
    assert (embedder.model, embedder.endpoint.timeout) == ("e5", 7)


def test_what_is_not_said_comes_from_the_environment_of_the_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", SERVER)
    monkeypatch.setenv("APTONE_TEXT_EMBEDDER_MODEL", "qwen3-embedding")
    made = load_text_embedder("api")
    assert isinstance(made, OpenAiTextEmbedder)
    assert made.model == "qwen3-embedding"


def test_without_a_server_it_says_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(UsageError, match=r"which model is the text embedder, .*--set text_embedder\.base_url="):
        load_text_embedder("api")


@for_each(
    ("options", "words"),
    [
        ({"times": "second"}, "times is none, segment, word, got 'second'"),
        ({"price_per_minute": "cheap"}, "price_per_minute is a number"),
        ({"timeout": "soon"}, "timeout is a number of seconds"),
    ],
)
def test_an_option_of_another_kind_is_refused(options: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        load_transcriber("api", model="m", base_url=SERVER, **options)


def test_an_option_that_a_part_does_not_have_is_refused_with_those_it_has() -> None:
    with pytest.raises(UsageError, match=r"transcriber 'api' has no option 'colour'; it has model, base_url"):
        load_transcriber("api", colour="red")


def test_an_unknown_name_is_answered_with_its_neighbours() -> None:
    with pytest.raises(RegistryError, match=r"did you mean moonshine\?"):
        load_transcriber("moonshin")


def test_a_part_that_cannot_run_here_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Moonshine, "about", About(modules=("no_such_module",), extra="speech"))
    with pytest.raises(MissingExtraError, match=r'transcriber .moonshine. .*pip install .*\[speech\]"'):
        load_transcriber("moonshine")


def test_a_name_that_stands_for_no_maker_is_the_package_s_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Registry, "load", lambda self, name: 3)
    with pytest.raises(RegistryError, match="judge 'built-in' of aptone makes nothing; expected a class or function"):
        make_part("judge", "built-in", {})


@for_each("name", ["espeak-ng", "flite", "festival", "piper"])
def test_a_program_is_a_speaker_by_its_own_name_and_says_when_it_is_missing(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aptone.models.parts.which", lambda program: f"/usr/bin/{program}")
    made = load_speaker(name, options=["-x", "1"], timeout=3)
    assert isinstance(made, CommandSpeaker)
    assert f"program:{name}" in made.signature
    monkeypatch.setattr("aptone.models.parts.which", lambda program: None)
    with pytest.raises(UsageError, match=f"speaker '{name}' needs the program .*not installed here"):
        load_speaker(name)


def test_options_of_a_program_are_looked_at() -> None:
    with pytest.raises(UsageError, match="the speaker's option options is a list of texts, got '-x'"):
        load_speaker("flite", options="-x")
    with pytest.raises(UsageError, match="the speaker's option timeout is a number of seconds"):
        load_speaker("flite", timeout="soon")


@for_each("kind", MODEL_KINDS)
def test_every_model_of_ours_tells_what_it_is_in_a_line(kind: PartKind) -> None:
    registry = Registry(f"{kind}s", object)
    for name in registry:
        first = (inspect.getdoc(registry.load(name)) or "").partition("\n")[0]
        assert first.endswith("."), f"{kind} {name}: {first!r}"


SERVED = (
    *("model", "base_url", "key_variable", "timeout", "limit_field", "extra", "omit_temperature"),
    *("input_price", "output_price", "audio_price", "prices"),
)
WEIGHTS = ("model", "revision", "device", "precision", "trust_remote_code")
JUDGE = ("reasoning", "show", "context_size", "prompt_language", "prompts", "temperature", "max_tokens")
PLANNER = ("prompts", "windows", "voting", "thrifty", "temperature", "max_tokens", "replan")
ADAPTERS: tuple[tuple[PartKind, str, tuple[str, ...]], ...] = (
    ("judge", "api", (*SERVED, "logprobs", *JUDGE)),
    ("judge", "local", (*WEIGHTS, "gated", "gate_position", "aac", "batch_size", *JUDGE)),
    ("planner", "api", (*SERVED, *PLANNER)),
    ("planner", "local", (*WEIGHTS, "template", *PLANNER)),
    ("transcriber", "api", (*SERVED[:4], "times", "price_per_minute")),
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
