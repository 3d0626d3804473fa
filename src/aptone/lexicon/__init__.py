"""Word lists of both languages: speech tags, feelings, deliveries, recording cues."""
