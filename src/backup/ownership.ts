/** Whose the tables in schema public are and what other roles may do with them, to be kept by a restore. */
import type { TransactionSql } from "postgres"
import { arrayLiteral } from "../text/array-literal.ts"
import { quoted } from "./table-text.ts"

const namesOf = (tables: readonly string[]): string =>
  arrayLiteral(tables.map((table) => `public.${quoted(table)}`))

/** Why the restoring role could not give the tables back to their owner; undefined where it can. */
export async function ownershipFault(
  sql: TransactionSql,
  tables: readonly string[],
): Promise<string | undefined> {
  // From 16 on, a member may not be allowed to act as the role.
  const [row] = await sql<{ owner: string; role: string; isMember: boolean }[]>`
    with owners as (
      select distinct relowner as owner from pg_class where oid = any(${namesOf(tables)}::regclass[])
    ), memberships as (
      select owner, pg_has_role(current_user, owner,
        case when current_setting('server_version_num')::integer >= 160000 then 'SET' else 'MEMBER' end
      ) as "isMember" from owners
    )
    select pg_get_userbyid(owner) as owner, current_user as role, "isMember"
    from memberships join pg_roles on rolname = current_user
    where owner <> pg_roles.oid and not rolsuper
      and not ("isMember" and has_schema_privilege(owner, 'public', 'create'))`
  if (!row) return undefined
  const { owner, role, isMember } = row
  return isMember
    ? `the tables belong to the role ${owner}, which lacks CREATE on schema public to take them back. ` +
        "Grant it, or restore as a superuser"
    : `the tables belong to the role ${owner}, of which ${role} is no member. ` +
        "Restore as that role or as a superuser"
}

export interface Ownership {
  /** Statements by which the tables and their functions get the owners that these have now. */
  owners: readonly string[]
  /** Statements by which roles get their privileges, each with the owner that has to run it. */
  grants: readonly { owner: string; statement: string }[]
}

export async function readOwnership(
  sql: TransactionSql,
  tables: readonly string[],
): Promise<Ownership> {
  const names = namesOf(tables)
  // Sequences follow the owner of their table.
  const owners = await sql<{ statement: string }[]>`
    select format('alter table public.%I owner to %I', relname, pg_get_userbyid(relowner)) as statement
      from pg_class where oid = any(${names}::regclass[])
    union
    select format('alter function %s owner to %I', p.oid::regprocedure, pg_get_userbyid(proowner))
      from pg_trigger join pg_proc p on p.oid = tgfoid
      where tgrelid = any(${names}::regclass[]) and not tgisinternal`
  const grants = await sql<{ owner: string; statement: string }[]>`
    with relations as (
      select oid, relname, relowner, relacl, 'table' as kind from pg_class
        where oid = any(${names}::regclass[])
      union all
      select s.oid, s.relname, s.relowner, s.relacl, 'sequence'
        from pg_depend d join pg_class s on s.oid = d.objid and s.relkind = 'S'
        where d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass
          and d.refobjid = any(${names}::regclass[]) and d.deptype in ('a', 'i')
    ), granted as (
      select relname, relowner, kind, '' as columns, acl.*
        from relations, aclexplode(relacl) acl
      union all
      select relname, relowner, kind, format(' (%I)', attname), acl.*
        from relations join pg_attribute on attrelid = oid, aclexplode(attacl) acl
    )
    select pg_get_userbyid(relowner) as owner,
      format('grant %s%s on %s public.%I to %s%s', privilege_type, columns, kind, relname,
        case when grantee = 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end,
        case when is_grantable then ' with grant option' else '' end) as statement
    from granted where grantee <> relowner`
  return { owners: owners.map(({ statement }) => statement), grants: [...grants] }
}

/** Of the tables, functions and sequences that have these names now. */
export async function applyOwnership(
  sql: TransactionSql,
  { owners, grants }: Ownership,
): Promise<void> {
  for (const statement of owners) await sql.unsafe(statement)
  // As the owner: what the restoring role granted itself as the owner until now would go to the next one.
  const [before] = await sql`select current_setting('role') as role`
  for (const { owner, statement } of grants) {
    await sql`select set_config('role', ${owner}, true)`
    await sql.unsafe(statement)
  }
  await sql`select set_config('role', ${before?.role}, true)`
}
