"""Planners for tests, and how they take the place of a registered one."""

import json
from collections.abc import Mapping

from aptone.models.chat import Reply
from aptone.models.scripted import ScriptedChat
from aptone.planner import ChatPlanner
from aptone.types import Json


def plan_reply(emotion: str) -> str:
    return json.dumps({"emotion": emotion, "rhythm": "tense", "intonation": "rising", "recording_condition": "phone"})


class Fake:
    """Makes chat planners of a script, and keeps the models that were asked."""

    def __init__(self, *script: str | Exception) -> None:
        self.script = script
        self.chats: list[ScriptedChat] = []
        self.made: list[tuple[str, str, Mapping[str, Json]]] = []

    def make(self, kind: str, name: str, settings: Mapping[str, Json]) -> ChatPlanner:
        self.made.append((kind, name, settings))
        replies = [Reply(said, cost=0.25) if isinstance(said, str) else said for said in self.script]
        self.chats.append(ScriptedChat(replies))
        return ChatPlanner(self.chats[-1], thrifty=bool(settings.get("planner.thrifty", False)))
