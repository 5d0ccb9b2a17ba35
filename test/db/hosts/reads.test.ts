/** A read goes to a standby that has its release, and where that can't serve it to another host. */
import { beforeEach, describe, expect, test } from "bun:test"
import type { Host } from "../../../src/db/hosts/host.ts"
import { readOnPrimaryFirst, readOnStandbys } from "../../../src/db/hosts/reads.ts"
import { HostUnavailable, RecoveryConflict, Unavailable } from "../../../src/db/pool/unavailable.ts"
import { ReleaseUnavailable } from "../../../src/db/reader/releases.ts"

const [a, b] = ["a", "b"].map((name) => ({ name }) as Host) as [Host, Host]
const release = { id: 7, publishedAt: 1 }
const missingColumn = Object.assign(new Error("no such column"), { code: "42703" })

let nowMs = 0
/** What each standby answers with; a name of its own without. */
let failing: Map<string, Error>
let asked: string[]

beforeEach(() => {
  nowMs = 0
  failing = new Map()
  asked = []
})

const reads = (...standbys: Host[]) => {
  const read = readOnStandbys(
    { standbysWith: (id) => (id === release.id ? standbys : []) },
    ({ name }) => name,
    "primary",
    () => nowMs,
  )
  return (id = release.id) =>
    read({ id }, async (on) => {
      asked.push(on)
      const error = failing.get(on)
      if (error) throw error
      return on
    })
}

test("standbys that are equally busy take turns", async () => {
  const read = reads(a, b)
  const answers = [await read(), await read(), await read(), await read()]
  expect(answers.toSorted()).toEqual(["a", "a", "b", "b"])
})

test("the least busy standby is read", async () => {
  const held = Promise.withResolvers<string>()
  const standbys = { standbysWith: () => [a, b] }
  const read = readOnStandbys(standbys, ({ name }) => name, "primary")
  const slow = read(release, (on) => held.promise.then(() => on))
  const others = await Promise.all([1, 2, 3].map(() => read(release, async (on) => on)))
  held.resolve("")
  const busy = await slow
  expect(others.filter((on) => on === busy).length).toBeLessThan(2)
})

test("a release that no standby has is read on the primary", async () => {
  expect(await reads(a, b)(8)).toBe("primary")
})

describe("a standby is left out for a second after", () => {
  test.each([
    ["it did not answer", new HostUnavailable("gone")],
    ["it did not have the release", new ReleaseUnavailable(release)],
    ["it lacked a column", missingColumn],
  ])("%s", async (_, error) => {
    const read = reads(a)
    failing.set("a", error)
    expect(await read()).toBe("primary")
    failing.clear()
    nowMs = 999
    expect(await read()).toBe("primary")
    nowMs = 1_000
    expect(await read()).toBe("a")
    expect(asked).toEqual(["a", "primary", "primary", "a"])
  })
})

test("a statement that conflicts with the recovery is run elsewhere, and the standby is read on", async () => {
  const read = reads(a)
  failing.set("a", new RecoveryConflict("conflict"))
  expect(await read()).toBe("primary")
  failing.clear()
  expect(await read()).toBe("a")
})

test("of a release that is nowhere no standby is left out", async () => {
  const read = reads(a)
  for (const on of ["a", "primary"]) failing.set(on, new ReleaseUnavailable(release))
  await expect(read()).rejects.toBeInstanceOf(ReleaseUnavailable)
  failing.clear()
  expect(await read()).toBe("a")
})

test("what is refused for its load, or fails, is not read elsewhere", async () => {
  for (const error of [new Unavailable("The queue is full"), new Error("broken")]) {
    asked = []
    failing.set("a", error)
    await expect(reads(a)()).rejects.toBe(error)
    expect(asked).toEqual(["a"])
  }
})

test("without a primary, work of the primary is done on the first standby that can", async () => {
  const work = async (on: string) => {
    asked.push(on)
    const error = failing.get(on)
    if (error) throw error
    return on
  }
  const all = () => readOnPrimaryFirst("primary", () => ["a", "b"], work)
  expect(await all()).toBe("primary")
  failing.set("primary", new HostUnavailable("gone")).set("a", new HostUnavailable("gone too"))
  expect(await all()).toBe("b")
  failing.set("b", new ReleaseUnavailable(release))
  await expect(all()).rejects.toThrow("gone")
  failing.set("primary", new Unavailable("The queue is full"))
  asked = []
  await expect(all()).rejects.toThrow("full")
  expect(asked).toEqual(["primary"])
})
