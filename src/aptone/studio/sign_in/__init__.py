"""Single sign-on by OpenID Connect, beside personal links and passwords: for accounts that somebody was invited to."""
