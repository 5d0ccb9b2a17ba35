/**
 * Fetches the due sources every FETCH_EVERY hours while the service runs. Each round is a process of its own,
 * `mds fetch`: reading a register of a million records would delay requests, and its memory is freed at its end.
 */
import type { Config } from "../config.ts"
import type { FetchOutcome } from "../ingest/fetching/fetch-source.ts"
import { mainFile } from "../program.ts"
import type { Log } from "../system/log/log.ts"
import { hourMs } from "../system/text/time.ts"

type Counts = Record<FetchOutcome["outcome"], number>

/** Limits the logged messages of a failed round. */
const maxMessages = 2_000

/** Null if the settings disable it. */
export function regularFetches({ FETCH_EVERY: everyHours, SHUTDOWN_SECONDS }: Config, log: Log) {
  if (everyHours === 0) return null
  const counts: Counts = {
    published: 0,
    unchanged: 0,
    refused: 0,
    failed: 0,
    "not due": 0,
    busy: 0,
  }
  let timer: Timer | undefined
  let child: Bun.Subprocess<"ignore", "pipe", "pipe"> | undefined
  let round: Promise<void> = Promise.resolve()
  let stopping = false

  function start(): void {
    if (stopping) return
    round = fetchDue()
      .catch((error: unknown) => log.error("sources were not fetched", { error: String(error) }))
      .then(() => {
        if (!stopping) timer = setTimeout(start, everyHours * hourMs)
      })
  }

  async function fetchDue(): Promise<void> {
    const command = [process.execPath, mainFile, "fetch", "--json"]
    child = Bun.spawn(command, { stdin: "ignore", stdout: "pipe", stderr: "pipe" })
    const { stdout, stderr, exited } = child
    const [printed, messages, exitCode] = await Promise.all([stdout.text(), stderr.text(), exited])
    child = undefined
    const lines = printed.split("\n").slice(0, -1)
    const outcomes = lines.map((line): FetchOutcome => JSON.parse(line))
    outcomes.forEach(report)
    // `report` has logged these failures, with which `mds fetch` exits with 1.
    const hasFailed = outcomes.some(({ outcome }) => outcome === "failed" || outcome === "refused")
    if (exitCode === 0 || (exitCode === 1 && hasFailed)) return
    if (stopping) log.info("a fetch was interrupted; it is due when the service starts again")
    else {
      const last = messages.trim().slice(-maxMessages)
      log.error("sources were not fetched", { exit_code: exitCode, messages: last })
    }
  }

  function report({ source, outcome, reason, summary }: FetchOutcome): void {
    counts[outcome]++
    if (outcome === "failed") log.warn("a source was not fetched", { source, reason })
    else if (outcome === "refused") log.warn("a source was refused", { source, reason })
    else if (outcome === "unchanged") log.info("a source was unchanged", { source })
    else if (outcome === "published") {
      log.info("a source was published", { source, release: summary?.release })
    }
  }

  return {
    /** Sources by the outcome of their fetches, since the start of the process. */
    counts: (): Readonly<Counts> => counts,
    /** Begins the first round. */
    start,
    /** Ends a round in progress, and rolls back its unpublished load. */
    stop: async (): Promise<void> => {
      stopping = true
      clearTimeout(timer)
      const running = child
      if (!running) return
      running.kill("SIGTERM")
      // A round completes its commit; the server rolls back the load of a killed process.
      const late = setTimeout(() => running.kill("SIGKILL"), SHUTDOWN_SECONDS * 1000)
      await round
      clearTimeout(late)
    },
  }
}
