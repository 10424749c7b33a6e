"""The engine surface: what repositories need of a SQL engine."""
