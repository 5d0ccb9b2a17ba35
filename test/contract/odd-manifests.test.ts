/** Manifests that a faulty program or a person has written: nothing fails because of them. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { releaseOrigin } from "../../src/db/release-files.ts"
import { type TestService, testService } from "../support/service.ts"
import { readList } from "./bodies.ts"

let service: TestService
let tenement: string
beforeAll(async () => {
  service = await testService()
  tenement = String((await readList(await service.get("/tenements?per_page=1"))).data[0]?.id)
})
afterAll(() => service.stop())

const setManifest = (manifest: unknown) =>
  service.sql`update releases set manifest = ${JSON.stringify(manifest)}::text::jsonb`

const lists: readonly (readonly [files: unknown, names: string | null])[] = [
  ["a.csv", null],
  [{}, null],
  [null, null],
  [7, null],
  [[], null],
  [[["a.csv"]], null],
  [["a.csv", null, { name: "b.csv" }, { sha256: 1 }, { name: 3 }], "b.csv"],
]

test.each(lists)("files that are %j", async (files, names) => {
  await setManifest({ files })
  const history = await service.get(`/tenements/${tenement}/history`)
  expect([history.status, (await readList(history)).data[0]?.files]).toEqual([200, names])
  const origin = await releaseOrigin(service.sql, 1)
  expect(origin?.files.map(({ name }) => name).join("; ")).toBe(names ?? "")
})

test("the overview, whatever the files are", async () => {
  for (const [files] of lists) {
    await setManifest({ files })
    const beside = await testService({ beside: service })
    try {
      const overview = await fetch(`${beside.url}/`)
      expect([files, overview.status]).toEqual([files, 200])
    } finally {
      await beside.stop()
    }
  }
})

test("counts of records, whatever they are", async () => {
  const odd = [
    "x",
    [],
    { companies: 7 },
    { companies: { added: "many", changed: null, removed: 1e300 } },
    { companies: { added: -1, changed: {}, deactivated: [], removed: true } },
  ]
  for (const [index, resources] of odd.entries()) {
    await setManifest({ resources })
    // Another page size each time: responses are cached.
    const answer = await service.get(`/releases?per_page=${index + 1}`)
    expect([resources, answer.status]).toEqual([resources, 200])
    expect((await readList(answer)).data[0]).toMatchObject({
      companies_added: 0,
      companies_changed: 0,
      companies_removed: 0,
    })
  }
})
