/**
 * A copy of a list that deletes what `removed_since` lists and stores what `updated_since` lists is the
 * list, whatever its filters and however its records change.
 */

import { expect, test } from "bun:test"
import { seeded } from "../../src/sample/random.ts"
import { fileLoader } from "../ingest/loading/file-loader.ts"
import { none } from "../support/fixtures.ts"
import { serviceOfFile } from "../support/service.ts"
import { readList, releaseOf, type Shown } from "./bodies.ts"

const random = seeded(22)
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
const happens = (probability: number): boolean => random() < probability

const companies = ["Alpha", "Beta", "Gamma"]
const codeOf = (name: string): string => name.slice(0, 3).toUpperCase()

/** Draws the rows of a register's next file. Most records stay as they were. */
const registers: Record<string, () => string[]> = {
  companies: () => [
    "asx_code,company_name,gics_sector,is_active",
    ...companies.map((name) => {
      const sector = pick(["Materials", "Energy"])
      return `${codeOf(name)},${name} Mining Ltd,${sector},${happens(0.7)}`
    }),
  ],
  tenements: () => [
    "id,tenement_id,state,status,holder_name,geometry",
    ...keep("T", 30, () => {
      const holder = happens(0.2) ? "Nobody" : `${pick(companies)} Mining Ltd`
      const [west, south] = [pick([115, 116, 117]), pick([-33, -32, -31])]
      const corners = [0, 1, 2].map((at) => `${west + (at % 2) / 2} ${south + (at > 1 ? 0.5 : 0)}`)
      const shape = `"POLYGON((${[...corners, corners[0]].join()}))"`
      return `E1/1,${pick(["WA", "SA"])},${pick(["granted", "pending"])},${holder},${shape}`
    }),
  ],
  reports: () => [
    "hash,asx_code,title,type,published_at",
    ...keep("r", 30, () => {
      const title = pick(["Quarterly gold", "Annual iron"])
      const at = `2026-01-0${1 + Math.floor(random() * 9)}T00:00:00Z`
      return `${codeOf(pick(companies))},${title},${pick(["Quarterly", "Annual"])},${at}`
    }),
  ],
}

const rows = new Map<string, string>()

function keep(prefix: string, count: number, draw: () => string): string[] {
  const keys = Array.from({ length: count }, (_, index) => `${prefix}${index}`)
  return keys
    .filter(() => happens(0.85))
    .map((key) => {
      const row = happens(0.75) ? (rows.get(key) ?? draw()) : draw()
      rows.set(key, row)
      return `${key},${row}`
    })
}

const service = await serviceOfFile({ records: none })

const load = fileLoader(service)

async function publishNext(): Promise<void> {
  const source = pick(Object.keys(registers))
  await load(
    source,
    { "rows.csv": registers[source]?.() ?? [] },
    { acceptShrink: true, acceptMoved: true },
  )
}

interface Copy {
  path: string
  key: string
  release: number
  records: Map<unknown, Shown>
}

async function read(path: string): Promise<{ release: number; data: Shown[] }> {
  const response = await service.get(path)
  expect([path, response.status]).toEqual([path, 200])
  const { data } = await readList(response)
  return { release: releaseOf(response), data }
}

const copyOf = (path: string, key: string): Copy => ({ path, key, release: 0, records: new Map() })

/** Lists with filters that are drawn, and those of companies. */
const copies = [
  copyOf("/companies?per_page=100", "asx_code"),
  copyOf("/companies?per_page=100&active=false&sector=Energy", "asx_code"),
  copyOf("/tenements?per_page=100", "id"),
  copyOf("/companies/ALP/tenements?per_page=100", "id"),
  copyOf("/companies/BET/tenements?per_page=100&state=WA&status=granted", "id"),
  copyOf("/reports?per_page=100&company=GAM", "hash"),
  copyOf("/reports?per_page=100&search=gold&type=annual&from=2026-01-03", "hash"),
  copyOf("/tenements?per_page=100&bbox=115,-33,116,-31.2", "id"),
  copyOf("/companies/ALP/tenements?per_page=100&near=-31.5,116.5,60", "id"),
  ...Array.from({ length: 6 }, () => {
    const filters = [
      happens(0.5) && `&state=${pick(["WA", "SA"])}`,
      happens(0.5) && `&status=${pick(["granted", "pending"])}`,
      happens(0.5) && `&bbox=${pick(["114,-32.2,116.2,-30", "116.4,-34,118,-31.7"])}`,
      happens(0.5) && `&holder=${pick(["alpha", "bet", "min", "no"])}`,
      happens(0.3) && `&held_by=${pick(["alpha mining limited", "BETA MINING LTD", "nobody"])}`,
    ]
    return copyOf(`/tenements?per_page=100${filters.filter(Boolean).join("")}`, "id")
  }),
]

async function bringUpToDate(copy: Copy): Promise<void> {
  const { path, key, release, records } = copy
  const now = await read(path)
  const at = `&as_of=${now.release}`
  for (const record of (await read(`${path}&removed_since=${release}${at}`)).data) {
    records.delete(record[key])
  }
  for (const record of (await read(`${path}&updated_since=${release}${at}`)).data) {
    records.set(record[key], record)
  }
  copy.release = now.release
  const sorted = (list: Iterable<Shown>) =>
    [...list].sort((a, b) => String(a[key]).localeCompare(String(b[key])))
  expect([path, release, sorted(records.values())]).toEqual([path, release, sorted(now.data)])
}

test("Copies of random lists stay exact through 80 random releases", async () => {
  // The lists of a company exist once it is loaded.
  while ((await service.get("/companies/ALP")).status === 404) await publishNext()
  for (let release = 0; release < 80; release++) {
    await publishNext()
    for (const copy of copies) if (happens(0.2)) await bringUpToDate(copy)
  }
  for (const copy of copies) await bringUpToDate(copy)
}, 180_000)
