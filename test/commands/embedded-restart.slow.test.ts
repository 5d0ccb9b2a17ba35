/** A service starts its embedded PostgreSQL again when that has ended, and recovers. */
import { afterEach, expect, setDefaultTimeout, test } from "bun:test"
import { join } from "node:path"
import { runningServer } from "../../src/system/embedded/postmaster.ts"
import { startEmbedded } from "../../src/system/embedded/server.ts"
import { directoryOfFile } from "../support/of-file.ts"
import { embeddedDirectory } from "../support/postgres.ts"
import { command, type ServiceProcess, serviceProcess } from "../support/process.ts"
import { scratchDirectory } from "../support/scratch.ts"
import { until } from "../support/until.ts"

setDefaultTimeout(120_000)

const root = directoryOfFile(scratchDirectory)
let directories = 0
let services: ServiceProcess[] = []

afterEach(async () => {
  await Promise.all(services.map((service) => service.stop()))
  services = []
})

const newDirectory = () => embeddedDirectory(join(root, `data-${++directories}`))

async function serve(DATA_DIR: string): Promise<ServiceProcess> {
  const service = await serviceProcess({ DATA_DIR, DATABASE_URL: "" })
  services.push(service)
  return service
}

const server = (directory: string) => runningServer(join(directory, "cluster"))

const kill = (directory: string) => process.kill(server(directory)?.pid ?? 0, "SIGKILL")

const isReady = async ({ url }: ServiceProcess) => (await fetch(`${url}/readyz`)).ok

const events = (service: ServiceProcess) =>
  service
    .logged()
    .map(({ event }) => String(event))
    .filter((event) => event.includes("embedded PostgreSQL"))

const ended = "embedded PostgreSQL ended; starting it again"
const again = "embedded PostgreSQL is running again"
const failed = "embedded PostgreSQL did not start; retrying"

test("All services on one data directory recover soon after its server is killed", async () => {
  const directory = await newDirectory()
  const both = await Promise.all([serve(directory), serve(directory)])
  for (let round = 1; round <= 2; round++) {
    const killedMs = performance.now()
    kill(directory)
    for (const service of both) {
      await until(() => events(service).length >= 2 * round)
      expect(events(service)).toEqual(Array(round).fill([ended, again]).flat())
      await until(() => isReady(service))
    }
    // A second or two on a machine that has nothing else to do.
    expect(performance.now() - killedMs).toBeLessThan(15_000)
  }
})

test("A service restarts the server that another process had started", async () => {
  const directory = await newDirectory()
  const owner = await startEmbedded(directory)
  const service = await serve(directory)
  await owner.stop()
  await until(() => events(service).includes(again))
  await until(() => isReady(service))
  expect(server(directory)?.port).toBe(Number(new URL(owner.url).port))
})

test("A failing server is restarted with growing pauses until the service stops", async () => {
  const directory = await newDirectory()
  const owner = await startEmbedded(directory)
  const service = await serve(directory)
  const port = Number(new URL(owner.url).port)
  await owner.stop()
  const taken = Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } })
  const failures = () => service.logged().filter(({ event }) => event === failed)
  await until(() => failures().length >= 2)
  expect(failures().map(({ after_seconds }) => after_seconds)).toEqual([1, 2])
  expect(String(failures()[0]?.error)).toContain("could not bind")
  service.kill("SIGTERM")
  expect(await service.exited).toBe(0)
  taken.stop(true)
})

test("A printed link begins with the address of the running service", async () => {
  const directory = await newDirectory()
  const service = await serve(directory)
  const settings = { DATA_DIR: directory, DATABASE_URL: "" }
  const { stdout } = await command(["account", "create", "jo@example.com"], settings)
  expect(stdout).toStartWith(`${service.url}/account/link?link=mds_link_`)
  await service.stop()
  const afterwards = await command(["account", "link", "jo@example.com"], settings)
  expect(afterwards.stdout).toStartWith("http://127.0.0.1:3000/account/link?")
})
