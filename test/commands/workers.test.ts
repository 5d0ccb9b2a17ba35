/** With WORKERS several processes serve as one, and none that ends or is replaced is noticed by clients. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { logFlushMs } from "../../src/commands/serving-log.ts"
import { closeWithinMs } from "../../src/commands/workers/serve-by-workers.ts"
import { readList } from "../contract/bodies.ts"
import { collect, opened, parseAnswer, requestText } from "../contract/raw-http.ts"
import { sampleFixtures } from "../support/fixtures.ts"
import { command, type ServiceProcess, serviceProcess, unreadPipe } from "../support/process.ts"
import { type RedisServer, redisIsInstalled, redisServer, sayIfLeftOut } from "../support/redis.ts"
import { type TestService, testService } from "../support/service.ts"
import { childrenOf, freePort, freePorts, isRunning } from "../support/supervised.ts"
import { until } from "../support/until.ts"

sayIfLeftOut(import.meta.path)

const sizes = { companies: 30, tenements: 300, subsidiaries: 10, reports: 10 }

/** The processes that this one has started and that run. */
const runningChildrenOf = (pid: number): number[] => childrenOf(pid).filter(isRunning)

describe.skipIf(!redisIsInstalled || process.platform !== "linux")("two workers", () => {
  let service: TestService
  let redis: RedisServer
  let settings: Record<string, string>
  const running: ServiceProcess[] = []

  beforeAll(async () => {
    service = await testService({ records: sampleFixtures(sizes) })
    redis = await redisServer()
    settings = {
      DATABASE_URL: service.database.url,
      REDIS_URL: redis.url,
      REDIS_TIMEOUT_MS: "20000",
      WORKERS: "2",
    }
  })
  afterEach(async () => {
    for (const each of running.splice(0)) await each.stop()
  })
  afterAll(async () => {
    await redis.stop()
    await service.stop()
  })

  async function start(others: Record<string, string> = {}): Promise<ServiceProcess> {
    const started = await serviceProcess({ ...settings, ...others })
    running.push(started)
    return started
  }

  const events = (of: ServiceProcess, event: string) =>
    of.logged().filter((line) => line.event === event)

  const request = (path: string, connection = "keep-alive") =>
    requestText(path, {
      Authorization: `Bearer ${service.tokens.admin}`,
      Connection: connection,
    })

  const portOf = ({ url }: ServiceProcess) => Number(new URL(url).port)

  /** Asks until told to stop, over connections that are kept or over a new one for each request. */
  function load(of: ServiceProcess, clients: number, connection: "keep-alive" | "close") {
    let asking = true
    let answers = 0
    const failures: string[] = []
    const client = async (): Promise<void> => {
      while (asking) {
        const socket = await opened(portOf(of))
        const received = collect(socket)
        let error = ""
        socket.on("error", ({ message }) => {
          error = message
        })
        let isLast = false
        while (asking && !isLast) {
          const before = received.bytes().length
          const answer = () => parseAnswer(received.bytes().subarray(before))
          socket.write(request("/api/v1/companies/XXX", connection))
          await new Promise<void>((resolve) => {
            const check = () => {
              if (received.closed || answer()?.complete) resolve()
              else setTimeout(check, 1)
            }
            check()
          })
          const got = answer()
          if (got?.complete && got.status === 404) answers++
          else failures.push(error || `status ${got?.status}, ${received.bytes().length} bytes`)
          isLast = received.closed || connection === "close" || got?.headers.connection === "close"
        }
        socket.destroy()
      }
    }
    const all = Promise.all(
      Array.from({ length: clients }, () =>
        client().catch((error: unknown) => {
          failures.push(String(error))
        }),
      ),
    )
    return {
      answers: () => answers,
      stop: async () => {
        asking = false
        await all
        return failures
      },
    }
  }

  test("are refused without Redis, as each would admit the whole limit", async () => {
    const { DATABASE_URL = "" } = settings
    expect(await command(["serve"], { DATABASE_URL, WORKERS: "2" })).toEqual({
      exitCode: 1,
      printed: "",
      said: "Cannot use the settings:\nWORKERS requires REDIS_URL: each process would admit the whole limit of every account\n",
    })
  })

  test("share the port, and admit together exactly the limit", async () => {
    const of = await start()
    expect(runningChildrenOf(of.pid)).toHaveLength(2)
    const token = await service.issueWithLimit(60)
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => of.get("/companies/XXX", token)),
    )
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(60)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(40)
  })

  test("allow no other service on their port, whether it has workers or not", async () => {
    const of = await start()
    for (const workers of ["1", "2"]) {
      const second = await command(["serve"], {
        ...settings,
        WORKERS: workers,
        PORT: String(portOf(of)),
      })
      expect([second.exitCode, second.said]).toEqual([
        1,
        expect.stringMatching(/^Cannot listen on 127\.0\.0\.1:\d+: .*Check HOST and PORT\n$/),
      ])
    }
    const free = freePort()
    const both = [0, 1].map(() => command(["serve"], { ...settings, PORT: String(free) }))
    const refused = await Promise.race(both)
    expect([refused.exitCode, refused.said]).toEqual([1, expect.stringContaining("Cannot listen")])
    await until(() => listenerOf(free) !== undefined)
    process.kill(listenerOf(free) ?? 0, "SIGTERM")
    const [one, two] = await Promise.all(both)
    expect([one?.exitCode, two?.exitCode].sort()).toEqual([0, 1])
  })

  test("are refused where a port of operators is taken, which each worker has", async () => {
    const first = freePorts(2)
    const taken = Bun.listen({ hostname: "127.0.0.1", port: first + 1, socket: { data() {} } })
    const { exitCode, said } = await command(["serve"], {
      ...settings,
      PORT: "0",
      ADMIN_PORT: String(first),
    })
    taken.stop(true)
    expect([exitCode, said]).toEqual([
      1,
      expect.stringMatching(
        new RegExp(
          `^Cannot listen on 127\\.0\\.0\\.1:${first + 1}: .*Check HOST and ADMIN_PORT\n$`,
        ),
      ),
    ])
  })

  test("have a port of operators each, from the one in the settings on", async () => {
    const first = freePorts(2)
    await start({ ADMIN_PORT: String(first) })
    const startOf = async (port: number): Promise<string | undefined> => {
      const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
      return /^process_start_time_seconds .+$/m.exec(metrics)?.[0]
    }
    const ports = Array.from({ length: 6 }, (_, n) => first + (n % 2))
    const starts = await Promise.all(ports.map(startOf))
    expect(starts).not.toContain(undefined)
    expect(new Set(starts).size).toBe(2)
    expect(new Set(starts.filter((_, n) => n % 2 === 0)).size).toBe(1)
  })

  test("one that is killed disturbs no connection of the other, and is started again", async () => {
    const of = await start()
    const [killed = 0, other = 0] = runningChildrenOf(of.pid)
    const sockets = await Promise.all(Array.from({ length: 30 }, () => opened(portOf(of))))
    const kept = sockets.map((socket) => {
      socket.on("error", () => {})
      return { socket, received: collect(socket) }
    })
    for (const { socket } of kept) socket.write(request("/api/v1/companies/XXX"))
    await until(() => kept.every(({ received }) => parseAnswer(received.bytes())?.complete))
    process.kill(killed, "SIGKILL")
    await until(() => events(of, "a worker serves again").length === 1)
    await until(() => kept.some(({ received }) => received.closed))
    const open = kept.filter(({ received }) => !received.closed)
    expect(open.length).toBeGreaterThan(0)
    expect(open.length).toBeLessThan(30)
    for (const { socket, received } of open) {
      const before = received.bytes().length
      socket.write(request("/api/v1/companies/XXX"))
      await until(() => parseAnswer(received.bytes().subarray(before))?.status === 404)
    }
    const [ended] = events(of, "a worker has ended; starting it again")
    expect(ended).toMatchObject({ pid: killed, signal: "SIGKILL", after_seconds: 0 })
    const now = runningChildrenOf(of.pid)
    expect(now).toHaveLength(2)
    expect(now).toContain(other)
    const again = now.find((pid) => pid !== other) ?? 0
    process.kill(again, "SIGKILL")
    await until(() => events(of, "a worker serves again").length === 2)
    expect(events(of, "a worker has ended; starting it again")[1]).toMatchObject({
      pid: again,
      after_seconds: 1,
    })
    for (const { socket } of kept) socket.destroy()
  })

  test("end when the process that started them is killed, and leave the port", async () => {
    const of = await start()
    const workers = runningChildrenOf(of.pid)
    of.kill("SIGKILL")
    await until(() => !workers.some(isRunning))
    const next = await start({ PORT: String(portOf(of)) })
    expect((await next.get("/companies/XXX", service.tokens.admin)).status).toBe(404)
  })

  test.each(["keep-alive", "close"] as const)(
    "are replaced on SIGHUP one after another, and no request fails (%s)",
    async (connection) => {
      const of = await start({ SHUTDOWN_DELAY_SECONDS: "1" })
      const before = runningChildrenOf(of.pid)
      const asking = load(of, 8, connection)
      await until(() => asking.answers() > 100)
      of.kill("SIGHUP")
      await until(() => events(of, "a worker was replaced").length === 2, 60_000)
      const after = asking.answers()
      await until(() => asking.answers() > after + 100)
      expect(await asking.stop()).toEqual([])
      expect(runningChildrenOf(of.pid)).toHaveLength(2)
      expect(runningChildrenOf(of.pid).filter((pid) => before.includes(pid))).toEqual([])
    },
  )

  test("that are replaced stay ready, and a page sequence stays on its release", async () => {
    const of = await start()
    const token = service.tokens.admin
    const ids: unknown[] = []
    const unready: number[] = []
    let asking = true
    const probe = (async () => {
      while (asking) {
        const { status } = await fetch(`${of.url}/health/ready`, { keepalive: false })
        if (status !== 200) unready.push(status)
      }
    })()
    for (let page = 1, pages = 1; page <= pages; page++) {
      const answer = await of.get(`/tenements?page=${page}&per_page=50`, token)
      const { data, meta } = await readList(answer)
      expect(answer.headers.get("x-data-release")).toBe("1")
      ids.push(...data.map(({ id }) => id))
      pages = meta.total_pages
      if (page === 2) {
        await service.publish(sampleFixtures({ ...sizes, tenements: 350 }))
        of.kill("SIGHUP")
        await until(() => events(of, "a worker was replaced").length === 2, 60_000)
      }
    }
    asking = false
    await probe
    expect(unready).toEqual([])
    expect(new Set(ids).size).toBe(sizes.tenements)
  })

  test("go on as they are where a new one does not start", async () => {
    const directory = mkdtempSync(join(tmpdir(), "mds-test-"))
    const file = join(directory, "database-url")
    const { DATABASE_URL = "", ...others } = settings
    await Bun.write(file, DATABASE_URL)
    try {
      const of = await serviceProcess({ ...others, DATABASE_URL_FILE: file })
      running.push(of)
      const before = runningChildrenOf(of.pid)
      await Bun.write(file, "postgres://127.0.0.1:1/none")
      of.kill("SIGHUP")
      const event = "a new worker did not start: the restart is given up, and the others go on"
      await until(() => events(of, event).length === 1)
      expect((await of.get("/companies/XXX", service.tokens.admin)).status).toBe(404)
      await until(() => runningChildrenOf(of.pid).length === 2)
      expect(runningChildrenOf(of.pid)).toEqual(before)
    } finally {
      rmSync(directory, { recursive: true })
    }
  })

  test("complete what was asked on SIGTERM; a second signal ends all at once", async () => {
    const of = await start({ SHUTDOWN_DELAY_SECONDS: "30", SHUTDOWN_SECONDS: "60" })
    const workers = runningChildrenOf(of.pid)
    of.kill("SIGTERM")
    await until(async () => (await fetch(`${of.url}/health/ready`)).status === 503)
    const answer = await of.get("/companies/XXX", service.tokens.admin)
    expect([answer.status, answer.headers.get("connection")]).toEqual([404, "close"])
    const startedMs = performance.now()
    of.kill("SIGTERM")
    expect(await of.exited).toBe(143)
    await until(() => !workers.some(isRunning))
    // Long before the delay of 30 seconds has passed.
    expect(performance.now() - startedMs).toBeLessThan(20_000)
  })

  test("end in order on SIGTERM", async () => {
    const of = await start()
    const workers = runningChildrenOf(of.pid)
    of.kill("SIGTERM")
    expect(await of.exited).toBe(0)
    expect(workers.some(isRunning)).toBe(false)
  })

  test("that are frozen are killed in time for a service that must have ended four seconds after its limit", async () => {
    expect(closeWithinMs + logFlushMs).toBeLessThanOrEqual(4_000)
    const of = await start({ SHUTDOWN_SECONDS: "1" })
    const workers = runningChildrenOf(of.pid)
    const startedMs = performance.now()
    process.kill(workers[0] ?? 0, "SIGSTOP")
    of.kill("SIGTERM")
    expect(await of.exited).toBe(0)
    // Four seconds by design; the rest is for a machine that is busy. Nothing else ends a frozen process.
    expect(performance.now() - startedMs).toBeLessThan(20_000)
    expect(workers.some(isRunning)).toBe(false)
  })

  test("write whole lines, each once, although these are longer than a pipe takes at once", async () => {
    const of = await start()
    const count = 400
    const paths = Array.from({ length: count }, (_, n) => `/companies/${n}-${"x".repeat(6_000)}`)
    for (let first = 0; first < count; first += 40) {
      const some = paths.slice(first, first + 40)
      await Promise.all(some.map((path) => of.get(path, service.tokens.admin)))
    }
    const text = () => JSON.stringify(of.logged())
    await until(() => paths.every((_, n) => text().includes(`/companies/${n}-xxx`)))
  })

  test("answer while nobody reads the log", async () => {
    const pipe = unreadPipe()
    const port = freePort()
    const child = Bun.spawn(
      [process.execPath, Bun.fileURLToPath(new URL("../../src/main.ts", import.meta.url)), "serve"],
      {
        env: { ...process.env, ...settings, PORT: String(port), SHUTDOWN_DELAY_SECONDS: "0" },
        stdin: "ignore",
        stdout: pipe.descriptor,
        stderr: "ignore",
      },
    )
    pipe.closeCopy()
    const long = `http://127.0.0.1:${port}/api/v1/companies/${"x".repeat(6_000)}`
    const ask = () =>
      fetch(long, { headers: { Authorization: `Bearer ${service.tokens.admin}` } }).then(
        ({ status }) => status,
        () => 0,
      )
    await until(async () => (await ask()) !== 0)
    for (let round = 0; round < 30; round++) {
      const statuses = await Promise.all(Array.from({ length: 40 }, ask))
      expect(statuses.every((status) => status === 404 || status === 400)).toBe(true)
    }
    child.kill("SIGTERM")
    await child.exited
    expect(child.exitCode).toBe(0)
  })

  test("run on the embedded database, which outlives each of them", async () => {
    const directory = mkdtempSync(join(tmpdir(), "mds-test-"))
    try {
      const { REDIS_URL = "" } = settings
      const of = await serviceProcess({ REDIS_URL, WORKERS: "2", DATA_DIR: directory })
      running.push(of)
      const workers = runningChildrenOf(of.pid).filter((pid) => commandOf(pid).includes(" worker"))
      expect(workers).toHaveLength(2)
      process.kill(workers[0] ?? 0, "SIGKILL")
      await until(() => events(of, "a worker serves again").length === 1)
      expect((await fetch(`${of.url}/health/ready`)).status).toBe(200)
    } finally {
      for (const each of running.splice(0)) await each.stop()
      rmSync(directory, { recursive: true })
    }
  })
})

const commandOf = (pid: number): string =>
  readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")

/** The process that has started the workers which listen on this port. */
function listenerOf(port: number): number | undefined {
  for (const name of readdirSync("/proc").filter((each) => /^\d+$/.test(each))) {
    try {
      const environment = readFileSync(`/proc/${name}/environ`, "utf8").split("\0")
      const isServe = commandOf(Number(name)).endsWith(" serve ")
      const isReady = isServe && runningChildrenOf(Number(name)).length === 2
      if (isReady && environment.includes(`PORT=${port}`)) return Number(name)
    } catch {
      // It has ended, or is another user's.
    }
  }
  return undefined
}
