/**
 * Slots for exports, which accounts take in turns. An export loses its slot if its client reads too slowly, or
 * if its caller is no longer valid: its connection is aborted.
 */
import { createTurns } from "../../data/db/pool/turns.ts"
import type { DataRequest } from "./data-request.ts"

/** How an export ends that the service cuts. */
export type Cut = "stalled" | "aborted"

export interface ExportSlotOptions {
  slots: number
  /** The time in which a client must take 64 KB, even if no other account waits. */
  stallMs: number
  /** A monotonic clock, in milliseconds. */
  steadyMs: () => number
  /** Receives the reason why a caller was not checked. The check is repeated. */
  onNotChecked: (error: unknown) => void
}

export type ExportSlots = ReturnType<typeof createExportSlots>
export type ExportSlot = ReturnType<ExportSlots["open"]>

/**
 * A client that takes less in `contestedMs` is cut while another account waits for a slot. The system's buffers
 * hold 4 MB and accept more in steps of 1.4 MB, which a client that reads 100 KB/s takes every 14 seconds.
 */
const leastBytes = 64 * 1024
const contestedMs = 20_000
/** Longer, so that an account still waits when the exports that stall are cut. */
const waitMs = 25_000
const sweepMs = 1_000

interface OpenExport extends Pick<DataRequest, "account"> {
  lateness: () => number
  cut: (outcome: Cut) => void
  check: () => Promise<void>
}

export function createExportSlots(options: ExportSlotOptions) {
  const { slots, stallMs, steadyMs, onNotChecked } = options
  const turns = createTurns({ places: slots, placesPerAccount: Math.ceil(slots / 5), waitMs })
  /** The exports that have a slot or wait for one. */
  const open = new Set<OpenExport>()
  let timer: Timer | undefined
  let isStopping = false

  /** Starts with the slowest. Cutting it may leave no account waiting. */
  function sweep(): void {
    for (const each of [...open].sort((a, b) => b.lateness() - a.lateness())) {
      const late = each.lateness()
      const isContested = late > contestedMs && turns.isPlaceAwaited(each.account)
      if (isContested || late > stallMs) each.cut("stalled")
    }
  }

  return {
    /** Begins an export, which has no slot yet. */
    open: ({ account, isCallerValid }: Pick<DataRequest, "account" | "isCallerValid">) => {
      const controller = new AbortController()
      const { signal } = controller
      const { lateness, ...pace } = createPace(steadyMs)
      let endTurn = (): void => {}
      const own: OpenExport = {
        account,
        lateness,
        cut: (outcome) => controller.abort(outcome),
        check: async () => {
          try {
            if (!(await isCallerValid())) own.cut("aborted")
          } catch (error) {
            onNotChecked(error)
            await Bun.sleep(sweepMs)
            if (open.has(own)) await own.check()
          }
        },
      }
      open.add(own)
      timer ??= setInterval(sweep, sweepMs)
      if (isStopping) own.cut("aborted")
      return {
        /** Aborted when the service cuts the export; the reason is a `Cut`. */
        signal,
        ...pace,
        /** Waits for the slot. @throws Overloaded, or the reason of a signal */
        take: async (client: AbortSignal): Promise<void> => {
          endTurn = await turns.take(account, AbortSignal.any([client, signal]))
        },
        end: (): void => {
          endTurn()
          open.delete(own)
          if (open.size > 0) return
          clearInterval(timer)
          timer = undefined
        },
      }
    },
    /** Cuts the exports of callers that are no longer valid. @param account undefined for all accounts */
    checkCallers: (account: number | undefined): void => {
      for (const each of open)
        if (account === undefined || each.account === account) void each.check()
    },
    /** Cuts all exports, also later ones. */
    stop: (): void => {
      isStopping = true
      for (const each of [...open]) each.cut("aborted")
    },
    load: turns.load,
  }
}

/** Measures how fast a client takes an export. The time in which the service prepares a part does not count. */
function createPace(steadyMs: () => number) {
  /** Since the begin, or since the client last had another 64 KB. */
  let takenBytes = 0
  let waitedMs = 0
  let offered: { bytes: number; sinceMs: number } | undefined

  /** The milliseconds in which the client has not yet taken another 64 KB. */
  const lateness = () => waitedMs + (offered ? steadyMs() - offered.sinceMs : 0)

  return {
    lateness,
    /** The client may take a part. */
    offer: (bytes: number): void => {
      offered = { bytes, sinceMs: steadyMs() }
    },
    /** The client took the last part and requests the next one. */
    taken: (): void => {
      waitedMs = lateness()
      takenBytes += offered?.bytes ?? 0
      offered = undefined
      if (takenBytes < leastBytes) return
      takenBytes = 0
      waitedMs = 0
    },
  }
}
