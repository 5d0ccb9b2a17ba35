/** Restarts two servers behind Caddy one after the other, as in the guide, while clients read; Compose reads its file. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { join } from "node:path"
import { sendRaw } from "../../contract/raw-http.ts"
import { caddyIsInstalled, caddyServer } from "../../support/caddy.ts"
import { sampleFixtures } from "../../support/fixtures.ts"
import { directoryOfFile } from "../../support/of-file.ts"
import { type ServiceProcess, serviceProcess } from "../../support/process.ts"
import { type RedisServer, redisIsInstalled, redisServer } from "../../support/redis.ts"
import { type TestService, testService } from "../../support/service.ts"
import { freePort, installedProgram } from "../../support/supervised.ts"
import { until } from "../../support/until.ts"
import { samplesOf } from "./samples.ts"

const isPossible = caddyIsInstalled && redisIsInstalled
const compose = installedProgram("docker-compose")

const clientCount = 12
const records = sampleFixtures({ companies: 40, tenements: 600, subsidiaries: 20, reports: 100 })
const samples = await samplesOf(["deploy-servers"])
const sampleIn = (language: string) =>
  samples.find((sample) => sample.language === language)?.code ?? ""

test.skipIf(!compose).each(["deploy-servers", "first-hour"])(
  "Docker Compose accepts the file of %s",
  async (page) => {
    const file = join(directoryOfFile(), "compose.yaml")
    const [sample] = (await samplesOf([page])).filter(({ language }) => language === "yaml")
    await Bun.write(file, sample?.code ?? "")
    const { exitCode, stderr } = Bun.spawnSync([compose ?? "", "--file", file, "config", "--quiet"])
    expect([exitCode, stderr.toString()]).toEqual([0, ""])
  },
)

/** The settings of the guide's compose file for shutdown and proxies. */
function settingsOfTheGuide(): Record<string, string> {
  const { services } = Bun.YAML.parse(sampleIn("yaml")) as {
    services: Record<string, { environment: Record<string, string> }>
  }
  const names = ["SHUTDOWN_SECONDS", "TRUSTED_PROXIES"]
  return Object.fromEntries(
    names.map((name) => [name, services["mds-1"]?.environment[name] ?? "missing"]),
  )
}

const caddyfileOf = (port: number, servers: readonly [number, number]): string =>
  sampleIn("caddy")
    .replace("mds.example.com", `http://127.0.0.1:${port}`)
    .replace("mds-1:3000", `127.0.0.1:${servers[0]}`)
    .replace("mds-2:3000", `127.0.0.1:${servers[1]}`)

describe.skipIf(!isPossible)("Two servers behind the Caddy of the guide", () => {
  const ports = [freePort(), freePort()] as const
  const proxyPort = freePort()
  let service: TestService
  let redis: RedisServer
  let caddy: Awaited<ReturnType<typeof caddyServer>>
  let servers: ServiceProcess[] = []

  beforeAll(async () => {
    service = await testService({ records })
    redis = await redisServer()
    servers = await Promise.all(ports.map(start))
    caddy = await caddyServer(caddyfileOf(proxyPort, ports), proxyPort)
  })

  afterAll(async () => {
    await caddy?.stop()
    await Promise.all(
      servers.map(async ({ kill, exited }) => {
        kill("SIGKILL")
        await exited
      }),
    )
    await redis?.stop()
    await service?.stop()
  })

  const start = (port: number) =>
    serviceProcess({
      ...settingsOfTheGuide(),
      DATABASE_URL: service.database.url,
      REDIS_URL: redis.url,
      PORT: String(port),
    })

  const get = (path: string) =>
    fetch(`${caddy.url}/api/v1${path}`, {
      headers: { Authorization: `Bearer ${service.tokens.admin}` },
    })

  /** Collects every response that is not a complete 200, until the clients stop. */
  function load() {
    let running = true
    let responses = 0
    let slowestMs = 0
    const failures: string[] = []
    const client = async (number: number) => {
      for (let n = 0; running; n++) {
        const path =
          n % 3 === 0
            ? `/companies?page=${(n % 4) + 1}&per_page=10`
            : `/tenements?page=1&per_page=${number + 1}`
        const startedMs = performance.now()
        try {
          const response = await get(path)
          const body = (await response.json()) as { data?: unknown }
          responses++
          if (response.status !== 200 || !body.data) failures.push(`${path}: ${response.status}`)
        } catch (error) {
          failures.push(`${path}: ${error}`)
        }
        slowestMs = Math.max(slowestMs, performance.now() - startedMs)
      }
    }
    const clients = Promise.all(Array.from({ length: clientCount }, (_, index) => client(index)))
    return {
      stop: async () => {
        running = false
        await clients
        return { responses, failures, slowestMs }
      },
    }
  }

  /** Reads the whole list page by page, each time after a signal. */
  async function crawl(mayGoOn: (page: number) => Promise<void>) {
    const ids: string[] = []
    const releases = new Set<string | null>()
    for (let page = 1; ; page++) {
      const response = await get(`/tenements?per_page=50&page=${page}`)
      const { data, meta } = (await response.json()) as {
        data: { id: string }[]
        meta: { total_pages: number }
      }
      ids.push(...data.map(({ id }) => id))
      releases.add(response.headers.get("x-data-release"))
      if (page >= meta.total_pages) return { ids, releases: [...releases] }
      await mayGoOn(page)
    }
  }

  const stateOfRedis = async (url: string) =>
    ((await (await fetch(`${url}/readyz`)).json()) as { redis: string }).redis

  /** Whether Caddy has passed requests on to it. */
  const hasRequests = (server: ServiceProcess) =>
    server
      .logged()
      .some((line) => Object.values(line).some((value) => String(value).startsWith("/api/v1/")))

  async function restart(index: 0 | 1): Promise<void> {
    servers[index]?.kill("SIGTERM")
    expect(await servers[index]?.exited).toBe(0)
    const started = await start(ports[index])
    servers[index] = started
    await until(() => hasRequests(started))
  }

  test("A rolling restart fails no request, and a crawl stays on its release", async () => {
    // Its first two pages come before the restarts and a new release, and the others after.
    const restarts = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const reading = crawl(async (page) => {
      if (page === 2) {
        begun.resolve()
        await restarts.promise
      }
    })
    await begun.promise
    const clients = load()
    const changed = records.tenements.slice(7)
    await service.publish({ ...records, tenements: changed })
    await restart(0)
    await restart(1)
    const { responses, failures, slowestMs } = await clients.stop()
    // The load may have made Redis late, and a server reads its pins again half a second later.
    for (const { url } of servers) {
      await until(async () => (await stateOfRedis(url)) === "responding")
    }
    restarts.resolve()
    const { ids, releases } = await reading
    process.stderr.write(`${responses} requests, the slowest took ${Math.round(slowestMs)} ms\n`)
    expect(failures).toEqual([])
    expect(responses).toBeGreaterThan(100)
    expect(releases).toEqual(["1"])
    expect(ids.toSorted()).toEqual(records.tenements.map(({ id }) => id).toSorted())
  })

  test("Caddy hides the paths for operators in every spelling", async () => {
    for (const path of [
      "/metrics",
      "/METRICS",
      "//metrics",
      "/readyz",
      "/api/v1/../../metrics",
      "/api/v1/..\\..\\metrics",
      "/api/v1/%2e%2e/%2e%2e/metrics",
      "/api/v1\\..\\../metrics",
    ]) {
      const { status, body } = await sendRaw(
        proxyPort,
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${proxyPort}\r\n\r\n`,
      )
      expect([path, status, body]).toEqual([path, 404, ""])
    }
  })
})
