/** A page has at most 8 MB of shapes, or one larger shape. */
import { expect, test } from "bun:test"
import { none } from "../support/fixtures.ts"
import { serviceOfFile } from "../support/service.ts"
import { faultsOf, readList } from "./bodies.ts"

const service = await serviceOfFile({ records: none })
const { sql } = service
for (const [name, mebibytes] of Object.entries({ large: 3, huge: 9 })) {
  await sql`insert into shape_parts
    values (${name}, 0, repeat('7', ${mebibytes * 1024 ** 2}), '((0,0),(1,0),(1,1))', '{}')`
}
for (const [id, shape] of Object.entries({
  A: "large",
  B: "large",
  C: "large",
  D: "huge",
  E: null,
})) {
  await sql`insert into tenements (id, tenement_id, state, holder_keys, source, since_release, geometry, holder_name_folded)
    values (${id}, ${id}, 'WA', '{}', 'test', 1, ${shape}, 'gold re')`
}

const idsOf = async (query: string) =>
  (await readList(await service.get(`/tenements?fields=id,geometry&${query}`))).data.map(
    ({ id }) => id,
  )

// By the order, by an index for a term, and by the keys that a scan for a short term has found.
test.each(["", "&holder=gold", "&holder=re"])(
  "A page of more shapes gets 400 with the per_page that fits (filter: %p)",
  async (filter) => {
    for (const page of ["", "&format=geojson", "&per_page=3"]) {
      const path = `/tenements?fields=id,geometry${filter}${page}`
      expect(await faultsOf(service, path)).toEqual([
        { parameter: "per_page", message: expect.stringContaining("use per_page=2,") },
      ])
    }
    // Rows before the page do not count, and a larger shape has a page to itself.
    const pages = [2, 1].map((per) => [`per_page=${per}&page=1`, `per_page=${per}&page=3`])
    expect(await Promise.all(pages.flat().map((page) => idsOf(`${page}${filter}`)))).toEqual([
      ["A", "B"],
      ["E"],
      ["A"],
      ["C"],
    ])
    expect(await idsOf(`per_page=1&page=4${filter}`)).toEqual(["D"])
  },
)

test("A whole list has shapes of any size", async () => {
  const response = await service.get("/tenements?fields=id,geometry&format=ndjson&all=true")
  expect((await response.text()).length).toBeGreaterThan(18 * 1024 ** 2)
})
