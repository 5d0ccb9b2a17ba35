/** The file of addresses is read strictly, and each fault is named with its place. */
import { expect, test } from "bun:test"
import {
  entryHeaders,
  kinds,
  parseSourcesFile,
  publicAddress,
  readSourcesFile,
  withoutSecrets,
} from "../../../src/ingest/fetching/sources-file.ts"

const faults = (content: unknown): string[] => {
  try {
    parseSourcesFile(typeof content === "string" ? content : JSON.stringify(content), "s.json")
  } catch (error) {
    if (error instanceof Error) return error.message.split("\n")
  }
  return []
}

const url = "https://example.test/a.csv"

test("Each kind of entry is read with its fields", () => {
  const content = {
    "asx-directory": { kind: "file", url, every: 12, licence: "CC BY 4.0", attribution: "© X" },
    sa: { kind: "file", url: [url, `${url}2`], headers: { "X-Key": "SA_KEY" }, crs: "EPSG:4283" },
    wa: { kind: "arcgis", url: "https://example.test/MapServer/3", where: "1=1", page_size: 500 },
    nt: { kind: "wfs", url: "https://example.test/wfs", type_name: "a:b", sort_by: "id" },
  }
  const read = parseSourcesFile(JSON.stringify(content), "s.json")
  expect(read.map(({ source, entry }) => [source.name, entry.kind])).toEqual([
    ["asx-directory", "file"],
    ["sa", "file"],
    ["wa", "arcgis"],
    ["nt", "wfs"],
  ])
})

test("Every error is reported with its place", () => {
  expect(
    faults({
      "asx-dirctory": { kind: "file", url },
      wa: { kind: "ftp", url },
      sa: { kind: "file", url, evry: 1, every: "daily" },
      nt: { kind: "wfs", url, type_name: "" },
      qld: { kind: "file" },
      vic: { kind: "file", url: "ftp://example.test/a" },
      tas: { kind: "file", url: "https://me:secret@example.test/a" },
      nsw: 3,
      tenements: { kind: "file", url, crs: "GDA94", without_shapes: 1 },
      companies: { kind: "file", url, crs: "EPSG:4202" },
      reports: { kind: "file", url, public_address: "a page" },
      subsidiaries: { kind: "file", url, public_address: `${url}?key=x` },
    }),
  ).toEqual([
    "Cannot use s.json:",
    expect.stringContaining(
      'asx-dirctory: Unknown source "asx-dirctory" (did you mean "asx-directory"?)',
    ),
    'wa.kind: must be "file", "arcgis" or "wfs"',
    "sa.evry: Unexpected property",
    "sa.every: Expected number",
    "nt.sort_by: Expected required property",
    "nt.type_name: Expected string length greater or equal to 1",
    ...["qld", "vic", "tas"].map(
      (source) =>
        `${source}.url: must be an http or https address without user and password, or a list of such`,
    ),
    'nsw.kind: must be "file", "arcgis" or "wfs"',
    "tenements.crs: must be a known coordinate reference system, such as EPSG:28355",
    "tenements.without_shapes: Expected boolean",
    "companies.crs: must be a known coordinate reference system, such as EPSG:28355",
    ...["reports", "subsidiaries"].map(
      (source) =>
        `${source}.public_address: must be an http or https address without user and password, query and fragment`,
    ),
  ])
})

test("The error says whether the file is missing, not JSON or not an object", async () => {
  expect(faults("{")[0]).toStartWith("Cannot use s.json: it is not valid JSON (")
  expect(faults("[]")[0]).toBe("Cannot use s.json: it must be an object with a source in each name")
  await expect(readSourcesFile("/nowhere/sources.json")).rejects.toThrow(
    "Cannot read /nowhere/sources.json: no such file. List the sources to fetch in it",
  )
})

test("An entry's header names a variable, never a value", () => {
  const entry = { headers: { Authorization: "TOKEN" } }
  expect(entryHeaders(entry, { TOKEN: "Bearer x" })).toEqual({ Authorization: "Bearer x" })
  expect(() => entryHeaders(entry, {})).toThrow("Cannot send Authorization: TOKEN is not set")
})

test("A message contains no secret or part of a secret", () => {
  const entry = {
    kind: "file",
    url: "https://a.test/f?key=query%20secret&such=1",
    headers: { Authorization: "TOKEN" },
  } as const
  const shown = (message: string) => withoutSecrets(message, entry, { TOKEN: "Bearer 0123456789" })
  expect(shown("no Bearer 0123456789, 0123456789")).toBe("no …, …")
  expect(shown("no query%20secret, query secret")).toBe("no …, …")
  expect(shown("no such 01234567…")).toBe("no such …")
})

test("Only the scheme, host and port of a public address are shown", () => {
  const shown = (entry: object) => {
    const content = JSON.stringify({ sa: { kind: "file", ...entry } })
    const [only] = parseSourcesFile(content, "s.json")
    return only && publicAddress(only.entry)
  }
  expect(shown({ url: "https://a.test:8443/api/secret/f.csv?key=secret" })).toBe(
    "https://a.test:8443",
  )
  expect(shown({ url: [url, `${url}2`] })).toBe("https://example.test")
  expect(shown({ url: [url, "https://other.test/a.csv"] })).toBeNull()
  for (const host of ["127.0.0.1", "10.1.2.3", "[::1]", "localhost:8080", "register"]) {
    expect([host, shown({ url: `http://${host}/a.csv` })]).toEqual([host, null])
  }
  const public_address = "https://example.test/catalogue/sa"
  expect(shown({ url: "http://register/a.csv", public_address })).toBe(public_address)
})

test("The guide's example is such a file, and its table has every name", async () => {
  const guide = await Bun.file(new URL("../../../src/web/guide/fetch.md", import.meta.url)).text()
  const [, example = ""] = /```json\n(.*?)^```/ms.exec(guide) ?? []
  const read = parseSourcesFile(example, "the guide")
  expect(read.map(({ source }) => source.name)).toEqual(["asx-directory", "wa", "nsw"])
  const [, table = ""] = /^\| name .*?\n(.*?)\n\n/ms.exec(guide) ?? []
  const named = table
    .split("\n")
    .flatMap((row) =>
      [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name = ""]) => name),
    )
  const names = Object.values(kinds).flatMap(({ properties }) => Object.keys(properties))
  expect(named.sort()).toEqual([...new Set(names)].sort())
})
