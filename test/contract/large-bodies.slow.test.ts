/** Bodies of more than 1 MB go at the pace of their clients, and few of one account at once. */
import { expect, test } from "bun:test"
import { randomBytes } from "node:crypto"
import { none } from "../support/fixtures.ts"
import { serviceOfFile } from "../support/service.ts"
import { until } from "../support/until.ts"
import { collect, opened, parseAnswer, requestText } from "./raw-http.ts"

const service = await serviceOfFile({ records: none })
const { sql } = service
// More than the buffers of the system hold.
const digits = 12 * 1024 ** 2
await sql`insert into shape_parts
  values ('huge', 0, repeat('7', ${digits}), '((0,0),(1,0),(1,1))', '{}')`
await sql`insert into tenements (id, tenement_id, state, holder_keys, source, since_release, geometry)
  values ('D', 'D', 'WA', '{}', 'test', 1, 'huge')`

const path = "/tenements/D?fields=id,geometry"
const shape = "7".repeat(digits)

/** Asks for the shape, and reads no more than its beginning unless it reads on. */
async function stalled(token: string) {
  const socket = await opened(service.port)
  const received = collect(socket)
  let isBegun = false
  socket.once("data", () => {
    isBegun = true
    socket.pause()
  })
  socket.write(requestText(`/api/v1${path}`, { Authorization: `Bearer ${token}` }))
  return {
    socket,
    isBegun: () => isBegun,
    whole: async () => {
      socket.resume()
      await until(() => parseAnswer(received.bytes())?.complete === true)
      return parseAnswer(received.bytes())
    },
  }
}

test("An account has twelve large bodies at once, and a further one begins when one of them ends", async () => {
  const all = await Promise.all(Array.from({ length: 12 }, () => stalled(service.tokens.admin)))
  try {
    for (const { isBegun } of all) await until(isBegun)
    const waiting = [await stalled(service.tokens.admin), await stalled(service.tokens.admin)]
    all.push(...waiting)
    const begun = () => waiting.filter(({ isBegun }) => isBegun()).length
    const other = await service.get(path, { token: service.tokens.standard })
    expect(await other.text()).toContain(shape)
    expect((await service.get("/tenements")).status).toBe(200)
    expect(begun()).toBe(0)
    // A client that has left, or has read all, frees its place.
    all[0]?.socket.destroy()
    await until(() => begun() === 1)
    expect((await all[1]?.whole())?.body).toContain(shape)
    await until(() => begun() === 2)
    expect((await waiting[0]?.whole())?.status).toBe(200)
    expect((await waiting[1]?.whole())?.status).toBe(200)
  } finally {
    for (const { socket } of all) socket.destroy()
  }
}, 60_000)

test.each(["identity", "gzip", "zstd"])(
  "HEAD of a large body has the headers of GET (%s)",
  async (coding) => {
    const random = randomBytes(2 * 1024 ** 2).toString("base64")
    await sql`insert into shape_parts
      values (${coding}, 0, ${random}, '((0,0),(1,0),(1,1))', '{}')`
    await sql`insert into tenements (id, tenement_id, state, holder_keys, source, since_release, geometry)
      values (${coding}, ${coding}, 'WA', '{}', 'test', 1, ${coding})`
    const headersOf = async (method: string) => {
      const headers = { "Accept-Encoding": coding }
      const response = await service.get(`/tenements/${coding}?fields=geometry`, {
        method,
        headers,
      })
      await response.arrayBuffer()
      const names = [
        "content-length",
        "content-encoding",
        "transfer-encoding",
        "content-type",
        "etag",
      ]
      return Object.fromEntries(names.map((name) => [name, response.headers.get(name)]))
    }
    const got = await headersOf("GET")
    expect(got).toMatchObject({
      "content-length": null,
      "content-encoding": coding === "identity" ? null : coding,
      "transfer-encoding": "chunked",
    })
    expect(await headersOf("HEAD")).toEqual(got)
    const again = await service.get(`/tenements/${coding}?fields=geometry`, {
      headers: { "If-None-Match": got.etag ?? "" },
    })
    expect(again.status).toBe(304)
  },
)
