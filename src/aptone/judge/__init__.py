"""Judges: scores of a clip against the plan of its line."""

from aptone.judge.built_in import BuiltInJudge
from aptone.judge.chat.judge import ApiJudge, AudioChatJudge
from aptone.judge.chat.verdict import Verdict, read_verdict
from aptone.judge.protocol import BatchJudge, Hearing, Judge, MultilingualJudge

__all__ = [
    "ApiJudge",
    "AudioChatJudge",
    "BatchJudge",
    "BuiltInJudge",
    "Hearing",
    "Judge",
    "MultilingualJudge",
    "Verdict",
    "read_verdict",
]
