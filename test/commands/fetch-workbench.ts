/** A workbench whose operator lists addresses of a server of the test's own. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { locks } from "../../src/data/db/advisory-locks.ts"
import { misbehavingServer } from "../ingest/fetching/misbehaving-server.ts"
import { holdLock } from "../support/held-locks.ts"
import { afterFile } from "../support/of-file.ts"
import { commandWorkbench } from "./command-workbench.ts"

export const directory = "ASX code,Company name,GICs industry group\nQZA,QUARRY LIMITED,Materials\n"

export async function fetchWorkbench() {
  const bench = await commandWorkbench()
  const server = await misbehavingServer()
  afterFile(() => server.close())
  return {
    ...bench,
    server,
    entry: (path: string, others: object = {}) => ({
      kind: "file",
      url: server.url + path,
      ...others,
    }),
    writeSources: (sources: object) =>
      writeFileSync(join(bench.dataDir, "sources.json"), JSON.stringify(sources)),
    /** Commands that load wait until the result is released. */
    holdLoads: () => holdLock(bench.sql, `select pg_advisory_xact_lock(${locks.publishing})`),
    reset: async () => {
      await bench.empty()
      rmSync(bench.dataDir, { recursive: true, force: true })
      mkdirSync(bench.dataDir)
    },
  }
}
