/** The last requests of each account in memory, within a budget of bytes. */
import { keptRequests, type RecentRequest, type RequestOfAccount } from "./recent-request-rows.ts"

export interface Rings {
  add(accountId: number, request: RecentRequest): void
  /** The requests of one account, the oldest first. */
  of(accountId: number): RecentRequest[]
  /** Account by account, the oldest first. */
  all(): RequestOfAccount[]
  readonly size: number
  /** How many were dropped for want of room since this was asked before. */
  takeDropped(): number
}

interface Ring {
  requests: RecentRequest[]
  /** Where the next one goes. */
  next: number
  bytes: number
}

/** The size of a request without its target, with its share of the structures around it. */
const requestBytes = 400
const charBytes = 2
/** The share of the budget that is left in use once it was exceeded. */
const keptShare = 7 / 8

export function createRings(maxBytes: number): Rings {
  /** The account that has been quiet longest comes first. */
  const rings = new Map<number, Ring>()
  let latest: Ring | undefined
  let bytes = 0
  let size = 0
  let dropped = 0

  function ringOf(accountId: number): Ring {
    const found = rings.get(accountId)
    if (found && found === latest) return found
    const ring = found ?? { requests: [], next: 0, bytes: 0 }
    rings.delete(accountId)
    rings.set(accountId, ring)
    latest = ring
    return ring
  }

  /** Room for many at once: to look for the first ring costs more than to drop it. */
  function makeRoom(): void {
    for (const [accountId, ring] of rings) {
      if (bytes <= maxBytes * keptShare || ring === latest) return
      rings.delete(accountId)
      bytes -= ring.bytes
      size -= ring.requests.length
      dropped += ring.requests.length
    }
  }

  const inOrder = ({ requests, next }: Ring): RecentRequest[] => [
    ...requests.slice(next),
    ...requests.slice(0, next),
  ]

  return {
    add: (accountId, request) => {
      const ring = ringOf(accountId)
      const replaced = ring.requests[ring.next]
      const added = bytesOf(request) - (replaced ? bytesOf(replaced) : 0)
      ring.requests[ring.next] = request
      ring.next = (ring.next + 1) % keptRequests
      ring.bytes += added
      bytes += added
      if (!replaced) size++
      if (bytes > maxBytes) makeRoom()
    },
    of: (accountId) => {
      const ring = rings.get(accountId)
      return ring ? inOrder(ring) : []
    },
    all: () =>
      [...rings].flatMap(([accountId, ring]) =>
        inOrder(ring).map((request) => ({ accountId, ...request })),
      ),
    get size() {
      return size
    },
    takeDropped: () => {
      const taken = dropped
      dropped = 0
      return taken
    },
  }
}

const bytesOf = ({ target }: RecentRequest): number => requestBytes + charBytes * target.length
