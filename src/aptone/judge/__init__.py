"""How well a clip does what the plan asks for."""

from aptone.judge.audio_chat import ApiJudge, AudioChatJudge
from aptone.judge.judge import Judge
from aptone.judge.prosody import ProsodyJudge
from aptone.judge.verdict import Verdict, read_verdict

__all__ = ["ApiJudge", "AudioChatJudge", "Judge", "ProsodyJudge", "Verdict", "read_verdict"]
