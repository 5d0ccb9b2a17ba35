/** The map is a list of tenements with a map above it, and leads to the same list; lists and records lead to the map. */
import { expect, test } from "bun:test"
import { fileLoader } from "../../ingest/loading/file-loader.ts"
import { none } from "../../support/fixtures.ts"
import { serviceOfFile, testService } from "../../support/service.ts"
import { australia } from "./australia.ts"
import { cellsOf, faultAt, leadOf, linkTo, textOf } from "./page-reader.ts"
import { signedInVisitor } from "./visitor.ts"

const service = await serviceOfFile({ records: none })
const load = fileLoader(service)
const person = await signedInVisitor(service, "standard@example.com")

/** A square of a tenth of a degree. */
const square = (west: number, south: number): string => {
  const [east, north] = [west + 0.1, south + 0.1]
  return `"POLYGON ((${west} ${south}, ${east} ${south}, ${east} ${north}, ${west} ${north}, ${west} ${south}))"`
}

await load("companies", {
  "companies.csv": ["asx_code,company_name,is_active", "BIG,BIG ORE LIMITED,true"],
})
await load("tenements", {
  "tenements.csv": [
    "id,tenement_id,state,status,type,holder_name,area_km2,geometry",
    `WA-M1,M1,WA,granted,mining,BIG ORE LIMITED,106,${square(121, -31)}`,
    `WA-M2,M2,WA,pending,mining,Other Pty Ltd,106,${square(121.15, -31)}`,
    `WA-M3,M3,WA,granted,mining,BIG ORE LIMITED,106,${square(128, -20)}`,
    "WA-M4,M4,WA,granted,mining,BIG ORE LIMITED,,",
  ],
})

const box = "bbox=120.5,-31.5,122,-30.5"
const idsOf = (page: string) => cellsOf(page).map(([id]) => id)

test("The map has the list of its filters in the box in view, and the list has the same with one link", async () => {
  const map = await person.read(`/explore/map?status=granted&${box}`)
  expect(leadOf(map)).toBe(
    "1 tenement with the status “granted” in 120.50–122.00° E, 30.50–31.50° S, at release 3",
  )
  expect(idsOf(map)).toEqual(["M1"])
  const names = [...map.matchAll(/<(?:nav|section|div)\b[^>]* aria-label="([^"]*)"/g)]
  expect(names.map(([, name]) => name).filter((name) => name === "Map")).toHaveLength(1)
  const path = linkTo(map, "List") ?? ""
  expect(path).toBe("/explore/tenements?status=granted&bbox=120.5%2C-31.5%2C122%2C-30.5")
  const list = await person.read(path)
  expect([leadOf(list), idsOf(list)]).toEqual([leadOf(map), ["M1"]])
  expect(linkTo(list, "Map")).toBe(path.replace("tenements", "map"))
  const changes = linkTo(map, "Changes") ?? ""
  expect(changes).toContain("bbox=")
  await person.read(changes)
  expect(await person.read(`/explore/map?near=-30.75,121.47,50`)).toContain(
    "within 50 km of Kalgoorlie",
  )
})

test("A list by place, and the map, count the tenements that they leave out because their shape is unknown", async () => {
  const wordsOn = async (path: string) =>
    /\d+ tenement has [^.]* not shown\./.exec(textOf(await person.read(`/explore/${path}`)))?.[0]
  const words = "1 tenement has no known shape and is not shown."
  for (const query of [box, "near=Perth", `near=Perth&${box}`]) {
    for (const list of [
      "tenements?status=granted&",
      "companies/BIG/tenements?",
      "map?status=granted&",
    ]) {
      expect([list, query, await wordsOn(list + query)]).toEqual([list, query, words])
    }
  }
  expect(await wordsOn("map?status=granted")).toBe(words)
  expect(await wordsOn("tenements?status=granted")).toBeUndefined()
  expect(await wordsOn(`map?status=pending&${box}`)).toBeUndefined()
})

test.each([
  "-30.75, 121.47, 50",
  " -30.75 ,121.47,  50 ",
  "-30.75 121.47 50km",
  "-30.75, 121.47, 50 KM",
  "Kalgoorlie",
  "kalgoorlie ",
  "Kalgoorlie, 50 km",
])("A person may write a circle as %j", async (near) => {
  const query = new URLSearchParams({ near })
  const map = await person.read(`/explore/map?${query}`)
  expect(leadOf(map)).toBe("2 tenements within 50 km of Kalgoorlie, at release 3")
  expect(linkTo(map, "List")).toBe("/explore/tenements?near=-30.75%2C121.47%2C50")
  await person.read(`/explore/changes/tenements?${query}`)
  const points = await person.read(`/explore/map.tsv?${query}&fields=id`)
  expect(points.split(/\s+/)).toEqual(["id", "WA-M1", "WA-M2", ""])
  expect((await service.get(`/tenements?${query}`)).status).toBe(400)
})

