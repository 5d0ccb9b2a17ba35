/**
 * A cached response equals a new one, byte for byte, and never spares a request
 * its token or its window. `Cache-Status` (RFC 9211) tells which is which.
 */
import { expect, test } from "bun:test"
import { setDisabled } from "../../src/accounts/access/accounts.ts"
import { seeded } from "../../src/sample/random.ts"
import { awkward, type Fixtures } from "../support/fixtures.ts"
import { serviceOfFile } from "../support/service.ts"

const service = await serviceOfFile()
const plain = await serviceOfFile({ beside: service, settings: { CACHE_MEMORY_MB: "0" } })

const statusOf = ({ headers }: Response) => headers.get("cache-status")

test.each([
  "/tenements?state=WA",
  "/tenements?state=WA&format=csv",
  "/companies/BIG",
  "/companies/BIG/tenements",
])("The response of %s is cached in every content coding", async (path) => {
  const first = await service.get(path, { headers: { "Accept-Encoding": "identity" } })
  const body = await first.text()
  expect([first.status, statusOf(first)]).toEqual([200, "mds; fwd=miss"])
  for (const coding of ["identity", "gzip", "zstd"]) {
    const again = await service.get(path, { headers: { "Accept-Encoding": coding } })
    expect([statusOf(again), await again.text()]).toEqual(["mds; hit", body])
    const headers = { "If-None-Match": again.headers.get("etag") ?? "" }
    const known = await service.get(path, { headers })
    expect([known.status, statusOf(known)]).toEqual([304, "mds; hit"])
  }
  const otherwise = await service.get(`${path}${path.includes("?") ? "&" : "?"}_=1`)
  expect([statusOf(otherwise), await otherwise.text()]).toEqual(["mds; hit", body])
})

test("The metrics count the hits, the misses and the bytes of the cache", async () => {
  const read = async () => {
    const text = await (await fetch(`${service.url}/metrics`)).text()
    const readingOf = (name: string) =>
      Number(
        text
          .split("\n")
          .find((line) => line.startsWith(`${name} `))
          ?.split(" ")[1],
      )
    return {
      hits: readingOf('mds_response_cache_lookups_total{result="hit"}'),
      misses: readingOf('mds_response_cache_lookups_total{result="miss"}'),
      bytes: readingOf('mds_cache_bytes{cache="responses"}'),
    }
  }
  const before = await read()
  for (let request = 0; request < 3; request++) await service.get("/tenements?state=SA")
  const after = await read()
  expect([after.hits - before.hits, after.misses - before.misses]).toEqual([2, 1])
  expect(after.bytes).toBeGreaterThan(before.bytes)
})

test("Exports and errors are not cached", async () => {
  for (const path of ["/reports?format=csv&all=true", "/companies/NONE", "/companies?page=0"]) {
    await service.get(path)
    expect(statusOf(await service.get(path))).not.toBe("mds; hit")
  }
})

test("Comparisons with a point in time are not cached", async () => {
  const path = "/companies?updated_since=2026-01-01"
  const ask = async () => {
    const { status, headers } = await service.get(path)
    return [status, headers.get("cache-status")]
  }
  expect([await ask(), await ask()]).toEqual([
    [200, "mds; fwd=bypass"],
    [200, "mds; fwd=bypass"],
  ])
})

test("Only valid tokens get a cached response", async () => {
  const path = "/reports?per_page=7"
  await service.get(path)
  const revoked = await service.issue("revoked@example.com")
  const disabled = await service.issue("disabled@example.com")
  for (const token of [revoked, disabled]) {
    expect(statusOf(await service.get(path, { token }))).toBe("mds; hit")
  }
  await service.revoke(revoked)
  await setDisabled(service.editor, "disabled@example.com", true)
  for (const token of [revoked, disabled, null, "nonsense"]) {
    const refused = await service.get(path, { token })
    expect([refused.status, statusOf(refused)]).toEqual([401, null])
    expect(await refused.json()).toMatchObject({ error: { code: "UNAUTHORIZED" } })
  }
})

/** Records whose values differ from release to release, so that no two releases have a body in common. */
const recordsOf = (release: number): Fixtures => ({
  ...awkward,
  companies: awkward.companies.map((company) => ({
    ...company,
    gics_industry_group: `Group ${release}`,
  })),
  tenements: awkward.tenements.map((tenement) => ({ ...tenement, type: `Type ${release}` })),
  subsidiaries: awkward.subsidiaries.map((each) => ({ ...each, country: `Country ${release}` })),
  reports: awkward.reports.map((report) => ({ ...report, title: `${report.title} ${release}` })),
})

