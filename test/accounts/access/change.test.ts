/** A change that a page makes keeps its place until its work has ended, however long that takes. */
import { expect, test } from "bun:test"
import { createPageChanges } from "../../../src/accounts/access/change.ts"
import { OutcomeUnknown } from "../../../src/data/db/commit.ts"

const settled = () => new Promise((resolve) => setImmediate(resolve))

test("A change waits until the account's earlier, unconfirmed change has ended", async () => {
  const changeAccount = createPageChanges(() => "postgres://nobody@127.0.0.1:1/none", 10)
  const changer = { accountId: 1, email: "a@example.com", address: "127.0.0.1" }
  const hanging = Promise.withResolvers<{ value: string; unconfirmed: number }>()
  await expect(changeAccount(changer, () => hanging.promise)).rejects.toThrow(OutcomeUnknown)

  const begun: string[] = []
  const next = changeAccount(changer, async () => {
    begun.push("next")
    return { value: "next", unconfirmed: 0 }
  })
  await settled()
  expect(begun).toEqual([])
  hanging.resolve({ value: "late", unconfirmed: 0 })
  expect(await next).toEqual({ value: "next", unconfirmed: 0 })
})

test("A change that fails after its timeout affects no other change", async () => {
  const changeAccount = createPageChanges(() => "postgres://nobody@127.0.0.1:1/none", 10)
  const changer = { accountId: 1, email: "a@example.com", address: "127.0.0.1" }
  const hanging = Promise.withResolvers<never>()
  await expect(changeAccount(changer, () => hanging.promise)).rejects.toThrow(OutcomeUnknown)
  hanging.reject(new Error("The connection was lost"))
  const next = await changeAccount(changer, async () => ({ value: "next", unconfirmed: 0 }))
  expect(next.value).toBe("next")
})
