/** Operators create and change accounts, and every change of one is in its audit log. */
import { describe, expect, test } from "bun:test"
import {
  createAccount,
  listAccounts,
  type NewAccount,
  setDisabled,
  setPlan,
  showAccount,
} from "../../../src/accounts/access/accounts.ts"
import { revokeToken } from "../../../src/accounts/access/tokens.ts"
import type { AccountPlan } from "../../../src/data/db/account-tables.ts"
import { refusal, registry } from "./registry.ts"

const setup = await registry()

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)

const standard = (email: string): NewAccount => ({ email, plan: "standard", requestLimit: null })

async function account(email: string, plan: AccountPlan = "standard"): Promise<number> {
  const requestLimit = plan === "enterprise" ? 5 : null
  await createAccount(setup.editor, { email, plan, requestLimit })
  const [row] = await setup.sql(`select id::int from accounts where email = '${email}'`)
  return row?.id as number
}

test("Accounts are listed by email address, with their plan and the number of tokens that are not revoked", async () => {
  await account("Zoe@example.com", "enterprise")
  await account("amy@example.com", "admin")
  await setDisabled(setup.editor, "amy@example.com", true)
  await revokeToken(setup.editor, { prefix: await setup.issue("zoe@EXAMPLE.com") })
  await setup.issue("zoe@example.com")
  const of = { id: expect.any(Number), createdAt: instant }
  expect(await listAccounts(setup.pool)).toEqual([
    {
      ...of,
      email: "amy@example.com",
      plan: "admin",
      requestLimit: null,
      disabledAt: instant,
      tokens: 0,
    },
    {
      ...of,
      email: "Zoe@example.com",
      plan: "enterprise",
      requestLimit: 5,
      disabledAt: null,
      tokens: 1,
    },
  ])
})

test("An email address has one account, whatever its case", async () => {
  await account("one@example.com")
  const again = createAccount(setup.editor, { ...standard("ONE@example.com"), plan: "admin" })
  expect(await refusal(again)).toBe(
    "Account ONE@example.com already exists. Change its plan with `mds account set-plan`",
  )
})

test("An account requires a valid email address", async () => {
  const refused = createAccount(setup.editor, standard("a b@c"))
  expect(await refusal(refused)).toBe("Not a valid email address: a b@c")
})

const enterprise = { plan: "enterprise", requestLimit: 70 } as const

test("Setting a plan requires an existing account", async () => {
  await createAccount(setup.editor, standard("plan@example.com"))
  await setPlan(setup.editor, { email: "PLAN@example.com", ...enterprise })
  expect(await showAccount(setup.pool, "plan@example.com")).toMatchObject(enterprise)
  const unknown = setPlan(setup.editor, { email: "no@example.com", ...enterprise })
  expect(await refusal(unknown)).toBe(
    "Account no@example.com does not exist. Check the address, or run `mds account create no@example.com`",
  )
})

test("An account can be disabled only once and then enabled only once", async () => {
  const email = "off@example.com"
  await createAccount(setup.editor, standard(email))
  const set = (disabled: boolean) => setDisabled(setup.editor, email, disabled)
  expect(await refusal(set(false))).toBe("Account off@example.com is not disabled")
  await set(true)
  expect((await showAccount(setup.pool, email)).disabledAt).toEqual(instant)
  expect(await refusal(set(true))).toBe("Account off@example.com is already disabled")
  await set(false)
  expect((await showAccount(setup.pool, email)).disabledAt).toBeNull()
  expect(await refusal(setDisabled(setup.editor, "no@b", true))).toBe(
    "Account no@b does not exist. Check the address, or run `mds account create no@b`",
  )
})

describe("The audit log", () => {
  test("The audit log records who made each change, when and from where, with the values before and after", async () => {
    const email = "audited@example.com"
    await account(email)
    const token = await setup.issue(email, "nightly")
    const prefix = token.slice(0, 12)
    await setPlan({ ...setup.editor, who: "ann" }, { email, ...enterprise })
    await setDisabled(setup.editor, email, true)
    await setDisabled(setup.editor, email, false)
    await revokeToken({ ...setup.editor, origin: "elsewhere" }, { prefix })

    const { changes } = await showAccount(setup.pool, email)
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
        },
      },
      {
        ...jo,
        ...ofAccount,
        who: "ann",
        columns: { plan: ["standard", "enterprise"], request_limit: [null, 70] },
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

  test("The audit log includes changes made with SQL, and outlives a deleted account", async () => {
    const email = "psql@example.com"
    await setup.issue(email)
    await setup.sql(`update accounts set plan = 'admin' where email = '${email}'`)
    const { changes } = await showAccount(setup.pool, email)
    expect(changes.at(-1)).toMatchObject({
      columns: { plan: ["standard", "admin"] },
      who: expect.stringMatching(/^database role ./),
      origin: expect.stringMatching(/^(127\.0\.0\.1|local socket)$/),
    })
    const [{ id } = { id: 0 }] = await setup.sql(
      `delete from accounts where email = '${email}' returning id`,
    )
    const kept = await setup.sql(
      `select action, columns -> 'email' as email, columns -> 'name' as name
       from access_changes where account_id = ${id} order by id`,
    )
    expect([...kept].slice(-2)).toEqual([
      { action: "deleted", email: [email, null], name: null },
      { action: "deleted", email: null, name: ["test", null] },
    ])
  })

  test("The audit log includes no failed change and no use of a token", async () => {
    const email = "quiet@example.com"
    await setup.issue(email)
    const before = (await showAccount(setup.pool, email)).changes
    await refusal(createAccount(setup.editor, standard(email)))
    await setup.sql("update tokens set last_used_at = now()")
    await setup.sql("update accounts set plan = plan")
    expect((await showAccount(setup.pool, email)).changes).toEqual(before)
  })
})
