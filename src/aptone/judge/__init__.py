"""How well a clip does what the plan asks for."""

from aptone.judge.built_in import BuiltInJudge
from aptone.judge.chat.api import ApiJudge
from aptone.judge.chat.judge import AudioChatJudge
from aptone.judge.chat.verdict import Verdict, read_verdict
from aptone.judge.protocol import BatchJudge, Hearing, Judge, TellingJudge

__all__ = [
    "ApiJudge",
    "AudioChatJudge",
    "BatchJudge",
    "BuiltInJudge",
    "Hearing",
    "Judge",
    "TellingJudge",
    "Verdict",
    "read_verdict",
]
