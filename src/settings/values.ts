/** How the settings are read from their text. */
import { type Mailbox, readMailbox } from "../text/email-address.ts"
import {
  checkBaseAddress,
  checkPostgresAddress,
  checkRedisAddress,
  checkSmtpAddress,
} from "../text/service-addresses.ts"

/** @throws Error whose message says what is expected, as all of these do */
export const integer =
  (minimum: number, maximum: number) =>
  (text: string): number => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < minimum || value > maximum) {
      throw new Error(`must be an integer from ${minimum} to ${maximum}`)
    }
    return value
  }

export const text = (value: string): string => value

/** Empty means none. */
export const postgresUrl = (value: string): string | null => {
  if (value === "") return null
  checkPostgresAddress(value)
  return value
}

/** Empty means none. */
export const redisUrl = (value: string): string | null => {
  if (value === "") return null
  checkRedisAddress(value)
  return value
}

/** Empty means none. */
export const smtpUrl = (value: string): string | null => {
  if (value === "") return null
  checkSmtpAddress(value)
  return value
}

/** Empty means none. */
export const mailbox = (value: string): Mailbox | null => (value === "" ? null : readMailbox(value))

export const oneOf =
  <T extends string>(...values: readonly T[]) =>
  (text: string): T => {
    const value = values.find((each) => each === text)
    if (value === undefined) throw new Error(`must be ${values.join(" or ")}`)
    return value
  }

export const baseUrl = (value: string): string => {
  if (value === "") return ""
  checkBaseAddress(value)
  return value.replace(/\/+$/, "")
}

const port = integer(0, 65_535)

/** Empty or 0 means none. */
export const adminPort = (value: string): number => (value === "" ? 0 : port(value))
