/** A file system of a test's own, in memory and small. */
import { mkdtempSync, rmdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Null where the test may not mount one. */
export function smallDisk(megabytes: number) {
  const path = mkdtempSync(join(tmpdir(), "mds-test-disk-"))
  const options = `size=${megabytes}m,mode=0711`
  const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", options, "mds-test", path])
  if (!mounted.success) {
    rmdirSync(path)
    return null
  }
  const filler = join(path, "filler")
  return {
    path,
    /** Leaves it with so little room. */
    fill: async (bytesLeft: number) => {
      const { stdout } = Bun.spawnSync(["df", "--output=avail", "-B1", path])
      const available = Number(stdout.toString().split("\n")[1])
      await Bun.$`head -c ${available - bytesLeft} /dev/zero > ${filler}`.quiet()
    },
    /** Takes away what fills it. */
    clear: () => Bun.file(filler).delete(),
    remove: () => {
      // A process that has just ended may still have a file there.
      Bun.spawnSync(["umount", "--lazy", path])
      rmdirSync(path)
    },
  }
}
