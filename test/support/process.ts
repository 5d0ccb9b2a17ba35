/** The program as a process of its own, as an operator starts it. */
const main = Bun.fileURLToPath(new URL("../../src/main.ts", import.meta.url))

export type ServiceProcess = Awaited<ReturnType<typeof serviceProcess>>

/** Starts serving on a free port and waits until it does. Call its `stop` in `afterAll`. */
export async function serviceProcess(settings: Record<string, string>) {
  const child = start(["serve"], { PORT: "0", ...settings })
  const log = collect(child.stdout)
  const messages = collect(child.stderr)
  const url = await messages.find(/Serving (http:\S+)\/api\/v1/)
  return {
    url,
    exited: child.exited,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    /** What it has logged so far, parsed. */
    logged: () => log.lines().map((line): Record<string, unknown> => JSON.parse(line)),
    get: (path: string, token: string) =>
      fetch(`${url}/api/v1${path}`, { headers: { Authorization: `Bearer ${token}` } }),
    /** Ends it as Ctrl-C does. */
    stop: async () => {
      child.kill("SIGINT")
      await child.exited
    },
  }
}

/** Runs a command to its end. */
export async function command(args: readonly string[], settings: Record<string, string>) {
  const child = start(args, settings)
  const [printed, said] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { exitCode: await child.exited, printed, said }
}

const start = (args: readonly string[], settings: Record<string, string>) =>
  Bun.spawn([process.execPath, main, ...args], {
    env: { ...process.env, ...settings },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })

function collect(stream: ReadableStream<Uint8Array>) {
  let text = ""
  let ended = false
  let onMore = (): void => {}
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true })
      onMore()
    }
    ended = true
    onMore()
  }
  read()
  return {
    /** All whole lines so far. */
    lines: () => text.split("\n").slice(0, -1),
    /** The pattern's first group, once it is there. */
    find: (pattern: RegExp) =>
      new Promise<string>((resolve, reject) => {
        onMore = () => {
          const [, found] = pattern.exec(text) ?? []
          if (found !== undefined) resolve(found)
          else if (ended) reject(new Error(`It ended without ${pattern}: ${text}`))
        }
        onMore()
      }),
  }
}
