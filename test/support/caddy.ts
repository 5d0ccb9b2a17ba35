/** A real Caddy for a test, with a configuration as an operator writes it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startSupervised } from "./supervised.ts"
import { until } from "./until.ts"

const program = Bun.which("caddy") ?? ""

export const caddyIsInstalled = program !== ""

/** Starts one and waits until it responds on this port. Call `stop` in `afterAll`. */
export async function caddyServer(caddyfile: string, port: number) {
  const directory = mkdtempSync(join(tmpdir(), "mds-caddy-"))
  const config = join(directory, "Caddyfile")
  // Neither its port for administration nor what it keeps is shared with another one.
  writeFileSync(config, `{\n\tadmin off\n\tstorage file_system ${directory}\n}\n\n${caddyfile}`)
  const server = await startSupervised("caddy", [
    ...["env", `HOME=${directory}`, program, "run", "--adapter", "caddyfile", "--config", config],
  ])
  const url = `http://127.0.0.1:${port}`
  const responses = () =>
    fetch(url).then(
      () => true,
      () => false,
    )
  await until(responses)
  return {
    url,
    stop: async () => {
      await server.end()
      rmSync(directory, { recursive: true })
    },
  }
}
