/** A real Caddy for a test, with a configuration as an operator writes it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { installedProgram, startSupervised } from "./supervised.ts"
import { until } from "./until.ts"

const program = installedProgram("caddy")

export const caddyIsInstalled = program !== null

/**
 * Starts one and waits until it responds on this port. Call `stop` in `afterAll`.
 * @param caddyfile begins with its global options
 */
export async function caddyServer(caddyfile: string, port: number) {
  const directory = mkdtempSync(join(tmpdir(), "mds-caddy-"))
  const config = join(directory, "Caddyfile")
  const log = join(directory, "log")
  // Neither its port for administration nor what it keeps is shared with another one.
  const own = `{\n\tadmin off\n\tstorage file_system ${directory}\n`
  writeFileSync(config, caddyfile.replace(/^\{\n/, own))
  const server = await startSupervised("caddy", [
    ...["env", `HOME=${directory}`, "sh", "-c", 'exec "$0" "$@" 2>"$HOME/log"'],
    ...[program ?? "caddy", "run", "--adapter", "caddyfile", "--config", config],
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
    log: () => readFileSync(log, "utf8"),
    stop: async () => {
      await server.end()
      rmSync(directory, { recursive: true })
    },
  }
}
