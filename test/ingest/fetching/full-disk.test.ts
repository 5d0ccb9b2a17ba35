/** On a full disk a fetch fails by name, and keeps and loads nothing that is not whole. */
import { afterAll, expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { smallDisk } from "../../faults/small-disk.ts"
import { reportSkipped } from "../../support/supervised.ts"
import { fetchBench } from "./fetch-bench.ts"
import { plain } from "./misbehaving-server.ts"

const disk = smallDisk(1)
if (!disk) reportSkipped(import.meta.path, "the right to mount a file system")

const bench = await fetchBench()
afterAll(() => disk?.remove())

test.skipIf(disk === null)(
  "A file larger than the free disk space is neither stored nor loaded until it fits",
  async () => {
    const dataDir = disk?.path ?? ""
    const rows = Array.from({ length: 900 }, (_, n) => `Q${n + 100},${"Quarry ".repeat(14)},true\n`)
    bench.server.respond(() => plain(`asx_code,company_name,is_active\n${rows.join("")}`))
    const entry = { kind: "file", url: `${bench.server.url}/a.csv` }
    const fetched = () => bench.fetch("companies", entry, { dataDir })
    // Hardly any room, and almost enough: a write may also fit in part.
    for (const left of [8, 88]) {
      await disk?.fill(left * 1024)
      expect(await fetched()).toMatchObject({
        outcome: "failed",
        reason: `Cannot store files in ${dataDir}/raw/companies: no space left on device`,
        files: [],
      })
      expect(await bench.status()).toMatchObject({ last_outcome: "failed" })
      expect(readdirSync(join(dataDir, "raw", "companies"))).toEqual([])
      await disk?.clear()
    }
    expect(await bench.releases()).toBe(0)
    expect((await fetched()).outcome).toBe("published")
  },
)
