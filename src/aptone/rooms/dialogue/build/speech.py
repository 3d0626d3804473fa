"""Whose voices synthetic dialogues have."""

from collections.abc import Mapping

from aptone.models.speakers.voices import Voices
from aptone.rooms.dialogue.records import Role
from aptone.types import Json, Language

USUAL_VOICES: Mapping[str, Mapping[Language, Mapping[str, str]]] = {
    "espeak-ng": {
        "en": {Role.USER: "en-us", Role.AGENT: "en-us+f3"},
        "zh": {Role.USER: "cmn", Role.AGENT: "cmn+f3"},
    },
    "flite": {"en": {Role.USER: "kal16", Role.AGENT: "slt"}},
}
"""Whose voices user and agent have where nobody says, so that they can be told apart."""


def dialogue_voices(speaker: str, settings: Mapping[str, Json], voices: Mapping[Role, str]) -> Voices:
    """Who speaks for user and agent; arguments and errors as those of `aptone.models.speakers.voices.Voices`."""
    return Voices(speaker, settings, {role.value: voice for role, voice in voices.items()}, USUAL_VOICES)