/** Paths, some with an `Accept` that asks for the same format as another path's parameter. */
const mixed: readonly (readonly [path: string, accept?: string])[] = [
  ["/companies"],
  ["/companies?sort=market_cap&order=desc&per_page=2"],
  ["/companies?sort=market_cap&order=desc&per_page=2&page=2"],
  ["/companies?active=false&format=tsv"],
  ["/companies/BIG"],
  ["/companies/OLDCO"],
  ["/companies/BIG/tenements?per_page=1&page=2"],
  ["/companies/BIG/subsidiaries?format=csv"],
  ["/tenements?per_page=3"],
  ["/tenements?per_page=3&page=2"],
  ["/tenements?per_page=3&page=3&format=csv&bom=true"],
  ["/tenements?state=WA&format=csv&formula_guard=false"],
  ["/tenements?holder=a"],
  ["/tenements/NT-1"],
  ["/reports?per_page=2"],
  ["/reports?per_page=2&page=2"],
  ["/reports?search=a&format=tsv"],
  ["/reports/a1"],
  ["/releases?per_page=1"],
  ["/tenements?per_page=3", "text/csv"],
  ["/tenements?per_page=3&format=csv"],
  ["/reports?per_page=2&format=json", "text/csv"],
]

/** Of each response: that of this request, of this moment and of the cache is left out. */
async function shownBy(response: Response) {
  const ofThisRequest =
    /^(x-request-id|date|cache-status|ratelimit.*|x-ratelimit-.*|content-length)$/
  const headers = [...response.headers].filter(([name]) => !ofThisRequest.test(name)).sort()
  return { status: response.status, headers, body: await response.text() }
}

test("3,000 requests while releases are published get the responses of a process without caches", async () => {
  const rounds = 6
  const requestsOfRound = 500
  const random = seeded(10)
  const expected = new Map<string, Awaited<ReturnType<typeof shownBy>>>()
  const seen: { target: string; shown: Awaited<ReturnType<typeof shownBy>> }[] = []
  let hits = 0

  /** What the process without caches gives at the newest release. */
  async function note(round: number): Promise<void> {
    for (const [path, accept = "*/*"] of mixed) {
      const joint = path.includes("?") ? "&" : "?"
      // Of no page sequence, so of the newest release.
      const target = `${path}${joint}_=${round}`
      const shown = await shownBy(await plain.get(target, { headers: { Accept: accept } }))
      for (const header of shown.headers) header[1] = header[1].replaceAll(`&_=${round}>`, ">")
      expected.set(`${path} ${accept} ${releaseOf(shown)}`, shown)
    }
  }
  const releaseOf = ({ headers }: { headers: [string, string][] }) =>
    headers.find(([name]) => name === "x-data-release")?.[1]

  function expectedOf(target: string, shown: Parameters<typeof releaseOf>[0]) {
    const found = expected.get(`${target} ${releaseOf(shown)}`)
    if (!found) throw new Error(`No release ${releaseOf(shown)} of ${target} was published`)
    return found
  }

  async function client(requests: number): Promise<void> {
    for (let request = 0; request < requests; request++) {
      const [path, accept = "*/*"] = mixed[Math.floor(random() * mixed.length)] ?? [""]
      const headers = { Accept: accept }
      const response = await service.get(path, { headers })
      if (statusOf(response) === "mds; hit") hits++
      const shown = await shownBy(response)
      seen.push({ target: `${path} ${accept}`, shown })
      if (random() >= 0.2) continue
      const known = { ...headers, "If-None-Match": response.headers.get("etag") ?? "" }
      expect([200, 304]).toContain((await service.get(path, { headers: known })).status)
    }
  }

  await service.publish(recordsOf(0))
  await note(0)
  for (let round = 1; round <= rounds; round++) {
    const clients = Array.from({ length: 10 }, () => client(requestsOfRound / 10))
    await service.publish(recordsOf(round))
    await note(round)
    await Promise.all(clients)
  }
  expect(seen.length).toBe(rounds * requestsOfRound)
  for (const { target, shown } of seen) {
    expect({ target, shown }).toEqual({ target, shown: expectedOf(target, shown) })
  }
  // Otherwise little was compared.
  expect(hits).toBeGreaterThan(seen.length / 2)
})
