/** Archives of a newer pg_dump than the one at hand are read too. */
import { expect, test } from "bun:test"
import { readArchive } from "../../src/backup/read-archive.ts"

// By pg_dump 18.3 with --format=custom, of three tables made for it.
const file = Bun.file(new URL("pg_dump-18.3.dump", import.meta.url))

test("an archive of pg_dump 18 is read with its entries and its data", async () => {
  const archive = await readArchive(file.stream())
  const { serverVersion, writer, entries } = archive.head
  expect([serverVersion, writer]).toEqual(["18.3", "18.3"])
  expect(entries.find(({ kind }) => kind === "SEQUENCE SET")?.definition).toBe(
    "SELECT pg_catalog.setval('drizzle.__drizzle_migrations_id_seq', 1, true);\n",
  )
  const data: unknown[] = []
  for await (const { entry, text } of archive.data()) {
    let read = ""
    for await (const chunk of text) read += Buffer.from(chunk)
    data.push([entry.schema, entry.name, entry.copy, read])
  }
  const end = "\\.\n\n\n"
  expect(data).toEqual([
    [
      "drizzle",
      "__drizzle_migrations",
      "COPY drizzle.__drizzle_migrations (id, hash, created_at) FROM stdin;\n",
      `1\tab\t1795216877535\n${end}`,
    ],
    [
      "public",
      "accounts",
      "COPY public.accounts (id, email) FROM stdin;\n",
      `1\tx1\\t\\\\\n2\tx2\\t\\\\\n3\tx3\\t\\\\\n${end}`,
    ],
    ["public", "releases", "COPY public.releases (id) FROM stdin;\n", end],
  ])
  expect(await archive.checkEnd()).toBe(false)
})

test("an archive that is compressed with what cannot be read is refused with what can", async () => {
  for (const [number, name] of [
    [2, "lz4"],
    [3, "zstd"],
  ] as const) {
    const bytes = Buffer.from(await file.bytes())
    bytes[11] = number
    const reading = readArchive(new Blob([bytes]).stream())
    await expect(reading).rejects.toThrow(
      `it is compressed with ${name}; make it with --compress=gzip`,
    )
  }
})
