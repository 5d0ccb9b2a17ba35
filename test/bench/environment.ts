/** What rows run in: databases with data, the service of each checkout, its peers, and accounts. */
import { createHash } from "node:crypto"
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import postgres, { type Sql } from "postgres"
import { startEmbedded } from "../../src/system/embedded/server.ts"
import { freePort } from "../support/supervised.ts"
import { type DataFiles, dataFiles, resources, type Sizes } from "./data.ts"
import {
  type Finished,
  runToEnd,
  type ServerProcess,
  startServer,
  type Variables,
} from "./processes.ts"
import { type Figures, type Measure, rounds } from "./rounds.ts"

export interface Options {
  sizes: Sizes
  /** Where data is kept between runs. */
  directory: string
  /** Another checkout of the service, with its packages installed, that runs beside this one. */
  before: string | null
  rounds: number
  /** How long a side is under load in each round. */
  seconds: number
  log: (line: string) => void
}

/** Runs a command of a checkout to its end, on this database. */
type Command = (databaseUrl: string, ...args: string[]) => Promise<Finished>

/** A version of the service, on a database that its own code has loaded. */
export interface Checkout {
  /** "ours" or "before". */
  name: string
  databaseUrl: string
  /** A token of an account, on the plan without a limit unless `limit` is given. */
  token(account?: string, options?: { limit?: number; databaseUrl?: string }): Promise<string>
  start(settings?: Variables, databaseUrl?: string): Promise<ServerProcess>
  /** Signs in to its service at this URL. @returns the cookie */
  signIn(service: string): Promise<string>
  /** Runs `work` on a database of its own with this much data, and drops it. */
  withDatabase<T>(sizes: Sizes, work: (url: string, sql: Sql) => Promise<T>): Promise<T>
}

export interface Environment extends Options {
  /** For files of this run. */
  scratch: string
  /** Ours first. */
  checkouts: readonly Checkout[]
  ours: Checkout
  /** Of our database. */
  sql: Sql
  /** Starts Hono with postgres.js, on our database. @param settings `CACHE_BYTES` for a cache of responses */
  hono(settings?: Variables): Promise<ServerProcess>
  /** Starts Bun's HTTP server, which sends the bytes and headers that the service sent for this path. */
  bare(service: ServerProcess, path: string): Promise<ServerProcess>
  /** Stops every server that was started since the last call. */
  endRow(): Promise<void>
  stop(): Promise<void>
}

export const repository = Bun.fileURLToPath(new URL("../..", import.meta.url))
const peerDirectory = (name: string) => Bun.fileURLToPath(new URL(`peers/${name}`, import.meta.url))

