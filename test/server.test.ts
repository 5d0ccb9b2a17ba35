/** The server around an app that fails. */
import { afterEach, expect, test } from "bun:test"
import { createLog } from "../src/log/log.ts"
import { countUnauthenticated } from "../src/log/unauthenticated-requests.ts"
import { type RunningServer, type ServerOptions, startServer } from "../src/server.ts"

let server: RunningServer

afterEach(() => server.stop(0))

/** Starts a server whose app and log are these. Only `fetch` of an app is used. */
function serve(fetchOfApp: () => Response, write: (line: string) => void): string {
  const log = createLog(write, () => new Date())
  server = startServer({
    app: { fetch: fetchOfApp } as unknown as ServerOptions["app"],
    hostname: "127.0.0.1",
    port: 0,
    trustedProxies: 0,
    unauthenticated: countUnauthenticated({ log }),
    isStopping: () => false,
    log,
  })
  return `http://127.0.0.1:${server.port}/api/v1/companies`
}

const internal = { error: { code: "INTERNAL", message: "Internal error" } }

test("what an app throws is answered in the envelope, under the id that the log has", async () => {
  const lines: string[] = []
  const url = serve(
    () => {
      throw new Error("secret")
    },
    (line) => lines.push(line),
  )
  const answer = await fetch(url)
  expect([answer.status, await answer.json()]).toEqual([500, internal])
  const [failed] = lines.map((line) => JSON.parse(line))
  expect(failed).toMatchObject({ level: "error", error: expect.stringContaining("secret") })
  expect(failed.request).toBe(answer.headers.get("x-request-id"))
})

test("a failure outside the app is answered in the envelope too, whatever fails", async () => {
  const url = serve(
    () => new Response("fine"),
    () => {
      throw new Error("secret")
    },
  )
  const answer = await fetch(url, { headers: { Accept: "text/html" } })
  const body = await answer.text()
  expect(body).not.toContain("secret")
  expect([answer.status, JSON.parse(body)]).toEqual([500, internal])
  expect(answer.headers.get("cache-control")).toBe("no-store")
})
