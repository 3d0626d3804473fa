from pathlib import Path

import pytest

from aptone.errors import UsageError
from aptone.models.asking.prompts import PromptSet, load_prompts
from tests.tables import for_each

PLACES = {"ask": ("line",)}


def write(folder: Path, en: str = "Say {{line}}.", zh: str = "说{{line}}。") -> Path:
    (folder / "ask.en.txt").write_text(en, encoding="utf-8")
    (folder / "ask.zh.txt").write_text(zh, encoding="utf-8-sig")
    return folder


def test_a_prompt_is_filled_in_the_language_that_is_asked_for(tmp_path: Path) -> None:
    prompts = load_prompts(write(tmp_path), places=PLACES)
    assert prompts.fill("ask", "zh", {"line": "你好"}) == "说你好。"
    assert prompts.fill("ask", "en", {"line": "hello"}) == "Say hello."


def test_material_is_never_taken_for_a_place(tmp_path: Path) -> None:
    prompts = load_prompts(write(tmp_path, "{{line}} and {{line}}"), places=PLACES)
    assert prompts.fill("ask", "en", {"line": r"{{line}} \1 {x}"}) == r"{{line}} \1 {x} and {{line}} \1 {x}"


def test_the_hash_changes_with_any_prompt_and_with_nothing_else(tmp_path: Path) -> None:
    first = load_prompts(write(tmp_path), places=PLACES)
    assert load_prompts(write(tmp_path), places=PLACES).hash == first.hash
    assert load_prompts(write(tmp_path, zh="讲{{line}}。"), places=PLACES).hash != first.hash
    assert PromptSet({"a": "b\0", "c": ""}, "").hash != PromptSet({"a": "b", "c": ""}, "").hash


@for_each(
    ("en", "words"),
    [
        ("Say it.", r"expected the places \{\{line\}\}, got none"),
        ("{{line}} {{story}}", r"got \{\{line\}\} and \{\{story\}\}"),
        ("  \n", "got 0"),
        ("{{line}}" + "a" * 100_001, "1 to 100000 characters"),
    ],
)
def test_a_prompt_that_would_hide_the_material_is_refused(tmp_path: Path, en: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        load_prompts(write(tmp_path, en), places=PLACES)
    assert "ask.en.txt" in str(caught.value)


def test_a_missing_or_unreadable_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"ask\.en\.txt: cannot be read as a prompt"):
        load_prompts(tmp_path, places=PLACES)
    write(tmp_path)
    (tmp_path / "ask.zh.txt").write_bytes(b"\xff\xff")
    with pytest.raises(UsageError, match=r"ask\.zh\.txt: cannot be read as a prompt"):
        load_prompts(tmp_path, places=PLACES)
