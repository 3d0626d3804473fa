"""Names are found lazily and strictly, and a real plugin is found when it is installed."""

import json
import os
import shutil
import subprocess
import sys
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from pathlib import Path

import pytest

from aptone import read_audio
from aptone.errors import MissingExtraError, RegistryError
from aptone.registry import GROUPS, Registration, Registry
from tests.tables import for_each

PLUGIN = Path(__file__).parent / "plugin"


class Package:
    """Stands for an installed distribution."""

    def __init__(self, name: str) -> None:
        self.name = name


def _point(name: str, target: str, *, package: str = "") -> EntryPoint:
    point = EntryPoint(name=name, value=target, group="aptone.engines")
    if package:
        vars(point)["dist"] = Package(package)
    return point


def _installed(monkeypatch: pytest.MonkeyPatch, *points: EntryPoint) -> None:
    """Make these entry points the only ones."""

    def find(*, group: str) -> EntryPoints:
        return EntryPoints(point for point in points if point.group == group)

    monkeypatch.setattr("aptone.registry.entry_points", find)


def test_a_group_lists_its_names_in_order_without_importing_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [_point("zeta", "no.such.module:X", package="zp"), _point("alpha", "math:pi", package="ap")]
    _installed(monkeypatch, *points)
    registry = Registry("engines", float)
    assert list(registry) == ["alpha", "zeta"]
    assert len(registry) == 2
    assert "zeta" in registry
    assert "omega" not in registry
    assert registry["zeta"] == Registration(name="zeta", package="zp", target="no.such.module:X")
    assert [registration.package for registration in registry.values()] == ["ap", "zp"]


def test_a_thing_is_loaded_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    _installed(monkeypatch, _point("pi", "math:pi"))
    registry = Registry("engines", float)
    assert registry.load("pi") == pytest.approx(3.14159, abs=1e-5)
    assert registry["pi"].package == "an unknown package"


def test_an_unknown_group_is_refused() -> None:
    with pytest.raises(RegistryError, match="no group 'motors'; expected one of benches, builds, displays, ears"):
        Registry("motors", float)


@for_each("group", GROUPS)
def test_every_group_can_be_read_as_it_is_installed(group: str) -> None:
    installed = {point.name for point in entry_points(group=f"aptone.{group}")}
    assert set(Registry(group, object)) == installed


def test_an_unknown_name_suggests_its_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    _installed(monkeypatch, _point("built-in", "math:pi"), _point("openai", "math:e"))
    registry = Registry("engines", float)
    with pytest.raises(RegistryError, match=r"no engines are named 'builtin'; did you mean built-in\?"):
        registry.load("builtin")
    with pytest.raises(RegistryError, match=r"no engines are named 'xyz'; known are built-in, openai\."):
        registry["xyz"]
    with pytest.raises(RegistryError, match="no style embedders are named 'xyz'"):
        Registry("style_embedders", object).load("xyz")


def test_an_unknown_name_where_nothing_is_known_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    _installed(monkeypatch)
    with pytest.raises(RegistryError, match=r"known are none\."):
        Registry("engines", float).load("x")


def test_two_packages_that_claim_one_name_are_an_error_that_names_both(monkeypatch: pytest.MonkeyPatch) -> None:
    _installed(monkeypatch, _point("x", "math:pi", package="one"), _point("x", "math:e", package="two"))
    with pytest.raises(RegistryError, match=r"two packages bring engines named 'x': one and two\. Uninstall one"):
        Registry("engines", float)


def test_one_target_that_is_found_twice_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    _installed(monkeypatch, _point("x", "math:pi", package="one"), _point("x", "math:pi", package="one"))
    assert list(Registry("engines", float)) == ["x"]


