/** A workbench, a server that misbehaves, and fetches from it that wait for nothing. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import type { FetchOptions } from "../../src/fetching/fetch-outcome.ts"
import { fetchSource } from "../../src/fetching/fetch-source.ts"
import { type Fetchable, parseSourcesFile } from "../../src/fetching/sources-file.ts"
import { silent } from "../../src/loading/progress.ts"
import { asxDirectory } from "../../src/sources/asx-directory.ts"
import { workbench } from "../loading/workbench.ts"
import { testLimits } from "./access.ts"
import { misbehavingServer } from "./misbehaving-server.ts"

export type FetchBench = Awaited<ReturnType<typeof fetchBench>>

export async function fetchBench() {
  const bench = await workbench()
  const server = await misbehavingServer()
  const clock = { now: new Date("2026-01-10T00:00:00Z") }
  const dataDir = join(bench.directory, "data")

  const fetchable = (source: string, entry: object): Fetchable => {
    const content = JSON.stringify({ [source]: { allow_private: true, ...entry } })
    const [only] = parseSourcesFile(content, "sources.json")
    if (!only) throw new Error("No source")
    return only
  }
  return {
    ...bench,
    server,
    clock,
    dataDir,
    /** Fetches a source of that entry, due or not. */
    fetch: (source: string, entry: object, options: Partial<FetchOptions> = {}) =>
      fetchSource(fetchable(source, entry), {
        databaseUrl: bench.url,
        dataDir,
        userAgent: "mds/test",
        environment: {},
        limits: testLimits,
        force: true,
        absentAfterHours: 48,
        holderNames: "all",
        progress: silent,
        now: () => clock.now,
        describe: String,
        ...options,
      }),
    /** Of a load of the ASX directory's addresses by hand. */
    addressOptions: () => ({
      databaseUrl: bench.url,
      dataDir,
      source: asxDirectory,
      userAgent: async () => "mds/test",
      allowPrivate: true,
      notesAddress: true,
      keeps: true,
      limits: testLimits,
      progress: silent,
      clock: async () => () => clock.now,
    }),
    rawFiles: (source: string): string[] => readdirSync(join(dataDir, "raw", source)).sort(),
    status: async () =>
      (await bench.sql`select last_outcome, last_reason, last_observed_at from sources`)[0],
    close: async () => {
      server.close()
      await bench.close()
    },
  }
}
