/** A real SMTP server for a test (RFC 5321), which keeps the mails that it is sent and delivers none. */
import PostalMime, { type Email } from "postal-mime"
import { until } from "./until.ts"

export interface MailServerOptions {
  /** The login that may send; by default any client may. */
  login?: { user: string; password: string }
  /**
   * Replaces the reply to a command, or to "." at the end of a mail, for example by "550 No such user".
   * An empty one sends nothing, as by a server that hangs; undefined leaves the reply as it is.
   */
  replace?: (command: string) => string | undefined
}

export interface ReceivedMail {
  /** Those of the envelope, which decide where a mail goes. */
  recipients: string[]
  /** As it was sent, one character a byte. */
  source: string
}

export type MailServer = ReturnType<typeof mailServer>

/** Listens on a free port of 127.0.0.1. */
export function mailServer({ login, replace = () => undefined }: MailServerOptions = {}) {
  const mails: ReceivedMail[] = []
  const credentials = login && btoa(`\0${login.user}\0${login.password}`)
  const listener = Bun.listen<(text: string) => string>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open(socket) {
        socket.data = linesTo(smtpSession((mail) => mails.push(mail), credentials, replace))
        socket.write("220 mail.test\r\n")
      },
      data(socket, chunk) {
        const replies = socket.data(chunk.toString("latin1"))
        socket.write(replies)
        if (replies.includes("221 ")) socket.end()
      },
    },
  })
  const user = login
    ? `${encodeURIComponent(login.user)}:${encodeURIComponent(login.password)}@`
    : ""
  const stop = () => listener.stop(true)
  return {
    /** For SMTP_URL, with the login. */
    url: `smtp://${user}127.0.0.1:${listener.port}`,
    /** What it has accepted, oldest first. */
    mails,
    /** The newest mail to an address, parsed; waits for the first one. */
    mailTo: async (address: string): Promise<Email> => {
      const newest = () => mails.findLast(({ recipients }) => recipients.includes(address))
      await until(() => newest() !== undefined)
      return PostalMime.parse(Buffer.from(newest()?.source ?? "", "latin1"))
    },
    /** For `afterAll`. */
    stop,
    [Symbol.dispose]: stop,
  }
}

/** Cuts what arrives into lines, and returns the replies to those that are whole. */
function linesTo(reply: (line: string) => string): (text: string) => string {
  let unread = ""
  return (text) => {
    const lines = (unread + text).split("\r\n")
    unread = lines.pop() ?? ""
    const replies = lines.map(reply).filter((line) => line !== "")
    return replies.map((line) => `${line}\r\n`).join("")
  }
}

/** Replies to a client's lines; those of a mail itself get none. */
function smtpSession(
  deliver: (mail: ReceivedMail) => void,
  credentials: string | undefined,
  replace: (command: string) => string | undefined,
): (line: string) => string {
  let isTrusted = credentials === undefined
  let recipients: string[] = []
  let mail: string[] | undefined

  const end = (lines: string[]): string => {
    deliver({ recipients, source: lines.map((line) => `${line}\r\n`).join("") })
    mail = undefined
    return reset()
  }
  const reset = (): string => {
    recipients = []
    return "250 OK"
  }

  return (line) => {
    if (mail && line !== ".") {
      // A client puts a dot before a line that begins with one.
      mail.push(line.replace(/^\./, ""))
      return ""
    }
    const replacement = replace(line)
    if (replacement !== undefined) return replacement
    if (mail) return end(mail)
    const [verb = "", argument = ""] = line.split(/ (.*)/s)
    switch (verb.toUpperCase()) {
      case "EHLO":
        return credentials ? "250-mail.test\r\n250 AUTH PLAIN" : "250 mail.test"
      case "AUTH":
        isTrusted = argument === `PLAIN ${credentials}`
        return isTrusted ? "235 Accepted" : "535 Wrong user or password"
      case "MAIL":
        return isTrusted ? "250 OK" : "530 Authentication required"
      case "RCPT":
        recipients.push(addressIn(argument))
        return "250 OK"
      case "DATA":
        if (recipients.length === 0) return "503 No recipients"
        mail = []
        return "354 Go on"
      case "RSET":
        return reset()
      case "QUIT":
        return "221 Bye"
      default:
        return "502 Unknown command"
    }
  }
}

/** The address in `FROM:<a@example.com> BODY=8BITMIME`. */
const addressIn = (argument: string): string => /<([^>]*)>/.exec(argument)?.[1] ?? ""
