"""OpenAI-compatible servers as chat models, transcribers, speakers and text embedders."""
