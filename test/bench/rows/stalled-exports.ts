/** What exports that nobody reads do to callers of other accounts. */
import { connect, type Socket } from "node:net"
import { callAll } from "../callers.ts"
import type { Environment } from "../environment.ts"
import type { Row } from "../row.ts"
import { quantile } from "../statistics.ts"

const exports = 200
const stallSeconds = 5
/** In which an export is cut off after the limit, and a queued one is refused. */
const cleanUpMs = 30_000

/** Sends the request for an export, and reads nothing. */
function stalled(url: string, token: string): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.pause()
  socket.on("error", () => {})
  socket.write(
    `GET /api/v1/reports?format=csv&all=true HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  )
  return socket
}

async function statementsOf(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return [...text.matchAll(/statements_(?:running|waiting)\{[^}]*\} (\d+)/g)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  )
}

/** Reads what is left of stalled exports, which ends those that were cut off. @returns how long it took */
async function cleanedUp(url: string, sockets: readonly Socket[]): Promise<number> {
  const startedMs = performance.now()
  await Bun.sleep(stallSeconds * 1000)
  for (const socket of sockets) socket.resume()
  const isOpen = (socket: Socket) => !socket.closed
  while (performance.now() - startedMs < cleanUpMs) {
    if ((await statementsOf(url)) === 0 && !sockets.some(isOpen)) break
    await Bun.sleep(50)
  }
  return (performance.now() - startedMs) / 1000
}

async function targetsOf({ sql }: Environment): Promise<string[]> {
  const found = await sql<{ id: string }[]>`select id from tenements order by md5(id) limit 200`
  return found.flatMap(({ id }, index) => [
    `/api/v1/tenements/${encodeURIComponent(id)}`,
    `/api/v1/reports?page=${1 + index}`,
  ])
}

export const stalledExports: Row = {
  name: "stalled-exports",
  work: `records and pages beside ${exports} exports of another account that nobody reads`,
  needs: [],
  targets: [
    { figure: "p95 beside them", over: "p95 alone", atMost: 1.5 },
    { figure: "refused beside them", atMost: 0 },
    { figure: "until all are cleaned up" },
    { figure: "statements left", atMost: 0 },
  ],
  run: async (environment) => {
    const { rounds, seconds } = environment
    const { url } = await environment.freshService({
      EXPORT_STALL_SECONDS: String(stallSeconds),
      QUEUE_SECONDS: String(stallSeconds),
      CACHE_MEMORY_MB: "0",
    })
    const reader = { token: await environment.token(0), targets: await targetsOf(environment) }
    const other = await environment.token(1)
    const read = async () => {
      const [measured] = await callAll({ url, callers: [reader], seconds, repeat: true })
      if (!measured) throw new Error("The caller measured nothing")
      return measured
    }
    const aloneMs: number[] = []
    const besideMs: number[] = []
    const refused: number[] = []
    const cleanUps: number[] = []
    const left: number[] = []
    await read()
    for (let round = 0; round < rounds; round++) {
      aloneMs.push(quantile((await read()).ms, 0.95))
      const sockets = Array.from({ length: exports }, () => stalled(url, other))
      await Bun.sleep(500)
      const beside = await read()
      besideMs.push(quantile(beside.ms, 0.95))
      refused.push(beside.statuses.filter((status) => status !== 200).length)
      cleanUps.push(await cleanedUp(url, sockets))
      left.push(await statementsOf(url))
      for (const socket of sockets) socket.destroy()
    }
    return {
      figures: {
        "p95 alone": { unit: "ms", samples: aloneMs },
        "p95 beside them": { unit: "ms", samples: besideMs },
        "refused beside them": { unit: "", samples: refused },
        "until all are cleaned up": { unit: "s", samples: cleanUps },
        "statements left": { unit: "", samples: left },
      },
      notes: [`the stall limit was ${stallSeconds} s, after the caller's ${seconds} s`],
    }
  },
}
