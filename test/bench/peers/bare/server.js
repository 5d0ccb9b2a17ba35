/**
 * What Bun's HTTP server does at most: a response of the same bytes and headers for every request,
 * or 304 with the same headers where the request has If-None-Match. The file named in RESPONSES has
 * both, as the service has sent them.
 */
const { full, notModified } = await Bun.file(process.env.RESPONSES).json()

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env.PORT),
  fetch: (request) =>
    request.headers.has("if-none-match")
      ? new Response(null, notModified)
      : new Response(full.body, full),
})
process.stdout.write(`Listening on ${server.url}\n`)
