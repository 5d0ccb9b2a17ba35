/** What is recorded of where the files of a source come from. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { recordAddress } from "../../src/loading/fetch-record.ts"
import { asxDirectory } from "../../src/sources/asx-directory.ts"
import { type Workbench, workbench } from "./workbench.ts"

let bench: Workbench
beforeAll(async () => {
  bench = await workbench()
})
afterAll(() => bench.close())

test("an address that an operator loads from is shown where none is known, and replaces none", async () => {
  await bench.load(
    "asx-directory",
    "ASX code,Company name,GICs industry group\nQZA,QUARRY,Materials\n",
  )
  for (const address of ["https://first.example.test", "https://second.example.test"]) {
    await recordAddress(bench.sql, asxDirectory, address)
    const [row] = await bench.sql`select address, last_fetched_at as "fetchedAt" from sources`
    expect({ ...row }).toEqual({ address: "https://first.example.test", fetchedAt: null })
  }
})
