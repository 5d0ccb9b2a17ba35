/** A signal rolls a load back until the commit, and never leaves the outcome unreported. */

import { beforeEach, expect, test } from "bun:test"
import { openSync, writeSync } from "node:fs"
import { join } from "node:path"
import { holdLock } from "../support/held-locks.ts"
import { until } from "../support/until.ts"
import { startCommand } from "./command-process.ts"
import { commandWorkbench } from "./command-workbench.ts"
import { commitProxy } from "./commit-proxy.ts"
import { onTerminal } from "./terminal-process.ts"

const bench = await commandWorkbench()
beforeEach(() => bench.empty())

const header = "asx_code,company_name,is_active\n"
const alpha = "QZA,Alpha,true\n"

const loadLocks = async () =>
  (
    await bench.sql`
      select from pg_locks where locktype = 'advisory'
        and database = (select oid from pg_database where datname = current_database())`
  ).length

/** A load that shows its progress, of a file that does not end. */
async function loadThatReads(name: string) {
  const pipe = join(bench.directory, name)
  const made = Bun.spawnSync(["mkfifo", pipe])
  if (!made.success) throw new Error(`Cannot make a named pipe: ${made.stderr}`)
  // Opened for reading as well, so that opening does not wait for the load, and the pipe never ends.
  const writer = openSync(pipe, "r+")
  const load = onTerminal(["load", "companies", pipe], bench.options())
  await until(async () => (await loadLocks()) === 1)
  writeSync(writer, header + alpha.repeat(2000))
  // The load shows its progress only some time after its start. A pipe that is full would block the test.
  await until(() => {
    writeSync(writer, alpha.repeat(2))
    return load.output().includes(" rows, ")
  })
  return load
}

async function expectNothingPublished() {
  await until(async () => (await loadLocks()) === 0)
  expect(await bench.releases()).toBe(0)
  expect((await bench.load("companies", header + alpha)).release).toBe(1)
}

test("On a terminal Ctrl-C rolls back and ends with 130", async () => {
  const load = await loadThatReads("ctrl-c")
  load.type("\u0003")
  expect(await load.child.exited).toBe(130)
  expect(load.output()).toEndWith("\r\nInterrupted: nothing was published\r\n")
  await expectNothingPublished()
})

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("Without a terminal %s rolls back and ends with %i", async (signal, code) => {
  const { child, ended } = startCommand(
    ["load", "companies", "-"],
    bench.options({ stdin: "pipe" }),
  )
  await until(async () => (await loadLocks()) === 1)
  child.kill(signal)
  expect(await ended()).toEqual({
    code,
    stdout: "",
    stderr: "Interrupted: nothing was published\n",
  })
  await expectNothingPublished()
})

/** A load that got a signal while its COMMIT was held back. */
async function interruptedCommit() {
  const proxy = await commitProxy(bench.url, "held")
  const file = bench.file("companies.csv", header + alpha)
  const load = startCommand(["load", "companies", file], bench.options({ url: proxy.url }))
  await proxy.reached
  load.child.kill("SIGINT")
  await load.waitForStderr("waiting for the outcome")
  return { proxy, load }
}

test("A load that gets a signal during its commit reports the outcome of the commit", async () => {
  const { proxy, load } = await interruptedCommit()
  proxy.release()
  const { code, stdout } = await load.ended()
  expect(code).toBe(0)
  expect(stdout).toContain("Published as release 1")
  proxy.close()
})

test("A second signal during the commit ends the load at once, with the message that its outcome is unknown", async () => {
  const { proxy, load } = await interruptedCommit()
  load.child.kill("SIGTERM")
  const { code, stderr } = await load.ended()
  expect(code).toBe(143)
  expect(stderr).toContain("it is not known whether the release was published")
  proxy.close()
})

test("A signal after the outcome is reported does not fail the load", async () => {
  const reports = Array.from({ length: 10_000 }, (_, n) => `h${n},QZA,T,2026-01-02T03:04:05Z`)
  const rows = ["hash,asx_code,title,published_at", ...reports, ""].join("\n")
  const file = bench.file("reports.csv", rows)
  await using held = await holdLock(bench.sql, "lock table reports in share update exclusive mode")
  const load = startCommand(["load", "reports", file], bench.options())
  await load.waitForStderr("Vacuuming and analyzing reports")
  load.child.kill("SIGTERM")
  const { code, stdout } = await load.ended()
  await held.release()
  expect(code).toBe(0)
  expect(stdout).toContain("Published as release 1")
})
