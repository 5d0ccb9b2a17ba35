/** A real Redis or Valkey for a test, that keeps nothing and can be frozen, killed and started again. */
import { RedisClient } from "bun"
import { freePort, reportSkipped, startSupervised } from "./supervised.ts"

const program = Bun.which("redis-server") ?? Bun.which("valkey-server")

/** For `describe.skipIf(!redisIsInstalled)`. */
export const redisIsInstalled = program !== null

/** Tells once of a test file that it was left out, if it was. Pass `import.meta.path`. */
export function sayIfLeftOut(path: string): void {
  if (!redisIsInstalled) reportSkipped(path, "redis-server or valkey-server")
}

export interface RedisServer {
  /** With the password, if it has one. */
  url: string
  readonly pid: number
  /** Stops it from running: it takes connections and bytes, and answers nothing. */
  freeze(): void
  thaw(): void
  /** As by kill -9; what it held is gone. */
  kill(): Promise<void>
  /** Starts it again on the same port, once it was killed. */
  restart(): Promise<void>
  /** For `afterAll`. */
  stop(): Promise<void>
  /** Sends a command over a connection of its own. */
  cli(...command: string[]): Promise<unknown>
  /** The same with another password. */
  cliAs(password: string, ...command: string[]): Promise<unknown>
}

export interface RedisServerOptions {
  password?: string
  port?: number
  /** Of its command line. */
  options?: readonly string[]
}

const START_LIMIT_MS = 20_000

/** Starts one on a free port and waits until it answers. Call it in `beforeAll`. */
export async function redisServer({
  password = "",
  port = freePort(),
  options: others = [],
}: RedisServerOptions = {}): Promise<RedisServer> {
  const urlWith = (of: string) => `redis://${of && `:${encodeURIComponent(of)}@`}127.0.0.1:${port}`
  const url = urlWith(password)
  const options = [
    ["--port", String(port)],
    ["--bind", "127.0.0.1"],
    ["--save", ""],
    ["--appendonly", "no"],
    ["--requirepass", password],
    // As a replica it writes no file either.
    ["--repl-diskless-load", "swapdb"],
  ]
  const command = [program ?? "redis-server", ...options.flat(), ...others]
  let running = await start(command, url)

  return {
    url,
    get pid() {
      return running.pid
    },
    freeze: () => process.kill(running.pid, "SIGSTOP"),
    thaw: () => process.kill(running.pid, "SIGCONT"),
    kill: () => running.end(),
    restart: async () => {
      running = await start(command, url)
    },
    stop: () => running.end(),
    cli: (...command) => sendTo(url, command),
    cliAs: (other, ...command) => sendTo(urlWith(other), command),
  }
}

async function start(command: string[], url: string) {
  const { pid, end } = await startSupervised("redis", command)
  const deadline = performance.now() + START_LIMIT_MS
  while ((await sendTo(url, ["PING"]).catch(() => undefined)) !== "PONG") {
    if (performance.now() > deadline) {
      await end()
      throw new Error(`No Redis at ${url}`)
    }
    await Bun.sleep(10)
  }
  return { pid, end }
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
