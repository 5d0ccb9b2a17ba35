/** Exports of all tenements as CSV, beside psql's \copy of the same rows in the same order. */
import type { Environment } from "../environment.ts"
import { psql } from "../postgres-programs.ts"
import { memoryOf, resetPeak, runToEnd, type ServerProcess } from "../processes.ts"
import { rounds } from "../rounds.ts"
import type { Outcome, Row } from "../row.ts"

const copy = String.raw`\copy (select id, tenement_id, state, status, type, holder_name, grant_date, expiry_date, area_km2 from tenements order by id) to stdout csv header`
const path = "/api/v1/tenements?format=csv&all=true"

interface Curl {
  /** What is asked for besides the export. */
  header?: string
  pipe?: string
}

/** Runs curl to the end of the export. @returns its standard output */
async function curl(
  { url }: ServerProcess,
  token: string,
  { header = "Accept-Encoding: identity", pipe = "cat > /dev/null" }: Curl = {},
) {
  const command = `curl -sSNf -K - "$1" -w '%{stderr}%{time_starttransfer}' 2>&3 | ${pipe}`
  const program = ["/bin/bash", "-o", "pipefail", "-c", `exec 3>&1; ${command}`, "curl"]
  // The token is read from standard input, where no list of processes shows it.
  const stdin = `header = "Authorization: Bearer ${token}"\nheader = "${header}"\n`
  return runToEnd([...program, url + path], { stdin })
}

/** @throws Error if the export has not as many lines as \copy */
async function checkLines(service: ServerProcess, token: string, { url }: Environment) {
  const headers = { Authorization: `Bearer ${token}` }
  const response = await fetch(service.url + path, { headers })
  if (response.status !== 200 || !response.body) {
    throw new Error(`The export was answered ${response.status}`)
  }
  let lines = 0
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    lines += chunk.filter((byte) => byte === 10).length
  }
  const { stdout: copied } = await psql(url, copy, "wc -l")
  if (lines !== Number(copied)) {
    throw new Error(`The export has ${lines} lines, \\copy ${copied.trim()}`)
  }
}

async function run(environment: Environment, asking: Curl, pipe: string): Promise<Outcome> {
  const { url } = environment
  const token = await environment.token()
  const service = await environment.freshService()
  const idleMB = memoryOf(service.pid, "now")
  await checkLines(service, token, environment)
  const firstByteMs: number[] = []
  const aboveIdleMB: number[] = []
  const samples = await rounds(
    environment.rounds,
    {
      ours: async () => {
        resetPeak(service.pid)
        const { seconds, stdout } = await curl(service, token, asking)
        aboveIdleMB.push(memoryOf(service.pid, "peak") - idleMB)
        firstByteMs.push(Number(stdout) * 1000)
        return seconds
      },
      copy: async () => (await psql(url, copy, pipe)).seconds,
    },
    { warmUp: false },
  )
  return {
    figures: {
      ours: { unit: "s", samples: samples.ours },
      copy: { unit: "s", samples: samples.copy },
      "memory above idle": { unit: "MB", samples: aboveIdleMB },
      "first byte": { unit: "ms", samples: firstByteMs },
    },
  }
}

const limits = [
  { figure: "memory above idle", atMost: 64 },
  { figure: "first byte", atMost: 50 },
]

const exportCsv: Row = {
  name: "export-csv",
  work: "CSV of all tenements, all=true",
  needs: ["curl", "psql", "/proc"],
  targets: [{ figure: "ours", over: "copy", atMost: 1.5 }, ...limits],
  run: (environment) => run(environment, {}, "cat > /dev/null"),
}

const exportGzip: Row = {
  name: "export-gzip",
  work: "the same with gzip, beside \\copy piped through gzip -1",
  needs: ["curl", "psql", "gzip", "/proc"],
  targets: [{ figure: "ours", over: "copy", atMost: 1.3 }, ...limits],
  run: (environment) =>
    run(environment, { header: "Accept-Encoding: gzip" }, "gzip -1 > /dev/null"),
}

export const exportRows = [exportCsv, exportGzip]
