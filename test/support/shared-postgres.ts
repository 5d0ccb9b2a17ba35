/**
 * Owns the tests' shared PostgreSQL until the run has ended, however it ends, and then deletes its
 * directory. A process of its own, because the workers of a run come and go. Its arguments are the
 * directory and the run's process id.
 */
import { rmSync } from "node:fs"
import { isAlive } from "../../src/db/embedded/postmaster.ts"
import { startEmbedded } from "../../src/db/embedded/server.ts"

// Nothing of a test run has to survive a power cut.
const settings = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  shared_buffers: "128MB",
  max_connections: "200",
  max_wal_size: "256MB",
  autovacuum: "off",
}

const [directory = "", run] = process.argv.slice(2)
const server = await startEmbedded(directory, { settings })
if (!server.adopted) {
  while (isAlive(Number(run))) await Bun.sleep(100)
  await server.stop()
  rmSync(directory, { recursive: true, force: true })
}