@for_each(
    ("target", "words"),
    [
        ("no_such_module_at_all:X", "ModuleNotFoundError: No module named 'no_such_module_at_all'"),
        ("math:no_such_attribute", "AttributeError"),
        ("not a target", "cannot be loaded"),
        ("math:pi", "is a float; expected a str"),
    ],
)
def test_a_broken_plugin_is_named_with_its_package_and_its_problem(
    target: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _installed(monkeypatch, _point("x", target, package="broken-plugin"))
    with pytest.raises(RegistryError, match="engines 'x' of broken-plugin") as caught:
        Registry("engines", str).load("x")
    assert words in str(caught.value)


def test_a_missing_extra_comes_through_as_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "needs_more.py").write_text(
        "from aptone.errors import MissingExtraError\nraise MissingExtraError('this engine', extra='llm')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    _installed(monkeypatch, _point("x", "needs_more:ENGINE"))
    with pytest.raises(MissingExtraError, match=r"\[llm\]"):
        Registry("engines", str).load("x")


def _install(source: Path, target: Path) -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    done = subprocess.run(
        [*command, "--target", str(target), str(source)], env=environment, capture_output=True, text=True, timeout=3000
    )
    assert done.returncode == 0, done.stderr


def _ask(command: list[str], *folders: Path) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders)), "COLUMNS": "200"}
    return subprocess.run(
        [sys.executable, *command],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        stdin=subprocess.DEVNULL,
    )


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the plugin of tests/plugin is installed, by pip."""
    folder = tmp_path_factory.mktemp("plugin")
    shutil.copytree(PLUGIN, folder / "source", ignore=shutil.ignore_patterns("__pycache__"))
    _install(folder / "source", folder / "installed")
    return folder / "installed"


def test_an_installed_plugin_is_found_without_being_imported(plugin: Path) -> None:
    look = (
        "import sys\nfrom aptone.models import Engine\nfrom aptone.registry import Registry\n"
        "registry = Registry('engines', Engine)\n"
        "print(registry['echo'].package, registry['echo'].target, 'aptone_echo' in sys.modules)\n"
        "print(registry.load('echo').summary)"
    )
    said = _ask(["-c", look], plugin)
    assert said.stdout.splitlines() == ["aptone-echo aptone_echo:ENGINE False", "scores a clip by its length"]


def test_an_installed_plugin_scores_on_the_command_line_once_the_user_agrees(plugin: Path) -> None:
    clip = Path(__file__).parents[1] / "examples" / "lighthouse" / "clips" / "sleep-apt.opus"
    command = ["-m", "aptone", "score", str(clip), "--line", "Sleep now.", "--engine", "echo", "--json"]
    refused = _ask(command, plugin)
    assert refused.returncode == 2
    assert "This sends 1 recording to echo.example. Nobody is there to ask; add --yes to agree." in refused.stderr
    scored = _ask([*command, "--yes"], plugin)
    assert scored.returncode == 0, scored.stderr
    told = json.loads(scored.stdout)
    assert told["outcome"]["rationale"] == "calm enough"
    assert told["outcome"]["scores"]["aptness"]["value"] == pytest.approx(read_audio(clip, rate=16_000).seconds)
    own, only_the_line = told["notes"]
    assert own == "This engine only shows how plugins work."
    assert only_the_line.startswith("Only the line was read")


def test_another_judge_is_asked_about_and_set_up_as_itself_whatever_the_engine(plugin: Path) -> None:
    clip = Path(__file__).parents[1] / "examples" / "lighthouse" / "clips" / "anybody-apt.opus"
    command = ["-m", "aptone", "score", str(clip), "--line", "x", "--plan", "{}", "--judge", "echo", "--json"]
    assert "This sends 1 recording to echo.example." in _ask(command, plugin).stderr
    told = json.loads(_ask([*command, "--yes", "--set", "judge.factor=0.5"], plugin).stdout)
    assert told["outcome"]["signature"] == "judge:echo|factor:0.5"
    assert told["outcome"]["scores"]["aptness"]["value"] == pytest.approx(read_audio(clip, rate=16_000).seconds / 2)
    assert told["notes"] == ["This engine only shows how plugins work."]  # the plan is given: nothing of the planner
    refused = _ask([*command, "--yes", "--set", "judge.tone=1"], plugin)
    assert "judge 'echo' has no option 'tone'; it has factor." in refused.stderr


def test_the_doctor_lists_an_installed_plugin_beside_the_built_ins(plugin: Path) -> None:
    told = json.loads(_ask(["-m", "aptone", "doctor", "--json"], plugin).stdout)
    assert {engine["name"]: engine["package"] for engine in told["engines"]} == {
        "api": "aptone",
        "built-in": "aptone",
        "echo": "aptone-echo",
        "local": "aptone",
    }
    ours = dict.fromkeys(("api", "built-in", "local"), "aptone")
    assert told["registered"]["judges"] == {**ours, "echo": "aptone-echo"}


def test_the_room_of_an_installed_plugin_brings_its_verb(plugin: Path) -> None:
    assert "Does it say what it is told?" in _ask(["-m", "aptone", "--help"], plugin).stdout
    assert json.loads(_ask(["-m", "aptone", "echo", "hello", "--json"], plugin).stdout) == {"words": "hello"}


def test_two_installed_plugins_that_claim_one_name_are_refused(plugin: Path, tmp_path: Path) -> None:
    double = tmp_path / "double"
    shutil.copytree(PLUGIN, double, ignore=shutil.ignore_patterns("__pycache__"))
    metadata = (double / "pyproject.toml").read_text()
    metadata = metadata.replace('name = "aptone-echo"', 'name = "aptone-parrot"')
    (double / "pyproject.toml").write_text(metadata.replace("aptone_echo", "aptone_parrot"))
    (double / "aptone_echo.py").rename(double / "aptone_parrot.py")
    _install(double, tmp_path / "two")
    said = _ask(["-m", "aptone", "doctor"], plugin, tmp_path / "two")
    assert said.returncode == 2
    assert "two packages bring verbs named 'echo': aptone-echo and aptone-parrot. Uninstall one of them." in said.stderr
    assert "Traceback" not in said.stderr
