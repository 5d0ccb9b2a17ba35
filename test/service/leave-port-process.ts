/**
 * For leave-port.test.ts: serves on a port that others may listen on too. Once it reads a line, it accepts
 * nothing for a while, as a busy process, then stops, with or without leaving the port first. As `locked`
 * its socket takes no filter.
 */
import { dlopen, ptr } from "bun:ffi"
import { readdirSync } from "node:fs"
import { leavePort } from "../../src/service/leave-port.ts"

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  reusePort: true,
  fetch: () => new Response("served", { headers: { Connection: "close" } }),
})
const port = server.port ?? 0
process.stdout.write(`${port}\n`)

process.stdin.once("data", async () => {
  const busyUntil = performance.now() + 1_500
  process.stdout.write("busy\n")
  while (performance.now() < busyUntil);
  if (process.argv[2] === "locked") lockFilters()
  if (process.argv[2] !== "close") {
    await leavePort(port, {
      warn: (event, fields) =>
        process.stdout.write(`${event}: ${String(fields?.error).split("\n")[0]}\n`),
    })
  }
  await server.stop()
  process.exit(0)
})

/** With SO_LOCK_FILTER, which other descriptors than sockets don't have. */
function lockFilters(): void {
  const { symbols } = dlopen("libc.so.6", {
    setsockopt: { args: ["i32", "i32", "i32", "ptr", "u32"], returns: "i32" },
  })
  for (const descriptor of readdirSync("/proc/self/fd").map(Number)) {
    symbols.setsockopt(descriptor, 1, 44, ptr(new Int32Array([1])), 4)
  }
}
