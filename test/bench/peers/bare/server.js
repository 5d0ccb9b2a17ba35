/**
 * What Bun's HTTP server does at most: the bytes and headers that the service sent for TARGET, or its
 * 304 where the request has If-None-Match.
 */
const { TARGET, TOKEN, PORT } = process.env
const authorization = { Authorization: `Bearer ${TOKEN}`, "Accept-Encoding": "identity" }
/** Headers that every HTTP server adds itself. */
const ownHeaders = ["date", "content-length", "connection", "transfer-encoding", "keep-alive"]

async function record(headers, expected) {
  const response = await fetch(TARGET, { headers: { ...authorization, ...headers } })
  const body = await response.text()
  if (response.status !== expected) throw new Error(`${TARGET} got ${response.status}`)
  const shown = [...response.headers].filter(([name]) => !ownHeaders.includes(name))
  return { body, init: { status: expected, headers: Object.fromEntries(shown) } }
}

const full = await record({}, 200)
const notModified = await record({ "If-None-Match": full.init.headers.etag }, 304)
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(PORT),
  fetch: (request) =>
    request.headers.has("if-none-match")
      ? new Response(null, notModified.init)
      : new Response(full.body, full.init),
})
process.stdout.write(`Listening on ${server.url}\n`)
