/**
 * Runs as a container's HEALTHCHECK every few seconds. It needs no shell and has few imports, so that a run
 * takes a fifth of the CPU of a command.
 *
 * It checks liveness, not readiness: an outage of the database must not restart every container.
 */
import { ConfigError, readConfig } from "./config.ts"
import { localAddress } from "./system/text/service-addresses.ts"

/** Less than the timeout in the Dockerfile, so that it reports the failure itself. */
const limitMs = 3_000

// A proxy in the environment is for mails and downloads, and cannot reach this process.
process.env.NO_PROXY = "*"

/** Undefined if the service on this machine responds. */
async function findFault(): Promise<string | undefined> {
  try {
    const { HOST, PORT } = readConfig(process.env)
    const url = `${localAddress(HOST, PORT)}/livez`
    const { ok, status } = await fetch(url, { signal: AbortSignal.timeout(limitMs) })
    return ok ? undefined : `Unhealthy: ${url} returned ${status}`
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    return `Unhealthy: ${error instanceof Error ? error.message : String(error)}`
  }
}

const fault = await findFault()
if (fault !== undefined) process.stderr.write(`${fault}\n`)
// An idle connection would delay the end.
process.exit(fault === undefined ? 0 : 1)
