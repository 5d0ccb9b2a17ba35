/** Whichever role restores: the tables keep the owner and the grants of those that they replace, or nothing is changed. */
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from "bun:test"
import postgres from "postgres"
import { ownServer } from "../support/own-server.ts"
import { fillWith } from "../support/postgres.ts"
import { awkwardPublished } from "../support/service.ts"
import {
  reportIfWithoutPostgres,
  systemPostgres,
  systemPostgresIsInstalled,
  systemVersion,
} from "../support/system-postgres.ts"
import { commandsIn, contentsOf } from "./databases.ts"

setDefaultTimeout(60_000)

reportIfWithoutPostgres(import.meta.path)

// What a role may do for another of which it is a member has changed with PostgreSQL 16.
const servers = [
  { name: "the embedded PostgreSQL", start: ownServer, isInstalled: true },
  {
    name: `PostgreSQL ${systemVersion}`,
    start: systemPostgres,
    isInstalled: systemPostgresIsInstalled,
  },
].filter(({ isInstalled }) => isInstalled)

describe.each(servers)("on $name", ({ start }) => {
  let server: { url: string; stop(): Promise<void> }
  let sql: postgres.Sql
  const { path, mds, remove } = commandsIn()
  const run = async (statement: string) => [...(await sql.unsafe(statement))]

  const objects = `select oid, relname::text as name, relowner, relacl from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'S')`

  /** All tables, sequences and functions of the service, each with its owner. */
  const owners = () =>
    run(`select name, relowner::regrole::text as owner from (${objects}) o
    union all select proname, proowner::regrole::text from pg_proc p
      where pronamespace = 'public'::regnamespace
        and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
    order by 1, 2`)

  /** What other roles than the owner may do with tables, sequences and columns. */
  const grants = () =>
    run(`select name, grantee::regrole::text, privilege_type, is_grantable
      from (${objects}) o, aclexplode(relacl) where grantee <> relowner
    union all select attrelid::regclass || '.' || attname, grantee::regrole::text, privilege_type, is_grantable
      from pg_attribute, aclexplode(attacl)
      where attrelid = any(array(select oid from (${objects}) o)) and not attisdropped
    order by 1, 2, 3`)

  beforeAll(async () => {
    server = await start()
    sql = postgres(server.url, { max: 1, fetch_types: false, onnotice: () => {} })
    await fillWith(awkwardPublished, server.url)
    await run(`
    create role "the service" login password 'secret' in role pg_read_all_data;
    create role member login password 'secret' in role "the service";
    create role stranger login password 'secret' in role pg_read_all_data, pg_write_all_data;
    create role "not inheriting" login noinherit password 'secret' in role "the service";
    create role reader;
    create role analyst;
    grant create on database ${new URL(server.url).pathname.slice(1)} to "the service", stranger, "not inheriting";
    grant create on schema public to "the service";
    grant usage, create on schema drizzle to stranger, "not inheriting";
    grant select on all tables in schema drizzle to "not inheriting";
    do $$ declare o record; begin
      for o in select oid::regclass as name from pg_class where relkind = 'r'
          and relnamespace in ('public'::regnamespace, 'drizzle'::regnamespace) loop
        execute format('alter table %s owner to "the service"', o.name);
      end loop;
      for o in select oid::regprocedure as name from pg_proc p where pronamespace = 'public'::regnamespace
          and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e') loop
        execute format('alter function %s owner to "the service"', o.name);
      end loop;
    end $$;
    alter schema drizzle owner to "the service";
    grant select on all tables in schema public to reader;
    grant update on accounts to reader with grant option;
    grant delete on reports to stranger;
    grant insert on reports to member;
    grant usage on all sequences in schema public to reader;
    grant update (company_name, is_active) on companies to reader;
    -- What is made from now on has grants that the tables to be replaced have not.
    alter default privileges for role "the service", member, mds grant select on tables to analyst, public;
    alter default privileges for role "the service", member, mds grant usage on sequences to analyst;
    grant select on all tables in schema public to analyst;
    revoke select on tokens from analyst;
    -- PostgreSQL 15 keeps what was granted on a column that was dropped.
    alter table companies add column note text;
    grant select (note) on companies to reader;
    alter table companies drop column note`)
    expect((await mds(server.url, ["backup", path("all.dump")])).code).toBe(0)
  })

  beforeEach(() => run('grant create on schema public to "the service"'))

  afterAll(async () => {
    await sql.end({ timeout: 1 })
    await server.stop()
    remove()
  })

  const restoreAs = (role: string) => {
    const url = new URL(server.url)
    if (role !== "mds")
      Object.assign(url, { username: encodeURIComponent(role), password: "secret" })
    return mds(url.href, ["restore", "--replace", path("all.dump")])
  }

  test.each(["the service", "member", "mds"])(
    "a restore by %s keeps the owner of the tables and every grant",
    async (role) => {
      const before = {
        owners: await owners(),
        grants: await grants(),
        rows: await contentsOf(server.url),
      }
      const restored = await restoreAs(role)
      expect(restored).toMatchObject({
        code: 0,
        stderr: expect.stringContaining("Restored release 1"),
      })
      const after = {
        owners: await owners(),
        grants: await grants(),
        rows: await contentsOf(server.url),
      }
      expect(after).toEqual(before)
      expect(new Set(after.owners.map((each) => Object.values(each)[1]))).toEqual(
        new Set(['"the service"']),
      )
      expect(after.grants.length).toBeGreaterThan(20)
    },
  )

  test("a role that could not give the tables back is refused before anything is changed", async () => {
    const before = { owners: await owners(), grants: await grants() }
    expect(await restoreAs("stranger")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining(
        `Cannot restore ${path("all.dump")}: the tables belong to the role the service, of which stranger is no member. ` +
          "Restore as that role or as a superuser. Nothing was changed\n",
      ),
    })
    expect(await restoreAs("not inheriting")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `Cannot restore ${path("all.dump")}: the tables belong to the role the service, whose privileges not inheriting does not inherit. ` +
          "Restore as that role or as a superuser. Nothing was changed\n",
      ),
    })
    await run('revoke create on schema public from "the service"')
    expect(await restoreAs("member")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `Cannot restore ${path("all.dump")}: the tables belong to the role the service, which lacks CREATE on schema public to take them back. ` +
          "Grant it, or restore as a superuser. Nothing was changed\n",
      ),
    })
    expect({ owners: await owners(), grants: await grants() }).toEqual(before)
  })

  test("a role that could not replace a trigger's function is refused before anything is changed", async () => {
    await run("alter function notify_release_change() owner to stranger")
    try {
      const before = { owners: await owners(), grants: await grants() }
      expect(await restoreAs("the service")).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(
          `Cannot restore ${path("all.dump")}: trigger functions of the tables belong to the role stranger, of which the service is no member. ` +
            "Restore as that role or as a superuser. Nothing was changed\n",
        ),
      })
      expect({ owners: await owners(), grants: await grants() }).toEqual(before)
    } finally {
      await run('alter function notify_release_change() owner to "the service"')
    }
  })
})
