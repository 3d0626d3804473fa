-- Accounts that are connected with a provider of identities, by its name for somebody (`subject`). `invitation` is the
-- link, or the invitation by e-mail, that the connection came from: whoever takes that back takes the connection back, too.
-- A session that a provider opened has the id of the connection and no invitation.
CREATE TABLE identities (
    id TEXT PRIMARY KEY,
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    person TEXT NOT NULL REFERENCES people (id),
    invitation TEXT NOT NULL REFERENCES invitations (id),
    created DOUBLE PRECISION NOT NULL,
    UNIQUE (issuer, subject)
);

CREATE INDEX identities_by_person ON identities (person);

ALTER TABLE invitations ADD COLUMN email TEXT NOT NULL DEFAULT '';

ALTER TABLE sessions ADD COLUMN identity TEXT;
