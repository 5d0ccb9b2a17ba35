/** The values of the settings. Only this file reads them from the environment. */
import { readFileSync } from "node:fs"
import { type Setting, settings } from "./settings.ts"

export type SettingName = keyof typeof settings
export type Config = Readonly<{
  [Name in SettingName]: ReturnType<(typeof settings)[Name]["parse"]>
}>

/** The environment contains invalid settings. The message lists each with its fault. */
export class ConfigError extends Error {
  override readonly name = "ConfigError"
}

/**
 * Reads all settings, and ignores unknown variables. `NAME_FILE` may name a file with a secret, as Docker and
 * Kubernetes mount one.
 * @throws ConfigError that lists every invalid setting; it never contains a secret's value
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
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
function secretValue(name: string, environment: NodeJS.ProcessEnv): string | undefined {
  const value = environment[name]
  const path = environment[`${name}_FILE`]
  if (!path) return value
  if (value) throw new Error(`is given twice: unset it or ${name}_FILE`)
  let text: string
  try {
    text = readFileSync(path, "utf8").replace(/^\uFEFF|\r?\n$/g, "")
  } catch (error) {
    throw new Error(`cannot be read from ${name}_FILE: ${messageOf(error)}`)
  }
  // An empty value would mean that the setting is unset, and the service would silently ignore the file.
  if (text === "") throw new Error(`is empty in ${name}_FILE, ${path}`)
  return text
}

/** Returns the faults in the combination of valid settings. */
function faultsBetween(config: Config): string[] {
  const { PORT, ADMIN_PORT, SIGNUP, SMTP_URL, MAIL_FROM, BASE_URL } = config
  const { MAP_TILES, MAP_ATTRIBUTION } = config
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
    [MAP_TILES !== null && MAP_ATTRIBUTION === "", "MAP_TILES requires MAP_ATTRIBUTION"],
    [
      SMTP_URL !== null && BASE_URL === "",
      "SMTP_URL requires BASE_URL: mailed links begin with it",
    ],
  ]
  return rules.flatMap(([isBroken, fault]) => (isBroken ? [fault] : []))
}
