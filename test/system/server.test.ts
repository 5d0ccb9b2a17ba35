/** The server responds even if its app fails, and shares its port with no other. */
import { afterEach, expect, test } from "bun:test"
import { createLog } from "../../src/system/log/log.ts"
import { type RunningServer, type ServerOptions, startServer } from "../../src/system/server.ts"

let server: RunningServer

afterEach(() => server.stop(0))

/** Starts a server whose app and log are these. Only `fetch` of an app is used. */
function serve(fetchOfApp: () => Response, write: (line: string) => void, port = 0): string {
  const log = createLog(write, () => new Date())
  server = startServer({
    app: { fetch: fetchOfApp } as unknown as ServerOptions["app"],
    hostname: "127.0.0.1",
    port,
    isStopping: () => false,
    log,
  })
  return `http://127.0.0.1:${server.port}/api/v1/companies`
}

const internal = { error: { code: "INTERNAL", message: "Internal error" } }

test("An exception gets the error envelope, with the request id of the log", async () => {
  const lines: string[] = []
  const url = serve(
    () => {
      throw new Error("secret")
    },
    (line) => lines.push(line),
  )
  const response = await fetch(url)
  expect([response.status, await response.json()]).toEqual([500, internal])
  const [failed] = lines.map((line) => JSON.parse(line))
  expect(failed).toMatchObject({ level: "error", error: expect.stringContaining("secret") })
  expect(failed["mds.request_id"]).toBe(response.headers.get("x-request-id"))
})

test("A port that another server uses is rejected", () => {
  const url = serve(
    () => new Response("first"),
    () => {},
  )
  const first = server
  const port = Number(new URL(url).port)
  expect(() =>
    serve(
      () => new Response("second"),
      () => {},
      port,
    ),
  ).toThrow(/in use|EADDRINUSE/)
  server = first
})
