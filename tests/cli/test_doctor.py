from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from aptone.ear import LICENCES
from aptone.errors import MissingExtraError, RegistryError
from aptone.installation import install_command, repair_command
from aptone.judge import BuiltInJudge
from aptone.models import About
from aptone.models.local.emotion2vec import Emotion2Vec
from aptone.models.moonshine import Moonshine
from aptone.models.text import built_in_embedder as built_in_text_embedder
from aptone.registry import Registry
from aptone.rooms.style.embedding import built_in
from aptone.rooms.style.embedding.built_in import BuiltInStyleEmbedder


@pytest.mark.slow
def test_the_doctor_says_that_the_built_in_engine_can_run_and_that_nobody_compared_it_with_listeners(
    aptone: Callable[..., Any],
) -> None:
    shown = aptone("doctor", "--json")
    assert shown.code == 0
    engine = {engine["name"]: engine for engine in shown.json["engines"]}["built-in"]
    assert engine["ready"] is True
    assert engine["package"] == "aptone"
    assert "never compared with listeners" in engine["summary"]
    ours = dict.fromkeys(("aptness", "caption", "dialogue", "style"), "aptone")
    assert ours.items() <= shown.json["registered"]["rooms"].items()


def test_the_table_names_every_engine_and_extra(aptone: Callable[..., Any]) -> None:
    shown = aptone("doctor")
    assert shown.code == 0
    for name in ["built-in", "ear: full", "ear: permissive", "formats", "frames", "studio", "ray"]:
        assert name in shown.out


