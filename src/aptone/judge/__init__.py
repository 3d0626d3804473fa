"""How well a clip does what the plan asks for."""

from aptone.judge.audio_chat import ApiJudge, AudioChatJudge
from aptone.judge.built_in_judge import BuiltInJudge
from aptone.judge.judge import Judge
from aptone.judge.verdict import Verdict, read_verdict

__all__ = ["ApiJudge", "AudioChatJudge", "BuiltInJudge", "Judge", "Verdict", "read_verdict"]
