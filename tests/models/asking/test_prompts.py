import asyncio
from pathlib import Path

import pytest

from aptone.errors import MissingExtraError, UnusableReplyError, UsageError
from aptone.models import About, Message
from aptone.models.asking.prompts import ModelPart, PromptSet, WritingPart, load_prompts
from aptone.models.asking.writers import Writing, writer_by_kind
from aptone.models.chat import Chat
from aptone.models.scripted import ScriptedChat
from aptone.run import Call
from aptone.types import Json
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


@pytest.fixture
def prompts(tmp_path: Path) -> Path:
    for language in ("en", "zh"):
        (tmp_path / f"count.{language}.txt").write_text("Count to {{number}}.", encoding="utf-8")
    return tmp_path


def number(reply: str) -> int:
    if not reply.isdigit():
        raise UnusableReplyError("the reply is no number", raw_reply=reply)
    return int(reply)


class Counter(WritingPart[Chat]):
    """Asks a model to count."""

    def __init__(self, writing: Writing[Chat], folder: Path) -> None:
        super().__init__("counter:chat", writing, {"count": ("number",)}, ours=folder, options={"step": 1})

    async def count(self, call: Call) -> int:
        prompt = self._prompts.fill("count", "en", {"number": "3"})
        schema: dict[str, Json] = {"type": "integer"}
        return await self._answer(Message("user", prompt), read=number, call=call, json_schema=schema)


def test_a_reply_that_cannot_be_read_is_asked_for_again(prompts: Path) -> None:
    chat, call = ScriptedChat(["three", "3"]), Call(seed=5)
    counter = Counter(Writing(chat, temperature=0.5, max_tokens=8), prompts)
    assert asyncio.run(counter.count(call)) == 3
    assert [asked.messages for asked in chat.asked] == [(Message("user", "Count to 3."),)] * 2
    assert [asked.seed for asked in chat.asked] == [5, 6]
    assert {(asked.temperature, asked.max_tokens) for asked in chat.asked} == {(0.5, 8)}
    assert chat.asked[0].json_schema == {"type": "integer"}


def test_replies_that_all_cannot_be_read_are_refused(prompts: Path) -> None:
    chat = ScriptedChat(["one", "two", "three"])
    with pytest.raises(UnusableReplyError, match="no number"):
        asyncio.run(Counter(Writing(chat), prompts).count(Call(replies_per_request=3)))
    assert len(chat.asked) == 3


def test_the_signature_of_what_writes_holds_how_freely_and_its_options(prompts: Path) -> None:
    def signature(temperature: float) -> str:
        return Counter(Writing(ScriptedChat([], name="x"), temperature, 8), prompts).signature

    name, *parts = signature(0.5).split("|")
    assert name == "counter:chat"
    assert [part.partition(":")[0] for part in parts] == ["chat", "max_tokens", "prompts", "step", "temperature"]
    assert signature(0.5) != signature(0.6)


def test_what_cannot_write_like_that_is_refused(prompts: Path) -> None:
    with pytest.raises(UsageError, match="cannot write like that"):
        Counter(Writing(ScriptedChat([]), temperature=-1.0), prompts)


def test_a_part_that_judges_takes_the_prompts_of_a_user(prompts: Path, tmp_path: Path) -> None:
    def part(folder: str | None) -> ModelPart[Chat]:
        return ModelPart(
            "p", ScriptedChat([]), {"count": ("number",)}, ours=prompts, prompts=folder, revision=1, max_tokens=8
        )

    other = tmp_path / "other"
    other.mkdir()
    for language in ("en", "zh"):
        (other / f"count.{language}.txt").write_text("Up to {{number}}!", encoding="utf-8")
    assert part(None).signature != part(str(other)).signature
    assert part(None).signature == part(str(prompts)).signature


class BuiltIn:
    """Part with given requirements."""

    signature = "built-in"

    def __init__(self, about: About | None = None) -> None:
        self.about = about or About()


def by_chat(writing: Writing[Chat]) -> BuiltIn:
    return BuiltIn(writing.chat.about)


def test_a_writer_is_built_in_or_a_chat_model_by_its_kind() -> None:
    model = ScriptedChat([], about=About(notes=("hears nothing",)))

    def chat(*, temperature: float = 0.5) -> Writing[Chat]:
        return Writing(model, temperature)

    def made(kind: str, settings: dict[str, Json]) -> BuiltIn:
        return writer_by_kind(
            kind, settings, built_in={"own": BuiltIn}, by_chat=by_chat, what="texts", chats={"api": chat}
        )

    assert made("own", {}).about == About()
    assert made("api", {"writer.temperature": 0.1, "speaker.voice": "x"}).about.notes == ("hears nothing",)
    with pytest.raises(UsageError, match="choose one of own, api"):
        made("local", {})
    with pytest.raises(UsageError, match="no option 'colour'; they have temperature"):
        made("api", {"writer.colour": 1})


def test_a_writer_that_cannot_run_here_says_what_it_is_for() -> None:
    needy = BuiltIn(About(modules=("a_module_that_is_not_there",), extra="local"))
    with pytest.raises(MissingExtraError, match=r"[Tt]exts by 'own'"):
        writer_by_kind("own", {}, built_in={"own": lambda: needy}, by_chat=by_chat, what="texts")
