/** A command reports a committed change as done, even if it cannot write its result. */

import { expect, test } from "bun:test"
import { prune as pruneReleases } from "../../src/ingest/loading/prune.ts"
import { until } from "../support/until.ts"
import { commandWorkbench } from "./command-workbench.ts"
import { commitProxy } from "./commit-proxy.ts"

const bench = await commandWorkbench()

const prune = ["releases", "prune", "--keep-days", "1"]
const createToken = ["token", "create", "--account", "jo@example.com", "--name", "job"]

/** How many releases can still be read. */
const kept = async () => (await bench.sql`select from releases where not is_pruned`).length

async function publishThree() {
  await bench.empty()
  for (const name of ["A", "B", "C"]) {
    await bench.load("companies", `asx_code,company_name,is_active\nQZA,${name},true\n`)
  }
  await bench.sql`update releases set published_at = now() - interval '9 days'`
}

test("A prune succeeds although its result cannot be written", async () => {
  await publishThree()
  expect(await bench.runUnread(prune)).toMatchObject({ code: 0, stderr: "" })
  expect(await kept()).toBe(1)
  const full = await bench.runOnFullDisk(prune)
  expect(full).toMatchObject({
    code: 0,
    stderr: "Cannot write to standard output: no space left on device\n",
  })
})

test.each([
  ["lost", 3],
  ["unanswered", 1],
] as const)(
  "A prune whose COMMIT is %s reports an unknown outcome, and can be repeated",
  async (fate, left) => {
    await publishThree()
    const proxy = await commitProxy(bench.url, fate, "update releases")
    const { code, stdout, stderr } = await bench.run(prune, { url: proxy.url })
    proxy.close()
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain("not known whether the releases were pruned")
    expect(stderr).not.toMatch(/\n\s+at /)
    await until(async () => (await kept()) === left)
    await pruneReleases(bench.url, 1)
    expect(await kept()).toBe(1)
  },
)

test("A change of accounts without a reply to its COMMIT reports that its outcome is unknown", async () => {
  const proxy = await commitProxy(bench.url, "unanswered", "mds.who")
  const created = await bench.run(["account", "create", "al@example.com"], { url: proxy.url })
  proxy.close()
  expect(created).toMatchObject({ code: 1, stdout: "" })
  expect(created.stderr).toContain("it is not known whether the change is made")
  expect((await bench.run(["account", "show", "al@example.com"])).code).toBe(0)
})

test("The error names a token that could not be printed, so that it can be revoked", async () => {
  const { code, stderr } = await bench.runUnread(createToken)
  expect(code).toBe(1)
  const [, prefix = ""] = /The token (mds_\w{8}) was issued/.exec(stderr) ?? []
  expect(stderr).not.toMatch(/mds_\w{9}/)
  expect((await bench.run(["token", "revoke", prefix])).code).toBe(0)
})

test("A list succeeds although its reader closes the pipe", async () => {
  expect(await bench.runUnread(["account", "list"])).toEqual({ code: 0, stdout: "", stderr: "" })
})
