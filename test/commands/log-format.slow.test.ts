/** A serving process logs text on a terminal and JSON elsewhere, at the level that is set. */
import { expect, test } from "bun:test"
import { tmpdir } from "node:os"
import { version } from "../../package.json"
import { serviceProcess } from "../support/process.ts"
import { serviceOfFile } from "../support/service.ts"
import { until } from "../support/until.ts"
import { onTerminal } from "./terminal-process.ts"

const service = await serviceOfFile()

const settings = (others: Record<string, string> = {}) => ({
  DATABASE_URL: service.database.url,
  PORT: "0",
  ...others,
})

async function servingOnTerminal(others: Record<string, string>) {
  const { DATABASE_URL: url, ...variables } = settings(others)
  const running = onTerminal(["serve"], { url, dataDir: tmpdir(), variables })
  await until(() => running.output().includes("Serving http"))
  const [, served] = /Serving (http:\S+)\/api\/v1/.exec(running.output()) ?? []
  await fetch(`${served}/api/v1/companies`)
  await until(() => running.output().includes("/api/v1/companies "))
  running.child.kill("SIGTERM")
  await running.child.exited
  return running.output()
}

const requestText =
  /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} info {2}401 GET +\d+\.\d ms {2}\/api\/v1\/companies {2}/m

test("On a terminal the log is text, in colours", async () => {
  const output = await servingOnTerminal({})
  expect(output).toContain("\u001b[")
  expect(Bun.stripANSI(output)).toMatch(requestText)
})

test("With NO_COLOR the log is text without colours", async () => {
  const output = await servingOnTerminal({ NO_COLOR: "1" })
  expect(output).not.toContain("\u001b[")
  expect(output).toMatch(requestText)
})

test("Without a terminal the log is JSON, begins with the version, and includes probe requests at the level debug", async () => {
  await using running = await serviceProcess(settings({ LOG_LEVEL: "debug" }))
  await fetch(`${running.url}/livez`)
  await until(() => running.logged().length > 1)
  expect(running.logged()).toMatchObject([
    { level: "info", event: "starting", "service.version": version },
    { level: "debug", event: "request", "url.path": "/livez" },
  ])
})

test("At the level warn requests are not logged, but their account still lists them", async () => {
  const running = await serviceProcess(settings({ LOG_LEVEL: "warn" }))
  const response = await running.get("/companies/XXX", service.tokens.standard)
  expect(response.status).toBe(404)
  await running.stop()
  expect(running.logged()).toEqual([])
  const rows = await service.sql`select target, status from recent_requests`
  expect(rows).toMatchObject([{ target: "/api/v1/companies/XXX", status: 404 }])
})
