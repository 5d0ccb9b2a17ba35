import { expect, test } from "bun:test"
import { resolve } from "node:path"
import { ConfigError, readConfig, settings, settingsTable } from "../src/config.ts"

const readme = await Bun.file(new URL("../README.md", import.meta.url)).text()

test("the README's table of settings is the one that the declarations give", () => {
  const [, table] = /<!-- settings -->\n([\s\S]*?)\n<!-- \/settings -->/.exec(readme) ?? []
  expect(table).toBe(settingsTable())
})

test("every setting has a line in the table, with its default", () => {
  const lines = settingsTable().split("\n").slice(2)
  expect(lines).toHaveLength(Object.keys(settings).length)
  for (const [index, [name, { fallback, description }]] of Object.entries(settings).entries()) {
    expect(lines[index]).toStartWith(`| \`${name}\` |`)
    expect(lines[index]).toContain(fallback)
    expect(lines[index]).toEndWith(`| ${description} |`)
    expect(description.length).toBeGreaterThan(10)
  }
})

test("without an environment every default holds, and is frozen", () => {
  const config = readConfig({})
  expect(config).toEqual({
    PORT: 3000,
    HOST: "127.0.0.1",
    BASE_URL: "",
    DATABASE_URL: null,
    DATA_DIR: resolve("data"),
    TRUSTED_PROXIES: 0,
    RATE_WINDOW_SECONDS: 3600,
    WINDOW_MEMORY_MB: 512,
    CACHE_MEMORY_MB: 64,
    REDIS_URL: null,
    REDIS_TIMEOUT_MS: 50,
    LOOKUP_CONNECTIONS: 4,
    REQUEST_CONNECTIONS: 8,
    COUNT_CONNECTIONS: 4,
    EXPORT_CONNECTIONS: 3,
    MAX_EXPORTS: 100,
    QUEUE_LENGTH: 1000,
    ACCOUNT_QUEUE_LENGTH: 200,
    QUEUE_SECONDS: 30,
    STATEMENT_TIMEOUT_SECONDS: 15,
    EXPORT_STALL_SECONDS: 300,
    ACTOR: "",
    SHUTDOWN_SECONDS: 20,
  })
  expect(Object.isFrozen(config)).toBe(true)
})

test("what is given is read, and unknown variables are left alone", () => {
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

test.each([
  ["PORT", ["", "-1", "65536", "3e3", "0x50", " 80", "80.0", "http"]],
  ["BASE_URL", ["example.com", "ftp://example.com", "//x"]],
  ["DATABASE_URL", ["mysql://x/y", "postgres:x", "postgres://"]],
  ["RATE_WINDOW_SECONDS", ["0", "86401", "1h"]],
  ["REDIS_URL", ["localhost:6379", "http://x", "redis:x", "redis://", "rediss://x:port"]],
  ["REDIS_TIMEOUT_MS", ["0", "60001", "50ms"]],
  ["WINDOW_MEMORY_MB", ["0", "1000001"]],
  ["REQUEST_CONNECTIONS", ["0", "501"]],
  ["TRUSTED_PROXIES", ["true", "21"]],
] as const)("%s is refused where it can't be meant", (name, values) => {
  for (const value of values) {
    expect(() => readConfig({ [name]: value })).toThrow(ConfigError)
    expect(() => readConfig({ [name]: value })).toThrow(name)
  }
})

test("every fault is told at once, with what was given, and no secret", () => {
  const secrets = { DATABASE_URL: "hunter2", REDIS_URL: "http://:hunter2@x" }
  const environment = { PORT: "x", QUEUE_LENGTH: "-1", ...secrets }
  const message = (() => {
    try {
      readConfig(environment)
    } catch (error) {
      return (error as Error).message
    }
  })()
  expect(message).toBe(
    [
      "Cannot use the settings:",
      'PORT must be an integer from 0 to 65535 (it is "x")',
      "DATABASE_URL must begin with postgres://",
      "REDIS_URL must be an address that begins with redis:// or rediss://",
      'QUEUE_LENGTH must be an integer from 0 to 100000 (it is "-1")',
    ].join("\n"),
  )
})