test("A circle around a town has the distance that a person writes; an unknown place names the forms", async () => {
  const listAround = (near: string, status = 200) =>
    person.read(`/explore/tenements?${new URLSearchParams({ near })}`, status)
  for (const near of ["mount isa 20km", "Mount Isa,20", "Mount Isa 20 km"]) {
    expect(leadOf(await listAround(near))).toContain("within 20 km of Mount Isa,")
  }
  for (const near of ["Nowhere", "Mount Ida 20km", "121.47 E, 30.75 S, 20"]) {
    const page = await listAround(near, 400)
    expect(faultAt(page, "near")).toBe(
      "Must be a town of the list, such as Kalgoorlie, a town and a distance, such as Kalgoorlie 20 km, the identifier of a tenement and a distance, such as WA-E47-1234 10 km, or latitude, longitude and km, such as -30.75, 121.47, 20",
    )
    expect(page).toContain(`value="${near}"`)
  }
  for (const near of ["-30.75", "-30.75, 121.47", "-30,,75, 121.47"]) {
    expect(faultAt(await listAround(near, 400), "near")).toContain("three decimal numbers")
  }
  expect(faultAt(await listAround("121.47 -30.75 20", 400), "near")).toContain("swapped?")
})

test("The ground around a tenement is that around its shape, which the map draws", async () => {
  const link = linkTo(await person.read("/explore/tenements/WA-M1"), "Around this tenement (10 km)")
  expect(link).toBe("/explore/tenements?near=WA-M1%2C10")
  expect(leadOf(await person.read(link ?? ""))).toBe(
    "2 tenements within 10 km of WA-M1, at release 3",
  )
  const query = new URLSearchParams({ near: " WA-M1 1 km" })
  const map = await person.read(`/explore/map?${query}`)
  expect([leadOf(map), idsOf(map)]).toEqual([
    "1 tenement within 1 km of WA-M1, at release 3",
    ["M1"],
  ])
  expect(map).toMatch(/ data-area="\[\[\[-3\d+\.\d+,12\d+\.\d+\],/)
  expect(await person.read(`/explore/map?near=Perth`)).not.toContain("data-area")
  for (const [near, message] of [
    ["WA-M9 5", "No tenement has the id WA-M9 at release 3"],
    ["WA-M4, 5", "The shape of WA-M4 is not known"],
  ] as const) {
    const page = await person.read(`/explore/tenements?${new URLSearchParams({ near })}`, 400)
    expect(faultAt(page, "near")).toBe(message)
  }
})

test("Lists of tenements, and pages of a tenement, a company and a holder, link to their map", async () => {
  const linkOn = async (path: string, text: string) => linkTo(await person.read(path), text) ?? ""
  for (const [path, text, expected] of [
    ["/explore/companies/BIG/tenements?status=granted", "Map", ["M1", "M3", "M4"]],
    ["/explore/companies/BIG", "Map", ["M1", "M3", "M4"]],
    ["/explore/holders/BIG%20ORE%20LIMITED", "Map", ["M1", "M3", "M4"]],
    ["/explore/tenements/WA-M1", "Map", ["M1", "M2"]],
  ] as const) {
    const link = await linkOn(path, text)
    expect([path, idsOf(await person.read(link.replace(/#.*/, "")))]).toEqual([path, [...expected]])
  }
  expect(await linkOn("/explore/tenements/WA-M1", "Map")).toEndWith("#id=WA-M1")
  expect(await linkOn("/explore/tenements/WA-M4", "Map")).toBe("")
})

test("Points and shapes are the API's own exports, counted like pages, and the browser keeps them", async () => {
  const fields = "fields=id,latitude,longitude,status"
  const usedBefore = await used()
  const points = await person.get(`/explore/map.tsv?as_of=3&${fields}`)
  const api = await service.get(`/tenements?as_of=3&${fields}&format=tsv&all=true`)
  expect(await points.text()).toBe(await api.text())
  const shapes = await person.get(`/explore/map.geojson?as_of=3&${box}`)
  expect(shapes.headers.get("x-total-count")).toBe("2")
  const { features } = Object(await shapes.json())
  expect(features.map(({ id }: { id: string }) => id)).toEqual(["WA-M1", "WA-M2"])
  for (const { headers } of [points, shapes]) {
    expect(headers.get("cache-control")).toBe("private, max-age=3600")
    expect(headers.get("vary")).toBe("Cookie, Accept-Encoding")
  }
  expect(await used()).toBe(usedBefore + 2)
})

test("The map exports its tenements as GeoJSON, with its filters and box", async () => {
  const map = await person.read(`/explore/map?status=granted&${box}&per_page=25`)
  const file = await person.get(linkTo(map, "Download GeoJSON") ?? "")
  expect(file.headers.get("content-disposition")).toMatch(
    /filename="tenements-status-granted-bbox-.*\.geojson"/,
  )
  expect(Object(await file.json()).features.map(({ id }: { id: string }) => id)).toEqual(["WA-M1"])
  expect(await person.read("/explore/tenements")).not.toContain("GeoJSON")
})

test("A tenement's page draws its shape at the release, with its size", async () => {
  const page = await person.read("/explore/tenements/WA-M1?as_of=3")
  const [, line = ""] = /<path d="M([\d L]+)Z"\/>/.exec(page) ?? []
  expect(new Set(line.split("L"))).toEqual(new Set(["0 0", "0 320", "274 320", "274 0"]))
  expect(textOf(page)).toContain("9.5 km from west to east, 11 km from south to north.")
  expect(await person.read("/explore/tenements/WA-M4")).not.toContain("<h2>Shape</h2>")
})

async function used(): Promise<number> {
  const response = await service.get("/usage", { token: service.tokens.standard })
  return Object(await response.json()).data.used
}

test("Only the page of the map may load images from the host of MAP_TILES, and credits it", async () => {
  const policyAt = async (of: typeof person, path: string) =>
    (await of.get(path)).headers.get("content-security-policy") ?? ""
  const plain = await policyAt(person, "/explore/map")
  expect(plain).toContain("img-src 'self' data:;")
  await using tiled = await testService({
    settings: {
      MAP_TILES: "https://tiles.example.com:8443/{z}/{x}/{y}@2x.png",
      MAP_ATTRIBUTION: "© [Example <Maps>](https://example.com/terms)",
    },
  })
  const visitor = await signedInVisitor(tiled, "standard@example.com")
  expect(await policyAt(visitor, "/explore/map")).toBe(
    plain.replace("data:;", "data: https://tiles.example.com:8443;"),
  )
  expect(await policyAt(visitor, "/explore/tenements")).toBe(plain)
  const page = await visitor.read("/explore/map")
  expect(page).toContain('© <a href="https://example.com/terms">Example &lt;Maps&gt;</a>')
})

test("Leaflet is served with its licence", async () => {
  const page = await person.read("/explore/map")
  for (const [path] of page.matchAll(/\/assets\/leaflet\.[^"]+/g)) {
    const text = await (await fetch(service.url + path)).text()
    expect(text).toStartWith("/*!\nBSD 2-Clause License")
    expect(text).not.toContain("sourceMappingURL")
  }
})

test("The coast of the map is that of the atlas", async () => {
  const file = Bun.file(new URL("../../../src/web/pages/assets/australia.json", import.meta.url))
  expect(await file.json()).toEqual(await australia())
})

test("A changed shape is among the changes of its record, without its digest", async () => {
  const columns = "id,tenement_id,state,status,type,holder_name,area_km2,geometry"
  const moved = `WA-M3,M3,WA,granted,mining,BIG ORE LIMITED,106,${square(128.5, -20)}`
  await load("tenements", { "moved.csv": [columns, moved] }, { partial: true })
  for (const [path, caption] of [
    ["/explore/changes/tenements", "Added or changed"],
    ["/explore/tenements/WA-M3", "History"],
  ] as const) {
    const shown = cellsOf(await person.read(path), caption)
      .flat()
      .join(" ")
    expect(shown).toContain("Shape")
    expect(shown).not.toMatch(/geometry|[\w-]{20}/)
  }
  // Of the same record, the point inside the shape changed too.
  const ofShape = linkTo(await person.read("/explore/changes/tenements"), "Shape 1") ?? ""
  expect(ofShape).toEndWith("changed=latitude%2Clongitude%2Cgeometry")
  expect(await person.read(ofShape)).toContain("<h2>Added or changed: 1 tenement</h2>")
})
