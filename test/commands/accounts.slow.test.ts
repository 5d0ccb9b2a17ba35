/** Accounts and tokens can be managed and audited from the command line. */
import { expect, test } from "bun:test"
import { databaseOfFile } from "../support/of-file.ts"
import { command } from "../support/process.ts"

const { sql, url } = await databaseOfFile()

const mds = (...args: string[]) => command(args, { DATABASE_URL: url, ACTOR: "jo" })

const instant = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g

test("An account is created, changed, disabled and audited from the command line", async () => {
  const email = "analyst@example.com"
  expect(
    (await mds("account", "create", email, "--plan", "enterprise", "--limit", "7")).stderr,
  ).toBe(
    `Created account ${email} on the enterprise plan\nThe link signs in once, within 15 minutes\n`,
  )
  const issue = async (name: string) => {
    const issued = await mds("token", "create", "--account", email, "--name", name)
    expect(issued).toMatchObject({
      exitCode: 0,
      stderr: "Save this token now: it is not shown again\n",
    })
    return issued.stdout.trim()
  }
  const [old, token] = [await issue("nightly job"), await issue("weekly job")]
  expect((await mds("token", "revoke", old.slice(0, 12))).stderr).toBe(
    `Revoked ${old.slice(0, 12)} (nightly job)\n`,
  )
  expect((await mds("account", "set-plan", email, "standard")).stderr).toBe(
    `Changed account ${email} to the standard plan\n`,
  )
  expect((await mds("account", "disable", email)).stderr).toBe(`Disabled account ${email}\n`)
  expect((await mds("account", "enable", email)).stderr).toBe(`Enabled account ${email}\n`)

  const { stdout } = await mds("account", "show", email)
  const lines = stdout.replace(instant, "TIME").trimEnd().split("\n")
  expect(lines.map((line) => line.replace(/ {2,}/g, "  ").replace(/on \S+$/, "on HOST"))).toEqual([
    "email  plan  requests per hour  created at  disabled at",
    `${email}  standard  1,000  TIME  -`,
    "",
    "Tokens:",
    "token  name  created at  last used at  expires at  revoked at",
    `${old.slice(0, 12)}  nightly job  TIME  -  -  TIME`,
    `${token.slice(0, 12)}  weekly job  TIME  -  -  -`,
    "",
    "Changes:",
    "changed at  subject  change  columns  by  from",
    `TIME  account  created  plan enterprise, email ${email}, request_limit 7  jo  command line on HOST`,
    `TIME  ${old.slice(0, 12)}  created  name nightly job  jo  command line on HOST`,
    `TIME  ${token.slice(0, 12)}  created  name weekly job  jo  command line on HOST`,
    `TIME  ${old.slice(0, 12)}  changed  revoked_at none -> TIME  jo  command line on HOST`,
    "TIME  account  changed  plan enterprise -> standard, request_limit 7 -> none  jo  command line on HOST",
    "TIME  account  changed  disabled_at none -> TIME  jo  command line on HOST",
    "TIME  account  changed  disabled_at TIME -> none  jo  command line on HOST",
  ])

  await sql`insert into access_changes (account_id, action, columns, who, origin)
    select id, 'changed', '{}', 'many', 'here' from accounts, generate_series(1, 95)
    where accounts.email = ${email}`
  const all = (await mds("account", "show", email)).stdout.trimEnd().split("\n")
  expect(all.filter((line) => line.includes("many"))).toHaveLength(95)
  expect(all.filter((line) => line.includes("command line on"))).toHaveLength(5)
  expect(all).toContain("2 earlier changes are not shown; the owner sees them at /account/audit")
})
