/** Every setting is declared once and documented, and invalid ones are reported together without secrets. */
import { expect, test } from "bun:test"
import { resolve } from "node:path"
import postgres from "postgres"
import { ConfigError, readConfig, type SettingName } from "../src/config.ts"
import { type Setting, settings } from "../src/settings.ts"

const page = await Bun.file(new URL("../src/web/guide/settings.md", import.meta.url)).text()

function faultOf(environment: Record<string, string>): string | undefined {
  try {
    readConfig(environment)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** The guide's table of settings. */
const settingsTable = (): string =>
  [
    "| setting | default | purpose |",
    "|---|---|---|",
    ...Object.entries<Setting>(settings).map(
      ([name, { fallback, description }]) =>
        `| \`${name}\` | ${fallback === undefined ? "" : `\`${fallback}\``} | ${description} |`,
    ),
  ].join("\n")

test("The guide's table of settings is generated from the declarations", () => {
  const [, table] = /<!-- settings -->\n([\s\S]*?)\n<!-- \/settings -->/.exec(page) ?? []
  expect(table).toBe(settingsTable())
})

test("An empty environment gives the defaults, frozen", () => {
  const config = readConfig({})
  expect(config).toEqual({
    PORT: 3000,
    ADMIN_PORT: 0,
    HOST: "127.0.0.1",
    BASE_URL: "",
    DATABASE_URL: null,
    DATABASE_READ_URL: null,
    DATABASE_DIRECT_URL: null,
    DATA_DIR: resolve("data"),
    TRUSTED_PROXIES: 0,
    RATE_WINDOW_SECONDS: 3600,
    CACHE_MEMORY_MB: 64,
    REDIS_URL: null,
    DATABASE_CONNECTIONS: 24,
    MAX_EXPORTS: 20,
    STATEMENT_TIMEOUT_SECONDS: 15,
    EXPORT_STALL_SECONDS: 300,
    SIGNUP: "closed",
    SMTP_URL: null,
    MAIL_FROM: null,
    WEBHOOK_PRIVATE: false,
    WEBHOOK_PROXY: null,
    MAP_TILES: null,
    MAP_ATTRIBUTION: "",
    HOLDER_NAMES: "all",
    ABSENT_AFTER_HOURS: 48,
    SOURCES_FILE: null,
    FETCH_EVERY: 0,
    ACTOR: "",
    SHUTDOWN_SECONDS: 6,
    LOG_FORMAT: "auto",
    LOG_LEVEL: "info",
    NO_COLOR: false,
  })
  expect(Object.isFrozen(config)).toBe(true)
})

test("A setting that needs a value must not be empty", () => {
  for (const name of ["DATA_DIR", "HOST"]) {
    for (const value of ["", " "]) {
      expect(faultOf({ [name]: value })).toContain(`${name} must not be empty`)
    }
  }
})

test("Settings are read from the environment, and unknown variables are ignored", () => {
  const config = readConfig({
    PORT: "0",
    BASE_URL: "https://example.com/data//",
    DATABASE_URL: "postgresql://a:b@c/d",
    DATA_DIR: "/somewhere/else",
    NO_SETTING: "x",
  })
  expect(config.PORT).toBe(0)
  expect(config.BASE_URL).toBe("https://example.com/data")
  expect(config.DATABASE_URL).toBe("postgresql://a:b@c/d")
  expect(config.DATA_DIR).toBe("/somewhere/else")
  expect(config).not.toHaveProperty("NO_SETTING")
})

test("ADMIN_PORT must differ from PORT", () => {
  expect(() => readConfig({ PORT: "3000", ADMIN_PORT: "3000" })).toThrow(
    new ConfigError("Cannot use the settings:\nADMIN_PORT must not be PORT"),
  )
})

test.each([
  ["ADMIN_PORT", ["", "-1", "65536", "3e3", " 80", "http"]],
  ["PORT", ["", "-1", "65536", "3e3", "0x50", " 80", "80.0", "http"]],
  ["BASE_URL", ["example.com", "ftp://example.com", "//x"]],
  ["DATABASE_URL", ["mysql://x/y", "postgres:x", "postgres://"]],
  ["RATE_WINDOW_SECONDS", ["0", "86401", "1h"]],
  ["REDIS_URL", ["localhost:6379", "http://x", "redis:x", "redis://", "rediss://x:port"]],
  ["DATABASE_CONNECTIONS", ["5", "1001"]],
  ["TRUSTED_PROXIES", ["true", "21"]],
  ["SIGNUP", ["", "Open", "yes"]],
  ["WEBHOOK_PRIVATE", ["", "1", "yes", "TRUE"]],
  ["WEBHOOK_PROXY", ["proxy:3128", "socks5://proxy", "http://", "http://proxy/x"]],
  ["LOG_FORMAT", ["", "JSON", "pretty"]],
  ["LOG_LEVEL", ["", "trace", "INFO"]],
] as const)("%s rejects invalid values", (name, values) => {
  for (const value of values) {
    expect(() => readConfig({ [name]: value })).toThrow(ConfigError)
    expect(() => readConfig({ [name]: value })).toThrow(name)
  }
})

const malformed: Partial<Record<SettingName, Record<string, string[]>>> = {
  DATABASE_URL: {
    "must have #, / and ? in its user or password written as %23, %2F and %3F": [
      "postgres://user:S3CRET#1@host/db",
      "postgres://user:S3CRET/1@host/db",
      "postgres://user:S3CRET?1@host/db",
      "postgres://user:S3@CRET/1@host/db",
      "postgres://user:1#S3CRET@host/db",
      "postgres://S3CRET/@host",
    ],
    "must have a % in its user or password written as %25": ["postgres://user:S3CRET%zz@host/db"],
    "has an invalid host or port; write @ and , in a password as %40 and %2C": [
      "postgres://user:S3CRET@host:54x2/db",
      "postgres://user:S3CRET@host:65536/db",
      "postgres://user:S3CRET@host:0/db",
      "postgres://user:S3CRET@a:1:2/db",
      "postgres://user:S3CRET",
      "postgres://user:S3CRET@h\u00f6st/db",
      "postgres://user:S3CRET@/db",
    ],
    "must have one host; where a database has several, give the address of its primary, and write @ and , in a password as %40 and %2C":
      [
        "postgres://user:S3CRET@a,b/db",
        "postgres://user:S3CRET@a:1,b:2/db",
        "postgres://user:S3@CRET,1@host/db",
        "postgres://user:S3@CRET@a,b/db",
      ],
    "must name its host, not an IPv6 address": ["postgres://user:S3CRET@[::1]:5432/db"],
    "must not contain white space": [
      "postgres://user:S3CRET 1@host/db",
      "postgres://a:S3CRET@b/d\n",
    ],
    "must have one of disable, allow, prefer, require, verify-ca, verify-full as sslmode": [
      "postgres://user:S3CRET@host/db?sslmode=bogus",
      "postgres://user:S3CRET@host/db?sslmode=S3CRET",
      "postgres://user:S3CRET@host/db?sslmode=",
      "postgres://user:S3CRET@host/db?sslmode=Require",
      "postgres://user:S3CRET@host/db?sslmode=require&sslmode=bogus",
    ],
  },
  REDIS_URL: {
    "must have #, / and ? in its user or password written as %23, %2F and %3F": [
      "redis://:123#S3CRET@host:6379",
      "redis://user:123/S3CRET@host:6379",
      "redis://user:1?S3CRET@host:6379",
    ],
    "must have a % in its user or password written as %25": ["redis://:S3CRET%@host"],
    "has an invalid host or port; write @ and , in a password as %40 and %2C": [
      "redis://:S3CRET@host:x",
      "redis://:S3CRET@host:0",
      "redis://:S3CRET@",
    ],
    "must end in the number of a database, as /0": ["redis://:S3CRET@host/name"],
  },
  BASE_URL: {
    "must not contain a user or password: it is shown": ["https://user:S3CRET@example.com"],
    "must be an http or https address": ["https://user:S3CRET#1@example.com"],
  },
  SMTP_URL: {
    "must begin with smtp:// or smtps://": ["mail:S3CRET@host", "smtp://"],
    "must have #, / and ? in its user or password written as %23, %2F and %3F": [
      "smtp://user:1#S3CRET@host:587",
      "smtp://user:1/S3CRET@host",
    ],
    "must have a % in its user or password written as %25": ["smtp://user:S3CRET%@host"],
    "has an invalid host or port; write @ and , in a password as %40 and %2C": [
      "smtp://user:S3CRET@host:x",
      "smtps://user:S3CRET@host:0",
    ],
    "must end after its host and port": ["smtp://user:S3CRET@host/x", "smtp://S3CRET@host?tls=1"],
  },
  WEBHOOK_PROXY: {
    "must begin with http:// or https://": ["socks5://user:S3CRET@proxy"],
    "must end after its host and port": ["http://user:S3CRET@proxy/x"],
  },
  MAIL_FROM: {
    "must be an email address, or a name and <address>": [
      "S3CRET@",
      "a@b, c@d",
      "Name <a@b> <c@d>",
      "Name\r\nBcc: x <a@b@c>",
      "<a@b",
    ],
  },
  PORT: { "must be an integer from 0 to 65535": ["postgres://user:S3CRET@host"] },
}

test("An invalid URL is rejected with the reason, without its text", () => {
  for (const [name, faults] of Object.entries(malformed)) {
    for (const [fault, values] of Object.entries(faults)) {
      for (const value of values) {
        expect([value, faultOf({ [name]: value })]).toEqual([
          value,
          `Cannot use the settings:\n${name} ${fault}`,
        ])
      }
    }
  }
})

const passwords = ["", "s3cret", "a:b", "a,b", "%23%2F%3F%25", "a%40b", "a@b", "$&"]
const places: [written: string, hosts: string[], ports: number[]][] = [
  ["", ["localhost"], [5432]],
  ["host", ["host"], [5432]],
  ["db-1.example.com:6543", ["db-1.example.com"], [6543]],
]

test("An accepted URL is parsed by the driver as it is written", () => {
  let accepted = 0
  for (const password of passwords) {
    for (const [written, host, port] of places) {
      const url = `postgres://${password === "" ? "" : `user:${password}@`}${written}/name`
      if (faultOf({ DATABASE_URL: url }) !== undefined) continue
      accepted++
      const { options } = postgres(url)
      expect([url, options.host, options.port, options.pass ?? "", options.database]).toEqual([
        url,
        host,
        port,
        decodeURIComponent(password),
        "name",
      ])
    }
  }
  // The driver misreads URLs with a user and no host.
  expect(accepted).toBe(passwords.length * places.length - (passwords.length - 1))
})

