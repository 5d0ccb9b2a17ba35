/**
 * For leave-port.test.ts: serves on a port that others may listen on too. Told to, it accepts nothing for a
 * while, as a busy process, then stops, with or without leaving the port first.
 */
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
  if (process.argv[2] === "leave") await leavePort(port)
  await server.stop()
  process.exit(0)
})
