/** Help, usage errors, and listings as tables and as JSON. */
import { expect, test } from "bun:test"
import { command } from "../support/process.ts"
import { serviceOfFile } from "../support/service.ts"

const service = await serviceOfFile()

/** Nothing listens there. */
const unreachable = "postgres://mds@127.0.0.1:1/mds"

const mds = (...args: string[]) => command(args, { DATABASE_URL: service.database.url })

test("The help names the page that describes the settings", async () => {
  const { exitCode, stdout, stderr } = await mds("--help")
  expect([exitCode, stderr]).toEqual([0, ""])
  expect(stdout).toStartWith("Usage: mds ")
  expect(stdout).toContain("Settings are environment variables")
  expect((await mds("releases", "list", "--help")).stdout).toContain("Settings are environment")
})

test("The program or a group without a command exits with 2 and prints its help", async () => {
  for (const [args, usage] of [
    [[], "Usage: mds "],
    [["releases"], "Usage: mds releases "],
  ] as const) {
    const help = expect.stringMatching(new RegExp(`^${usage}`))
    expect(await mds(...args)).toEqual({ exitCode: 2, stdout: "", stderr: help })
  }
})

test.each([
  [["laod", "wa", "x.csv"], "unknown command 'laod'\n(Did you mean load?)"],
  [["account", "lst"], "unknown command 'lst'\n(Did you mean list?)"],
  [["account", "list", "--jsn"], "unknown option '--jsn'\n(Did you mean --json?)"],
  [["load", "wa"], "missing required argument 'files'"],
  [["load", "asx-dirctory", "x.csv"], 'did you mean "asx-directory"?'],
  [["token", "list"], "required option '--account <email>' not specified"],
  [["releases", "show", "0"], "Must be an integer from 1 to 2147483647."],
  [
    ["account", "create", "a@example.com", "--plan", "enterprise", "--limit", "0"],
    "Must be an integer from 1 to 1000000.",
  ],
  [
    ["account", "create", "a@example.com", "--plan", "enterprise"],
    "The enterprise plan requires a limit: add --limit",
  ],
  [["account", "set-plan", "a@example.com", "gold"], "Allowed choices are standard"],
  [
    ["account", "set-plan", "a@example.com", "admin", "--limit", "5"],
    "The limit of the admin plan is fixed",
  ],
  [["companies", "confirm", "QZA"], "Name an ended code and its successor"],
])(
  "The usage error %j exits with 2 and names the error, without a database",
  async (args, message) => {
    const { exitCode, stdout, stderr } = await command(args, { DATABASE_URL: unreachable })
    expect([exitCode, stdout]).toEqual([2, ""])
    expect(stderr).toStartWith("error: ")
    expect(stderr).toContain(message)
    expect(stderr).toEndWith("(add --help for usage)\n")
  },
)

const admin = "admin@example.com"

test.each([
  [["account", "list"], "email"],
  [["account", "sessions", admin], null],
  [["companies", "successors"], null],
  [["holders", "suggest"], null],
  [["holders", "unlinked"], "tenements"],
  [["releases", "list"], "release"],
  [["sources", "list"], null],
  [["token", "list", "--account", admin], "token"],
])("%j prints a JSON array of rows with --json", async (args, column) => {
  const { exitCode, stdout, stderr } = await mds(...args, "--json")
  expect([exitCode, stderr]).toEqual([0, ""])
  const rows = JSON.parse(stdout)
  if (column === null) expect(rows).toEqual([])
  else expect(Object.keys(rows[0])[0]).toBe(column)
})

test("Releases are listed newest first, with the changes of each", async () => {
  const { stdout } = await mds("releases", "list", "--count", "1")
  const [head, newest, ...others] = stdout.trimEnd().split("\n")
  expect(head?.split(/ {2,}/)).toEqual([
    ...["release", "published at", "source", "data as of"],
    ...["added", "changed", "removed", "is pruned"],
  ])
  expect(others).toEqual([])
  const [row] = await service.sql`select max(id) as id from releases`
  expect(newest).toMatch(new RegExp(`^${row?.id} `))
})
