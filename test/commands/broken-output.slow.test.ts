/**
 * A service keeps serving, and stops on SIGTERM, whatever happens to its standard output and error.
 */

import { expect, test } from "bun:test"
import { directoryOfFile, processesOfFile } from "../support/of-file.ts"
import { fullDisk, type OutputEnd, unreadPipe } from "../support/process.ts"
import { serviceOfFile } from "../support/service.ts"
import { until } from "../support/until.ts"

const dataDir = directoryOfFile()
const service = await serviceOfFile()
const startProcess = processesOfFile()

const start = (output: { stdout?: OutputEnd; stderr?: OutputEnd }) =>
  startProcess({ DATABASE_URL: service.database.url }, output)

/** A path that is logged as 3 KiB, since each of its characters is logged as an escape. */
const longLogged = "%01".repeat(500)

/** Sends requests with a token, so that each is logged, and reads every response. */
async function statusesOf(url: string, requests: number, company = "XXX"): Promise<number[]> {
  const statuses: number[] = []
  for (let sent = 0; sent < requests; sent += 20) {
    const responses = await Promise.all(
      Array.from({ length: 20 }, () =>
        fetch(`${url}/api/v1/companies/${company}`, {
          headers: { Authorization: `Bearer ${service.tokens.admin}` },
        }),
      ),
    )
    await Promise.all(responses.map((response) => response.arrayBuffer()))
    statuses.push(...responses.map(({ status }) => status))
  }
  return [...new Set(statuses)]
}

async function metric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1])
}

/** Logs more than two batches, so that lines in the buffer wait for the output. */
async function fillLog(url: string): Promise<void> {
  expect(await statusesOf(url, 80, longLogged)).toEqual([404])
  expect(await metric(url, "mds_log_buffer_bytes")).toBeGreaterThan(131_072)
}

/** Sends SIGTERM. Resolves to the exit code, and whether the end came soon. */
async function terminate(
  child: Bun.Subprocess,
): Promise<{ exitCode: number | null; soon: boolean }> {
  const startedMs = performance.now()
  child.kill("SIGTERM")
  await child.exited
  return { exitCode: child.exitCode, soon: performance.now() - startedMs < 10_000 }
}

const endsWell = { exitCode: 0, soon: true }

test.each([
  ["without room", fullDisk],
  ["whose reader has gone", unreadPipe],
])("A log %s does not end the service, and metrics count the failures", async (_, end) => {
  const stdout: OutputEnd & { closeReader?: () => void } = end()
  const { url, child } = await start({ stdout })
  stdout.closeReader?.()
  expect(await statusesOf(url, 40)).toEqual([404])
  await until(async () => (await metric(url, "mds_log_write_failures_total")) > 0)
  expect(child.exitCode).toBe(null)
  expect(await terminate(child)).toEqual(endsWell)
})

test("An unread log delays nothing, uses bounded memory, and later delivers whole lines", async () => {
  const stdout = unreadPipe()
  const { url, child } = await start({ stdout })
  while ((await metric(url, "mds_log_lines_dropped_total")) === 0) {
    expect(await statusesOf(url, 100, longLogged)).toEqual([404])
  }
  expect(await metric(url, "mds_log_buffer_bytes")).toBeLessThanOrEqual(4_194_304)
  const parts: string[] = []
  await until(() => {
    const part = stdout.read()
    if (part !== "") parts.push(part)
    // The last two only: to search 4 MiB every few milliseconds takes long.
    return parts.slice(-2).join("").includes('"event":"log lines dropped"')
  })
  const lines = parts.join("").split("\n").slice(0, -1)
  for (const line of lines) expect(() => JSON.parse(line)).not.toThrow()
  const reports = lines
    .map((line) => JSON.parse(line))
    .filter(({ event }) => event === "log lines dropped")
  expect(reports[0].lines).toBeGreaterThan(0)
  expect(await terminate(child)).toEqual(endsWell)
})

test("The service writes its buffered lines before it ends", async () => {
  const stdout = unreadPipe()
  const { url, child } = await start({ stdout })
  await statusesOf(url, 20)
  expect(await terminate(child)).toEqual(endsWell)
  const paths = stdout.read().match(/"url.path":"\/api\/v1\/companies\/XXX"/g)
  expect(paths).toHaveLength(20)
})

test.each([
  ["without room", fullDisk],
  ["that is not read", unreadPipe],
])("A standard error %s does not end the service", async (_, end) => {
  const both = end()
  const { url, child } = await start({ stdout: both, stderr: both })
  await fillLog(url)
  // Compressed by the threads that also write to files and pipes: none of them may wait for a reader.
  const exported = await fetch(`${url}/api/v1/tenements?format=csv&all=true`, {
    headers: { Authorization: `Bearer ${service.tokens.admin}`, "Accept-Encoding": "gzip" },
  })
  expect(await exported.text()).toContain("holder_name")
  expect(child.exitCode).toBe(null)
  expect(await terminate(child)).toEqual(endsWell)
})

test("A quickstart serves even if its welcome cannot be written", async () => {
  const messages = unreadPipe()
  const quickstart = Bun.fileURLToPath(new URL("../../src/sample/quickstart.ts", import.meta.url))
  const { url, child } = await startProcess(
    { DATABASE_URL: service.database.url, DATA_DIR: dataDir },
    { stdout: fullDisk(), stderr: messages },
    { script: [quickstart] },
  )
  // It is written after the service has started, and the process ends after that, if it does.
  let text = ""
  await until(() => {
    text += messages.read()
    return text.includes("Cannot write to standard output")
  })
  expect(await statusesOf(url, 20)).toEqual([404])
  expect(await terminate(child)).toEqual(endsWell)
})
