/** The values of the settings. Only this file reads them from the environment. */
import { readFileSync, statSync } from "node:fs"
import { type Setting, settings } from "./settings.ts"

type Environment = Readonly<Record<string, string | undefined>>

export type SettingName = keyof typeof settings
export type Config = Readonly<{
  [Name in SettingName]: ReturnType<(typeof settings)[Name]["parse"]>
}>

/** The environment contains invalid settings. The message names each and says why. */
export class ConfigError extends Error {
  override readonly name = "ConfigError"
}

/**
 * Reads all settings. Unknown variables are ignored. A secret may be in a file that `NAME_FILE` names, as
 * Docker and Kubernetes mount one.
 * @throws ConfigError that lists every invalid setting; it never contains a secret's value
 */
export function readConfig(environment: Environment): Config {
  const faults: string[] = []
  const config: Record<string, unknown> = {}
  for (const [name, { fallback = "", secret, parse }] of Object.entries<Setting>(settings)) {
    let given = fallback
    try {
      given = (secret ? secretValue(name, environment) : environment[name]) ?? fallback
      config[name] = parse(given)
    } catch (error) {
      // With an @ it may be a URL with a password, although it should not be.
      const shownValue = secret || given.includes("@") ? "" : ` (it is ${JSON.stringify(given)})`
      faults.push(`${name} ${messageOf(error)}${shownValue}`)
    }
  }
  if (faults.length === 0) faults.push(...faultsBetween(config as Config))
  if (faults.length > 0) throw new ConfigError(`Cannot use the settings:\n${faults.join("\n")}`)
  return Object.freeze(config) as Config
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

/** @throws Error whose message never contains the value */
function secretValue(name: string, environment: Environment): string | undefined {
  const value = environment[name]
  const path = environment[`${name}_FILE`]
  if (!path) return value
  if (value) throw new Error(`is given twice: unset it or ${name}_FILE`)
  let text: string
  try {
    text = readSecret(path)
  } catch (error) {
    throw new Error(`cannot be read from ${name}_FILE: ${messageOf(error)}`)
  }
  // Empty would mean none, and the service would start without what it should use.
  if (text === "") throw new Error(`is empty in ${name}_FILE, ${path}`)
  return text
}

/** The text without a byte order mark at its beginning and the line break at its end. */
function readSecret(path: string): string {
  const stats = statSync(path)
  // A pipe would be waited for, and a device read without end.
  if (!stats.isFile()) throw new Error(`${path} is not a regular file`)
  if (stats.size > 65_536) throw new Error("it is larger than 64 KiB")
  const bytes = readFileSync(path)
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/\r?\n$/, "")
  } catch {
    throw new Error("it is not in UTF-8")
  }
}

/** Settings that don't go together. */
function faultsBetween(config: Config): string[] {
  const { PORT, ADMIN_PORT, SIGNUP, SMTP_URL, MAIL_FROM, BASE_URL } = config
  const { DATABASE_URL, DATABASE_READ_URL, DATABASE_DIRECT_URL } = config
  const rules: [isBroken: boolean, fault: string][] = [
    [ADMIN_PORT !== 0 && PORT === ADMIN_PORT, "ADMIN_PORT must not be PORT"],
    [
      DATABASE_URL === null && DATABASE_READ_URL !== null,
      "DATABASE_READ_URL requires DATABASE_URL: the embedded server has no replicas",
    ],
    [
      DATABASE_URL === null && DATABASE_DIRECT_URL !== null,
      "DATABASE_DIRECT_URL requires DATABASE_URL, the address of a pooler",
    ],
    [
      SIGNUP === "open" && SMTP_URL === null,
      "SIGNUP=open requires SMTP_URL: email addresses are confirmed by a mail",
    ],
    [SMTP_URL !== null && MAIL_FROM === null, "SMTP_URL requires MAIL_FROM"],
    [
      SMTP_URL !== null && BASE_URL === "",
      "SMTP_URL requires BASE_URL: mailed links begin with it",
    ],
  ]
  return rules.flatMap(([isBroken, fault]) => (isBroken ? [fault] : []))
}

/** The guide's table of settings. */
export const settingsTable = (): string =>
  [
    "| setting | default | purpose |",
    "|---|---|---|",
    ...Object.entries<Setting>(settings).map(
      ([name, { fallback, description }]) =>
        `| \`${name}\` | ${fallback === undefined ? "" : `\`${fallback}\``} | ${description} |`,
    ),
  ].join("\n")
