/** Mails with links are sent in the background, one after another; the outcome of others is known to their sender. */
import { afterEach, expect, test } from "bun:test"
import {
  createMailer,
  type Mail,
  MailError,
  type Mailer,
} from "../../../src/accounts/mail/mailer.ts"
import { signInMail } from "../../../src/accounts/mail/sign-in-mail.ts"
import { type MailServer, type MailServerOptions, mailServer } from "../../support/mail-server.ts"
import { until } from "../../support/until.ts"

const opened: { server: MailServer; mailer: Mailer }[] = []

afterEach(async () => {
  for (const { server, mailer } of opened.splice(0)) {
    server.stop()
    await mailer.stop(5_000)
  }
})

const start = new Date("2026-03-01T00:00:00Z")

function mailing(options: MailServerOptions = {}, change = (url: string) => url) {
  const server = mailServer(options)
  const clock = { now: start }
  const failures: string[] = []
  const mailer = createMailer({
    url: change(server.url),
    from: { name: "Mining Data", address: "data@example.com" },
    onFailure: (error) => failures.push(String(error)),
    now: () => clock.now,
  })
  opened.push({ server, mailer })
  return { server, mailer, failures, clock }
}

const url = `https://data.example.com/account/link?link=mds_link_${"x".repeat(43)}`
const link = { url, madeAt: start, validMinutes: 15, isNewAccount: false }
const mailTo = (to: string): Mail => signInMail({ ...link, to })

test("A mail contains the link and its purpose, and has one recipient", async () => {
  const { server, mailer, failures } = mailing()
  mailer.send(mailTo("analyst@example.com"))
  const mail = await server.mailTo("analyst@example.com")
  expect(mail).toMatchObject({
    from: { name: "Mining Data", address: "data@example.com" },
    to: [{ address: "analyst@example.com" }],
    subject: "Sign in to Mining and Geological Data",
  })
  expect(mail.html).toBeUndefined()
  expect(mail.text?.replaceAll("\r\n", "\n").trim()).toBe(
    `Somebody, probably you, wants to sign in as analyst@example.com. To continue, open this link:

${url}

It works once, within 15 minutes. If it was not you, ignore this mail: without the link nothing happens.`,
  )
  expect(mail.headers.find(({ key }) => key === "auto-submitted")?.value).toBe("auto-generated")
  expect(failures).toEqual([])
})

test("A mail for a new account says that the link creates the account", async () => {
  const { server, mailer } = mailing()
  mailer.send(signInMail({ ...link, to: "new@example.com", isNewAccount: true }))
  const mail = await server.mailTo("new@example.com")
  expect(mail.subject).toBe("Confirm your email address for Mining and Geological Data")
  expect(mail.text).toContain("wants an account for new@example.com")
  expect(mail.text).toContain(url)
})

test("The mailer logs in, and reports a rejected login without its password", async () => {
  const login = { user: "data@example.com", password: "p%ss: w/rd" }
  const accepted = mailing({ login })
  accepted.mailer.send(mailTo("analyst@example.com"))
  await accepted.server.mailTo("analyst@example.com")

  const refused = mailing({ login }, (address) => address.replace("w%2Frd", "wrong"))
  refused.mailer.send(mailTo("analyst@example.com"))
  await until(() => refused.failures.length === 1)
  expect(refused.failures[0]).toContain("535")
  expect(refused.failures[0]).not.toContain("wrong")
})

test("A rejected mail is reported without its link, and the next one is sent", async () => {
  const { server, mailer, failures } = mailing({
    replace: (command) => (command.includes("<none@example.com>") ? "550 No such user" : undefined),
  })
  mailer.send(mailTo("none@example.com"))
  mailer.send(mailTo("analyst@example.com"))
  await server.mailTo("analyst@example.com")
  await until(() => failures.length === 1)
  expect(failures[0]).toContain("550")
  expect(failures[0]).not.toContain("mds_link_")
  expect(server.mails).toHaveLength(1)
})

test("Header characters in an address add no recipient", async () => {
  const { server, mailer } = mailing()
  const to = "jürgen+a'b@example.com"
  mailer.send(mailTo(to))
  await until(() => server.mails.length === 1)
  expect(server.mails[0]?.recipients).toHaveLength(1)
})

