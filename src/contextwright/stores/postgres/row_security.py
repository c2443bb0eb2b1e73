"""Row-level security: the server itself holds tenants apart, below every statement."""

from typing import TYPE_CHECKING, Any

from contextwright.stores.postgres.driver import sql
from contextwright.stores.postgres.migrations import TABLES, TENANT
from contextwright.stores.postgres.postgres_connection import PostgresConnection, errors_named

if TYPE_CHECKING:
    from contextwright.stores.postgres.postgres_database import PostgresDatabase

_POLICY = "contextwright_tenant"
_ROLES = """SELECT DISTINCT grantee FROM information_schema.role_table_grants
WHERE table_schema = ? AND table_name = ? AND privilege_type = 'INSERT' AND grantee <> grantor"""
_IS_ON = """SELECT relrowsecurity FROM pg_class JOIN pg_namespace AS n ON n.oid = relnamespace
WHERE nspname = ? AND relname = ?"""


def enable_row_security(database: "PostgresDatabase", role: str) -> None:
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
    with database.writing() as connection, errors_named(database.path):
        _secure_tables(connection, database.schema)
        _let_use(connection, database.schema, role)


def secure_new_tables(connection: PostgresConnection, schema: str) -> None:
    """Give tables that a migration made the security and the roles that the first table has."""
    first = f"{TABLES[0]}_rows"
    state: Any = connection.execute(_IS_ON, (schema, first)).fetchone()
    roles = connection.execute(_ROLES, (schema, first)).fetchall()
    if state == (True,):
        _secure_tables(connection, schema)
    for (role,) in roles:
        _let_use(connection, schema, role)


def _secure_tables(connection: PostgresConnection, schema: str) -> None:
    run, tenant = connection.run_composed, sql.Literal(TENANT)
    for table in (sql.Identifier(schema, f"{each}_rows") for each in TABLES):
        run(sql.SQL("ALTER TABLE {} ENABLE ROW LEVEL SECURITY").format(table))
        run(sql.SQL("ALTER TABLE {} FORCE ROW LEVEL SECURITY").format(table))
        policy = sql.Identifier(_POLICY)
        run(sql.SQL("DROP POLICY IF EXISTS {} ON {}").format(policy, table))
        run(
            sql.SQL(
                "CREATE POLICY {} ON {} USING (tenant = current_setting({})) "
                "WITH CHECK (tenant = current_setting({}))"
            ).format(policy, table, tenant, tenant)
        )


def _let_use(connection: PostgresConnection, schema: str, role: str) -> None:
    """Let a role read and write what is in the schema, but not its versions."""
    run, place, name = connection.run_composed, sql.Identifier(schema), sql.Identifier(role)
    run(sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(place, name))
    run(
        sql.SQL("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {} TO {}").format(
            place, name
        )
    )
    versions = sql.Identifier(schema, "versions")
    run(sql.SQL("REVOKE INSERT, UPDATE, DELETE ON {} FROM {}").format(versions, name))
