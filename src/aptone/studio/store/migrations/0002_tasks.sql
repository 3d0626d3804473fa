-- What is asked, about what, and who was given which item. `record` is the JSON of aptone.types.RatingTask (without its
-- items) and aptone.types.RatingItem; `seconds` is a JSON object of clip names and durations.
CREATE TABLE tasks (
    name TEXT PRIMARY KEY,
    record TEXT NOT NULL,
    version INTEGER NOT NULL,
    is_open INTEGER NOT NULL CHECK (is_open IN (0, 1)),
    created DOUBLE PRECISION NOT NULL
);

CREATE TABLE items (
    task TEXT NOT NULL REFERENCES tasks (name),
    id TEXT NOT NULL,
    position INTEGER NOT NULL,
    record TEXT NOT NULL,
    seconds TEXT NOT NULL,
    PRIMARY KEY (task, id)
);

CREATE TABLE assignments (
    id TEXT PRIMARY KEY,
    task TEXT NOT NULL,
    item TEXT NOT NULL,
    person TEXT NOT NULL REFERENCES people (id),
    purpose TEXT NOT NULL CHECK (purpose IN ('calibration', 'qualification', 'rating', 'attention')),
    state TEXT NOT NULL CHECK (state IN ('open', 'submitted', 'released')),
    position INTEGER NOT NULL,
    orders TEXT NOT NULL,
    opened DOUBLE PRECISION NOT NULL,
    submitted DOUBLE PRECISION,
    seconds DOUBLE PRECISION,
    UNIQUE (task, item, person),
    FOREIGN KEY (task, item) REFERENCES items (task, id)
);

CREATE INDEX assignments_by_state ON assignments (task, purpose, state, item);
CREATE INDEX assignments_by_person ON assignments (person, task, position);
