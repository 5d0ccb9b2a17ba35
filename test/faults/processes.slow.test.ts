/** The service killed, and without file descriptors. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { Socket } from "node:net"
import { collect, opened, parseAnswer } from "../contract/raw-http.ts"
import { processesOfFile } from "../support/of-file.ts"
import { serviceProcess } from "../support/process.ts"
import { redisIsInstalled } from "../support/redis.ts"
import { until } from "../support/until.ts"
import { callersOf } from "./callers.ts"
import { type Deployment, deployment } from "./deployment.ts"
import { expectNothingLeft } from "./leftovers.ts"

/** Allows for a busy machine. */
const recoveryMs = 10_000

describe.skipIf(!redisIsInstalled)("A process of the service", () => {
  let deployed: Deployment
  const startProcess = processesOfFile()

  beforeAll(async () => {
    deployed = await deployment()
  })
  afterAll(() => deployed.stop())

  /** Of a role that only the killed process connects as: the other service opens and closes its own. */
  const sessionsOfKilled = async (): Promise<number | undefined> => {
    const [row] = await deployed.database.run<{ count: number }>(
      "select count(*)::int from pg_stat_activity where usename = 'killed'",
    )
    return row?.count
  }

  /** Waits until it uses Redis: a busy machine may have received the first reply too late. */
  const sharesWindows = ({ url }: { url: string }) =>
    until(async () => {
      const ready = await (await fetch(`${url}/readyz`)).json()
      return Object(ready).redis === "responding"
    })

  const request = (path: string) =>
    `GET /api/v1${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${deployed.token}\r\n\r\n`

  test("A process killed during requests and exports leaves no session, and the next process keeps the limit", async () => {
    const limit = 20
    const token = await deployed.issueWithLimit(limit)
    await deployed.database.run("create role killed superuser login password 'killed'")
    const url = new URL(deployed.database.url)
    url.username = url.password = "killed"
    const settings = { ...deployed.settings, REDIS_URL: deployed.redis.url }
    const first = await serviceProcess({ ...settings, DATABASE_URL: url.href })
    const admittedOf = async (of: { get: typeof first.get }) => {
      const statuses: number[] = []
      for (let sent = 0; sent < limit; sent++) {
        statuses.push((await of.get("/companies/BIG", token)).status)
      }
      return statuses.filter((status) => status === 200).length
    }
    await sharesWindows(first)
    const sent = Array.from({ length: 5 }, () => first.get("/companies/BIG", token))
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(Array(5).fill(200))
    const inProgress = Array.from({ length: 40 }, (_, index) =>
      first
        .get(index % 2 ? "/reports?format=csv&all=true" : `/reports?page=${index}`, deployed.token)
        .then((response) => response.text())
        .catch(() => ""),
    )
    expect(await sessionsOfKilled()).toBeGreaterThan(0)
    first.kill("SIGKILL")
    await first.exited
    await Promise.all(inProgress)
    await until(async () => (await sessionsOfKilled()) === 0)

    const second = await serviceProcess(settings)
    await sharesWindows(second)
    expect(await admittedOf(second)).toBe(limit - 5)
    await second.stop()
    await expectNothingLeft(deployed)
  })

  test("A process without free file descriptors serves connected clients, and all clients once some are free", async () => {
    const wrapper = ["/bin/sh", "-c", 'ulimit -n 64; exec "$@"', "sh"]
    const { url, port, child } = await startProcess(deployed.settings, {}, { wrapper })
    const connected = await opened(port)
    const received = collect(connected)
    const expectResponse = async () => {
      const before = received.length
      connected.write(request("/companies/BIG"))
      await until(() => received.length > before, recoveryMs)
    }
    await expectResponse()

    // Half a request each: a connection that has sent nothing is not accepted.
    const idle: Socket[] = await Promise.all(Array.from({ length: 200 }, () => opened(port)))
    for (const socket of idle) {
      socket.on("error", () => {})
      socket.write("GET /api/v1/companies HTTP/1.1\r\nX: ")
    }
    const waiting = await opened(port)
    const response = collect(waiting)
    waiting.write(request("/companies/BIG"))
    await expectResponse()
    await expectResponse()
    expect(parseAnswer(received.bytes())?.status).toBe(200)
    expect([response.length, child.exitCode]).toEqual([0, null])

    for (const socket of idle) socket.destroy()
    const startedMs = performance.now()
    await until(() => parseAnswer(response.bytes())?.status === 200, recoveryMs)
    const callers = await callersOf({ url, token: deployed.token })
    await callers.allServed()
    await callers.stop()
    expect(performance.now() - startedMs).toBeLessThan(recoveryMs)
    expect(child.exitCode).toBeNull()
    for (const socket of [connected, waiting]) socket.destroy()
  })
})
