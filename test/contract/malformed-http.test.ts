/**
 * Malformed HTTP/1.1 (RFC 9112), sent byte by byte, gets a 4xx or a closed connection, and harms no
 * other request.
 */

import { afterAll, beforeAll, expect, test } from "bun:test"
import { type TestService, testService } from "../support/service.ts"
import { until } from "../support/until.ts"
import { collect, opened, sendRaw } from "./raw-http.ts"

let service: TestService

beforeAll(async () => {
  service = await testService()
})

afterAll(async () => {
  expect(service.logLines.filter((line) => line.includes("request failed"))).toEqual([])
  await service.stop()
})

test.each([
  ["HTTP/1.0 without a Host", "GET /api/v1/companies HTTP/1.0\r\nAUTH\r\n\r\n", 200],
  ["HTTP/1.0 with a Host", "GET /api/v1/companies HTTP/1.0\r\nHost: x\r\nAUTH\r\n\r\n", 200],
  ["an empty Host", "GET /api/v1/companies HTTP/1.1\r\nHost:\r\nAUTH\r\n\r\n", 200],
  ["a short Host", "GET /api/v1/companies HTTP/1.1\r\nHost: a\r\nAUTH\r\n\r\n", 200],
  ["a Host with a port", "GET /api/v1/companies HTTP/1.1\r\nHost: a:1\r\nAUTH\r\n\r\n", 200],
  ["a Host of blanks", "GET /api/v1/companies HTTP/1.1\r\nHost: a b\r\nAUTH\r\n\r\n", 200],
  ["a Host with a path", "GET /api/v1/companies HTTP/1.1\r\nHost: a/b?c#d\r\nAUTH\r\n\r\n", 200],
  ["a Host that is no name", "GET /api/v1/companies HTTP/1.1\r\nHost: [::1\r\nAUTH\r\n\r\n", 200],
  ["a Host of commas", "GET /api/v1/companies HTTP/1.1\r\nHost: ,,%00,@\r\nAUTH\r\n\r\n", 200],
  ["a port out of range", "GET /api/v1/companies HTTP/1.1\r\nHost: a:99999\r\nAUTH\r\n\r\n", 200],
  [
    "a whole URL as the target",
    "GET http://other.example/api/v1/companies HTTP/1.1\r\nHost: a\r\nAUTH\r\n\r\n",
    200,
  ],
  [
    "a body on GET",
    "GET /api/v1/companies HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nAUTH\r\n\r\n{{",
    200,
  ],
])("%s is answered", async (_, text, status) => {
  const answer = await sendRaw(service.port, withToken(text))
  expect(answer.status).toBe(status)
  expect(JSON.parse(answer.body).meta.total).toBe(33)
})

const unsent: [what: string, text: string, code: string | null][] = [
  ["no Host", "GET /api/v1/companies HTTP/1.1\r\nAUTH\r\n\r\n", null],
  [
    "raw bytes in the path",
    "GET /api/v1/companies/\xff\xfe HTTP/1.1\r\nHost: a\r\nAUTH\r\n\r\n",
    "NOT_FOUND",
  ],
  [
    "raw bytes in a value",
    "GET /api/v1/companies?search=\xff HTTP/1.1\r\nHost: a\r\nAUTH\r\n\r\n",
    "INVALID_PARAMETER",
  ],
  [
    "raw bytes in a name",
    "GET /api/v1/companies?\xff=1 HTTP/1.1\r\nHost: a\r\nAUTH\r\n\r\n",
    "INVALID_PARAMETER",
  ],
  [
    "raw bytes in an unknown path",
    "GET /api/v1/\xff HTTP/1.1\r\nHost: a\r\nAUTH\r\n\r\n",
    "NOT_FOUND",
  ],
  [
    "raw bytes in the token",
    "GET /api/v1/companies HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \xff\r\n\r\n",
    "UNAUTHORIZED",
  ],
  [
    "a DEL in a value",
    "GET /api/v1/companies?search=\x7f HTTP/1.1\r\nHost: a\r\nAUTH\r\n\r\n",
    "INVALID_PARAMETER",
  ],
  [
    "a NUL in a header",
    "GET /api/v1/companies HTTP/1.1\r\nHost: a\r\nAccept: \0\r\nAUTH\r\n\r\n",
    null,
  ],
  ["a target without a slash", "GET api/v1/companies HTTP/1.1\r\nHost: a\r\nAUTH\r\n\r\n", null],
  ["an asterisk as the target", "GET * HTTP/1.1\r\nHost: a\r\nAUTH\r\n\r\n", null],
  [
    "a header without a colon",
    "GET /api/v1/companies HTTP/1.1\r\nHost: a\r\nnonsense\r\nAUTH\r\n\r\n",
    null,
  ],
  [
    "a URL too long",
    `GET /api/v1/companies?search=${"x".repeat(40_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
    null,
  ],
]

test.each(unsent)("%s is refused", async (_, text, code) => {
  const answer = await sendRaw(service.port, withToken(text))
  expect(answer.status).toBeWithin(400, 500)
  // What is no HTTP never reaches the service: Bun refuses it with a status alone.
  expect(answer.body === "" ? null : JSON.parse(answer.body).error.code).toBe(code)
})

test.each([
  ["a NUL in the path", "GET /api/v1/companies/\0 HTTP/1.1\r\nHost: a\r\nAUTH\r\n\r\n"],
  [
    "a control character in the query",
    "GET /api/v1/companies?search=\x01 HTTP/1.1\r\nHost: a\r\nAUTH\r\n\r\n",
  ],
  ["an unknown version", "GET /api/v1/companies HTTP/3.7\r\nHost: a\r\nAUTH\r\n\r\n"],
  ["an unknown method", "BREW /api/v1/companies HTTP/1.1\r\nHost: a\r\nAUTH\r\n\r\n"],
  ["no HTTP at all", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"],
])("%s ends the connection before the service sees it, and others go on", async (_, text) => {
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
