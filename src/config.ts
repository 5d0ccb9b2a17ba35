/**
 * The settings, each declared once, in `settings/`. Only this file reads them from the environment. The
 * README's table is generated from the same declarations.
 */
import { accounts } from "./settings/accounts.ts"
import { data } from "./settings/data.ts"
import { database } from "./settings/database.ts"
import { limits } from "./settings/limits.ts"
import { observation } from "./settings/observation.ts"
import { secretValue } from "./settings/secret-file.ts"
import { server } from "./settings/server.ts"
import type { Setting } from "./settings/setting.ts"

/** In the order of the README's table. */
export const settings = { ...server, ...database, ...limits, ...accounts, ...data, ...observation }

export type SettingName = keyof typeof settings
export type Config = Readonly<{
  [Name in SettingName]: ReturnType<(typeof settings)[Name]["parse"]>
}>

/** The environment contains invalid settings. The message names each and says why. */
export class ConfigError extends Error {
  override readonly name = "ConfigError"
}

/**
 * Reads all settings. Unknown variables are ignored. A secret may be in a file that `NAME_FILE` names.
 * @throws ConfigError that lists every invalid setting; it never contains a secret's value
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = []
  const config: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries<Setting<unknown>>(settings)) {
    let given = setting.fallback
    try {
      const value = setting.secret ? secretValue(name, environment) : environment[name]
      given = value ?? setting.fallback
      config[name] = setting.parse(given)
    } catch (error) {
      // With an @ it may be a URL with a password, although it should not be.
      const shownValue =
        setting.secret || given.includes("@") ? "" : ` (it is ${JSON.stringify(given)})`
      const reason = error instanceof Error ? error.message : String(error)
      faults.push(`${name} ${reason}${shownValue}`)
    }
  }
  if (faults.length === 0) faults.push(...faultsBetween(config as Config))
  if (faults.length > 0) throw new ConfigError(`Cannot use the settings:\n${faults.join("\n")}`)
  return Object.freeze(config) as Config
}

/** Settings that don't go together. */
function faultsBetween(config: Config): string[] {
  const { PORT, ADMIN_PORT, SIGNUP, SMTP_URL, MAIL_FROM, BASE_URL } = config
  const faults: string[] = []
  if (ADMIN_PORT !== 0 && PORT === ADMIN_PORT) faults.push("ADMIN_PORT must not be PORT")
  if (config.DATABASE_URL === null) {
    if (config.DATABASE_READ_URL !== null) {
      faults.push("DATABASE_READ_URL requires DATABASE_URL: the embedded server has no replicas")
    }
    if (config.DATABASE_DIRECT_URL !== null) {
      faults.push("DATABASE_DIRECT_URL requires DATABASE_URL, the address of a pooler")
    }
  }
  if (SIGNUP === "open" && SMTP_URL === null) {
    faults.push("SIGNUP=open requires SMTP_URL: email addresses are confirmed by a mail")
  }
  if (SMTP_URL !== null && MAIL_FROM === null) faults.push("SMTP_URL requires MAIL_FROM")
  if (SMTP_URL !== null && BASE_URL === "") {
    faults.push("SMTP_URL requires BASE_URL: mailed links begin with it")
  }
  return faults
}

/** The README's table of settings. */
export const settingsTable = (): string =>
  [
    "| setting | default | what it does |",
    "|---|---|---|",
    ...Object.entries<Setting<unknown>>(settings).map(
      ([name, { fallback, description }]) =>
        `| \`${name}\` | ${fallback === "" ? "" : `\`${fallback}\``} | ${description} |`,
    ),
  ].join("\n")
