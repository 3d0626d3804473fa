"""Static files: pages of several packages as one folder; no text becomes HTML, nothing is loaded from elsewhere."""

import re
import sys
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from aptone.web.static_files import TYPES, static_files, static_route
from tests.tables import for_each

APPLICATIONS = (("aptone.web",), ("aptone.web", "aptone.studio"))
"""Packages whose files are served together."""
FOLDERS = {package: Path(str(resources.files(package))) / "pages" for package in ("aptone.web", "aptone.studio")}
OURS = sorted(
    path
    for folder in FOLDERS.values()
    for path in folder.rglob("*")
    if path.is_file() and "vendor" not in path.relative_to(folder).parts
)
SCRIPTS = [path for path in OURS if path.suffix == ".js"]
FROM_TEXT_TO_HTML = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|srcdoc|setHTML"
    r"|\beval\b|new Function"
)
ELSEWHERE = re.compile(r"https?://(?!www\.w3\.org/2000/svg)|['\"(]//[a-z]")


def named(path: Path) -> str:
    return f"{path.parents[1].name}/{path.name}"


@for_each("path", SCRIPTS, ids=named)
def test_no_script_turns_text_into_html(path: Path) -> None:
    assert FROM_TEXT_TO_HTML.findall(path.read_text(encoding="utf-8")) == []


@for_each("path", OURS, ids=named)
def test_nothing_is_loaded_from_elsewhere(path: Path) -> None:
    assert ELSEWHERE.findall(path.read_text(encoding="utf-8")) == []


@for_each("packages", APPLICATIONS)
def test_every_module_that_a_script_imports_is_served_beside_it(packages: tuple[str, ...]) -> None:
    files = static_files(*packages)
    scripts = {name: file.content.decode() for name, file in files.items() if name.endswith(".js") and "/" not in name}
    assert scripts
    wanted = {name for text in scripts.values() for name in re.findall(r'(?:from|import) "\./([^"]+)"', text)}
    assert wanted - files.keys() == set()


def test_every_file_of_a_type_that_pages_use_is_there_by_its_path() -> None:
    for package, folder in FOLDERS.items():
        found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.suffix in TYPES}
        assert static_files(package).keys() == found


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, str]]:
    """Two packages with pages of their own."""
    monkeypatch.syspath_prepend(tmp_path)
    made = {"first_app": ("a.js", "page.html"), "second_app": ("b.js", "sub/c.css", "notes.txt")}
    for package, files in made.items():
        for name in files:
            path = tmp_path / package / "pages" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{package} {name}", encoding="utf-8")
        (tmp_path / package / "__init__.py").touch()
    yield "first_app", "second_app"
    for package in made:
        sys.modules.pop(package, None)


def test_pages_of_several_packages_are_one_folder(packages: tuple[str, str]) -> None:
    files = static_files(*packages)
    assert sorted(files) == ["a.js", "b.js", "page.html", "sub/c.css"]
    assert files["sub/c.css"].content == b"second_app sub/c.css"


def test_one_name_in_two_packages_is_an_error_that_says_which(packages: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "second_app" / "pages" / "a.js").touch()
    with pytest.raises(ValueError, match=r"second_app: another package has pages/a\.js too"):
        static_files(*packages)


def test_a_file_is_sent_once_and_html_never(packages: tuple[str, str]) -> None:
    client = TestClient(Starlette(routes=[static_route(static_files(*packages))]))
    reply = client.get("/static/a.js")
    assert (reply.status_code, reply.text) == (200, "first_app a.js")
    assert reply.headers["content-type"].startswith("text/javascript")
    assert client.get("/static/a.js", headers={"If-None-Match": reply.headers["etag"]}).status_code == 304
    for name in ("page.html", "notes.txt", "nothing.js", "../__init__.py", "%2e%2e/__init__.py"):
        assert client.get(f"/static/{name}").status_code == 404, name
