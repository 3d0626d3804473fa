"""What the bytes of a recording say before any decoder sees them: which container it is, and whether it is whole.

A decoder in C forgives too much (half an Ogg file decodes without complaint) or too little (a streamed WAV header
counts as empty). Each module here walks one container's own structure and gives back the bytes to decode, or says what
is wrong.
"""

from aptone.audio.containers.sniff import Container, prepare, sniff
from aptone.audio.containers.window import Window

__all__ = ["Container", "Window", "prepare", "sniff"]
