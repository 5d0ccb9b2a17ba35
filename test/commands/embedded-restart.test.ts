/** A service restarts its embedded PostgreSQL when that dies, and recovers. */
import { afterAll, afterEach, expect, setDefaultTimeout, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { withLock } from "../../src/db/embedded/lock.ts"
import { readPostmaster } from "../../src/db/embedded/process.ts"
import { pauseAfter } from "../../src/db/embedded/restart.ts"
import { until } from "../../src/db/embedded/wait.ts"
import { embeddedDirectory } from "../support/postgres.ts"
import { command, type ServiceProcess, serviceProcess } from "../support/process.ts"
import { scratchDirectory } from "../support/scratch.ts"

setDefaultTimeout(120_000)

const root = mkdtempSync(join(scratchDirectory, "mds-restart-"))
let directories = 0
let services: ServiceProcess[] = []

afterEach(async () => {
  await Promise.all(services.map((service) => service.stop()))
  services = []
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

const newDirectory = () => embeddedDirectory(join(root, `data-${++directories}`))

async function serve(DATA_DIR: string): Promise<ServiceProcess> {
  const service = await serviceProcess({ DATA_DIR, DATABASE_URL: "" })
  services.push(service)
  return service
}

const serverPid = (directory: string): number =>
  Number.parseInt(readFileSync(join(directory, "server.pid"), "utf8"), 10)

const kill = (directory: string) => process.kill(serverPid(directory), "SIGKILL")

async function ready({ url }: ServiceProcess): Promise<void> {
  const deadline = performance.now() + 60_000
  while ((await fetch(`${url}/health/ready`)).status !== 200) {
    if (performance.now() > deadline) throw new Error("The service is not ready again")
    await Bun.sleep(20)
  }
}

/** While `work` runs, nobody starts the server of the directory. */
const whileNobodyStarts = (directory: string, work: () => Promise<void>) =>
  withLock(join(directory, "lock"), work)

const events = (service: ServiceProcess) =>
  service
    .logged()
    .map(({ event }) => String(event))
    .filter((event) => event.includes("embedded PostgreSQL"))

const logged = async (service: ServiceProcess, count: number) => {
  await until(() => events(service).length >= count, 60_000, 20)
  return events(service)
}

const ended = "embedded PostgreSQL exited; restarting it"
const again = "embedded PostgreSQL is running again"
const failed = "embedded PostgreSQL did not start; retrying"

test("a service answers again after its embedded PostgreSQL was killed, each time", async () => {
  const directory = await newDirectory()
  const service = await serve(directory)
  for (let round = 1; round <= 3; round++) {
    kill(directory)
    const expected = Array(round).fill([ended, again]).flat()
    expect(await logged(service, expected.length)).toEqual(expected)
    await ready(service)
  }
})

test("all services of one data directory answer again, whichever starts it", async () => {
  const directory = await newDirectory()
  const both = await Promise.all([serve(directory), serve(directory)])
  kill(directory)
  for (const service of both) {
    expect(await logged(service, 2)).toEqual([ended, again])
    await ready(service)
  }
})

test("a service reaches the server that a command has started meanwhile", async () => {
  const directory = await newDirectory()
  const service = await serve(directory)
  kill(directory)
  const { exitCode } = await command(["account", "list"], { DATA_DIR: directory, DATABASE_URL: "" })
  expect(exitCode).toBe(0)
  await logged(service, 2)
  await ready(service)
})

test("a server that does not start is tried again after longer and longer pauses", async () => {
  const directory = await newDirectory()
  const service = await serve(directory)
  const port = readPostmaster(join(directory, "cluster"))?.port ?? 0
  let taken: Bun.TCPSocketListener | undefined
  await whileNobodyStarts(directory, async () => {
    kill(directory)
    await logged(service, 1)
    taken = Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } })
  })
  expect(await logged(service, 3)).toEqual([ended, failed, failed])
  taken?.stop(true)
  await until(() => events(service).includes(again), 60_000, 20)
  await ready(service)
  const failures = service.logged().filter(({ event }) => event === failed)
  expect(failures.slice(0, 2).map(({ after_seconds }) => after_seconds)).toEqual([1, 2])
  expect(String(failures[0]?.error)).toContain("could not bind")
})

test("a service that is stopped while its server starts again ends all the same", async () => {
  const directory = await newDirectory()
  const service = await serve(directory)
  await whileNobodyStarts(directory, async () => {
    kill(directory)
    await logged(service, 1)
    service.kill("SIGTERM")
    expect(await service.exited).toBe(0)
  })
})

test("a server that ends soon after each start is started less and less often", () => {
  expect([0, 1, 2, 3, 4, 5, 6, 60].map((starts) => pauseAfter(starts) / 1000)).toEqual([
    0, 1, 2, 4, 8, 16, 30, 30,
  ])
})
