/** The embedded server runs as long as a process uses it, and its data survives any way of ending. */

import { afterAll, afterEach, expect, test } from "bun:test"
import { spawn } from "node:child_process"
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import postgres from "postgres"
import { startEmbedded } from "../../src/db/embedded/server.ts"
import { embeddedDirectory } from "../support/postgres.ts"
import { scratchDirectory } from "../support/scratch.ts"
import { until } from "../support/until.ts"

const SETTINGS = { fsync: "off", shared_buffers: "16MB" }

// Every test uses a name with a space.
const root = mkdtempSync(join(scratchDirectory, "mds embedded "))
let clusters = 0
let applications: Application[] = []

afterEach(async () => {
  await Promise.all(applications.map((application) => application.end()))
  applications = []
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

test("a first start creates a UTF-8 database that requires the password", async () => {
  const dir = newPath()
  const server = await startEmbedded(dir, { settings: SETTINGS })
  expect(server.adopted).toBe(false)
  expect(await ask(server.url, "select current_database() || ' ' || pg_encoding_to_char(6)")).toBe(
    "mds UTF8",
  )
  const guess = new URL(server.url)
  guess.password = "guess"
  expect(await ask(guess.href, "select 1").catch((error) => error.code)).toBe("28P01")
  expect(statSync(join(dir, "password")).mode & 0o777).toBe(0o600)
  await server.stop()
  expect(serverRuns(dir)).toBe(false)
})

test("data survives a restart", async () => {
  const dir = await newDirectory()
  const first = await startEmbedded(dir, { settings: SETTINGS })
  await ask(first.url, "create table kept as select 7 as x")
  await first.stop()
  const second = await startEmbedded(dir, { settings: SETTINGS })
  expect(await ask(second.url, "select x from kept")).toBe(7)
  await second.stop()
})

test("a second process adopts the running server and leaves it running", async () => {
  const dir = await newDirectory()
  const owner = await start(dir)
  const adopter = await start(dir)
  expect([owner.adopted, adopter.adopted]).toEqual([false, true])
  expect(adopter.url).toBe(owner.url)
  await adopter.end()
  expect(await ask(owner.url, "select 7")).toBe(7)
})

test("the server stays for a process that adopted it when the process that started it exits", async () => {
  const dir = await newDirectory()
  const owner = await start(dir)
  const adopter = await start(dir)
  await owner.end()
  expect(await ask(adopter.url, "select 7")).toBe(7)
  await adopter.end()
  expect(serverRuns(dir)).toBe(false)
})

test("a killed application leaves no server behind", async () => {
  const dir = await newDirectory()
  const application = await start(dir)
  const pid = serverPid(dir)
  process.kill(application.pid, "SIGKILL")
  await until(() => !runs(pid))
})

test("the server survives a kill of the process that started it while another uses it", async () => {
  const dir = await newDirectory()
  const owner = await start(dir)
  const adopter = await start(dir)
  const pid = serverPid(dir)
  process.kill(owner.pid, "SIGKILL")
  await owner.exited
  expect(await ask(adopter.url, "select 7")).toBe(7)
  process.kill(adopter.pid, "SIGKILL")
  await until(() => !runs(pid))
})

test("Ctrl-C reaches the application and not the server", async () => {
  const dir = await newDirectory()
  const application = await start(dir)
  process.kill(-application.pid, "SIGINT") // the application ignores it, as one that drains
  expect(await ask(application.url, "select 7")).toBe(7)
  expect((await start(dir)).adopted).toBe(true)
})

test("processes that start concurrently share one server", async () => {
  const dir = newPath()
  const all = await Promise.all([start(dir), start(dir), start(dir)])
  expect(all.map(({ adopted }) => adopted).sort()).toEqual([false, true, true])
  expect(new Set(all.map(({ url }) => url)).size).toBe(1)
})

test("two starts within one process share one server", async () => {
  const dir = await newDirectory()
  const [a, b] = await Promise.all([
    startEmbedded(dir, { settings: SETTINGS }),
    startEmbedded(dir, { settings: SETTINGS }),
  ])
  expect(a.url).toBe(b.url)
  await a.stop()
  expect(await ask(b.url, "select 7")).toBe(7)
  await b.stop()
  expect(serverRuns(dir)).toBe(false)
})

test("a start never gets a server that is stopping", async () => {
  const dir = await newDirectory()
  for (let round = 0; round < 5; round++) {
    const killed = await start(dir)
    process.kill(killed.pid, "SIGKILL")
    const next = await start(dir)
    expect(await ask(next.url, "select 7")).toBe(7)
    await next.end()
  }
})

test("a pid file left by a crash does not block a start although another process has the pid now", async () => {
  const dir = await newDirectory()
  const first = await start(dir)
  await ask(first.url, "create table kept as select 7 as x")
  const pid = serverPid(dir)
  const { uid, gid } = statSync(join(dir, "cluster"))
  process.kill(pid, "SIGKILL")
  await until(() => !runs(pid))

  // PostgreSQL refuses to start only because of a process of its own user.
  const user = process.getuid?.() === 0 ? { uid, gid } : {}
  const other = spawn("sleep", ["60"], { stdio: "ignore", cwd: "/", ...user })
  const file = join(dir, "cluster", "postmaster.pid")
  writeFileSync(file, readFileSync(file, "utf8").replace(/^\d+/, String(other.pid)))
  const second = await start(dir)
  expect(second.adopted).toBe(false)
  expect(await ask(second.url, "select x from kept")).toBe(7)
  expect(other.exitCode ?? other.signalCode).toBeNull()
  other.kill()
})

test.skipIf(!Bun.which("ps"))("a server that lost its supervisor is replaced", async () => {
  const dir = await newDirectory()
  await start(dir)
  const orphan = serverPid(dir)
  for (const pid of supervisors(dir)) process.kill(pid, "SIGKILL")
  const second = await start(dir)
  expect(second.adopted).toBe(false)
  expect(await ask(second.url, "select 7")).toBe(7)
  expect(serverPid(dir)).not.toBe(orphan)
})

test("a server that was killed restarts on its port, which others may still use", async () => {
  const dir = await newDirectory()
  const first = await startEmbedded(dir, { settings: SETTINGS })
  expect(first.ended()).toBe(false)
  const pid = serverPid(dir)
  process.kill(pid, "SIGKILL")
  await until(first.ended)
  const second = await startEmbedded(dir, { settings: SETTINGS })
  expect(second.url).toBe(first.url)
  expect([second.ended(), first.ended()]).toEqual([false, true])
  await first.stop()
  expect(await ask(second.url, "select 7")).toBe(7)
  await second.stop()
})

test("a server on another port than the requested one is not adopted", async () => {
  const dir = await newDirectory()
  const server = await startEmbedded(dir, { settings: SETTINGS })
  const { port } = new URL(server.url)
  const other = startEmbedded(dir, { settings: SETTINGS, port: Number(port) + 1 })
  expect(other).rejects.toThrow(`another process has started it on port ${port}`)
  await other.catch(() => {})
  expect(await ask(server.url, "select 7")).toBe(7)
  await server.stop()
})

test("a server is not restarted with an empty database when its data is missing", async () => {
  const dir = await newDirectory()
  const server = await startEmbedded(dir, { settings: SETTINGS })
  await server.stop()
  renameSync(join(dir, "cluster"), join(dir, "elsewhere"))
  const again = startEmbedded(dir, { settings: SETTINGS, port: Number(new URL(server.url).port) })
  const error = await again.catch((error: Error) => error)
  expect(error).toMatchObject({ name: "EmbeddedError" })
  expect(String(error)).toContain(`there is no ${join(dir, "cluster")} any more`)
  expect(existsSync(join(dir, "cluster"))).toBe(false)
})

test("a server that cannot start says why, without the password", async () => {
  const dir = await newDirectory()
  const settings = { ...SETTINGS, shared_buffers: "none" }
  const error = await startEmbedded(dir, { settings }).then(
    () => undefined,
    (error) => error as Error,
  )
  expect(error?.name).toBe("EmbeddedError")
  expect(error?.message).toStartWith("Cannot use the embedded PostgreSQL in ")
  expect(error?.message).toContain('invalid value for parameter "shared_buffers"')
  expect(error?.message).not.toContain(readFileSync(join(dir, "password"), "utf8"))
})

test("the directory of a temporary server is deleted, even after a kill", async () => {
  const dir = await newDirectory()
  const application = await start(dir, { temporary: true })
  process.kill(application.pid, "SIGKILL")
  await until(() => !statSync(dir, { throwIfNoEntry: false }))
})

type Application = {
  url: string
  adopted: boolean
  pid: number
  exited: Promise<number>
  end(): Promise<void>
}

// Uses the server until its standard input ends.
const APPLICATION = `
  process.on("SIGINT", () => {})
  const { startEmbedded } = await import(${JSON.stringify(import.meta.resolve("../../src/db/embedded/server.ts"))})
  const server = await startEmbedded(process.env.DIRECTORY, JSON.parse(process.env.OPTIONS))
  console.log(JSON.stringify(server))
  for await (const _ of process.stdin);
  await server.stop()
`

/** Another process that uses the server of `dir`, in a process group of its own. */
async function start(dir: string, options: { temporary?: boolean } = {}): Promise<Application> {
  const child = Bun.spawn([process.execPath, "-e", APPLICATION], {
    env: {
      ...process.env,
      DIRECTORY: dir,
      OPTIONS: JSON.stringify({ settings: SETTINGS, ...options }),
    },
    detached: true,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  })
  const { value } = await child.stdout.getReader().read()
  const { url, adopted } = JSON.parse(new TextDecoder().decode(value))
  const application: Application = {
    url,
    adopted,
    pid: child.pid,
    exited: child.exited,
    async end() {
      child.stdin.end()
      await child.exited
    },
  }
  applications.push(application)
  return application
}

async function ask(url: string, statement: string): Promise<unknown> {
  const sql = postgres(url, { max: 1, fetch_types: false })
  try {
    const [row] = await sql.unsafe(statement).values()
    return row?.[0]
  } finally {
    await sql.end({ timeout: 1 })
  }
}

function newPath(): string {
  return join(root, `data ${++clusters}`)
}

/** One whose cluster is there. */
const newDirectory = () => embeddedDirectory(newPath())

function serverPid(dir: string): number {
  return Number.parseInt(readFileSync(join(dir, "cluster", "postmaster.pid"), "utf8"), 10)
}

function serverRuns(dir: string): boolean {
  return statSync(join(dir, "cluster", "postmaster.pid"), { throwIfNoEntry: false }) !== undefined
}

function supervisors(dir: string): number[] {
  const { stdout } = Bun.spawnSync(["ps", "-eww", "-o", "pid=,args="])
  const lines = stdout.toString().split("\n")
  return lines
    .filter((line) => line.includes(` mds-postgres ${dir} `))
    .map((line) => Number.parseInt(line, 10))
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
