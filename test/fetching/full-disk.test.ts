/**
 * On a full disk a fetch fails by name, and keeps and loads nothing that is not whole. The disk is a
 * small file system of the test's own, which only root may mount.
 */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type FetchBench, fetchBench } from "./fetch-bench.ts"
import { plain } from "./misbehaving-server.ts"

const disk = mkdtempSync(join(tmpdir(), "mds-small-disk-"))
const mount = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk])
if (!mount.success) {
  process.stderr.write(`${import.meta.path}: skipped, as no disk can be mounted: ${mount.stderr}`)
}

let bench: FetchBench
beforeAll(async () => {
  bench = await fetchBench()
})
afterAll(async () => {
  await bench.close()
  if (mount.success) Bun.spawnSync(["umount", disk])
  rmSync(disk, { recursive: true })
})

const header = "asx_code,company_name,gics_sector,is_active\n"
/** Of about so many bytes, each row with a name that does not compress. */
function companies(bytes: number): string {
  let text = header
  for (let nth = 0; text.length < bytes; nth++) {
    const code = nth.toString(36).toUpperCase().padStart(4, "Q")
    text += `${code},${crypto.randomUUID()} ${crypto.randomUUID()},Energy,true\n`
  }
  return text
}
const fetched = () =>
  bench.fetch("companies", { kind: "file", url: `${bench.server.url}/a.csv` }, { dataDir: disk })
/** Kept files whose bytes are not those of their names. */
const damaged = () =>
  readdirSync(join(disk, "raw", "companies")).filter((name) => {
    const [, named] = /^\d{8}T\d{6}Z-([0-9a-f]{64})\.csv$/.exec(name) ?? []
    const content = readFileSync(join(disk, "raw", "companies", name))
    const sha256 = new Bun.CryptoHasher("sha256").update(content).digest("hex")
    return named !== undefined && named !== sha256
  })
const clear = () => {
  for (const name of readdirSync(disk)) rmSync(join(disk, name), { recursive: true })
}
/** Leaves so many bytes. */
const occupy = (free: number) => {
  clear()
  mkdirSync(join(disk, "raw", "companies"), { recursive: true })
  writeFileSync(join(disk, "occupied"), new Uint8Array(256 * 1024 - free))
}

test.skipIf(!mount.success)(
  "what does not fit is not kept and not loaded, and is loaded once it fits",
  async () => {
    const content = companies(100_000)
    bench.server.answer(() => plain(content))
    // Hardly any room, and almost enough: a write may also fit in part.
    for (const free of [8, 88]) {
      occupy(free * 1024)
      expect([free, await fetched()]).toMatchObject([
        free,
        {
          outcome: "failed",
          reason: expect.stringMatching(
            /^Cannot store files in \S+\/raw\/companies: no space left on device$/,
          ),
          files: [],
        },
      ])
      expect(await bench.status()).toMatchObject({ last_outcome: "failed" })
      expect(damaged()).toEqual([])
      expect(await bench.releases()).toBe(0)
    }
    rmSync(join(disk, "occupied"))
    expect((await fetched()).outcome).toBe("published")
  },
  60_000,
)
