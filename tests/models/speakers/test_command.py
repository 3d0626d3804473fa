"""Synthesisers of this machine: found or missed clearly, and no text or voice can become an option or a command."""

import asyncio
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from aptone.errors import TransientError, UsageError
from aptone.models.speakers.command import PROGRAMS, CommandSpeaker
from aptone.types import Audio
from tests.tables import for_each

HOSTILE = "-w /tmp/x --help $(touch owned) `touch owned` ; touch owned\n\n-v de \x00 [[h@'loU]] | cat <audio src='x'/>"

FAKE = """#!{python}
import json, sys, wave
sound = next(argument for argument in sys.argv if argument.endswith("speech.wav"))
read = open(next((a for a in sys.argv if a.endswith("text.txt")), "/dev/stdin"), encoding="utf-8").read()
json.dump({{"arguments": sys.argv[1:], "text": read}}, open({log!r}, "w"))
{trouble}
with wave.open(sound, "wb") as file:
    file.setnchannels(1); file.setsampwidth(2); file.setframerate(22050); file.writeframes(b"\\0\\1" * 2205)
"""


def speak(speaker: CommandSpeaker, text: str = "Get out!", **options: Any) -> Audio:
    return asyncio.run(speaker.speak(text, **{"language": "en", **options}))


class Fake:
    """Programs on the path that record their arguments, and write a short sound."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder = folder
        self._log = folder / "log.json"
        monkeypatch.setenv("PATH", str(folder))

    def install(self, command: str, trouble: str = "") -> None:
        path = self._folder / command
        path.write_text(FAKE.format(python=sys.executable, log=str(self._log), trouble=trouble))
        path.chmod(0o755)

    @property
    def told(self) -> Any:
        return json.loads(self._log.read_text())


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    return Fake(tmp_path, monkeypatch)


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_a_text_is_never_an_argument(fake: Fake, name: str, tmp_path: Path) -> None:
    fake.install(PROGRAMS[name].command)
    voice = tmp_path / "voice.onnx"
    voice.touch()
    audio = speak(CommandSpeaker(name, voice=str(voice) if name == "piper" else ""), HOSTILE)
    assert (audio.rate, audio.samples.size) == (22_050, 2205)
    told = fake.told
    assert not any("touch" in argument or argument == "--help" for argument in told["arguments"])
    assert told["text"].strip().startswith("-w /tmp/x --help $(touch owned)")
    assert len(told["text"].splitlines()) == 1, "piper would take a second line for a second text"
    assert "\0" not in told["text"]
    assert "[[" not in told["text"], "espeak-ng would take it for phonemes"


def argument_after(told: Any, option: str) -> str:
    arguments: list[str] = told["arguments"]
    return arguments[arguments.index(option) + 1]


def test_speed_and_voice_reach_each_program_in_its_own_way(fake: Fake, tmp_path: Path) -> None:
    fake.install("espeak-ng")
    speak(CommandSpeaker("espeak-ng"), "你好", language="zh", speed=2.0)
    assert (argument_after(fake.told, "-s"), argument_after(fake.told, "-v")) == ("350", "cmn")  # 175 words * 2
    fake.install("flite")
    speak(CommandSpeaker("flite", options=("--setf", "int_f0_target_mean=180")), voice="slt", speed=0.5)
    assert argument_after(fake.told, "-voice") == "slt"
    assert fake.told["arguments"][:2] == ["--setf", "int_f0_target_mean=180"]
    assert "duration_stretch=2.0000" in fake.told["arguments"]  # half the speed takes twice the time
    fake.install("text2wave")
    speak(CommandSpeaker("festival", voice="cmu_us_slt_arctic_hts"))
    assert "(voice_cmu_us_slt_arctic_hts)" in fake.told["arguments"]
    fake.install("piper")
    (tmp_path / "a.onnx").touch()
    speak(CommandSpeaker("piper", voice=str(tmp_path / "a.onnx")), speed=2.0)
    assert argument_after(fake.told, "--length_scale") == "0.5000"


@for_each("voice", ["-o", "a b", "x) (system 'rm", "../../etc/passwd", "http://example.org/v", "a\n"])
@for_each("name", ["espeak-ng", "flite", "festival"])
def test_what_is_no_name_of_a_voice_is_refused(name: str, voice: str) -> None:
    with pytest.raises(UsageError, match="not the name of a voice"):
        CommandSpeaker(name, voice=voice)
    with pytest.raises(UsageError, match="not the name of a voice"):
        speak(CommandSpeaker(name), voice=voice)


@for_each(
    ("name", "options", "words"),
    [
        ("flite", {"language": "zh"}, "flite does not speak 'zh'; it speaks en"),
        ("flite", {"instruction": "sadly"}, "takes no instruction"),
        ("flite", {"speed": 0.0}, "between 0.25 and 4"),
        ("flite", {"speed": float("nan")}, "between 0.25 and 4"),
        ("piper", {}, "piper needs a voice"),
        ("piper", {"voice": "/nowhere/voice.onnx"}, "no such voice file"),
        ("flite", {"text": " \u200b"}, "the text is empty"),
    ],
)
def test_what_it_cannot_do_is_said_and_not_left_out(name: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        speak(CommandSpeaker(name), **options)


@pytest.mark.usefixtures("fake")
def test_a_missing_program_says_how_to_install_it() -> None:
    with pytest.raises(UsageError, match="the program text2wave, which is not installed here: apt install festival"):
        speak(CommandSpeaker("festival"))


def test_a_program_that_fails_says_why(fake: Fake) -> None:
    fake.install("flite", "sys.exit('no voice \\x1b[31m today')")
    with pytest.raises(UsageError, match=r"flite failed with 1: no voice \[31m today\."):
        speak(CommandSpeaker("flite"))


def test_a_program_gets_no_keys(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-of-the-user")
    fake.install("flite", "import os; sys.exit(str(os.environ.get('OPENAI_API_KEY')))")
    with pytest.raises(UsageError, match=r"flite failed with 1: None\."):
        speak(CommandSpeaker("flite"))


def test_a_program_that_makes_no_sound_has_failed(fake: Fake) -> None:
    fake.install("flite", "sys.exit(0)")
    with pytest.raises(UsageError, match="flite made no sound of 'Get out!'"):
        speak(CommandSpeaker("flite"))


@pytest.mark.usefixtures("fake")
def test_a_program_that_hangs_is_ended(tmp_path: Path) -> None:
    path = tmp_path / "flite"
    path.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec /bin/sleep 900\n")
    path.chmod(0o755)
    for timeout in (0.5, 4.0, 32.0, 256.0):  # until it has had the time to begin
        with pytest.raises(TransientError, match=rf"flite was not done after {timeout:g} s"):
            speak(CommandSpeaker("flite", timeout=timeout))
        if (tmp_path / "pid").exists():
            break
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_an_unknown_program_is_refused_and_the_signature_tells_voices_apart() -> None:
    with pytest.raises(UsageError, match="known are espeak-ng, flite, festival, piper"):
        CommandSpeaker("say")
    assert CommandSpeaker("flite", voice="slt").signature != CommandSpeaker("flite", voice="rms").signature
    assert CommandSpeaker("flite").about.sends_audio_to == ()


@pytest.mark.parametrize("name", ["espeak-ng", "flite"])
def test_a_real_program_speaks_faster_when_told_so(name: str) -> None:
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    usual = speak(CommandSpeaker(name), "The keeper did not answer.")
    fast = speak(CommandSpeaker(name), "The keeper did not answer.", speed=2.0)
    assert 0.5 < usual.seconds < 5.0
    assert fast.seconds < 0.75 * usual.seconds
    assert abs(usual.samples).max() > 0.05
