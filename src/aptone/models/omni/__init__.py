"""Qwen2.5-Omni with the adaptive audio attention bias of CEAEval-M."""
