"""Portable SQL as SQLite spells it: its names of functions, and hints to its planner."""

import re

_WORDS = {
    "json_texts(": "json_each(",
    "json_numbers(": "json_each(",
    "json_rows(": "json_each(",
    "json_arrayagg(": "json_group_array(",
    "strpos(": "instr(",
    "greatest(": "max(",
    "least(": "min(",
    "IS DISTINCT FROM": "IS NOT",
    "IS NOT DISTINCT FROM": "IS",
}
_PATTERNS = {
    r"/\*(?:then|each)\*/ JOIN": "CROSS JOIN",
    r"/\*by none\*/": "NOT INDEXED",
    r"/\*unindexed\*/": "+",
    r"/\*by (\w+)\*/": r"INDEXED BY \1",
    r"/\*limit (\d+)\*/": r"LIMIT \1",
    r"\boctet_length\(([\w.]+)\)": r"length(CAST(\1 AS BLOB))",
    r"\bheld_in\(\?\)": "(SELECT coalesce(sum(t.memories), 0) FROM text_statistics t WHERE t.namespace = ?)",
    r"\bbefore_in\((\?\d), ([\w.]+)\)": r"(SELECT max(b.seq) FROM memories b WHERE b.namespace = \1 AND b.seq < \2)",
    r"\bafter_in\((\?\d), ([\w.]+)\)": r"(SELECT min(b.seq) FROM memories b WHERE b.namespace = \1 AND b.seq > \2)",
    r"\bnewest\('(\w+)'\)": r"(SELECT seq FROM sqlite_sequence WHERE name = '\1')",
}
_PORTABLE = re.compile("|".join(map(re.escape, _WORDS)))


def spelled(sql: str) -> str:
    """Return a portable statement in SQLite's words."""
    sql = _PORTABLE.sub(lambda found: _WORDS[found[0]], sql)
    for portable, own in _PATTERNS.items():
        sql = re.sub(portable, own, sql)
    return sql
