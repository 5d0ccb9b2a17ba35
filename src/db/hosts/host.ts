/**
 * A host of the database, and whether it answers.
 *
 * While statements are running on it, it is asked about twice a second, on a connection of its own. When
 * it does not answer, nothing waits for it any longer: the statements that run or wait are refused, and
 * new ones at once, until it answers again. A statement that is merely slow runs on to its own timeout,
 * because a host that answers the question, or any other statement meanwhile, is there.
 */
import { HostUnavailable, Unavailable } from "../pool/unavailable.ts"
import { poolerFault } from "./pooler.ts"
import { createProbe, type HostReport, type ProbeResult } from "./probe.ts"

/** What a pool checks and reports of its host. */
export interface PoolHost {
  /** @throws HostUnavailable while it does not answer */
  ensureAvailable(): void
  /** A statement is sent to it. @returns the host whose `end` is called at its end */
  begin(): Pick<PoolHost, "end">
  /** @param isAnswered whether the host has answered the statement, be it with an error */
  end(isAnswered: boolean): void
}

export interface HostAddress {
  url: string
  /** For work that needs a session of its own: past a connection pooler, if there is one. */
  directUrl: string
}

export interface HostSettings {
  DATABASE_DIRECT_URL: string | null
  DATABASE_REPLICA_URLS: readonly string[]
}

/** The hosts in the settings, the presumed primary first. */
export const addressesOf = (
  { DATABASE_DIRECT_URL, DATABASE_REPLICA_URLS }: HostSettings,
  databaseUrl: string,
): HostAddress[] => [
  { url: databaseUrl, directUrl: DATABASE_DIRECT_URL ?? databaseUrl },
  ...DATABASE_REPLICA_URLS.map((url) => ({ url, directUrl: url })),
]

export interface Host extends PoolHost {
  address: HostAddress
  /** Host and port, for the log and the metrics. */
  name: string
  /** Its last report; undefined before the first. */
  readonly report: HostReport | undefined
  /** Why it is taken not to answer; undefined while it does. */
  readonly outage: Outage | undefined
  /** The question that is under way, as the statements of a pool. */
  load(): { running: number; waiting: number }
  /** Asks it, or waits for the question under way. @throws Unavailable where it gives no report */
  ask(): Promise<HostReport>
  close(): Promise<void>
}

export interface Outage {
  cause: unknown
}

export interface HostOptions {
  /** Called when it stops answering, with the error for what waits for it. */
  onLost: (error: HostUnavailable) => void
  /** Called when it answers again. */
  onBack: () => void
  /** Called with each report. */
  onReport?: (report: HostReport) => void
  /** It is asked all the time, also while no statement is running, as one of several hosts. */
  isOneOfSeveral?: boolean
}

/** A request is refused after this time and the probe's: within two seconds of its beginning. */
const askEveryMs = 400
/** While it does not answer. */
const askAgainMs = 250

export function createHost(
  address: HostAddress,
  { onLost, onBack, onReport, isOneOfSeveral = false }: HostOptions,
): Host {
  const probe = createProbe(address.directUrl, { isOneOfSeveral })
  let report: HostReport | undefined
  let outage: Outage | undefined
  let asking: Promise<ProbeResult> | undefined
  let timer: Timer | undefined
  let isClosed = false
  /** Statements that are running; and whether one has been answered since the last question. */
  let running = 0
  let isAnswering = false

  function askSoon(): void {
    if (timer !== undefined || isClosed) return
    timer = setTimeout(askAndGoOn, outage ? askAgainMs : askEveryMs)
  }

  async function askAndGoOn(): Promise<void> {
    await question()
    timer = undefined
    if (running > 0 || outage || isOneOfSeveral) askSoon()
  }

  /** The host, and the pooler through which requests go to it. */
  async function askBoth(): Promise<ProbeResult> {
    if (address.url === address.directUrl) return probe.ask()
    const [answer, fault] = await Promise.all([probe.ask(), poolerFault(address.url)])
    return fault ? { kind: "unreachable", error: fault } : answer
  }

  function question(): Promise<ProbeResult> {
    if (asking) return asking
    isAnswering = false
    const result = askBoth().then((answer) => {
      asking = undefined
      take(answer)
      return answer
    })
    asking = result
    return result
  }

  function take(answer: ProbeResult): void {
    if (isClosed) return
    const wasLost = outage !== undefined
    if (answer.kind !== "unreachable") outage = undefined
    if (answer.kind === "reported") {
      report = answer.report
      onReport?.(report)
    }
    if (answer.kind !== "unreachable") {
      if (wasLost) onBack()
    } else if (!outage && !isAnswering) {
      outage = { cause: answer.error }
      onLost(unavailable(outage))
      askSoon()
    }
  }

  const host: Host = {
    address,
    name: nameOf(address.url),

    get report() {
      return report
    },
    get outage() {
      return outage
    },

    ensureAvailable: () => {
      if (outage) throw unavailable(outage)
    },

    begin: () => {
      running++
      if (timer === undefined) askSoon()
      return host
    },

    end: (isAnswered) => {
      running--
      if (isAnswered) isAnswering = true
    },

    load: () => ({ running: asking ? 1 : 0, waiting: 0 }),

    ask: async () => {
      const answer = await question()
      if (answer.kind === "reported") return answer.report
      throw answer.kind === "unreachable"
        ? unavailable({ cause: answer.error })
        : new Unavailable("The database did not report its state", { cause: answer.error })
    },

    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await probe.close()
    },
  }
  if (isOneOfSeveral) askSoon()
  return host
}

const unavailable = (outage: Outage): HostUnavailable =>
  new HostUnavailable("The database does not answer", outage)

/** Host and port. */
export function nameOf(url: string): string {
  const { hostname, port } = new URL(url)
  return `${hostname || "localhost"}:${port || 5432}`
}
