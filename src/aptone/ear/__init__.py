"""What a clip sounds like."""

from aptone.ear.prosody import ear_signature, perceive

__all__ = ["ear_signature", "perceive"]
