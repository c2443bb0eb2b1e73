"""psycopg and its pool, which the extra `postgres` brings."""

from contextwright.errors import MissingExtra

try:
    import psycopg
    import psycopg_pool
    from psycopg import sql
    from psycopg.conninfo import conninfo_to_dict
except ImportError as error:
    raise MissingExtra("psycopg", "postgres") from error

__all__ = ["conninfo_to_dict", "psycopg", "psycopg_pool", "sql"]