export async function createEnvironment(options: Options): Promise<Environment> {
  const { directory, sizes, before, log } = options
  mkdirSync(directory, { recursive: true, mode: 0o711 })
  const scratch = mkdtempSync(join(tmpdir(), "mds-bench-"))
  const files = await dataFiles(join(directory, "files"), sizes)
  const embedded = await startEmbedded(join(directory, "data"), { log })
  const sql = postgres(embedded.url, { max: 2, onnotice: () => {} })
  const started: ServerProcess[] = []
  const added = async (server: Promise<ServerProcess>) => {
    started.push(await server)
    return server
  }
  const startPeer = (name: string, settings: Variables) =>
    added(
      startServer([process.execPath, "server.js"], {
        cwd: peerDirectory(name),
        announcesOn: "stdout",
        settings: { ...settings, PORT: String(freePort()) },
      }),
    )
  const endRow = async () => {
    for (let server = started.pop(); server; server = started.pop()) await server.stop()
  }

  /** Creates a database and loads the files into it with the commands of the checkout. */
  async function makeDatabase(command: Command, name: string, of: DataFiles) {
    const url = urlOf(embedded.url, name)
    await sql`create database ${sql(name)}`
    await command(url, "migrate")
    for (const resource of resources) {
      log(`loading ${resource} into ${name}`)
      await command(url, "load", resource, of[resource])
    }
    return url
  }

  async function checkoutOf(name: string, root: string): Promise<Checkout> {
    const main = [process.execPath, join(root, "src/main.ts")]
    const command: Command = (databaseUrl, ...args) =>
      runToEnd([...main, ...args], {
        cwd: root,
        settings: { DATABASE_URL: databaseUrl, DATA_DIR: scratch },
      })
    // Checkouts of one schema share a database. A comment marks one whose data is complete.
    const database = `bench_${schemaOf(root)}`
    const [found] = await sql<{ comment: string | null }[]>`
      select shobj_description(oid, 'pg_database') as comment from pg_database where datname = ${database}`
    let url = urlOf(embedded.url, database)
    if (found?.comment !== "complete") {
      if (found) await sql`drop database ${sql(database)}`
      url = await makeDatabase(command, database, files)
      await sql`comment on database ${sql(database)} is 'complete'`
    }
    const tokens = new Map<string, Promise<string>>()
    return {
      name,
      databaseUrl: url,
      token: (account = "bench", { limit, databaseUrl = url } = {}) => {
        const key = `${account} ${databaseUrl}`
        const token = tokens.get(key) ?? issueToken(command, databaseUrl, account, limit)
        tokens.set(key, token)
        return token
      },
      start: (settings = {}, databaseUrl = url) =>
        added(
          startServer([...main, "serve"], {
            cwd: root,
            announcesOn: "stderr",
            settings: {
              DATABASE_URL: databaseUrl,
              DATA_DIR: scratch,
              REDIS_URL: "",
              PORT: "0",
              SHUTDOWN_SECONDS: "1",
              ...settings,
            },
          }),
        ),
      signIn: async (service) => {
        await issueToken(command, url, "typist")
        const { stdout } = await command(url, "account", "link", "typist@example.com")
        const response = await fetch(`${service}/account/link`, {
          method: "POST",
          redirect: "manual",
          headers: { "Sec-Fetch-Site": "same-origin" },
          body: new URLSearchParams({ link: /mds_link_[\w-]+/.exec(stdout)?.[0] ?? "" }),
        })
        return response.headers.get("set-cookie")?.split(";")[0] ?? ""
      },
      withDatabase: async (sizes, work) => {
        const name = `bench_own_${process.pid}`
        const own = await dataFiles(join(scratch, JSON.stringify(sizes)), sizes)
        const ownUrl = await makeDatabase(command, name, own)
        const ownSql = postgres(ownUrl, { max: 1, onnotice: () => {} })
        try {
          return await work(ownUrl, ownSql)
        } finally {
          await endRow()
          await ownSql.end({ timeout: 1 })
          await sql`drop database ${sql(name)} with (force)`
        }
      },
    }
  }

  const ours = await checkoutOf("ours", repository)
  const checkouts = before === null ? [ours] : [ours, await checkoutOf("before", before)]
  const data = postgres(ours.databaseUrl, { max: 2, onnotice: () => {} })
  return {
    ...options,
    scratch,
    checkouts,
    ours,
    sql: data,
    hono: async (settings = {}) => {
      const cwd = peerDirectory("hono")
      await runToEnd([process.execPath, "install", "--frozen-lockfile"], { cwd })
      return startPeer("hono", {
        DATABASE_URL: ours.databaseUrl,
        NODE_ENV: "production",
        ...settings,
      })
    },
    bare: async ({ url }, path) =>
      startPeer("bare", { TARGET: url + path, TOKEN: await ours.token() }),
    endRow,
    stop: async () => {
      await endRow()
      await Promise.all([sql.end({ timeout: 1 }), data.end({ timeout: 1 })])
      await embedded.stop()
      rmSync(scratch, { recursive: true, force: true })
    },
  }
}

function urlOf(server: string, database: string): string {
  const url = new URL(server)
  url.pathname = `/${database}`
  return url.href
}

/** Identifies the schema of a checkout by its migrations. */
function schemaOf(root: string): string {
  const hash = createHash("sha256")
  for (const file of [...new Bun.Glob("*.sql").scanSync(join(root, "drizzle"))].sort()) {
    hash.update(readFileSync(join(root, "drizzle", file)))
  }
  return hash.digest("hex").slice(0, 12)
}

/** Creates the account unless an earlier run did. @returns a token that expires by itself */
async function issueToken(command: Command, url: string, account: string, limit?: number) {
  const email = `${account}@example.com`
  const plan = limit === undefined ? ["admin"] : ["enterprise", "--limit", `${limit}`]
  await command(url, "account", "create", email, "--plan", ...plan).catch((error: Error) => {
    if (!/exists/.test(error.message)) throw error
  })
  const options = ["--account", email, "--name", "bench", "--expires-in", "1"]
  return (await command(url, "token", "create", ...options)).stdout.trim()
}

/** Measures the service of each checkout in turns, and other sides beside them. */
export async function measureCheckouts(
  { checkouts, rounds: count }: Environment,
  prepare: (checkout: Checkout) => Promise<Measure>,
  others: Readonly<Record<string, Measure>> = {},
): Promise<Figures> {
  const sides: Record<string, Measure> = {}
  for (const checkout of checkouts) sides[checkout.name] = await prepare(checkout)
  return rounds(count, { ...sides, ...others })
}
