/**
 * Sends mails with one-time links in the background, one after another, so that neither a response nor its duration
 * reveals anything about a mail. If such a mail fails, the mailer reports and does not retry it, because its link is
 * valid for minutes only and people request a new one. Callers that retry other mails themselves wait for the outcome.
 */
import type { Mailbox } from "../../system/text/email-address.ts"
import { plainHost } from "../../system/text/ip-address.ts"
import { settleWithin } from "../../system/text/settle-within.ts"

export interface Mail {
  /** An email address. */
  to: string
  subject: string
  /** Plain text. */
  text: string
  /** The same as a document. */
  html?: string
  /** When its link expires. An expired mail is not sent. */
  expiresAt?: Date
  /** Receives a POST of the recipient's mail program, without a session (RFC 8058). */
  unsubscribeUrl?: string
}

/** A mail could not be sent. The message is for its recipient, and the cause is for the operator. */
export class MailError extends Error {
  override readonly name = "MailError"
}

export type Mailer = ReturnType<typeof createMailer>

export interface MailerOptions {
  /** Links, the user and the password are sent only over TLS, except to this machine. */
  url: string
  from: Mailbox
  /** Receives the reason why a mail was not sent. */
  onFailure: (error: unknown) => void
  now: () => Date
}

/** More mails than people request; limits the memory while a mail server hangs. */
const maxWaiting = 200
/** The time limit of each step with the mail server. */
const stepMs = 10_000
/** The time limit of a whole mail. */
const mailMs = 30_000

export function createMailer({ url, from, onFailure, now }: MailerOptions) {
  let last = Promise.resolve()
  let checking: Promise<void> | undefined
  let waiting = 0
  let transport: ReturnType<typeof createTransport> | undefined
  let isFailing = false
  let isStopping = false
  let isStopped = false

  function enqueue(mail: Mail): void {
    waiting++
    last = last
      // Starts after the response to the request for the mail.
      .then(() => Bun.sleep(0))
      .then(() => (isStopped ? undefined : transmit(mail)))
      .catch(onFailure)
      .finally(() => waiting--)
  }

  /** Beside the queue, whose length depends on accounts too. */
  async function probe(): Promise<void> {
    try {
      const verified = connected().then((transport) => transport.verify())
      await settleWithin(mailMs, verified, notSent)
      isFailing = false
    } catch (error) {
      isFailing = true
      onFailure(error)
    }
    checking = undefined
  }

  const connected = () => {
    transport ??= createTransport(url)
    return transport
  }

  const transmit = (mail: Mail) => settleWithin(mailMs, sendMail(mail), notSent)

  async function sendMail({ to, expiresAt, unsubscribeUrl, ...content }: Mail): Promise<void> {
    // A server that hangs may delay mails beyond the validity of their links.
    if (expiresAt && now() >= expiresAt) {
      throw new Error("The mail waited until its link had expired")
    }
    await (await connected()).sendMail({
      ...content,
      from,
      // An object is one address; a string with a comma would be two.
      to: { name: "", address: to },
      headers: {
        "Auto-Submitted": "auto-generated",
        ...(unsubscribeUrl !== undefined && {
          "List-Unsubscribe": `<${unsubscribeUrl}>`,
          "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        }),
      },
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  }

  return {
    /** Queues a mail. Never throws. */
    send: (mail: Mail): void => {
      if (isStopping) onFailure(new Error("The service is stopping"))
      else if (waiting >= maxWaiting) onFailure(new Error("The queue of mails is full"))
      else enqueue(mail)
    },
    /** Sends a mail at once. @throws MailError */
    deliver: (mail: Mail): Promise<void> =>
      transmit(mail).catch((cause: unknown) => {
        throw new MailError(rejectionOf(cause), { cause })
      }),
    /** Connects to the server without a mail, in the background. Never throws. */
    check: (): void => {
      if (!isStopping) checking ??= probe()
    },
    /** Whether so many mails wait that the next one would not be sent. */
    isFull: () => waiting >= maxWaiting,
    /**
     * Whether the last check did not reach the server, or its login was rejected. The outcomes of mails would reveal to
     * everyone which accounts exist.
     */
    isFailing: () => isFailing,
    /** Waits until all mails are sent, for at most `limitMs`, and sends no more. */
    stop: async (limitMs: number): Promise<void> => {
      isStopping = true
      await settleWithin(limitMs, Promise.all([last, checking]), notSent).catch(onFailure)
      isStopped = true
    },
  }
}

/** Imported for the first mail, because most processes send none. */
async function createTransport(address: string) {
  const { default: nodemailer } = await import("nodemailer")
  const url = new URL(address)
  const { protocol, port, username, password } = url
  const host = plainHost(url)
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

/** Without the server's own words, which may name hosts of a private network. */
const rejectionOf = (error: unknown): string =>
  error instanceof Error && "responseCode" in error
    ? `The mail server returned ${error.responseCode}`
    : "The mail server cannot be reached"

const notSent = (limitMs: number) => new Error(`Not sent within ${limitMs} ms`)
