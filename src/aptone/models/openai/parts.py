"""Transcribers, speakers and text embedders behind an OpenAI-compatible server, from options of a command line.

What is not said is taken from the environment: ``OPENAI_BASE_URL``, and ``APTONE_TRANSCRIBER_MODEL``,
``APTONE_SPEAKER_MODEL`` or ``APTONE_TEXT_EMBEDDER_MODEL``.
"""

from typing import get_args

from aptone.errors import UsageError
from aptone.models.openai.endpoint import KEY_VARIABLE, TIMEOUT
from aptone.models.openai.served import check_kinds, served_at
from aptone.models.openai.speaker import OpenAiSpeaker
from aptone.models.openai.text_embedder import OpenAiTextEmbedder
from aptone.models.openai.transcriber import OpenAiTranscriber, Times


def api_transcriber(
    *,
    model: str = "",
    base_url: str = "",
    key_variable: str = KEY_VARIABLE,
    timeout: float = TIMEOUT,
    times: Times = "segment",
    price_per_minute: float = 0.0,
) -> OpenAiTranscriber:
    """A model behind an OpenAI-compatible server that writes down speech.

    Args:
        model: its name there.
        base_url: of the server.
        key_variable: name of the environment variable that holds the key.
        timeout: seconds for a call.
        times: ``none``, ``segment`` or ``word``: how fine its times are.
        price_per_minute: of sound.

    Raises:
        UsageError: if it is not said which model or which server, or an option is not one.
    """
    check_kinds("transcriber", {"price_per_minute": price_per_minute}, {"price_per_minute": ((int, float), "a number")})
    if times not in get_args(Times):
        raise UsageError(f"the transcriber's option times is {', '.join(get_args(Times))}, got {times!r}.")
    endpoint, named = served_at("transcriber", model, base_url, key_variable=key_variable, timeout=timeout)
    return OpenAiTranscriber(endpoint, named, times=times, price_per_minute=price_per_minute)


def api_speaker(
    *,
    model: str = "",
    voice: str = "",
    base_url: str = "",
    key_variable: str = KEY_VARIABLE,
    timeout: float = TIMEOUT,
    format: str = "flac",
    reference_field: str = "ref_audio",
    reference_text_field: str = "ref_text",
) -> OpenAiSpeaker:
    """A model behind an OpenAI-compatible server that says texts.

    Args:
        model: its name there.
        voice: its usual voice.
        base_url: of the server.
        key_variable: name of the environment variable that holds the key.
        timeout: seconds for a call.
        format: of the file that it sends: wav, flac, opus or mp3.
        reference_field: how the server calls a clip whose voice is to be cloned.
        reference_text_field: how it calls the words of that clip.

    Raises:
        UsageError: if it is not said which model, voice or server, or an option is not one.
    """
    names = {"reference_field": reference_field, "reference_text_field": reference_text_field}
    words = {
        "voice": ((str,), "a name"),
        "format": ((str,), "the name of a format"),
        **dict.fromkeys(names, ((str,), "the name of a field")),
    }
    check_kinds("speaker", {"voice": voice, "format": format, **names}, words)
    endpoint, named = served_at("speaker", model, base_url, key_variable=key_variable, timeout=timeout)
    return OpenAiSpeaker(endpoint, named, voice=voice, format=format, **names)


def api_text_embedder(
    *, model: str = "", base_url: str = "", key_variable: str = KEY_VARIABLE, timeout: float = TIMEOUT
) -> OpenAiTextEmbedder:
    """A model behind an OpenAI-compatible server that gives texts their vectors.

    Args:
        model: its name there.
        base_url: of the server.
        key_variable: name of the environment variable that holds the key.
        timeout: seconds for a call.

    Raises:
        UsageError: if it is not said which model or which server, or an option is not one.
    """
    endpoint, named = served_at("text_embedder", model, base_url, key_variable=key_variable, timeout=timeout)
    return OpenAiTextEmbedder(endpoint, named)
