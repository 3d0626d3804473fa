"""The reader of what a text says: speech tags, stage directions, narration, and who speaks."""
