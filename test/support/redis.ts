/** A real Redis or Valkey for a test, that keeps nothing and can be frozen, killed and started again. */
import { RedisClient } from "bun"
import {
  freePort,
  installedProgram,
  isRunning,
  type Supervised,
  startSupervised,
} from "./supervised.ts"

const program = installedProgram("redis-server", "valkey-server")

/** For `describe.skipIf(!redisIsInstalled)`. */
export const redisIsInstalled = program !== null

export type RedisServer = Awaited<ReturnType<typeof redisServer>>

export interface RedisServerOptions {
  password?: string
  /** Of its command line. */
  options?: readonly string[]
}

const START_LIMIT_MS = 20_000
/** Each time another process of the tests may have taken the port in between. */
const START_ATTEMPTS = 5

/** Starts one on a free port and waits until it responds. Call it in `beforeAll`. */
export async function redisServer({
  password = "",
  options: others = [],
}: RedisServerOptions = {}) {
  const options = [
    ["--bind", "127.0.0.1"],
    ["--save", ""],
    ["--appendonly", "no"],
    ["--requirepass", password],
    // As a replica it writes no file either.
    ["--repl-diskless-load", "swapdb"],
  ]
  const urlOn = (port: number) =>
    `redis://${password && `:${encodeURIComponent(password)}@`}127.0.0.1:${port}`
  const startOn = (port: number) =>
    start(
      [program ?? "redis-server", "--port", String(port), ...options.flat(), ...others],
      urlOn(port),
    )

  let port = freePort()
  let running = await startOn(port)
  for (let attempt = 1; !running && attempt < START_ATTEMPTS; attempt++) {
    port = freePort()
    running = await startOn(port)
  }
  const url = urlOn(port)
  let server = runningOn(running, url)

  const end = () => server.end()
  return {
    /** With the password, if it has one. */
    url,
    /** Freezes it: it accepts connections and bytes, and does not respond. */
    freeze: () => process.kill(server.pid, "SIGSTOP"),
    thaw: () => process.kill(server.pid, "SIGCONT"),
    /** As by kill -9; its data is lost. */
    kill: end,
    /** Starts it again on the same port, once it was killed. */
    restart: async () => {
      server = runningOn(await startOn(port), url)
    },
    /** For `afterAll`. */
    stop: end,
    [Symbol.asyncDispose]: end,
    /** Sends a command over a connection of its own. */
    cli: (...command: string[]) => sendTo(url, command),
  }
}

/** Resolves when the server responds, or to undefined if it ended, for example because its port was in use. */
async function start(command: string[], url: string): Promise<Supervised | undefined> {
  const server = await startSupervised("redis", command)
  const deadline = performance.now() + START_LIMIT_MS
  while ((await processAt(url)) !== server.pid) {
    const hasEnded = process.platform === "linux" && !isRunning(server.pid)
    if (hasEnded || performance.now() > deadline) {
      await server.end()
      return undefined
    }
    await Bun.sleep(10)
  }
  return server
}

function runningOn(server: Supervised | undefined, url: string): Supervised {
  if (server) return server
  throw new Error(`No Redis of this test at ${url}`)
}

/** The process id of the Redis that responds there, which may be of another test. */
async function processAt(url: string): Promise<number | undefined> {
  try {
    const info = await sendTo(url, ["INFO", "server"])
    return Number(/^process_id:(\d+)/m.exec(String(info))?.[1])
  } catch {
    return undefined
  }
}

async function sendTo(url: string, [command = "", ...args]: string[]): Promise<unknown> {
  const client = new RedisClient(url, { autoReconnect: false, connectionTimeout: START_LIMIT_MS })
  try {
    await client.connect()
    return await client.send(command, args)
  } finally {
    client.close()
  }
}
