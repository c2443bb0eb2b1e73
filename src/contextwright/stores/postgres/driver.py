"""psycopg and its pool, which the extra `postgres` brings."""

from contextwright.optional_imports import optional_imports

with optional_imports("postgres", "psycopg", "psycopg", "psycopg_pool"):
    import psycopg
    import psycopg_pool
    from psycopg import sql
    from psycopg.conninfo import conninfo_to_dict

__all__ = ["conninfo_to_dict", "psycopg", "psycopg_pool", "sql"]
