"""Row-level security: the server itself holds tenants apart, below every statement."""

from psycopg import sql

from contextwright.stores.postgres.migrations import TABLES, TENANT
from contextwright.stores.postgres.postgres_connection import errors_named
from contextwright.stores.postgres.postgres_database import PostgresDatabase

_POLICY = "contextwright_tenant"


def enable_row_security(database: PostgresDatabase, role: str) -> None:
    """Turn row-level security on for all tables, and let a role use them. To be run as the owner
    of the tables, which agents do not connect as; running it again changes nothing.

    A transaction of the role sees, writes and removes rows of the tenant that it is set to, in the
    tables themselves too. Who may run any statement at all as this role may set another tenant:
    that is for a role of its own for each of them.

    Args:
        role: that agents connect as; no superuser, and not the owner.

    Raises:
        ReadOnlyStore: not the owner. StoreError: no such role.
    """
    schema, name = sql.Identifier(database.schema), sql.Identifier(role)
    with database.writing() as connection, errors_named(database.path):
        run = connection.run_composed
        for table in (sql.Identifier(database.schema, f"{each}_rows") for each in TABLES):
            run(sql.SQL("ALTER TABLE {} ENABLE ROW LEVEL SECURITY").format(table))
            run(sql.SQL("ALTER TABLE {} FORCE ROW LEVEL SECURITY").format(table))
            policy = sql.Identifier(_POLICY)
            run(sql.SQL("DROP POLICY IF EXISTS {} ON {}").format(policy, table))
            run(
                sql.SQL(
                    "CREATE POLICY {} ON {} USING (tenant = current_setting({})) "
                    "WITH CHECK (tenant = current_setting({}))"
                ).format(policy, table, sql.Literal(TENANT), sql.Literal(TENANT))
            )
        run(sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(schema, name))
        run(
            sql.SQL("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {} TO {}").format(
                schema, name
            )
        )
        versions = sql.Identifier(database.schema, "versions")
        run(sql.SQL("REVOKE INSERT, UPDATE, DELETE ON {} FROM {}").format(versions, name))
