/** Where the tests' servers keep what they throw away. */
import { accessSync, constants, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const memory = "/dev/shm"
/** Several times what a run takes. */
const roomNeeded = 4 * 2 ** 30

/**
 * A file system in memory, where there is a roomy one, and else the one for temporary files. A
 * database is some 300 files, and a disk's file system takes several times as long to create and
 * delete them.
 */
export const scratchDirectory: string = isRoomy(memory) ? memory : tmpdir()

function isRoomy(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK)
    const { bavail, bsize } = statfsSync(directory)
    return bavail * bsize >= roomNeeded
  } catch {
    return false
  }
}

/** Copies the cluster of a data directory and its password. By a program, which copies fast and keeps the owner. */
export function copyCluster(from: string, to: string): void {
  const parts = ["cluster", "password"].map((part) => join(from, part))
  const { success, stderr } = Bun.spawnSync(["cp", "-a", ...parts, to])
  if (!success) throw new Error(`Cannot copy the cluster: ${stderr}`)
}
