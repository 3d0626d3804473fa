"""Python files that come with a model run only if a user says so."""

import ast
import json
from pathlib import Path
from typing import Any

import pytest

import aptone
from aptone.errors import UsageError
from aptone.models.local.placement import Placement, placement_of

SOURCES = Path(aptone.__file__).parent
LOADERS = ("from_pretrained", "AutoModel")


def _names_its_trust(call: ast.Call) -> bool:
    """Check that a call passes the option itself, or options that hold it."""
    given = [keyword.arg or ast.unparse(keyword.value).rpartition(".")[2] for keyword in call.keywords]
    return "trust_remote_code" in given or "options" in given


def test_every_call_that_loads_a_model_says_whether_its_code_is_trusted() -> None:
    found, silent = 0, []
    for path in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = getattr(node.func, "attr", getattr(node.func, "id", "")) if isinstance(node, ast.Call) else ""
            if isinstance(node, ast.Call) and name in LOADERS:
                found += 1
                if not _names_its_trust(node):
                    silent.append(f"{path.relative_to(SOURCES)}:{node.lineno}")
    assert found >= 10
    assert silent == []


def test_trust_is_off_unless_it_is_asked_for_and_part_of_the_signature() -> None:
    assert Placement("m").options["trust_remote_code"] is False
    assert "trust_remote_code" not in Placement("m").identity
    trusted = placement_of("judge", model="m", trust_remote_code=True)
    assert trusted.options["trust_remote_code"] is True
    assert trusted.identity["trust_remote_code"] is True
    with pytest.raises(UsageError, match=r"trust_remote_code .*true or false"):
        placement_of("judge", model="m", trust_remote_code="yes")  # type: ignore[arg-type]


@pytest.mark.slow
def test_code_of_a_model_runs_only_where_it_is_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    transformers: Any = pytest.importorskip("transformers")
    monkeypatch.setattr(transformers.dynamic_module_utils, "HF_MODULES_CACHE", str(tmp_path / "modules"))
    model, mark = tmp_path / "strange_model", tmp_path / "it-ran"
    model.mkdir()
    config = {"model_type": "strange", "auto_map": {"AutoConfig": "strange.StrangeConfig"}}
    (model / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (model / "strange.py").write_text(
        f"from transformers import PreTrainedConfig\nopen({str(mark)!r}, 'w').close()\n"
        "class StrangeConfig(PreTrainedConfig):\n    model_type = 'strange'\n",
        encoding="utf-8",
    )
    with pytest.raises(UsageError, match=r"Python files .* set trust_remote_code=true"):
        Placement(str(model)).config()
    assert not mark.exists()
    assert Placement(str(model), trust_remote_code=True).config().model_type == "strange"
    assert mark.exists()