test("Conflicting settings are rejected with the reason", () => {
  const mail = {
    SMTP_URL: "smtp://user:S3CRET@host:587",
    MAIL_FROM: "Data <data@example.com>",
    BASE_URL: "https://data.example.com",
  }
  expect(readConfig({ SIGNUP: "open", ...mail })).toMatchObject({
    SIGNUP: "open",
    SMTP_URL: mail.SMTP_URL,
    MAIL_FROM: { name: "Data", address: "data@example.com" },
  })
  expect(readConfig({ MAIL_FROM: "data@example.com" }).MAIL_FROM).toEqual({
    name: "",
    address: "data@example.com",
  })
  expect(
    faultOf({ DATABASE_READ_URL: "postgres://b/x", DATABASE_DIRECT_URL: "postgres://c/x" }),
  ).toBe(
    "Cannot use the settings:\nDATABASE_READ_URL requires DATABASE_URL: the embedded server has no replicas\nDATABASE_DIRECT_URL requires DATABASE_URL, the address of a pooler",
  )
  expect(faultOf({ SIGNUP: "open" })).toBe(
    "Cannot use the settings:\nSIGNUP=open requires SMTP_URL: email addresses are confirmed by a mail",
  )
  expect(faultOf({ ...mail, MAIL_FROM: "" })).toBe(
    "Cannot use the settings:\nSMTP_URL requires MAIL_FROM",
  )
  expect(faultOf({ ...mail, BASE_URL: "" })).toBe(
    "Cannot use the settings:\nSMTP_URL requires BASE_URL: mailed links begin with it",
  )
  const tiles = { MAP_TILES: "https://tiles.example.com:8443/{z}/{x}/{y}@2x.png" }
  expect(faultOf(tiles)).toBe("Cannot use the settings:\nMAP_TILES requires MAP_ATTRIBUTION")
  expect(readConfig({ ...tiles, MAP_ATTRIBUTION: "© Example" })).toMatchObject(tiles)
})

test.each([
  "tiles.example.com/{z}/{x}/{y}.png",
  "https://{s}.tiles.example.com/{z}/{x}/{y}.png",
  "https://tiles.example.com;script-src/{z}/{x}/{y}.png",
  "https://tiles.example.com/{z}/{x}.png",
])("Tiles at %s are rejected", (MAP_TILES) => {
  expect(faultOf({ MAP_TILES, MAP_ATTRIBUTION: "© Example" })).toContain(
    "MAP_TILES must be an http or https address of one host, with {z}, {x} and {y}",
  )
})

test("All invalid settings are reported together, with their values but no secret", () => {
  const secrets = { DATABASE_URL: "hunter2", REDIS_URL: "http://:hunter2@x" }
  const environment = { PORT: "x", MAX_EXPORTS: "-1", ...secrets }
  expect(faultOf(environment)).toBe(
    [
      "Cannot use the settings:",
      'PORT must be an integer from 0 to 65535 (it is "x")',
      "DATABASE_URL must begin with postgres:// or postgresql://",
      "REDIS_URL must begin with redis:// or rediss:// or valkey:// or valkeys://",
      'MAX_EXPORTS must be an integer from 1 to 10000 (it is "-1")',
    ].join("\n"),
  )
})
