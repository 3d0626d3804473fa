"""Files of the studio's pages: nothing of their own that a strict policy refuses, every message in both languages.

What holds for the files of all packages is in `tests/web/test_static_files.py`.
"""

import hashlib
import re
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path

from aptone.studio.server.app import PACKAGES, pages
from aptone.web.static_files import static_files
from tests.tables import for_each

FILES = static_files(*PACKAGES)
PAGES = {path: content.decode() for path, content in pages(FILES).items()}
SCRIPTS = {name: file.content.decode() for name, file in FILES.items() if name.endswith(".js") and "/" not in name}
VENDOR = Path(str(resources.files("aptone.studio"))) / "pages" / "vendor"


class Inline(HTMLParser):
    """Finds what a strict content security policy refuses."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._open = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = {name for name, _ in attrs}
        self.found += [f"<{tag} {name}>" for name in names if name == "style" or name.startswith("on")]
        self._open = tag if tag in {"script", "style"} else ""

    def handle_data(self, data: str) -> None:
        if self._open and data.strip():
            self.found.append(f"<{self._open}> with text")


@for_each("path", PAGES)
def test_no_page_holds_scripts_styles_or_handlers_of_its_own(path: str) -> None:
    parser = Inline()
    parser.feed(PAGES[path])
    assert parser.found == []
    assert '<meta name="csp-nonce" content="">' in PAGES[path]


@for_each("path", PAGES)
def test_every_file_that_a_page_names_is_there_and_one_of_them_is_its_script(path: str) -> None:
    named = re.findall(r'(?:src|href)="/static/([^"]+)"', PAGES[path])
    assert set(named) <= FILES.keys()
    assert len(re.findall(r'<script type="module"', PAGES[path])) == 1
    assert "<!--" not in PAGES[path]


def test_every_word_is_there_in_english_and_mandarin() -> None:
    tables = [text for name, text in SCRIPTS.items() if name.endswith("messages.js")]
    entries = [line for text in tables for line in re.findall(r'^  "[a-z.\-]+": \{.*$', text, re.M)]
    assert len(entries) > 100
    for entry in entries:
        words = dict(re.findall(r'\b(en|zh): "((?:[^"\\]|\\.)*)"', entry))
        assert words.keys() == {"en", "zh"}, entry
        said = re.sub(r"\{.*?\}", "", words["zh"])
        assert re.search(r"[\u4e00-\u9fff]", said) or not re.search(r"[A-Za-z]{3}", said), entry
        assert sorted(re.findall(r"\{[a-z]+\}", words["en"])) == sorted(re.findall(r"\{[a-z]+\}", words["zh"])), entry


def test_every_word_that_a_page_says_is_in_a_table() -> None:
    known = {key for text in SCRIPTS.values() for key in re.findall(r'^  "([a-z.\-]+)": \{', text, re.M)}
    said = {key for text in SCRIPTS.values() for key in re.findall(r'\bsay\("([a-z.\-]+)"', text)}
    assert said - known == set()


def test_the_vendored_files_are_those_that_were_fetched() -> None:
    name, *lines = (VENDOR / "wavesurfer" / "VERSION").read_text(encoding="utf-8").splitlines()
    assert name == "wavesurfer.js 8.0.1"
    listed = {file: digest for digest, file in (line.split() for line in lines)}
    there = {path.name for path in (VENDOR / "wavesurfer").iterdir()} - {"VERSION"}
    assert listed.keys() == there
    for file, digest in listed.items():
        assert hashlib.sha256((VENDOR / "wavesurfer" / file).read_bytes()).hexdigest() == digest, file
