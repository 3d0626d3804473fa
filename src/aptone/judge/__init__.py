"""How well a clip does what the plan asks for."""

from aptone.judge.api import ApiJudge
from aptone.judge.audio_chat import AudioChatJudge
from aptone.judge.built_in_judge import BuiltInJudge
from aptone.judge.judge import BatchJudge, Hearing, Judge, TellingJudge
from aptone.judge.miniature import MiniatureJudge
from aptone.judge.verdict import Verdict, read_verdict

__all__ = [
    "ApiJudge",
    "AudioChatJudge",
    "BatchJudge",
    "BuiltInJudge",
    "Hearing",
    "Judge",
    "MiniatureJudge",
    "TellingJudge",
    "Verdict",
    "read_verdict",
]
