/**
 * For a container's HEALTHCHECK, which starts it every few seconds: it needs no shell, and imports next
 * to nothing, so that a run takes a fifth of the CPU of a command.
 *
 * It asks whether the process lives, not whether it is ready. An outage of the database would otherwise
 * have every container restarted, which cures nothing.
 */
import { ConfigError, readConfig } from "./config.ts"
import { localAddress } from "./text/service-addresses.ts"

/** Less than the Dockerfile gives it, so that it reports what it waited for. */
const limitMs = 3_000

// A proxy of the environment, which is for mails and downloads, does not reach this process.
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
// At once: a connection that is kept for a next request would delay the end.
process.exit(fault === undefined ? 0 : 1)
