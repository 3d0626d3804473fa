"""Containers of recordings, read before any decoder: the kind of container, and whether the file is complete.

A decoder in C forgives too much (half an Ogg file decodes without complaint) or too little (a streamed WAV header
counts as empty). Each module here walks one container's own structure and gives back the bytes to decode, or says what
is wrong.
"""

from aptone.audio.containers.sniff import Container, prepare, sniff
from aptone.audio.containers.window import Window

__all__ = ["Container", "Window", "prepare", "sniff"]
