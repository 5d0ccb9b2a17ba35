/** What rows run in: the database with its data, the service, its peers, and accounts. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import postgres, { type Sql } from "postgres"
import { createAccount } from "../../src/access/accounts.ts"
import { AccountError } from "../../src/access/change.ts"
import { issueToken } from "../../src/access/tokens.ts"
import { startEmbedded } from "../../src/db/embedded/server.ts"
import { checkSchema } from "../../src/db/migrate.ts"
import { type RedisServer, redisServer } from "../support/redis.ts"
import { ensureLoaded, type Sizes, sizesOf } from "./data.ts"
import { type BareServer, type PeerName, startBare, startPeer } from "./peers.ts"
import { type ServerProcess, startService, type Variables } from "./processes.ts"

export interface Options {
  /** Of the data that is made, and of the file that is loaded. */
  sizes: Sizes
  /** Where data is kept between runs. */
  directory: string
  /** Of a database that has its data already; null for one of our own. */
  databaseUrl: string | null
  rounds: number
  /** How long a side is under load in each round. */
  seconds: number
  memorySeconds: number
  log: (line: string) => void
}

export interface Environment extends Options {
  /** Of the database with data. Rows only read its data. */
  url: string
  sql: Sql
  /** What the database has. */
  counted: Sizes
  /** For files of this run. */
  scratch: string
  /** A token of account `index`, each of which is on the plan without limit. */
  token(index?: number): Promise<string>
  /** A token of an account whose requests are counted, up to a limit that no run reaches. */
  countedToken(): Promise<string>
  /** The service that rows share, in which much is cached. */
  service(): Promise<ServerProcess>
  /** Starts a service for one row, or for one side of it. */
  freshService(settings?: Variables, databaseUrl?: string): Promise<ServerProcess>
  peer(name: PeerName): Promise<ServerProcess>
  bare(path: string): Promise<BareServer>
  redis(): Promise<RedisServer>
  /** Ends what a row has started for itself. */
  endRow(): Promise<void>
  stop(): Promise<void>
}

export async function createEnvironment(options: Options): Promise<Environment> {
  const { directory, log } = options
  mkdirSync(directory, { recursive: true, mode: 0o711 })
  const scratch = mkdtempSync(join(tmpdir(), "mds-bench-run-"))
  // In the order of their start; they end in the opposite one.
  const open: { stop(): unknown }[] = [
    { stop: () => rmSync(scratch, { recursive: true, force: true }) },
  ]
  const ofRow: { stop(): unknown }[] = []
  const endAll = async (things: { stop(): unknown }[]): Promise<void> => {
    for (let thing = things.pop(); thing; thing = things.pop()) await thing.stop()
  }
  const added = <T extends { stop(): unknown }>(things: { stop(): unknown }[], thing: T): T => {
    things.push(thing)
    return thing
  }

  try {
    const url =
      options.databaseUrl ?? added(open, await startEmbedded(join(directory, "data"), { log })).url
    const sql = postgres(url, { max: 2, onnotice: () => {} })
    open.push({ stop: () => sql.end({ timeout: 1 }) })
    if (options.databaseUrl === null) await ensureLoaded(url, sql, options.sizes, log)
    // A service would bring the schema of a database that is not ours up to date.
    else await checkSchema(url)
    const counted = await sizesOf(sql)
    checkSizes(options, counted)

    const token = once((index: number) => tokenOf(url, `bench-${index}`, "admin"))
    const countedToken = once((name: "bench-counted") => tokenOf(url, name, "enterprise"))
    const peer = once(async (name: PeerName) => {
      log(`starting ${name}`)
      return added(open, await startPeer(name, url))
    })
    const service = once(async (_: "shared") => added(open, await startService(url)))
    return {
      ...options,
      url,
      sql,
      counted,
      scratch,
      token: (index = 0) => token(index),
      countedToken: () => countedToken("bench-counted"),
      service: () => service("shared"),
      peer,
      freshService: async (settings = {}, databaseUrl = url) =>
        added(ofRow, await startService(databaseUrl, settings)),
      bare: async (path) => {
        const headers = { Authorization: `Bearer ${await token(0)}` }
        const { url: of } = await service("shared")
        return added(ofRow, await startBare({ url: of, path, headers }, scratch))
      },
      redis: async () => added(ofRow, await redisServer()),
      endRow: () => endAll(ofRow),
      stop: async () => {
        await endAll(ofRow)
        await endAll(open)
      },
    }
  } catch (error) {
    await endAll(open)
    throw error
  }
}

function checkSizes({ databaseUrl, directory, sizes }: Options, counted: Sizes): void {
  if (counted.tenements === 0 || counted.reports === 0) {
    throw new Error("The database has no tenements or no reports")
  }
  if (databaseUrl !== null) return
  if (counted.tenements === sizes.tenements && counted.reports === sizes.reports) return
  throw new Error(
    `${directory} has ${counted.tenements} tenements and ${counted.reports} reports: give these sizes or another directory`,
  )
}

const dayMs = 86_400_000
const unreachedLimit = 1_000_000_000

/** A token that expires by itself, of an account that is kept for the next run. */
async function tokenOf(url: string, name: string, plan: "admin" | "enterprise"): Promise<string> {
  const editor = { url, who: "bench", origin: "bench" }
  const email = `${name}@example.com`
  const requestLimit = plan === "enterprise" ? unreachedLimit : null
  await createAccount(editor, { email, plan, requestLimit }).catch((error: unknown) => {
    if (!(error instanceof AccountError)) throw error // It exists.
  })
  const expiresAt = new Date(Date.now() + dayMs)
  return (await issueToken(editor, { email, name: "bench", expiresAt })).value
}

/** Makes one thing for each key, when it is first asked for. */
function once<K, T>(make: (key: K) => Promise<T>): (key: K) => Promise<T> {
  const made = new Map<K, Promise<T>>()
  return (key) => {
    const known = made.get(key)
    if (known) return known
    const fresh = make(key)
    made.set(key, fresh)
    return fresh
  }
}
