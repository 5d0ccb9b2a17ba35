/** The peers: the same work with other frameworks, and Bun's HTTP server alone. */
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { freePort } from "../support/supervised.ts"
import { runToEnd, type ServerProcess, startServer } from "./processes.ts"

export type PeerName = "fastify" | "hono"

const directoryOf = (name: string) => Bun.fileURLToPath(new URL(`peers/${name}`, import.meta.url))

/** Starts a peer on the database; installs its dependencies when they are missing. */
export async function startPeer(name: PeerName, databaseUrl: string): Promise<ServerProcess> {
  const directory = directoryOf(name)
  if (!existsSync(join(directory, "node_modules"))) {
    await runToEnd([process.execPath, "install", "--frozen-lockfile"], { cwd: directory })
  }
  const program = (name === "fastify" && Bun.which("node")) || process.execPath
  return startServer([program, "server.js"], {
    cwd: directory,
    announcesOn: "stdout",
    settings: { DATABASE_URL: databaseUrl, PORT: String(freePort()), NODE_ENV: "production" },
  })
}

/** Headers that every HTTP server adds itself. */
const ownHeaders = ["date", "content-length", "connection", "transfer-encoding", "keep-alive"]

export interface BareServer extends ServerProcess {
  /** With which it answers 304, as the service does. */
  etag: string
}

/** Starts Bun's HTTP server with the bytes and headers that the service answers this target with. */
export async function startBare(
  target: { url: string; path: string; headers: Record<string, string> },
  directory: string,
): Promise<BareServer> {
  const ask = (headers: Record<string, string>) =>
    fetch(target.url + target.path, {
      headers: { ...target.headers, ...headers, "Accept-Encoding": "identity" },
    })
  const full = await ask({})
  const body = await full.text()
  const etag = full.headers.get("etag")
  if (full.status !== 200 || etag === null) {
    throw new Error(`${target.path} was answered ${full.status}, with ETag ${etag}`)
  }
  const notModified = await ask({ "If-None-Match": etag })
  if (notModified.status !== 304) {
    throw new Error(`${target.path} with If-None-Match was answered ${notModified.status}`)
  }
  const responses = join(directory, `responses-${crypto.randomUUID()}.json`)
  const initOf = ({ status, headers }: Response) => ({
    status,
    headers: Object.fromEntries([...headers].filter(([name]) => !ownHeaders.includes(name))),
  })
  writeFileSync(
    responses,
    JSON.stringify({ full: { body, ...initOf(full) }, notModified: initOf(notModified) }),
  )
  const server = await startServer([process.execPath, "server.js"], {
    cwd: directoryOf("bare"),
    announcesOn: "stdout",
    settings: { RESPONSES: responses, PORT: String(freePort()) },
  })
  return { ...server, etag }
}
