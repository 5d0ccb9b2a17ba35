/** The limit of mail servers (RFC 5321, section 4.5.3.1.3). */
const maxLength = 254

/**
 * Whether `text` is one email address, without characters that separate addresses in a header or need
 * quotes.
 */
export const isEmailAddress = (text: string): boolean =>
  text.length <= maxLength &&
  /^[^\s@,;:<>()[\]"\\\p{Cc}\p{Cf}]+@[^\s@,;:<>()[\]"\\\p{Cc}\p{Cf}]+$/u.test(text)

/** A mailbox in the header of a mail: `Name <name@example.com>`, or only the address. */
export interface Mailbox {
  /** May be empty. */
  name: string
  address: string
}

/** @throws Error that says what is expected */
export function readMailbox(text: string): Mailbox {
  const [, name = "", bracketed] = /^([^<>"]*?)\s*<([^<>]*)>$/.exec(text) ?? []
  const address = bracketed ?? text
  if (!isEmailAddress(address) || /\p{Cc}/u.test(name)) {
    throw new Error("must be an email address, or a name and <address>")
  }
  return { name, address }
}
