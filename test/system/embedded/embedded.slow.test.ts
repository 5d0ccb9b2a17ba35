/** The embedded server runs as long as its owner, others adopt it, and its data survive any way of ending. */
import { afterEach, expect, test } from "bun:test"
import { spawn } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import postgres from "postgres"
import { isAlive } from "../../../src/system/embedded/postmaster.ts"
import { startEmbedded } from "../../../src/system/embedded/server.ts"
import { directoryOfFile } from "../../support/of-file.ts"
import { embeddedDirectory } from "../../support/postgres.ts"
import { scratchDirectory } from "../../support/scratch.ts"
import { until } from "../../support/until.ts"

const settings = { fsync: "off", shared_buffers: "16MB" }

// Every test uses a name with a space.
const root = directoryOfFile(scratchDirectory)
let directories = 0
let applications: Application[] = []

afterEach(async () => {
  await Promise.all(applications.map((application) => application.end()))
  applications = []
})

test("A first start creates a UTF-8 database that accepts only loopback connections with the password", async () => {
  const dir = newPath()
  const server = await startEmbedded(dir, { settings })
  expect(server.adopted).toBe(false)
  expect(
    await ask(
      server.url,
      `select concat_ws(' ', pg_encoding_to_char(encoding), datlocprovider, datlocale, datcollate,
         current_setting('listen_addresses'), '"' || current_setting('unix_socket_directories') || '"')
       from pg_database where datname = current_database()`,
    ),
  ).toBe('UTF8 b C.UTF-8 C 127.0.0.1 ""')
  const guess = new URL(server.url)
  guess.password = "guess"
  expect(await ask(guess.href, "select 1").catch((error) => error.code)).toBe("28P01")
  expect(statSync(join(dir, "password")).mode & 0o777).toBe(0o600)
  await server.stop()
  expect(serverPid(dir)).toBeUndefined()
})

test("Another process adopts the running server, leaves it running, and can start it after its owner", async () => {
  const dir = await newDirectory()
  const owner = await start(dir)
  const adopter = await start(dir)
  expect([owner.adopted, adopter.adopted]).toEqual([false, true])
  expect(adopter.url).toBe(owner.url)
  await adopter.end()
  expect(await ask(owner.url, "select 7")).toBe(7)
  await owner.end()
  expect(serverPid(dir)).toBeUndefined()
  expect((await start(dir)).adopted).toBe(false)
})

test("Processes that start at the same time create one cluster and share one server", async () => {
  const dir = newPath()
  const all = await Promise.all([start(dir), start(dir), start(dir)])
  expect(all.map(({ adopted }) => adopted).sort()).toEqual([false, true, true])
  expect(new Set(all.map(({ url }) => url)).size).toBe(1)
})

test("A killed application leaves no server, and an immediate start gets one that stays", async () => {
  const dir = await newDirectory()
  for (let round = 0; round < 3; round++) {
    const killed = await start(dir)
    await ask(killed.url, `create table kept_${round} as select 7 as x`)
    const pid = serverPid(dir) ?? 0
    await killed.kill()
    const next = await start(dir)
    expect(next.adopted).toBe(false)
    await until(() => !isAlive(pid)) // it deletes its pid file just before it ends
    expect(await ask(next.url, `select x from kept_${round}`)).toBe(7)
    await next.end()
  }
  const last = await start(dir)
  const pid = serverPid(dir) ?? 0
  await last.kill()
  await until(() => !isAlive(pid))
})

test("A start after a killed initialization creates a new cluster", async () => {
  for (const killedAfterMs of [0, 100, 200, 300]) {
    const dir = newPath()
    const killed = launchApplication(dir)
    await until(() => existsSync(join(dir, "password")))
    await Bun.sleep(killedAfterMs)
    killed.kill("SIGKILL")
    const next = await start(dir)
    expect(await ask(next.url, "select 7")).toBe(7)
    expect(readdirSync(dir).filter((name) => name.startsWith("cluster"))).toEqual(["cluster"])
    await next.end()
  }
})

test("Ctrl-C reaches the application and not the server", async () => {
  const dir = await newDirectory()
  const application = await start(dir)
  process.kill(-application.pid, "SIGINT") // the application ignores it, as one that drains
  expect(await ask(application.url, "select 7")).toBe(7)
  expect((await start(dir)).adopted).toBe(true)
})

