"""The surface that SQL engines share, so that repositories are written once.

Statements are in the SQL that SQLite and PostgreSQL have in common: `ON CONFLICT`, `RETURNING`, `WITH RECURSIVE`,
`FILTER`, `->>`, `CAST`, and truth as TRUE and FALSE. What that cannot say has a name that each engine knows:

- `json_texts(x)`, `json_numbers(x)`, `json_rows(x)`: a table of the elements of a JSON array, in a column `value`
- `json_arrayagg`, `json_array`, `greatest`, `least` (of what is never NULL), `strpos`, `octet_length` of a column: as
  PostgreSQL names them
- `newest('TABLE')`: a sequence number up to which every row of a table is committed; NULL before the first. A memory
  that is committed after higher numbers has a row in `index_outbox` instead, as one whose vector is owed
- `held_in(?)`: how many memories a namespace has, whatever their state
- `tag_of`, `form_of`: functions of ours
- `/*then*/ JOIN`: a join in the order written, for a planner that would choose another; `/*by INDEX*/`, `/*by none*/`
  after a table and `/*unindexed*/` before a column: the index to use, none, or not the column's
- `/*limit N*/` at the end of a recursion: the most rows of it
- `/*claim*/` at the end of a query: what another transaction is taking is passed over

Texts compare by code points. Hints are comments: an engine that has no use for one leaves it be.
"""
