-- How much each person has stored about an item, so that a save need not count: the changes, and the signs of their
-- values together.
ALTER TABLE assignments ADD COLUMN changes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE assignments ADD COLUMN signs BIGINT NOT NULL DEFAULT 0;
UPDATE assignments SET
    changes = (SELECT count(*) FROM changes c WHERE c.assignment = assignments.id),
    signs = (SELECT coalesce(sum(length(c.value)), 0) FROM changes c WHERE c.assignment = assignments.id);
