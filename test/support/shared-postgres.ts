/**
 * Owns the tests' shared PostgreSQL until the run has ended, however it ends, and then deletes its
 * directory. A process of its own, because the workers of a run come and go. Its arguments are the
 * directory and the run's process id. Of several that are started at once, all but one end.
 */
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { embeddedBinaries } from "../../src/system/embedded/binaries.ts"
import { createCluster } from "../../src/system/embedded/cluster.ts"
import { tryLock } from "../../src/system/embedded/lock.ts"
import { isAlive } from "../../src/system/embedded/postmaster.ts"
import { startEmbedded } from "../../src/system/embedded/server.ts"
import { serverUserFor } from "../../src/system/embedded/server-user.ts"
import { copyCluster } from "./scratch.ts"

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
/** What tests with a server of their own begin with. */
const pristine = join(directory, "pristine")
mkdirSync(pristine, { recursive: true, mode: 0o711 })
const lock = tryLock(join(directory, "run"))
if (lock) {
  rmSync(join(pristine, "cluster"), { recursive: true, force: true })
  const binaries = embeddedBinaries()
  const user = serverUserFor(join(pristine, "cluster"), binaries)
  await createCluster(pristine, binaries, user, false)
  rmSync(join(directory, "cluster"), { recursive: true, force: true })
  copyCluster(pristine, directory)
  const server = await startEmbedded(directory, { settings })
  while (isAlive(Number(run))) await Bun.sleep(100)
  await server.stop()
  rmSync(directory, { recursive: true, force: true })
  // Used to the end: a lock that is no longer referenced is released when it is collected.
  lock()
}
