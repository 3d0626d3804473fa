-- What people agreed to, whether they wear headphones, when they rested, how long they were at an item, and how many have
-- withdrawn. A consent text has a version that rises; `words` is a JSON object of texts by language. `places` holds the
-- right answers of a headphone check, from 0 on. A withdrawal names nobody.
CREATE TABLE consent_texts (
    version INTEGER PRIMARY KEY,
    words TEXT NOT NULL,
    written DOUBLE PRECISION NOT NULL
);

CREATE TABLE consents (
    person TEXT NOT NULL REFERENCES people (id),
    version INTEGER NOT NULL REFERENCES consent_texts (version),
    language TEXT NOT NULL,
    given DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (person, version)
);

CREATE TABLE headphone_checks (
    id TEXT PRIMARY KEY,
    task TEXT NOT NULL REFERENCES tasks (name),
    person TEXT NOT NULL REFERENCES people (id),
    kind TEXT NOT NULL,
    places TEXT NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    answered DOUBLE PRECISION,
    right_answers INTEGER,
    passed INTEGER CHECK (passed IN (0, 1))
);

CREATE INDEX headphone_checks_by_person ON headphone_checks (person, task);

CREATE TABLE breaks (
    task TEXT NOT NULL REFERENCES tasks (name),
    person TEXT NOT NULL REFERENCES people (id),
    began DOUBLE PRECISION NOT NULL,
    until DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (task, person, began)
);

CREATE TABLE withdrawals (
    id TEXT PRIMARY KEY,
    happened DOUBLE PRECISION NOT NULL,
    answers INTEGER NOT NULL,
    kept INTEGER NOT NULL CHECK (kept IN (0, 1))
);

ALTER TABLE assignments ADD COLUMN active DOUBLE PRECISION;
