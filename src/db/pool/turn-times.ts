/**
 * How long the accounts in a queue wait from turn to turn, which is what further claims of theirs have to
 * expect. It is measured for each account by itself, because what the tasks of one take must not be
 * expected of another.
 */
import type { AccountId } from "./account-id.ts"

/** Of an account that has claims in the queue. */
interface Turns {
  /** When the last one was; undefined before the first, which waited for what ran before it. */
  lastMs: number | undefined
  count: number
  meanMs: number
}

/** So many of the last turns decide, about. */
const decisive = 8
/** Fewer say little. */
const enough = 4

export class TurnTimes<Account = AccountId> {
  readonly #of = new Map<Account, Turns>()

  /** The account has its first claim in the queue. */
  begin(account: Account): void {
    this.#of.set(account, { lastMs: undefined, count: 0, meanMs: 0 })
  }

  /** A claim of the account gets its slot. */
  turn(account: Account, nowMs: number): void {
    const turns = this.#of.get(account)
    if (!turns) return
    const { lastMs } = turns
    turns.lastMs = nowMs
    if (lastMs === undefined) return
    turns.count++
    turns.meanMs += (nowMs - lastMs - turns.meanMs) / Math.min(turns.count, decisive)
  }

  /** The account has no claim in the queue any more. */
  end(account: Account): void {
    this.#of.delete(account)
  }

  /** From one turn to the next; undefined where it is not known yet. */
  meanMs(account: Account): number | undefined {
    const turns = this.#of.get(account)
    return turns && turns.count >= enough ? turns.meanMs : undefined
  }
}
