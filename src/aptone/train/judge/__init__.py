"""Distillation and supervised fine-tuning of speech-language judges."""
