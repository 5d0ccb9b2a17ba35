/**
 * Malformed HTTP/1.1 (RFC 9112), sent byte by byte, gets a 4xx or a closed connection, and harms no
 * other request.
 */
import { expect, test } from "bun:test"
import { afterFile } from "../support/of-file.ts"
import { serviceOfFile } from "../support/service.ts"
import { until } from "../support/until.ts"
import { collect, opened, sendRaw } from "./raw-http.ts"

const service = await serviceOfFile()
afterFile(() => {
  expect(service.logLines.filter((line) => line.includes("request failed"))).toEqual([])
})

/** A request with a valid token. */
const get = (lines = "Host: a", target = "/api/v1/companies", version = "HTTP/1.1") =>
  `GET ${target} ${version}\r\n${lines}${lines && "\r\n"}AUTH\r\n\r\n`

test.each([
  ["HTTP/1.0 without a Host", get("", undefined, "HTTP/1.0")],
  ["HTTP/1.0 with a Host", get("Host: x", undefined, "HTTP/1.0")],
  ["an empty Host", get("Host:")],
  ["a short Host", get()],
  ["a Host with a port", get("Host: a:1")],
  ["a Host of blanks", get("Host: a b")],
  ["a Host with a path", get("Host: a/b?c#d")],
  ["a Host that is no name", get("Host: [::1")],
  ["a Host of commas", get("Host: ,,%00,@")],
  ["a port out of range", get("Host: a:99999")],
  ["a whole URL as the target", get(undefined, "http://other.example/api/v1/companies")],
  ["a body on GET", `${get("Host: a\r\nContent-Length: 2")}{{`],
])("%s gets a response", async (_, text) => {
  const response = await sendRaw(service.port, withToken(text))
  expect(response.status).toBe(200)
  expect(JSON.parse(response.body).meta.total).toBe(33)
})

const unsent: [what: string, text: string, code: string | null][] = [
  ["no Host", get(""), null],
  ["raw bytes in the path", get(undefined, "/api/v1/companies/\xff\xfe"), "NOT_FOUND"],
  ["raw bytes in a value", get(undefined, "/api/v1/companies?search=\xff"), "INVALID_PARAMETER"],
  ["raw bytes in a name", get(undefined, "/api/v1/companies?\xff=1"), "INVALID_PARAMETER"],
  ["raw bytes in an unknown path", get(undefined, "/api/v1/\xff"), "NOT_FOUND"],
  ["raw bytes in the token", get().replace("AUTH", "Authorization: Bearer \xff"), "UNAUTHORIZED"],
  ["a DEL in a value", get(undefined, "/api/v1/companies?search=\x7f"), "INVALID_PARAMETER"],
  ["a NUL in a header", get("Host: a\r\nAccept: \0"), null],
  ["a target without a slash", get(undefined, "api/v1/companies"), null],
  ["an asterisk as the target", get(undefined, "*"), null],
  ["a header without a colon", get("Host: a\r\nnonsense"), null],
  ["a URL too long", get(undefined, `/api/v1/companies?search=${"x".repeat(40_000)}`), null],
]

test.each(unsent)("The server rejects %s", async (_, text, code) => {
  const response = await sendRaw(service.port, withToken(text))
  expect(response.status).toBeWithin(400, 500)
  // Invalid HTTP never reaches the service: Bun rejects it with only a status.
  expect(response.body === "" ? null : JSON.parse(response.body).error.code).toBe(code)
})

test.each([
  ["a NUL in the path", get(undefined, "/api/v1/companies/\0")],
  ["a control character in the query", get(undefined, "/api/v1/companies?search=\x01")],
  ["an unknown version", get(undefined, undefined, "HTTP/3.7")],
  ["an unknown method", get().replace("GET", "BREW")],
  ["no HTTP at all", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"],
])("%s closes its connection before the service sees it, and no other one", async (_, text) => {
  const lines = (await service.logged()).length
  const socket = await opened(service.port)
  const received = collect(socket)
  socket.write(withToken(text))
  await until(() => received.closed)
  expect(received.bytes().toString()).toMatch(
    /^(HTTP\/1.1 (400|505) [A-Za-z ]+\r\nConnection: close\r\n\r\n)?$/,
  )
  expect(await service.logged()).toHaveLength(lines)
  expect((await service.get("/companies")).status).toBe(200)
})

function withToken(text: string): Uint8Array {
  return Buffer.from(
    text.replace("AUTH", `Authorization: Bearer ${service.tokens.admin}`),
    "latin1",
  )
}
