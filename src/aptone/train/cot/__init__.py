"""Chain-of-thought rationales for training judges."""
