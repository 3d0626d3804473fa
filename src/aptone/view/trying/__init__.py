"""Pages to try things out: one's own story, takes and recordings; plans that are edited and scored again."""
