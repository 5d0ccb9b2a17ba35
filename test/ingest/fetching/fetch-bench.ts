/** A workbench, a server that misbehaves, and fetches from it that wait for nothing. */
import { afterAll } from "bun:test"
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { type FetchOptions, fetchSource } from "../../../src/ingest/fetching/fetch-source.ts"
import { type Fetchable, parseSourcesFile } from "../../../src/ingest/fetching/sources-file.ts"
import { silent } from "../../../src/ingest/loading/progress.ts"
import { workbench } from "../loading/workbench.ts"
import { testLimits } from "./access.ts"
import { misbehavingServer, reply } from "./misbehaving-server.ts"

/** The exchange's directory; a row is "QZA" or "QZA Banks", a code and its industry group. */
export const directory = (...rows: string[]) =>
  [
    "ASX code,Company name,GICs industry group,Listing date,Market Cap",
    ...rows.map((row) => {
      const [code, group = "Materials"] = row.split(" ")
      return `${code},QUARRY ${code} LIMITED,${group},,100`
    }),
    "",
  ].join("\n")

/** The version of a file, as its server states it. */
export const modified = { "Last-Modified": "Fri, 09 Jan 2026 08:00:00 GMT", ETag: '"1"' }

export async function fetchBench() {
  const bench = await workbench()
  const server = await misbehavingServer()
  afterAll(() => server.close())
  const start = new Date("2026-01-10T00:00:00Z")
  const clock = { now: start }
  const dataDir = join(bench.directory, "data")

  const fetchable = (source: string, entry: object): Fetchable => {
    const content = JSON.stringify({ [source]: entry })
    const [only] = parseSourcesFile(content, "sources.json")
    if (!only) throw new Error("No source")
    return only
  }
  const fetch = (source: string, entry: object, options: Partial<FetchOptions> = {}) =>
    fetchSource(fetchable(source, entry), {
      databaseUrl: bench.url,
      dataDir,
      userAgent: "mds/test",
      environment: {},
      limits: testLimits,
      force: true,
      editedMs: 0,
      absentAfterHours: 48,
      holderNames: "all",
      progress: silent,
      now: () => clock.now,
      describe: String,
      ...options,
    })
  return {
    ...bench,
    server,
    clock,
    dataDir,
    /** Fetches a source of that entry, due or not. */
    fetch,
    /** The same of the ASX directory. */
    fetched: (options?: Partial<FetchOptions>, entry: object = {}) =>
      fetch("asx-directory", { kind: "file", url: `${server.url}/a.csv`, ...entry }, options),
    /** Responds with the file, or that it has not changed. */
    serve: (content: string, headers: Record<string, string> = modified) =>
      server.respond((request) =>
        request.headers["if-none-match"] === headers.ETag
          ? reply(304, {})
          : reply(200, headers, content),
      ),
    /** Lets time pass. */
    hours: (count: number) => {
      clock.now = new Date(clock.now.getTime() + count * 3_600_000)
    },
    /** Of the companies that are active. */
    codes: async () =>
      (await bench.sql`select asx_code from companies where is_active order by 1`).map(
        ({ asx_code }) => asx_code,
      ),
    /** As if nothing had ever been loaded or fetched. */
    reset: async () => {
      await bench.empty()
      rmSync(dataDir, { recursive: true, force: true })
      clock.now = start
    },
    /** Of a load of the ASX directory's addresses by hand. */
    addressOptions: () => ({
      databaseUrl: bench.url,
      dataDir,
      source: "asx-directory",
      userAgent: "mds/test",
      keeps: true,
      limits: testLimits,
      progress: silent,
      clock: async () => () => clock.now,
    }),
    rawFiles: (source: string): string[] => readdirSync(join(dataDir, "raw", source)).sort(),
    status: async () =>
      (await bench.sql`select last_outcome, last_reason, last_observed_at from sources`)[0],
  }
}
