-- Placeholder: the migration of another branch.
CREATE TABLE placeholder_006_truth (id INTEGER PRIMARY KEY) STRICT;
