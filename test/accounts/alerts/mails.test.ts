/** Mails report what is new to the owner of a watch, and their failures to the owner and the operator. */
import { beforeEach, expect, test } from "bun:test"
import { deliveriesOf } from "../../../src/accounts/alerts/store.ts"
import { awkward } from "../../support/fixtures.ts"
import { mailServer } from "../../support/mail-server.ts"
import { afterFile } from "../../support/of-file.ts"
import { until } from "../../support/until.ts"
import { alertWorkbench } from "./alert-workbench.ts"

let isRejecting = false
const server = mailServer({
  replace: (command) =>
    isRejecting && command.startsWith("RCPT") ? "550 No user at 10.1.2.3" : undefined,
})
const bench = await alertWorkbench({
  mail: { SMTP_URL: server.url, MAIL_FROM: "mds@example.com", BASE_URL: "https://mds.example.com" },
})
const { service, pool, owner, receiver, watch } = bench
afterFile(server.stop)

beforeEach(async () => {
  await service.sql`delete from watches`
})

const mailAtOnce = { channel: { kind: "mail", when: "at-once" } } as const
const [first, second, ...others] = awkward.tenements
if (!first || !second) throw new Error("No tenements")
const changed = { ...awkward, tenements: [{ ...second, status: "ended" }, ...others] }

test("A mail has the counts and records of its event, and a link that pauses the watch", async () => {
  const { id } = await watch({ list: "/tenements?changed=status" }, mailAtOnce)
  await service.publish(changed)
  const { subject, text = "", headers } = await server.mailTo("owner@example.com")
  expect(subject).toBe("A watch: 1 added or changed, 1 removed")
  expect(text).toContain(`- ${second.tenement_id}: status now ended`)
  expect(text).toContain(`/explore/tenements/${encodeURIComponent(first.id)}?as_of=1`)
  const link = headers.find(({ key }) => key === "list-unsubscribe")?.value.slice(1, -1) ?? ""
  expect(link).toStartWith("https://mds.example.com/account/unsubscribe?token=")
  const { pathname, search } = new URL(link)
  await fetch(service.url + pathname + search, { method: "POST" })
  expect(await service.sql`select state from watches where id = ${id}`).toMatchObject([
    { state: "paused" },
  ])
})

test("A failed mail has its reason on the owner's page and its cause in the log, and is retried", async () => {
  isRejecting = true
  const { id } = await watch({ releases: true }, mailAtOnce)
  await service.publish(awkward)
  const failed = () => deliveriesOf(pool, { accountId: owner, id })
  await until(async () => (await failed()).length === 1)
  expect((await failed())[0]).toMatchObject({ reason: "The mail server returned 550" })
  const line = service.logLines.find((each) => each.includes("mail could not be sent"))
  expect(line).toContain("No user at 10.1.2.3")
  isRejecting = false
  const { length } = server.mails
  await bench.advance(10_000)
  await until(() => server.mails.length > length)
})

test("The owner of a webhook gets a mail when it is disabled", async () => {
  const { id } = await watch({ releases: true })
  receiver.chosen.respond = () => new Response(null, { status: 410 })
  const { length } = server.mails
  await service.publish(awkward)
  await until(() => server.mails.length > length)
  const { subject, text } = await server.mailTo("owner@example.com")
  expect(subject).toBe("A watch: the watch is disabled")
  expect(text).toContain("The receiver returned 410")
  expect(text).toContain(`https://mds.example.com/account/watches/${id}`)
})
