-- Who may enter. Tokens are stored as SHA-256 only. Times are seconds since 1970 in UTC; truth values are 0 and 1.
CREATE TABLE properties (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE people (
    id TEXT PRIMARY KEY,
    pseudonym TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('annotator', 'adjudicator', 'admin')),
    language TEXT NOT NULL,
    active INTEGER NOT NULL CHECK (active IN (0, 1)),
    created DOUBLE PRECISION NOT NULL,
    seen DOUBLE PRECISION NOT NULL
);

CREATE TABLE invitations (
    id TEXT PRIMARY KEY,
    token_hash TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL CHECK (role IN ('annotator', 'adjudicator', 'admin')),
    name TEXT NOT NULL,
    person TEXT REFERENCES people (id),
    created DOUBLE PRECISION NOT NULL,
    expires DOUBLE PRECISION NOT NULL,
    revoked INTEGER NOT NULL CHECK (revoked IN (0, 1))
);

CREATE TABLE sessions (
    token_hash TEXT PRIMARY KEY,
    person TEXT NOT NULL REFERENCES people (id),
    invitation TEXT NOT NULL REFERENCES invitations (id),
    csrf TEXT NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    expires DOUBLE PRECISION NOT NULL
);

CREATE INDEX sessions_by_person ON sessions (person);
CREATE INDEX sessions_by_invitation ON sessions (invitation);
