/** Attempts to sign in and requests for links are limited by account and by address. */
import { expect, test } from "bun:test"
import { createSignInLimits, LimitReached } from "../../src/access/sign-in-limits.ts"

const minuteMs = 60_000

const clocksOf = (clock: { now: Date }) => ({
  now: () => clock.now,
  steadyMs: () => clock.now.getTime(),
})

function limitsAt(start: string) {
  const clock = { now: new Date(start) }
  const { attempt, requestLink } = limitsOf({
    ...clocksOf(clock),
    redis: null,
  })
  const refusal = async (email: string, address: string) =>
    (await attempt(email, address)).limitedUntil
  return { attempt, requestLink, refusal, clock }
}

/** The limits, with attempts that are counted at once, and when the next one is admitted. */
function limitsOf(options: Parameters<typeof createSignInLimits>[0]) {
  const limits = createSignInLimits(options)
  return {
    attempt: async (...asked: Parameters<typeof limits.attempt>) => {
      const succeeded = async () => {}
      try {
        const attempt = await limits.attempt(...asked)
        await attempt.count()
        return { limitedUntil: null, succeeded: attempt.succeeded }
      } catch (error) {
        return { limitedUntil: untilOf(error), succeeded }
      }
    },
    requestLink: async (...asked: Parameters<typeof limits.requestLink>) => {
      try {
        await limits.requestLink(...asked)
        return null
      } catch (error) {
        return untilOf(error)
      }
    },
  }
}

function untilOf(error: unknown): Date {
  if (error instanceof LimitReached) return error.until
  throw error
}

test("an account has ten attempts in a quarter of an hour, from whatever addresses and however it is written", async () => {
  const { refusal, clock } = limitsAt("2026-03-01T00:00:00Z")
  const emails = ["a@example.com", "A@example.com"]
  for (let count = 0; count < 10; count++) {
    expect(await refusal(emails[count % 2] ?? "", `192.0.2.${count}`)).toBeNull()
    clock.now = new Date(clock.now.getTime() + 1000)
  }
  expect(await refusal("a@example.com", "192.0.2.99")).toEqual(new Date("2026-03-01T00:15:00Z"))
  expect(await refusal("b@example.com", "192.0.2.99")).toBeNull()
  clock.now = new Date("2026-03-01T00:15:00Z")
  expect(await refusal("a@example.com", "192.0.2.99")).toBeNull()
  expect(await refusal("a@example.com", "192.0.2.99")).toEqual(new Date("2026-03-01T00:15:01Z"))
})

test("an address has a hundred attempts, and one past that uses up none of an account's", async () => {
  const { refusal, clock } = limitsAt("2026-03-01T00:00:00Z")
  for (let count = 0; count < 100; count++) {
    expect(await refusal(`${count}@example.com`, "192.0.2.1")).toBeNull()
  }
  for (let count = 0; count < 20; count++) {
    expect(await refusal("a@example.com", "192.0.2.1")).not.toBeNull()
  }
  expect(await refusal("a@example.com", "192.0.2.2")).toBeNull()
  clock.now = new Date(clock.now.getTime() + 15 * minuteMs)
  expect(await refusal("a@example.com", "192.0.2.1")).toBeNull()
})

test("links have limits of their own: five for an account, twenty for an address", async () => {
  const { attempt, requestLink } = limitsAt("2026-03-01T00:00:00Z")
  for (let count = 0; count < 10; count++) await attempt("a@example.com", "192.0.2.1")
  for (let count = 0; count < 5; count++) {
    expect(await requestLink("a@example.com", "192.0.2.1")).toBeNull()
  }
  expect(await requestLink("a@example.com", "192.0.2.1")).not.toBeNull()
  for (let count = 0; count < 14; count++) {
    expect(await requestLink(`${count}@example.com`, "192.0.2.1")).toBeNull()
  }
  expect(await requestLink("z@example.com", "192.0.2.1")).not.toBeNull()
  expect(await requestLink("z@example.com", "192.0.2.2")).toBeNull()
})

