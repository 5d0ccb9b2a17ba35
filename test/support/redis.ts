/**
 * A real Redis or Valkey for a test, that keeps nothing and can be frozen, killed and started again.
 *
 * It runs under a small shell that reads a pipe which this process holds open for writing. The kernel
 * closes the pipe however this process ends, and the shell then kills the server.
 */
import { relative } from "node:path"
import { RedisClient } from "bun"

const program = Bun.which("redis-server") ?? Bun.which("valkey-server")

/** For `describe.skipIf(!redisIsInstalled)`. */
export const redisIsInstalled = program !== null

/** Tells once of a test file that it was left out, if it was. Pass `import.meta.path`. */
export function sayIfLeftOut(path: string): void {
  if (redisIsInstalled) return
  const file = relative(process.cwd(), path)
  process.stderr.write(`Left out for want of redis-server or valkey-server: ${file}\n`)
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
}

const START_LIMIT_MS = 20_000

// Its arguments are the server's command. `read` ends with the pipe. Until the shell has waited for
// the server, the server's process id belongs to nobody else. It is a shell within a shell because
// `bun test` kills the one that it knows of when a test takes too long.
const SUPERVISOR = `
exec 3<&0
(
  "$@" </dev/null >/dev/null 2>&1 3<&- &
  server=$!
  echo "$server"
  read -r _ <&3
  kill -KILL "$server"
  wait "$server"
) &
wait
`

/** Starts one on a free port and waits until it answers. Call it in `beforeAll`. */
export async function redisServer({ password = "" } = {}): Promise<RedisServer> {
  const port = freePort()
  const url = `redis://${password && `:${encodeURIComponent(password)}@`}127.0.0.1:${port}`
  const options = [
    ["--port", String(port)],
    ["--bind", "127.0.0.1"],
    ["--save", ""],
    ["--appendonly", "no"],
    ["--requirepass", password],
  ]
  const command = [program ?? "redis-server", ...options.flat()]
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
  }
}

async function start(command: string[], url: string) {
  const shell = Bun.spawn(["/bin/sh", "-c", SUPERVISOR, "mds-test-redis", ...command], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  })
  const { value } = await shell.stdout.getReader().read()
  const pid = Number.parseInt(new TextDecoder().decode(value), 10)
  const end = async (): Promise<void> => {
    shell.stdin.end()
    await shell.exited
  }
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

/**
 * Below the range from which Linux takes the ports of outgoing connections: one of those could take
 * the port while its server is down, and a client that tries to reach it could reach itself.
 */
function freePort(): number {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000)
    try {
      Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } }).stop(true)
      return port
    } catch {
      // Taken: try another.
    }
  }
}