@pytest.mark.slow
def test_nothing_is_worth_a_look_where_only_extras_are_missing(
    aptone: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aptone.cli.doctor.make_step", _lacking)
    monkeypatch.setattr("aptone.models.parts.which", lambda program: None)
    shown = aptone("doctor")
    assert shown.out.count("look here") == 1  # the engine that comes with it
    assert shown.out.count("optional") > 4
    optional = {engine["name"]: engine["optional"] for engine in aptone("doctor", "--json").json["engines"]}
    assert optional.items() >= {"built-in": False, "api": True, "local": True}.items()


def _lacking(engine: object) -> Any:
    raise MissingExtraError("engine", extra="local")


def test_the_doctor_speaks_mandarin_and_names_a_variable_that_is_wrong(
    aptone: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    shown = aptone("doctor", "--lang", "zh").out
    assert "听出话是怎样说的；当前选用。权重：CC-BY-NC-SA-4.0。" in shown
    assert "语音合成：espeak-ng" in shown
    monkeypatch.setenv("APTONE_LANG", "fr")
    wrong = aptone("doctor")
    assert wrong.code == 2
    assert "APTONE_LANG" in wrong.err
    assert "APTONE_LANG" not in aptone("doctor", "--lang", "fr").err


@pytest.mark.slow
def test_a_missing_extra_comes_with_its_pip_command(
    aptone: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aptone.models.parts.find_spec", lambda name: None)
    shown = aptone("doctor")
    assert install_command("ray") in " ".join(shown.out.split())
    extras = aptone("doctor", "--json").json["extras"]
    assert {part["ready"] for part in extras} == {False}
    assert {part["name"] for part in extras} == {
        "books",
        "formats",
        "frames",
        "speech",
        "studio",
        "train",
        "view",
        "ray",
    }


@pytest.mark.slow
def test_an_engine_that_lacks_modules_or_sends_audio_away_is_described(
    aptone: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BuiltInJudge, "about", About(("no_such_module.part",), "llm"))
    engine = _built_in(aptone("doctor", "--json").json)
    assert (engine["ready"], engine["next_step"]) == (False, install_command("llm"))
    monkeypatch.setattr(BuiltInJudge, "about", About(sends_audio_to=("api.example",), licence="MIT"))
    monkeypatch.setenv("COLUMNS", "500")
    assert "Sends audio to api.example. Weights: MIT." in aptone("doctor").out


@pytest.mark.slow
def test_the_doctor_says_which_ears_are_ready_their_licences_and_which_is_selected(
    aptone: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("APTONE_EAR", "permissive")
    ears = {ear["name"]: ear for ear in aptone("doctor", "--json").json["ears"] if ear["name"] in LICENCES}
    assert {name: (ear["ready"], ear["licence"], ear["selected"]) for name, ear in ears.items()} == {
        "full": (True, "CC-BY-NC-SA-4.0", False),
        "permissive": (True, "Apache-2.0", True),
    }
    monkeypatch.setenv("COLUMNS", "500")
    shown = aptone("doctor").out
    assert "select it with APTONE_EAR=full. Weights: CC-BY-NC-SA-4.0." in shown
    assert "selected. Weights: Apache-2.0." in shown


def test_an_ear_whose_weights_are_damaged_is_not_ready(
    aptone: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(name: str) -> None:
        raise RuntimeError(f"{name}: protobuf parsing failed")

    monkeypatch.setattr("aptone.cli.doctor.load_ear", damaged)
    ears = aptone("doctor", "--json").json["ears"]
    assert [ear["ready"] for ear in ears if ear["name"] in LICENCES] == [False, False]
    assert repair_command() in ears[0]["next_step"]


def test_ears_of_others_are_listed_with_what_they_need(
    aptone: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("APTONE_EAR", "wav2vec2-dim:mine")
    monkeypatch.setattr(Emotion2Vec, "about", About(modules=("no_such_module",), extra="emotion2vec"))
    ears = {ear["name"]: ear for ear in aptone("doctor", "--json").json["ears"]}
    missing, there = ears["emotion2vec"], ears["wav2vec2-dim"]
    assert (missing["ready"], missing["optional"]) == (False, True)
    assert missing["next_step"] == install_command("emotion2vec")
    assert (there["ready"], there["selected"], there["licence"]) == (True, True, "CC-BY-NC-SA-4.0")
    assert "licence not known" in ears["transformers"]["licence"]
    assert not ears["full"]["selected"]
    assert "ear: transformers" in aptone("doctor").out


def test_a_setting_that_names_no_ear_is_reported_not_raised(
    aptone: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("APTONE_EAR", "golden")
    shown = aptone("doctor", "--json").json
    assert "APTONE_EAR" in _built_in(shown)["next_step"]
    assert not any(ear["selected"] for ear in shown["ears"])


def test_a_broken_engine_is_reported_not_raised(aptone: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    load = Registry.load

    def broken(self: Registry[Any], name: str) -> Any:
        if self.group == "engines":
            raise RegistryError("engines 'x' cannot be loaded")
        return load(self, name)

    monkeypatch.setattr(Registry, "load", broken)
    engine = _built_in(aptone("doctor", "--json").json)
    assert engine["ready"] is False
    assert engine["next_step"] == "engines 'x' cannot be loaded"


def test_the_engine_behind_a_server_says_what_it_must_be_told(
    aptone: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    (engine,) = [engine for engine in aptone("doctor", "--json").json["engines"] if engine["name"] == "api"]
    assert engine["ready"] is False
    assert "--set planner.model=NAME" in engine["next_step"]


@pytest.mark.slow
def test_the_engine_on_this_machine_says_what_it_lacks_and_what_it_must_be_told(
    aptone: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def local() -> Any:
        (engine,) = [engine for engine in aptone("doctor", "--json").json["engines"] if engine["name"] == "local"]
        return engine

    assert local()["ready"] is False
    assert "--set judge.model=NAME" in local()["next_step"]
    monkeypatch.setattr("aptone.models.parts.find_spec", lambda name: None)
    assert local()["next_step"] == install_command("local")


@pytest.mark.slow
def test_the_doctor_says_which_models_can_run_and_what_the_others_need(
    aptone: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setattr("aptone.models.parts.which", lambda program: None)
    models = {(model["kind"], model["name"]): model for model in aptone("doctor", "--json").json["models"]}
    embedder = models["text_embedder", "built-in"]
    assert (embedder["ready"], embedder["licence"]) == (True, "text embedder (Apache-2.0)")
    assert "English and Mandarin" in embedder["summary"]
    style = models["style_embedder", "built-in"]
    assert (style["ready"], style["licence"]) == (True, BuiltInStyleEmbedder().about.licence)
    assert style["signature"] == BuiltInStyleEmbedder().signature
    assert "CC-BY-NC-SA-4.0" in style["licence"]
    assert "--set transcriber.model=NAME" in models["transcriber", "api"]["next_step"]
    assert "apt install flite" in models["speaker", "flite"]["next_step"]
    monkeypatch.setattr(Moonshine, "about", About(("no_such_module",), "speech"))
    monkeypatch.setenv("COLUMNS", "500")
    monkeypatch.setattr(built_in_text_embedder, "load_static_vectors", lambda: np.load("no/such/file.npz"))
    monkeypatch.setattr(built_in, "load_style_model", lambda: built_in.StyleModel(b"half a", b"file"))
    damaged = [model for model in aptone("doctor", "--json").json["models"] if model["name"] == "built-in"]
    assert [(model["ready"], repair_command() in model["next_step"]) for model in damaged] == [(False, True)] * 2
    shown = aptone("doctor").out
    assert "transcriber: moonshine" in shown
    assert install_command("speech") in shown


def _built_in(told: Any) -> Any:
    (engine,) = [engine for engine in told["engines"] if engine["name"] == "built-in"]
    return engine
