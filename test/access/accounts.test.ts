/** Accounts are managed as the commands ask, and every change of them is in the audit log. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import {
  createAccount,
  listAccounts,
  type NewAccount,
  setDisabled,
  setPlan,
  showAccount,
} from "../../src/access/accounts.ts"
import { revokeToken } from "../../src/access/tokens.ts"
import { type Registry, refusal, registry } from "./registry.ts"

let at: Registry

beforeAll(async () => {
  at = await registry()
})

afterAll(() => at.stop())

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)

const standard = (email: string): NewAccount => ({ email, plan: "standard", requestLimit: null })

test("accounts are listed by email address, with their plan and the number of tokens that are not revoked", async () => {
  await createAccount(at.editor, {
    email: "Zoe@example.com",
    plan: "enterprise",
    requestLimit: 20_000,
  })
  await createAccount(at.editor, { email: "amy@example.com", plan: "admin", requestLimit: null })
  await setDisabled(at.editor, "amy@example.com", true)
  await revokeToken(at.editor, await at.issue("zoe@EXAMPLE.com"))
  await at.issue("zoe@example.com")
  const [amy, zoe] = [
    { email: "amy@example.com", plan: "admin", requestLimit: null, disabledAt: instant, tokens: 0 },
    {
      email: "Zoe@example.com",
      plan: "enterprise",
      requestLimit: 20_000,
      disabledAt: null,
      tokens: 1,
    },
  ] as const
  expect(await listAccounts(at.pool)).toEqual([
    { ...amy, createdAt: instant },
    { ...zoe, createdAt: instant },
  ])
})

test("an email address has one account, whatever its case", async () => {
  await createAccount(at.editor, standard("one@example.com"))
  const again = createAccount(at.editor, { ...standard("ONE@example.com"), plan: "admin" })
  expect(await refusal(again)).toBe("Account ONE@example.com already exists")
})

test.each([
  [{ email: "nobody", plan: "standard", requestLimit: null }, "Not a valid email address: nobody"],
  [{ email: "a b@c", plan: "standard", requestLimit: null }, "Not a valid email address: a b@c"],
  [
    { email: "a@b", plan: "enterprise", requestLimit: null },
    "The enterprise plan requires a limit",
  ],
  [
    { email: "a@b", plan: "enterprise", requestLimit: 1_000_001 },
    "The limit must be at most 1000000 requests an hour",
  ],
  [{ email: "a@b", plan: "standard", requestLimit: 5 }, "The limit of the standard plan is fixed"],
  [{ email: "a@b", plan: "admin", requestLimit: 5 }, "The limit of the admin plan is fixed"],
] as const)("%j is refused: %s", async (account, message) => {
  expect(await refusal(createAccount(at.editor, account))).toBe(message)
})

test("a plan is set with the rules that creating an account has, and only for an account that exists", async () => {
  await createAccount(at.editor, standard("plan@example.com"))
  const enterprise = { plan: "enterprise", requestLimit: 5 } as const
  await setPlan(at.editor, { email: "PLAN@example.com", ...enterprise })
  expect(await showAccount(at.pool, "plan@example.com")).toMatchObject(enterprise)
  const noLimit = { ...enterprise, requestLimit: null }
  const refused = setPlan(at.editor, { email: "plan@example.com", ...noLimit })
  expect(await refusal(refused)).toBe("The enterprise plan requires a limit")
  const unknown = setPlan(at.editor, { email: "no@example.com", ...enterprise })
  expect(await refusal(unknown)).toBe("Account no@example.com does not exist")
})

test("an account can be disabled only once and then enabled only once", async () => {
  const email = "off@example.com"
  await createAccount(at.editor, standard(email))
  const enableFirst = setDisabled(at.editor, email, false)
  expect(await refusal(enableFirst)).toBe("Account off@example.com is not disabled")
  await setDisabled(at.editor, email, true)
  expect((await showAccount(at.pool, email)).disabledAt).toEqual(instant)
  const again = setDisabled(at.editor, email, true)
  expect(await refusal(again)).toBe("Account off@example.com is already disabled")
  await setDisabled(at.editor, email, false)
  expect((await showAccount(at.pool, email)).disabledAt).toBeNull()
  expect(await refusal(setDisabled(at.editor, "no@b", true))).toBe("Account no@b does not exist")
})

test("every change records who made it, when and from where, and the values before and after", async () => {
  const email = "audited@example.com"
  await createAccount(at.editor, standard(email))
  const token = await at.issue(email, "nightly")
  const prefix = token.slice(0, 12)
  await setPlan({ ...at.editor, who: "ann" }, { email, plan: "enterprise", requestLimit: 7 })
  await setDisabled(at.editor, email, true)
  await setDisabled(at.editor, email, false)
  await revokeToken({ ...at.editor, origin: "elsewhere" }, prefix)

  const { changes } = await showAccount(at.pool, email)
  const jo = { id: expect.any(Number), at: instant, who: "jo", origin: "a test" }
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/)
  const ofAccount = { tokenPrefix: null, action: "changed" } as const
  expect(changes).toEqual([
    {
      ...jo,
      tokenPrefix: null,
      action: "created",
      columns: { email: [null, email], plan: [null, "standard"] },
    },
    {
      ...jo,
      tokenPrefix: prefix,
      action: "created",
      columns: {
        account_id: [null, expect.any(Number)],
        name: [null, "nightly"],
        for_spreadsheets: [null, false],
      },
    },
    {
      ...jo,
      ...ofAccount,
      who: "ann",
      columns: { plan: ["standard", "enterprise"], request_limit: [null, 7] },
    },
    { ...jo, ...ofAccount, columns: { disabled_at: [null, time] } },
    { ...jo, ...ofAccount, columns: { disabled_at: [time, null] } },
    {
      ...jo,
      origin: "elsewhere",
      tokenPrefix: prefix,
      action: "changed",
      columns: { revoked_at: [null, time] },
    },
  ])
  expect(JSON.stringify(changes)).not.toContain(token.slice(12, 24))
})

test("a change made with SQL is recorded too, and the records outlive a deleted account", async () => {
  const email = "psql@example.com"
  await at.issue(email)
  await at.sql(`update accounts set plan = 'admin' where email = '${email}'`)
  const { changes } = await showAccount(at.pool, email)
  expect(changes.at(-1)).toMatchObject({
    columns: { plan: ["standard", "admin"] },
    who: expect.stringMatching(/^database role ./),
    origin: expect.stringMatching(/^(127\.0\.0\.1|local socket)$/),
  })
  const [{ id } = { id: 0 }] = await at.sql(
    `delete from accounts where email = '${email}' returning id`,
  )
  const kept = await at.sql(
    `select action, columns -> 'email' as email, columns -> 'name' as name
     from access_changes where account_id = ${id} order by id`,
  )
  expect([...kept].slice(-2)).toEqual([
    { action: "deleted", email: [email, null], name: null },
    { action: "deleted", email: null, name: ["test", null] },
  ])
})

test("a change that fails is not recorded, and neither is the use of a token", async () => {
  const email = "quiet@example.com"
  await at.issue(email)
  const before = (await showAccount(at.pool, email)).changes
  await refusal(setPlan(at.editor, { email, plan: "admin", requestLimit: 5 }))
  await refusal(createAccount(at.editor, standard(email)))
  await at.sql("update tokens set last_used_at = now()")
  await at.sql("update accounts set plan = plan")
  expect((await showAccount(at.pool, email)).changes).toEqual(before)
})
