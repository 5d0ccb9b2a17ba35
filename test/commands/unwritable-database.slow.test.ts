/** A database that cannot be written, for its settings or a role: each command says what failed, why and what to do. */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { afterFile, directoryOfFile } from "../support/of-file.ts"
import { ownServer } from "../support/own-server.ts"
import { fillWith } from "../support/postgres.ts"
import { awkwardPublished } from "../support/service.ts"
import { until } from "../support/until.ts"
import { runCommand, startCommand } from "./command-process.ts"

const directory = directoryOfFile()
const primary = await ownServer()
afterFile(primary.stop)
await fillWith(awkwardPublished, primary.url)
const rows = join(directory, "rows.csv")
await Bun.write(rows, "asx_code,company_name,is_active\nQZA,Alpha,true\n")

const run = (url: string, args: readonly string[], stdin?: string) =>
  runCommand(args, { url, dataDir: directory, ...(stdin && { stdin: Bun.file(stdin) }) })

const commands = (): [command: string, args: string[], stdin?: string][] => [
  ["load", ["load", "companies", rows, "--partial"]],
  ["load", ["load", "companies", "-", "--partial"], rows],
  ["token create", ["token", "create", "--account", "jo@example.com", "--name", "s3cret job"]],
]

async function expectReported(url: string): Promise<void> {
  for (const [command, args, stdin] of commands()) {
    const { code, stdout, stderr } = await run(url, args, stdin)
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    const last = stderr.trimEnd().split("\n").at(-1) ?? ""
    expect(last).toStartWith(`Cannot run \`mds ${command}\`: the database is read-only (cannot `)
    expect(last).toEndWith(
      "); give the address of the primary server as DATABASE_URL, or check its default_transaction_read_only",
    )
    expect(stderr).not.toMatch(/s3cret|\n\s+at /)
  }
}

test("Each command reports that transactions are read-only, with the stack trace on request", async () => {
  await primary.run("alter database postgres set default_transaction_read_only = on")
  try {
    await expectReported(primary.url)
    const { stderr } = await run(primary.url, ["account", "create", "jo@example.com", "--debug"])
    expect(stderr).toContain("the database is read-only (")
    expect(stderr).toMatch(/\n\s+at /)
  } finally {
    await primary.run(
      "begin read write; alter database postgres reset default_transaction_read_only; commit",
    )
  }
})

test("A role without the privilege is named as the reason", async () => {
  await primary.run("create role looker login password 'looker' in role pg_read_all_data")
  const url = new URL(primary.url)
  url.username = "looker"
  url.password = "looker"
  const { code, stderr } = await run(url.href, ["load", "companies", rows, "--partial"])
  expect(code).toBe(1)
  expect(stderr).toContain(
    "\nCannot run `mds load`: the database's role lacks a privilege (permission denied",
  )
})

test("A connection that is lost before the commit is named as the reason", async () => {
  const { child, ended } = startCommand(["load", "companies", "-", "--partial"], {
    url: primary.url,
    dataDir: directory,
    stdin: "pipe",
  })
  const loading = "from pg_locks where locktype = 'advisory' and granted"
  await until(async () => (await primary.run(`select ${loading}`)).length > 0)
  await primary.run(`select pg_terminate_backend(pid) ${loading}`)
  const { stdin } = child
  if (typeof stdin !== "object") throw new Error("Its standard input is no pipe")
  // The command may have noticed the loss and ended before it read anything; its output is checked below.
  const sent = async () => {
    stdin.write("asx_code,company_name,is_active\nQZA,Alpha,true\n")
    await stdin.end()
  }
  await sent().catch((error: unknown) => expect(error).toMatchObject({ code: "EPIPE" }))
  const { code, stderr } = await ended()
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /^Cannot run `mds load`: there is no connection to the database \(.+\); check that PostgreSQL runs, and its log, then try again\n$/,
  )
})
