-- Placeholder: the migration of another branch.
CREATE TABLE placeholder_007_approvals (id INTEGER PRIMARY KEY) STRICT;