test("A stale pid file does not block a start", async () => {
  const dir = await newDirectory()
  const first = await startEmbedded(dir, { settings })
  await ask(first.url, "create table kept as select 7 as x")
  const pid = serverPid(dir) ?? 0
  const { uid, gid } = statSync(join(dir, "cluster"))
  process.kill(pid, "SIGKILL")
  await until(first.hasEnded)
  await first.stop()

  // Only a process of its own user keeps PostgreSQL from starting.
  const user = process.getuid?.() === 0 ? { uid, gid } : {}
  const other = spawn("sleep", ["60"], { stdio: "ignore", cwd: "/", ...user })
  const file = join(dir, "cluster", "postmaster.pid")
  writeFileSync(file, readFileSync(file, "utf8").replace(/^\d+/, String(other.pid)))
  const second = await startEmbedded(dir, { settings })
  expect(second.url).toBe(first.url)
  expect(await ask(second.url, "select x from kept")).toBe(7)
  expect(other.exitCode ?? other.signalCode).toBeNull()
  other.kill()
  await second.stop()
})

test("A restarted server keeps its clients' port and its own data", async () => {
  const dir = await newDirectory()
  const server = await startEmbedded(dir, { settings })
  const port = Number(new URL(server.url).port)
  expect(await failure(startEmbedded(dir, { settings, port: port + 1 }))).toContain(
    `another process has started it on port ${port}`,
  )
  await server.stop()
  renameSync(join(dir, "cluster"), join(dir, "elsewhere"))
  expect(await failure(startEmbedded(dir, { settings, port }))).toContain(
    `there is no ${join(dir, "cluster")} any more`,
  )
  expect(existsSync(join(dir, "cluster"))).toBe(false)
})

test("A cluster of another program or PostgreSQL version is rejected and not changed", async () => {
  const foreign = newPath()
  mkdirSync(join(foreign, "cluster"), { recursive: true })
  writeFileSync(join(foreign, "cluster", "notes"), "mine")
  expect(await failure(startEmbedded(foreign))).toContain(
    `${join(foreign, "cluster")} was not made by this program. Nothing was changed.`,
  )
  expect(readFileSync(join(foreign, "cluster", "notes"), "utf8")).toBe("mine")

  const older = await newDirectory()
  writeFileSync(join(older, "cluster", "PG_VERSION"), "17\n")
  expect(await failure(startEmbedded(older))).toContain(
    "initialized by PostgreSQL version 17, which is not compatible with this version 18",
  )
})

test("The error of a damaged lock or a lost password names the file and the remedy", async () => {
  const dir = await newDirectory()
  writeFileSync(join(dir, "lock"), "x".repeat(5_000))
  const lock = await failure(startEmbedded(dir))
  expect(lock).toContain(
    `${join(realpathSync(dir), "lock")} is damaged. Stop all processes that use the directory, then delete the file`,
  )
  rmSync(join(dir, "lock"))
  rmSync(join(dir, "password"))
  const password = await failure(startEmbedded(dir))
  expect(password).toContain(
    `${join(realpathSync(dir), "password")} is missing. Nothing was changed. Restore the file from a backup`,
  )
})

test("The error of a failed start has the reason, without the password", async () => {
  const dir = await newDirectory()
  const message = await failure(startEmbedded(dir, { settings: { shared_buffers: "none" } }))
  expect(message).toStartWith("EmbeddedError: Cannot use the embedded PostgreSQL in ")
  expect(message).toContain('invalid value for parameter "shared_buffers"')
  expect(message).not.toContain(readFileSync(join(dir, "password"), "utf8"))
})

const failure = (start: Promise<unknown>): Promise<string> => start.then(() => "it started", String)

type Application = {
  url: string
  adopted: boolean
  pid: number
  end(): Promise<void>
  kill(): Promise<unknown>
}

// Uses the server until its standard input ends.
const APPLICATION = `
  process.on("SIGINT", () => {})
  const { startEmbedded } = await import(${JSON.stringify(import.meta.resolve("../../../src/system/embedded/server.ts"))})
  const server = await startEmbedded(process.env.DIRECTORY, { settings: ${JSON.stringify(settings)} })
  console.log(JSON.stringify(server))
  for await (const _ of process.stdin);
  await server.stop()
`

const launchApplication = (dir: string) =>
  Bun.spawn([process.execPath, "-e", APPLICATION], {
    env: { ...process.env, DIRECTORY: dir },
    detached: true,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  })

/** Another process that uses the server of `dir`, in a process group of its own. */
async function start(dir: string): Promise<Application> {
  const child = launchApplication(dir)
  const { value } = await child.stdout.getReader().read()
  const { url, adopted } = JSON.parse(new TextDecoder().decode(value))
  const application: Application = {
    url,
    adopted,
    pid: child.pid,
    async end() {
      child.stdin.end()
      await child.exited
    },
    kill() {
      child.kill("SIGKILL")
      return child.exited
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
  return join(root, `data ${++directories}`)
}

/** One whose cluster is there. */
const newDirectory = () => embeddedDirectory(newPath())

/** Undefined once the server has stopped. */
function serverPid(dir: string): number | undefined {
  const file = join(dir, "cluster", "postmaster.pid")
  return existsSync(file) ? Number.parseInt(readFileSync(file, "utf8"), 10) : undefined
}
