"""How every shipped weight is made; outside the wheel."""
