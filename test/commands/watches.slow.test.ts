/** Watches can be made, listed and changed from the command line, and the service reports what they find. */
import { expect, test } from "bun:test"
import { eventReceiver } from "../accounts/alerts/alert-workbench.ts"
import { awkward } from "../support/fixtures.ts"
import { afterFile } from "../support/of-file.ts"
import { command } from "../support/process.ts"
import { serviceOfFile } from "../support/service.ts"
import { until } from "../support/until.ts"

const webhooks = { WEBHOOK_PRIVATE: "true" }
const mails = {
  SMTP_URL: "smtp://127.0.0.1:9",
  MAIL_FROM: "mds@example.com",
  BASE_URL: "http://mds.example.com",
}
const service = await serviceOfFile({ settings: webhooks })
const receiver = eventReceiver()
afterFile(receiver.stop)

const mds = (args: readonly string[], settings: Record<string, string> = webhooks) =>
  command([...args], { DATABASE_URL: service.database.url, ACTOR: "jo", ...settings })

const email = "owner@example.com"
await service.issue(email)

/** The arguments of `watch create`, by default for a webhook. */
const creation = (...others: string[]) => [
  ...["watch", "create", "--account", email, "--name", "Near us"],
  ...others,
]
const toReceiver = ["--webhook", `${receiver.url}/hook`]

interface Listed {
  id: number
  state: string
  [column: string]: unknown
}

async function listed(...args: string[]): Promise<Listed[]> {
  const { exitCode, stdout, stderr } = await mds(["watch", "list", ...args, "--json"])
  expect([exitCode, stderr]).toEqual([0, ""])
  return JSON.parse(stdout)
}

const release = async () => (await service.sql`select max(id) as id from releases`)[0]?.id

test("A webhook is created, tested, paused, resumed and deleted, and the audit log has the changes", async () => {
  const made = await mds([
    ...creation("--list", "/tenements?state=wa&page=2", "--report", "changes", "--json"),
    ...toReceiver,
  ])
  expect([made.exitCode, made.stderr]).toEqual([
    0,
    expect.stringMatching(/^Created watch \d+\nSave its secret now: it is not shown again\n$/),
  ])
  const { id, secret, ...nothing } = JSON.parse(made.stdout)
  expect([id, secret, nothing]).toEqual([
    expect.any(Number),
    expect.stringMatching(/^whsec_[\w+/]{43}=$/),
    {},
  ])
  const watch = {
    id,
    account: email,
    name: "Near us",
    subject: { kind: "list", path: "/tenements?state=WA", reports: "changes" },
    channel: { kind: "webhook", url: `${receiver.url}/hook` },
    state: "active",
    reason: null,
    release: await release(),
  }
  expect(await listed("--account", email)).toEqual([watch])

  expect(await mds(["watch", "test", String(id)])).toEqual({
    exitCode: 0,
    stdout: "",
    stderr: `Requested a test of watch ${id}\n`,
  })
  await until(() => receiver.events.length === 1)
  expect(receiver.events[0]).toMatchObject({ type: "test", data: { watch: { id } } })
  const [stored] = await service.sql`select secret from watches`
  expect(stored?.secret).toBe(secret)

  for (const [verb, done, state] of [
    ["pause", "Paused", "paused"],
    ["resume", "Resumed", "active"],
  ] as const) {
    expect((await mds(["watch", verb, String(id)])).stderr).toBe(`${done} watch ${id}\n`)
    expect(await listed()).toEqual([{ ...watch, state }])
  }
  expect((await mds(["watch", "delete", String(id)])).stderr).toBe(`Deleted watch ${id}\n`)
  expect(await listed()).toEqual([])

  const { stdout } = await mds(["account", "show", email, "--json"])
  const changes = JSON.parse(stdout).changes as Record<string, string>[]
  const ofWatch = changes.filter(({ subject }) => subject === `watch ${id}`)
  expect(ofWatch.map(({ change, by }) => [change, by])).toEqual([
    ["created", "jo"],
    ["changed", "jo"],
    ["changed", "jo"],
    ["deleted", "jo"],
  ])
  expect(stdout).not.toContain(secret)
})

test("The list for people has subjects and channels as they were given", async () => {
  const webhook = await mds([...creation("--releases"), ...toReceiver])
  expect(webhook.stdout).toMatch(/^whsec_\S+\n$/)
  const [{ id = 0 } = {}] = await listed()
  const company = awkward.companies[0]?.asx_code
  for (const [...given] of [
    ["--list", "/reports", "--mail", "at-once"],
    ["--list", "/tenements", "--expiring", "90", "--mail", "daily"],
    ["--record", `/companies/${company?.toLowerCase()}`, "--mail", "weekly"],
  ]) {
    const { exitCode, stdout, stderr } = await mds(creation(...given), mails)
    expect([exitCode, stdout, stderr]).toEqual([0, "", expect.stringContaining("Created watch")])
  }
  const { stdout } = await mds(["watch", "list"])
  const rows = stdout.trimEnd().split("\n")
  const at = ["active", "-", String(await release())]
  const owned = [email, "Near us"]
  expect(rows.map((line) => line.split(/ {2,}/))).toEqual([
    ["id", "account", "name", "subject", "channel", "state", "reason", "release"],
    [`${id}`, ...owned, "every release", `${receiver.url}/hook`, ...at],
    [`${id + 1}`, ...owned, "/reports, changes and removals", "mail at-once", ...at],
    [`${id + 2}`, ...owned, "/tenements, 90 days before expiry", "mail daily", ...at],
    [`${id + 3}`, ...owned, `/companies/${company}`, "mail weekly", ...at],
  ])
})

test.each([
  [2, creation("--releases"), "A watch has one channel: give --webhook or --mail"],
  [2, creation(...toReceiver), "A watch has one subject: a list, a record or every release"],
  [
    2,
    creation("--list", "/tenements", "--expiring", "9", "--report", "both", ...toReceiver),
    "A watch of expiry dates reports no kinds of change",
  ],
  [
    1,
    creation("--list", "/tenements?stat=WA", ...toReceiver),
    "The API rejects /tenements?stat=WA: stat: Unknown parameter; did you mean state?",
  ],
  [1, creation("--releases", "--mail", "daily"), "set them, or give --webhook"],
  [1, creation("--record", "/companies/nope", ...toReceiver), "There is no company NOPE"],
  [
    2,
    creation("--list", "/tenements", "--expiring", "731", ...toReceiver),
    "Must be an integer from 1 to 730.",
  ],
  [2, creation("--releases", "--mail", "hourly"), "choices are at-once, daily, weekly"],
  [1, ["watch", "list", "--account", "nobody@example.com"], "`mds account create nobody"],
  [1, ["watch", "pause", "999999"], "There is no such watch"],
])("The exit code is %i, with a message and no output, for %j", async (code, args, message) => {
  const { exitCode, stdout, stderr } = await mds(args)
  expect([exitCode, stdout]).toEqual([code, ""])
  expect(stderr).toContain(message)
  expect(stderr).not.toMatch(/\n\s+at /)
})
