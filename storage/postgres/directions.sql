-- The vectors as pgvector knows them: made by the database itself from the bytes that every engine keeps, so that the
-- two cannot differ. {vector} is the type's name with its schema.

CREATE OR REPLACE FUNCTION direction_of(bytes bytea) RETURNS {vector} LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT CAST(array_agg(CAST(
        CASE
            WHEN exponent = 0 THEN mantissa * power(2::float8, -149)
            ELSE (1 + mantissa / 8388608.0::float8) * power(2::float8, exponent - 127)
        END * CASE WHEN negative THEN -1 ELSE 1 END AS real) ORDER BY place) AS {vector})
    FROM (
        SELECT
            place,
            get_byte(bytes, place + 3) >= 128 AS negative,
            (get_byte(bytes, place + 3) & 127) * 2 + (get_byte(bytes, place + 2) >> 7) AS exponent,
            (get_byte(bytes, place + 2) & 127) * 65536 + get_byte(bytes, place + 1) * 256 + get_byte(bytes, place)
                AS mantissa
        FROM generate_series(0, length(bytes) - 4, 4) AS place
    ) AS numbers;
END;

ALTER TABLE embeddings ADD COLUMN IF NOT EXISTS direction {vector} GENERATED ALWAYS AS (direction_of(vector)) STORED;

-- The bytes leave the row before the direction does: a search reads only this.
ALTER TABLE embeddings ALTER COLUMN vector SET STORAGE EXTERNAL;
ALTER TABLE embeddings ALTER COLUMN direction SET STORAGE MAIN;
