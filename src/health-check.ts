/**
 * For a container's HEALTHCHECK, which starts it every few seconds: it needs no shell, and imports next
 * to nothing, so that a run takes a fifth of the CPU of a command.
 *
 * It asks whether the process lives, not whether it is ready. An outage of the database would otherwise
 * have every container restarted, which cures nothing.
 */
import { ConfigError, readConfig } from "./config.ts"
import { localAddress } from "./text/service-addresses.ts"

/** Less than the Dockerfile gives it, so that it says what it waited for. */
const answerWithinSeconds = 3

// A proxy of the environment, which is for mails and downloads, does not reach this process.
process.env.NO_PROXY = "*"

/** Undefined if the service on this machine answers. */
async function findFault(): Promise<string | undefined> {
  const { HOST, PORT, ADMIN_PORT } = readConfig(process.env)
  if (ADMIN_PORT === 0 && PORT === 0) {
    return "Cannot check the health of a service on PORT=0: it may be any port"
  }
  const url = ADMIN_PORT
    ? `${localAddress(HOST, ADMIN_PORT)}/livez`
    : `${localAddress(HOST, PORT)}/health/live`
  try {
    const { ok, status } = await fetch(url, {
      signal: AbortSignal.timeout(answerWithinSeconds * 1000),
    })
    return ok ? undefined : `Unhealthy: ${url} answered ${status}`
  } catch (error) {
    const isLate = error instanceof Error && error.name === "TimeoutError"
    return isLate
      ? `Unhealthy: ${url} has not answered within ${answerWithinSeconds} seconds`
      : `Unhealthy: ${url} cannot be reached`
  }
}

const fault = await findFault().catch((error: unknown) => {
  if (error instanceof ConfigError) return error.message
  throw error
})
if (fault !== undefined) process.stderr.write(`${fault}\n`)
// At once: a connection that is kept for a next request would delay the end.
process.exit(fault === undefined ? 0 : 1)
