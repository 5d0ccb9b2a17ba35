/**
 * Sends mails in the background, one after another: who asks for one waits for nothing, and learns nothing from the time
 * that it takes. A mail that can't be sent is reported and not tried again, because its link is valid
 * for minutes only and a new one is soon asked for.
 */
import type { Mailbox } from "../text/email-address.ts"
import { settleWithin } from "../text/settle-within.ts"

export interface Mail {
  /** An email address. */
  to: string
  subject: string
  /** Plain text. */
  text: string
  /** When its link expires. It is not sent after that. */
  expiresAt: Date
}

export interface Mailer {
  /** Sends a mail once others are sent. Never throws. */
  send(mail: Mail): void
  /** Waits until all are sent, for at most `limitMs`, and sends no more. */
  stop(limitMs: number): Promise<void>
}

export interface MailerOptions {
  /** Links, its user and its password are sent over TLS alone, except to this machine. */
  url: string
  from: Mailbox
  /** Receives why a mail was not sent. */
  onFailure: (error: unknown) => void
  now: () => Date
}

/** More than people ask for; a mail server that hangs must not fill the memory. */
const maxWaiting = 200
/** For each step with the mail server. */
const stepMs = 10_000
/** For a mail in all. */
const mailMs = 30_000

export function createMailer({ url, from, onFailure, now }: MailerOptions): Mailer {
  let last = Promise.resolve()
  let waiting = 0
  let transport: ReturnType<typeof createTransport> | undefined
  let isStopping = false
  let isStopped = false

  async function sendNext(mail: Mail): Promise<void> {
    // After the response to whoever asked for it.
    await Bun.sleep(0)
    if (isStopped) return
    // A server that hangs may keep mails waiting for longer than their links are valid.
    if (now() >= mail.expiresAt) throw new Error("The mail waited until its link had expired")
    await settleWithin(mailMs, deliver(mail), notSent)
  }

  async function deliver({ to, subject, text }: Mail): Promise<void> {
    transport ??= createTransport(url)
    await (await transport).sendMail({
      from,
      // As an object it is one address, whatever characters it has.
      to: { name: "", address: to },
      subject,
      text,
      headers: { "Auto-Submitted": "auto-generated" },
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  }

  return {
    send: (mail) => {
      if (isStopping) return onFailure(new Error("The service is being stopped"))
      if (waiting >= maxWaiting) return onFailure(new Error("Too many mails are waiting"))
      waiting++
      last = last
        .then(() => sendNext(mail))
        .catch(onFailure)
        .finally(() => waiting--)
    },
    stop: async (limitMs) => {
      isStopping = true
      await settleWithin(limitMs, last, notSent).catch(onFailure)
      isStopped = true
    },
  }
}

/** Loaded for the first mail: most processes send none. */
async function createTransport(address: string) {
  const { default: nodemailer } = await import("nodemailer")
  const { protocol, hostname, port, username, password } = new URL(address)
  const host = hostname.replace(/^\[(.*)\]$/, "$1")
  const secure = protocol === "smtps:"
  const isHere = ["localhost", "127.0.0.1", "::1"].includes(host)
  return nodemailer.createTransport({
    host,
    port: port === "" ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: !isHere,
    ...(username !== "" && {
      auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    }),
    connectionTimeout: stepMs,
    greetingTimeout: stepMs,
    socketTimeout: stepMs,
    dnsTimeout: stepMs,
  })
}

const notSent = (limitMs: number) => new Error(`Not sent within ${limitMs} ms`)
