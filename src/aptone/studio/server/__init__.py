"""The studio's HTTP interface: who asks, what they may, and what they are given."""
