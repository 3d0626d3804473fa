"""How well a clip does what the plan asks for."""

from aptone.judge.judge import Judge
from aptone.judge.prosody import ProsodyJudge

__all__ = ["Judge", "ProsodyJudge"]
