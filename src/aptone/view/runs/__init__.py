"""Pages over runs: the list, leaderboards, items, and two runs side by side."""