test("Shutdown waits for requested mails, and sends no more", async () => {
  const { server, mailer, failures } = mailing()
  for (let count = 0; count < 5; count++) mailer.send(mailTo(`${count}@example.com`))
  await mailer.stop(10_000)
  expect(server.mails).toHaveLength(5)
  mailer.send(mailTo("late@example.com"))
  expect(failures).toEqual(["Error: The service is stopping"])
})

test("A hanging mail server does not delay shutdown beyond its limit, and memory stays bounded", async () => {
  const { mailer, failures } = mailing({ replace: () => "" })
  for (let count = 0; count < 201; count++) mailer.send(mailTo(`${count}@example.com`))
  expect(failures).toEqual(["Error: The queue of mails is full"])
  await mailer.stop(50)
  expect(failures.at(-1)).toBe("Error: Not sent within 50 ms")
})

test("A mail whose link expired in the queue is dropped and reported", async () => {
  const greeted: string[] = []
  const { server, mailer, failures, clock } = mailing({
    replace: (command) => {
      greeted.push(command)
      return ""
    },
  })
  for (const to of ["a", "late"]) mailer.send(mailTo(`${to}@example.com`))
  await until(() => greeted.length === 1)
  clock.now = new Date(start.getTime() + 15 * 60_000)
  server.stop()
  await until(() => failures.length === 2)
  expect(failures[1]).toBe("Error: The mail waited until its link had expired")
})

test("The mailer sends no mail to another machine without TLS", async () => {
  // It is this machine, but not by one of the names that say so.
  const elsewhere = (address: string) => address.replace("127.0.0.1", "0.0.0.0")
  const { server, mailer, failures } = mailing({}, elsewhere)
  mailer.send(mailTo("analyst@example.com"))
  await until(() => failures.length === 1 || server.mails.length === 1)
  expect(server.mails).toEqual([])
  expect(failures[0]).toMatch(/STARTTLS/)
})

test("An unreachable mail server is reported", async () => {
  const { mailer, failures, server } = mailing()
  server.stop()
  mailer.send(mailTo("analyst@example.com"))
  await until(() => failures.length === 1)
  expect(failures[0]).toMatch(/ECONNREFUSED|refused|closed/i)
})

const alert: Mail = {
  to: "analyst@example.com",
  subject: "Two changed",
  text: "Two changed: a, b",
  html: "<p>Two changed: <b>a, b</b></p>",
  unsubscribeUrl: `https://data.example.com/unsubscribe?token=${"x".repeat(43)}`,
}

test("A mail of a watch has both forms, and ends by one click of a mail program", async () => {
  const { server, mailer } = mailing()
  await mailer.deliver(alert)
  expect(server.mails).toHaveLength(1)
  const mail = await server.mailTo("analyst@example.com")
  expect(mail.text?.trim()).toBe(alert.text)
  expect(mail.html?.trim()).toBe(alert.html)
  const headerOf = (name: string) => mail.headers.find(({ key }) => key === name)?.value
  expect(headerOf("list-unsubscribe")).toBe(`<${alert.unsubscribeUrl}>`)
  expect(headerOf("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click")
  expect(headerOf("auto-submitted")).toBe("auto-generated")
})

test("A failure of a mail is for its recipient, and its cause for the operator", async () => {
  const rejecting = mailing({
    replace: (command) => (command.startsWith("RCPT") ? "550 No user at 10.1.2.3" : undefined),
  })
  const rejected = await rejecting.mailer.deliver(alert).catch((error: unknown) => error)
  if (!(rejected instanceof MailError)) throw rejected
  expect(rejected.message).toBe("The mail server returned 550")
  expect(String(rejected.cause)).toContain("No user at 10.1.2.3")
  expect(rejecting.failures).toEqual([])

  const absent = mailing()
  absent.server.stop()
  const unreachable = await absent.mailer.deliver(alert).catch((error: unknown) => error)
  expect(String(unreachable)).toBe("MailError: The mail server cannot be reached")
})

test("Line breaks in a subject add no header", async () => {
  const { server, mailer } = mailing()
  await mailer.deliver({ ...alert, subject: "One\r\nBcc: other@example.com\r\n\r\nBody" })
  expect(server.mails[0]?.recipients).toEqual(["analyst@example.com"])
  const mail = await server.mailTo("analyst@example.com")
  expect(mail.bcc ?? []).toEqual([])
  expect(mail.text?.trim()).toBe(alert.text)
})
