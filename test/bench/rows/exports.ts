/** Exports of all tenements as CSV and Parquet, beside psql's \copy of the same rows; and exports that nobody reads. */
import { connect, type Socket } from "node:net"
import type { Row } from "../bench.ts"
import { send } from "../clients.ts"
import { type Checkout, type Environment, measureCheckouts } from "../environment.ts"
import {
  cpuSecondsOf,
  memoryOf,
  psql,
  resetPeak,
  runToEnd,
  type ServerProcess,
} from "../processes.ts"
import { type Measure, quantile } from "../rounds.ts"

const copy = String.raw`\copy (select id, tenement_id, state, status, type, holder_name, grant_date, expiry_date, area_km2 from tenements order by id) to stdout csv header`

/** Runs curl to the end of the export, and a shell command on the export. */
async function curl(
  { url }: ServerProcess,
  token: string,
  { format = "csv", name }: Coding,
  pipe: string,
) {
  const program = ["/bin/bash", "-o", "pipefail", "-c", `curl -sSNf -K - "$1" | ${pipe}`, "curl"]
  // The token is read from standard input, where no list of processes shows it.
  const stdin = `header = "Authorization: Bearer ${token}"\nheader = "Accept-Encoding: ${name}"\n`
  return runToEnd([...program, `${url}/api/v1/tenements?format=${format}&all=true`], { stdin })
}

interface Coding {
  name: string
  format?: string
  unpack: string
  /** The shell command that does the same to the output of \copy. */
  pipe: string
}

async function exportSide(checkout: Checkout, coding: Coding, copied: string): Promise<Measure> {
  const token = await checkout.token()
  const service = await checkout.start()
  const idleMB = memoryOf(service.pid, "now")
  const { stdout: lines } = await curl(service, token, coding, `${coding.unpack} | wc -l`)
  if (!coding.format && lines !== copied)
    throw new Error(`The export has ${lines.trim()} lines, \\copy ${copied}`)
  return async () => {
    resetPeak(service.pid)
    const cpuBefore = cpuSecondsOf(service.pid)
    const { seconds } = await curl(service, token, coding, "cat > /dev/null")
    return {
      s: seconds,
      "CPU s": cpuSecondsOf(service.pid) - cpuBefore,
      "MB above idle": memoryOf(service.pid, "peak") - idleMB,
    }
  }
}

const plain = { name: "identity", unpack: "cat", pipe: "cat > /dev/null" }

const exportRow = (name: string, work: string, coding: Coding): Row => ({
  name,
  work,
  needs: ["curl", "psql", "gzip"],
  run: async (environment) => {
    const { databaseUrl } = environment.ours
    const { stdout: copied } = await psql(databaseUrl, copy, "wc -l")
    return measureCheckouts(environment, (checkout) => exportSide(checkout, coding, copied), {
      copy: async () => ({ s: (await psql(databaseUrl, copy, coding.pipe)).seconds }),
    })
  },
})

const stalledExports = 200
/** Each gets a fifth of MAX_EXPORTS, so together they take every slot. */
const exporters = 5
const slots = 20
const stallSeconds = 5

/** Sends the request for an export, and reads nothing. */
function stalled(url: string, token: string): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.pause()
  socket.on("error", () => {}) // The service resets it after the stall limit.
  socket.write(
    `GET /api/v1/reports?format=csv&all=true HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  )
  return socket
}

async function besideStalled({ sql, seconds }: Environment, checkout: Checkout): Promise<Measure> {
  const ids = await sql<{ id: string }[]>`select id from tenements order by md5(id) limit 200`
  const targets = ids.flatMap(({ id }, index) => [
    `/api/v1/tenements/${encodeURIComponent(id)}`,
    `/api/v1/reports?page=${1 + index}`,
  ])
  const settings = {
    EXPORT_STALL_SECONDS: String(stallSeconds),
    CACHE_MEMORY_MB: "0",
    MAX_EXPORTS: String(slots),
  }
  const { url, pid } = await checkout.start(settings)
  const reader = await checkout.token()
  const tokens: string[] = []
  for (let index = 0; index < exporters; index++) {
    tokens.push(await checkout.token(`exporter-${index}`))
  }
  return async () => {
    const alone = await send(url, reader, targets, seconds)
    const aloneMB = memoryOf(pid, "now")
    resetPeak(pid)
    const sockets = Array.from({ length: stalledExports }, (_, index) =>
      stalled(url, tokens[index % exporters] ?? ""),
    )
    await Bun.sleep(500)
    const beside = await send(url, reader, targets, seconds)
    const figures = {
      "p95 beside them, ms": quantile(beside.ms, 0.95),
      "p95 beside / alone": quantile(beside.ms, 0.95) / quantile(alone.ms, 0.95),
      "rejected beside them": beside.statuses.filter((status) => status !== 200).length,
      "MB above idle, for each in progress": (memoryOf(pid, "peak") - aloneMB) / slots,
    }
    for (const socket of sockets) socket.destroy()
    await Bun.sleep(stallSeconds * 1000)
    return figures
  }
}

export const exportRows: readonly Row[] = [
  exportRow("export-csv", "Every tenement as CSV", plain),
  exportRow("export-gzip", "The same with gzip, beside `\\copy` through `gzip -1`", {
    name: "gzip",
    unpack: "gunzip",
    pipe: "gzip -1 > /dev/null",
  }),
  exportRow("export-parquet", "Every tenement as Parquet", {
    ...plain,
    format: "parquet",
  }),
  exportRow("export-geojson", "Every tenement with its shape as GeoJSON", {
    ...plain,
    format: "geojson",
  }),
  {
    name: "stalled-exports",
    work: `Records and pages beside ${stalledExports} exports that nobody reads`,
    run: (environment) =>
      measureCheckouts(environment, (checkout) => besideStalled(environment, checkout)),
  },
]
