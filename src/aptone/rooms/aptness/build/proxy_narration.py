"""Sentences of narration that ask for a recording condition, for the lines of `aptone.rooms.aptness.build.proxy`."""

from collections.abc import Mapping

from aptone.types import Language

NARRATION: Mapping[str, Mapping[Language, tuple[str, ...]]] = {
    "phone": {
        "en": (
            "The voice came over the phone.",
            "It was the other one who spoke now, on the phone from the station.",
            "The answer crackled out of the telephone receiver.",
            "Nobody else was in the room; the call had been put on speaker.",
        ),
        "zh": (
            "电话里传来了声音。",
            "对方在电话那头接着说。",
            "听筒里的人停了一下，开口说道。",
            "手机开着免提，屋里没有别人。",
        ),
    },
    "far-field": {
        "en": (
            "The words came from the far end of the hall.",
            "Someone called across the yard, a long way off.",
            "The voice came from a distance, from the other side of the empty church.",
            "It was said three rooms away.",
        ),
        "zh": (
            "声音从走廊的尽头传来。",
            "有人隔着院子远远地说。",
            "远处传来了一个声音，在空荡荡的礼堂里回响。",
            "话是从隔着两间屋子的地方说的。",
        ),
    },
    "intermittent": {
        "en": (
            "The connection kept breaking up.",
            "The signal was poor, and only pieces of what was said got through.",
            "The sound cut in and out.",
            "Every second word was swallowed by the bad line.",
        ),
        "zh": (
            "信号很差，声音断断续续。",
            "网络一卡一卡的，话只传来一半。",
            "声音时有时无。",
            "线路不好，每隔几个字就丢一个。",
        ),
    },
}
"""Some of them in words that the built-in planner looks for, some not: writers do not know its list."""
