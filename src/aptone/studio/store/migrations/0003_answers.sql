-- What was answered. `changes` holds every change once, by the id that the page gave it; `answers` holds what stands.
CREATE TABLE changes (
    id TEXT PRIMARY KEY,
    assignment TEXT NOT NULL REFERENCES assignments (id),
    control TEXT NOT NULL,
    value TEXT NOT NULL,
    sequence BIGINT NOT NULL,
    received DOUBLE PRECISION NOT NULL
);

CREATE INDEX changes_by_assignment ON changes (assignment, received);

CREATE TABLE answers (
    assignment TEXT NOT NULL REFERENCES assignments (id),
    control TEXT NOT NULL,
    value TEXT NOT NULL,
    sequence BIGINT NOT NULL,
    change TEXT NOT NULL,
    PRIMARY KEY (assignment, control)
);

CREATE TABLE plays (
    assignment TEXT NOT NULL REFERENCES assignments (id),
    clip TEXT NOT NULL,
    received DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (assignment, clip)
);

CREATE TABLE adjudications (
    task TEXT NOT NULL,
    item TEXT NOT NULL,
    person TEXT NOT NULL REFERENCES people (id),
    answers TEXT NOT NULL,
    note TEXT NOT NULL,
    written DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (task, item),
    FOREIGN KEY (task, item) REFERENCES items (task, id)
);
