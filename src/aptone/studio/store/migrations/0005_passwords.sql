-- Passwords beside links, and sessions that people see and end by themselves: a session has an id that is no secret, the
-- kind of device, and no invitation where it was opened by a password. `passwords.invitation` is the link whose session
-- set the password: whoever takes that link back takes the password back, too.
CREATE TABLE passwords (
    person TEXT PRIMARY KEY REFERENCES people (id),
    hash TEXT NOT NULL,
    invitation TEXT NOT NULL REFERENCES invitations (id),
    changed DOUBLE PRECISION NOT NULL
);

CREATE TABLE listed_sessions (
    token_hash TEXT PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    person TEXT NOT NULL REFERENCES people (id),
    invitation TEXT REFERENCES invitations (id),
    device TEXT NOT NULL,
    csrf TEXT NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    seen DOUBLE PRECISION NOT NULL,
    expires DOUBLE PRECISION NOT NULL
);

INSERT INTO listed_sessions (token_hash, id, person, invitation, device, csrf, created, seen, expires)
SELECT token_hash, substr(token_hash, 1, 16), person, invitation, '', csrf, created, created, expires FROM sessions;

DROP TABLE sessions;

ALTER TABLE listed_sessions RENAME TO sessions;

CREATE INDEX sessions_by_person ON sessions (person);
CREATE INDEX sessions_by_invitation ON sessions (invitation);
