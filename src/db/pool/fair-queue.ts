/**
 * A round-robin queue: the accounts in it take turns, each with its oldest item. So an account waits
 * for at most one item of each other account, however many those have.
 */
import type { AccountId } from "./account-id.ts"

/** @template Account what stands for an account: also another key that takes turns, such as an address */
export class FairQueue<T, Account = AccountId> {
  /** The account whose turn is next comes first. Accounts without items are absent. */
  readonly #items = new Map<Account, Set<T>>()
  #size = 0

  /** The number of items of all accounts. */
  get size(): number {
    return this.#size
  }

  sizeOf(account: Account): number {
    return this.#items.get(account)?.size ?? 0
  }

  add(account: Account, item: T): void {
    const items = this.#items.get(account) ?? new Set()
    items.add(item)
    this.#items.set(account, items)
    this.#size++
  }

  /** @returns whether it was in the queue */
  remove(account: Account, item: T): boolean {
    const items = this.#items.get(account)
    if (!items?.delete(item)) return false
    if (items.size === 0) this.#items.delete(account)
    this.#size--
    return true
  }

  /** Takes the next item of an account that may run one; undefined where there is none. */
  take(mayRun: (account: Account) => boolean): { account: Account; item: T } | undefined {
    for (const [account, items] of this.#items) {
      if (!mayRun(account)) continue
      for (const item of items) {
        this.remove(account, item)
        this.#items.delete(account)
        if (items.size > 0) this.#items.set(account, items)
        return { account, item }
      }
    }
    return undefined
  }

  /** The newest item of the account. */
  newestOf(account: Account): T | undefined {
    return [...(this.#items.get(account) ?? [])].at(-1)
  }

  /** Takes the newest item of the account with most items, if it has more than `threshold`. */
  takeFromLongest(threshold: number): T | undefined {
    let longest: { account: Account; items: Set<T> } | undefined
    for (const [account, items] of this.#items) {
      if (items.size > (longest?.items.size ?? threshold)) longest = { account, items }
    }
    const item = longest && this.newestOf(longest.account)
    if (longest && item !== undefined) this.remove(longest.account, item)
    return item
  }
}
