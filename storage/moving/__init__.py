"""Moving a store from one engine to another: every kept row, its history, the audit log and the vectors."""
