"""Judges that are speech-language models: prompts, replies, verdicts."""
