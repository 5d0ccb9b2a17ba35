/** The port of the workers, which several processes may listen on, belongs to one service. */
import { expect, test } from "bun:test"
import { claimPort } from "../../src/commands/workers/port.ts"
import { ListenError } from "../../src/listen-error.ts"
import { freePort } from "../support/supervised.ts"

const onLinux = test.skipIf(process.platform !== "linux")
const hostname = "127.0.0.1"

const refusal = async (port: number, setting: "PORT" | "ADMIN_PORT" = "PORT"): Promise<unknown> =>
  claimPort(hostname, setting, port).catch((error: unknown) => error)

onLinux("of two services that claim a port at once, the second is refused", async () => {
  const port = freePort()
  expect(await claimPort(hostname, "PORT", port)).toBe(port)
  const error = await refusal(port)
  expect(error).toBeInstanceOf(ListenError)
  expect((error as ListenError).message).toBe(
    `Cannot listen on 127.0.0.1:${port}: another service with WORKERS is starting there. Check HOST and PORT`,
  )
  // It has left nothing that listens there.
  Bun.serve({ hostname, port, reusePort: false, fetch: () => new Response() }).stop(true)
})

onLinux("for 0 a port is claimed that is free", async () => {
  const port = await claimPort(hostname, "PORT", 0)
  expect(port).toBeGreaterThan(0)
  expect(await refusal(port)).toBeInstanceOf(ListenError)
})

onLinux("a port is refused where a program listens, also one that shares it", async () => {
  const other = Bun.serve({ hostname, port: 0, reusePort: true, fetch: () => new Response() })
  const error = await refusal(other.port ?? 0, "ADMIN_PORT")
  await other.stop(true)
  expect((error as ListenError).message).toMatch(
    /^Cannot listen on 127\.0\.0\.1:\d+: .*in use.* Check HOST and ADMIN_PORT$/,
  )
})
