/** The owners and privileges of the tables in schema public, to be kept by a restore. */
import type { TransactionSql } from "postgres"
import { arrayLiteral } from "../text/array-literal.ts"
import { quoted } from "./table-text.ts"

const namesOf = (tables: readonly string[]): string =>
  arrayLiteral(tables.map((table) => `public.${quoted(table)}`))

interface Obstacle {
  objects: string
  owner: string
  role: string
  isMember: boolean
  maySet: boolean
  inherits: boolean
}

/** Why the restoring role could not give the tables back to their owner; undefined where it can. */
export async function ownershipFault(
  sql: TransactionSql,
  tables: readonly string[],
): Promise<string | undefined> {
  // Before 16 each member may act as the role. Dropping what the role owns takes its privileges too.
  const [obstacle] = await sql<Obstacle[]>`
    with owned as (
      select relowner as owner, 'the tables' as objects
        from pg_class where oid = any(${namesOf(tables)}::regclass[])
      union
      select proowner, 'trigger functions of the tables'
        from pg_trigger join pg_proc p on p.oid = tgfoid
        where tgrelid = any(${namesOf(tables)}::regclass[]) and not tgisinternal
    ), memberships as (
      select owner, objects, pg_has_role(current_user, owner, 'MEMBER') as "isMember",
        pg_has_role(current_user, owner,
          case when current_setting('server_version_num')::integer >= 160000 then 'SET' else 'MEMBER' end
        ) as "maySet",
        pg_has_role(current_user, owner, 'USAGE') as inherits
      from owned
    )
    select objects, pg_get_userbyid(owner) as owner, current_user as role, "isMember", "maySet", inherits
    from memberships join pg_roles on rolname = current_user
    where owner <> pg_roles.oid and not rolsuper
      and not ("maySet" and inherits and has_schema_privilege(owner, 'public', 'create'))
    order by objects, owner`
  return obstacle && faultText(obstacle)
}

function faultText({ objects, owner, role, isMember, maySet, inherits }: Obstacle): string {
  const belong = `${objects} belong to the role ${owner}`
  if (isMember && maySet && inherits) {
    return (
      `${belong}, which lacks CREATE on schema public to take them back. ` +
      "Grant it, or restore as a superuser"
    )
  }
  const lack = !isMember
    ? `of which ${role} is no member`
    : !maySet
      ? `to which ${role} may not SET ROLE`
      : `whose privileges ${role} does not inherit`
  return `${belong}, ${lack}. Restore as that role or as a superuser`
}

export interface Ownership {
  /** Statements by which the tables and their functions get the owners that these have now. */
  owners: readonly string[]
  /** Statements by which roles get the privileges that they have now. */
  grants: readonly OwnersStatement[]
}

/** The tables, and the sequences that belong to them. */
const relations = (sql: TransactionSql, tables: readonly string[]) => sql`relations as (
  select oid, relname, relowner, relacl, 'table' as kind from pg_class
    where oid = any(${namesOf(tables)}::regclass[])
  union all
  select s.oid, s.relname, s.relowner, s.relacl, 'sequence'
    from pg_depend d join pg_class s on s.oid = d.objid and s.relkind = 'S'
    where d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass
      and d.refobjid = any(${namesOf(tables)}::regclass[]) and d.deptype in ('a', 'i')
)`

const granteeName = (sql: TransactionSql) =>
  sql`case when grantee = 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end`

interface OwnersStatement {
  /** Who has to run it. */
  owner: string
  statement: string
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
  const grants = await sql<OwnersStatement[]>`
    with ${relations(sql, tables)}, granted as (
      select relname, relowner, kind, '' as columns, acl.*
        from relations, aclexplode(relacl) acl
      union all
      select relname, relowner, kind, format(' (%I)', attname), acl.*
        from relations join pg_attribute on attrelid = oid and not attisdropped,
          aclexplode(attacl) acl
    )
    select pg_get_userbyid(relowner) as owner,
      format('grant %s%s on %s public.%I to %s%s', privilege_type, columns, kind, relname,
        ${granteeName(sql)},
        case when is_grantable then ' with grant option' else '' end) as statement
    from granted where grantee <> relowner`
  return { owners: owners.map(({ statement }) => statement), grants: [...grants] }
}

/** Statements that take away what default privileges gave to roles when the tables were made. */
const revocations = (sql: TransactionSql, tables: readonly string[]) => sql<OwnersStatement[]>`
  with ${relations(sql, tables)}
  select distinct pg_get_userbyid(relowner) as owner,
    format('revoke all on %s public.%I from %s', kind, relname, ${granteeName(sql)}) as statement
  from relations, aclexplode(relacl) where grantee <> relowner`

/** Of the tables, functions and sequences that have these names now. */
export async function applyOwnership(
  sql: TransactionSql,
  tables: readonly string[],
  { owners, grants }: Ownership,
): Promise<void> {
  for (const statement of owners) await sql.unsafe(statement)
  // As the owner: what the restoring role granted itself as the owner until now would go to the next one.
  const [before] = await sql`select current_setting('role') as role`
  for (const { owner, statement } of [...(await revocations(sql, tables)), ...grants]) {
    await sql`select set_config('role', ${owner}, true)`
    await sql.unsafe(statement)
  }
  await sql`select set_config('role', ${before?.role}, true)`
}