test("attempts that succeed use up none of an account's", async () => {
  const { attempt, clock } = limitsAt("2026-03-01T00:00:00Z")
  for (let count = 0; count < 50; count++) {
    const admitted = await attempt("a@example.com", `192.0.2.${count}`)
    expect([count, admitted.limitedUntil]).toEqual([count, null])
    await admitted.succeeded()
    clock.now = new Date(clock.now.getTime() + 1000)
  }
  for (let count = 0; count < 10; count++) {
    expect((await attempt("a@example.com", "192.0.2.99")).limitedUntil).toBeNull()
  }
  expect((await attempt("a@example.com", "192.0.2.99")).limitedUntil).not.toBeNull()
})

test("whatever succeeds and when, no more than ten guesses are admitted in a quarter of an hour", async () => {
  const { attempt, clock } = limitsAt("2026-03-01T00:00:00Z")
  const guessedMs: number[] = []
  for (let second = 0; second < 3_600; second += 7) {
    clock.now = new Date(Date.parse("2026-03-01T00:00:00Z") + second * 1000)
    const admitted = await attempt("a@example.com", `192.0.2.${second % 200}`)
    if (admitted.limitedUntil) continue
    // The owner's, every third, and as slow as a hash can be.
    if (second % 3 === 0) {
      clock.now = new Date(clock.now.getTime() + 6_000)
      await admitted.succeeded()
    } else guessedMs.push(clock.now.getTime())
  }
  expect(guessedMs.length).toBeGreaterThan(20)
  for (const [index, at] of guessedMs.entries()) {
    const later = guessedMs[index + 10]
    if (later !== undefined) expect(later - at).toBeGreaterThanOrEqual(15 * minuteMs)
  }
})

test("attempts at once are admitted ten times, although none has failed yet", async () => {
  const { attempt } = limitsAt("2026-03-01T00:00:00Z")
  const all = await Promise.all(
    Array.from({ length: 30 }, (_, index) => attempt("a@example.com", `192.0.2.${index}`)),
  )
  expect(all.filter(({ limitedUntil }) => limitedUntil === null)).toHaveLength(10)
})

test("an attempt whose password is never hashed counts against no account", async () => {
  const clock = { now: new Date("2026-03-01T00:00:00Z") }
  const { attempt } = createSignInLimits({ ...clocksOf(clock), redis: null })
  for (let count = 0; count < 30; count++) await attempt("a@example.com", `192.0.2.${count}`)
  for (let count = 0; count < 10; count++) {
    await (await attempt("a@example.com", `192.0.2.${count}`)).count()
  }
  await expect(attempt("a@example.com", "192.0.2.99")).rejects.toThrow(LimitReached)
})

test("as many made-up addresses as can be hashed for give an account no further guess", async () => {
  const { refusal } = limitsAt("2026-03-01T00:00:00Z")
  for (let count = 0; count < 10; count++) await refusal("at-limit@example.com", "192.0.2.1")
  for (let count = 0; count < 9; count++) await refusal("below@example.com", "192.0.2.1")
  // In all that a quarter of an hour has, 44 a second.
  for (let count = 0; count < 39_600; count++) {
    const address = `2001:db8:${(count % 400).toString(16)}::`
    expect(await refusal(`${count}@example.net`, address)).toBeNull()
  }
  expect(await refusal("at-limit@example.com", "192.0.2.2")).not.toBeNull()
  expect(await refusal("below@example.com", "192.0.2.2")).toBeNull()
  expect(await refusal("below@example.com", "192.0.2.2")).not.toBeNull()
})

test("a session of the account has attempts of its own, ten as well", async () => {
  const { attempt } = limitsAt("2026-03-01T00:00:00Z")
  for (let count = 0; count < 20; count++) await attempt("a@example.com", `192.0.2.${count}`)
  const inSession = () => attempt("a@example.com", "192.0.2.99", "a session")
  for (let count = 0; count < 10; count++) expect((await inSession()).limitedUntil).toBeNull()
  expect((await inSession()).limitedUntil).not.toBeNull()
  expect((await attempt("a@example.com", "192.0.2.99", "another")).limitedUntil).toBeNull()
})
