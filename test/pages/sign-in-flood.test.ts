/** A flood of sign-ins from some addresses keeps nobody else out, and is told why it is refused. */
import { expect, test } from "bun:test"
import { serviceOfFile } from "../support/service.ts"
import { linkSecret, visitor } from "./visitor.ts"

const email = "honest@example.com"
const password = "correct horse battery staple"

const service = await serviceOfFile({
  settings: { TRUSTED_PROXIES: "1" },
  hashingCost: { memoryCost: 4_096, timeCost: 1 },
})
await service.issue(email)
const person = visitor(service)
await person.post("/account/link", { link: await linkSecret(service, email) })
expect((await person.post("/account/password", { password })).status).toBe(303)

const signIn = (address: string, form: Record<string, string>) =>
  visitor(service).post("/account/sign-in", form, { headers: { "X-Forwarded-For": address } })

test("while one address floods, others sign in, and what is refused there says why", async () => {
  const flood = Array.from({ length: 90 }, (_, index) =>
    signIn("192.0.2.1", { email: `${index}@example.com`, password: "a wrong guess" }),
  )
  const honest = ["198.51.100.1", "198.51.100.2", "198.51.100.3"].map((address) =>
    signIn(address, { email, password }),
  )
  expect((await Promise.all(honest)).map(({ status }) => status)).toEqual([303, 303, 303])
  const refused = (await Promise.all(flood)).filter(({ status }) => status === 503)
  expect(refused.length).toBeGreaterThan(60)
  expect(refused[0]?.headers.get("retry-after")).toBe("5")
  const text = await refused[0]?.text()
  expect(text).toContain("Too many people are signing in right now")
  expect(text).not.toContain("database")
})

test("guesses from elsewhere don't keep an owner from signing in again where a session is", async () => {
  const owner = visitor(service)
  const own = { headers: { "X-Forwarded-For": "198.51.100.5" } }
  expect((await owner.post("/account/sign-in", { email, password }, own)).status).toBe(303)
  for (let guess = 0; guess < 12; guess++) {
    await signIn(`203.0.113.${guess}`, { email, password: `guess number ${guess}` })
  }
  expect((await signIn("198.51.100.6", { email, password })).status).toBe(429)
  expect((await owner.post("/account/sign-in", { email, password }, own)).status).toBe(303)
})
