#!/usr/bin/env bun
/** The command line. */
import { Command } from "commander"
import { printableErrors, run } from "./commands/run.ts"
import { readConfig } from "./config.ts"

/** Each is loaded when it is given, so that none waits for what only another needs. */
const commands = {
  serve: async () => (await import("./commands/serve.ts")).addServeCommand,
  migrate: async () => (await import("./commands/serve.ts")).addMigrateCommand,
  load: async () => (await import("./commands/load.ts")).addLoadCommand,
  fetch: async () => (await import("./commands/fetch.ts")).addFetchCommand,
  companies: async () => (await import("./commands/companies.ts")).addCompanyCommands,
  holders: async () => (await import("./commands/holders.ts")).addHolderCommands,
  sources: async () => (await import("./commands/sources.ts")).addSourceCommands,
  releases: async () => (await import("./commands/releases.ts")).addReleaseCommands,
  account: async () => (await import("./commands/accounts.ts")).addAccountCommands,
  token: async () => (await import("./commands/tokens.ts")).addTokenCommands,
}

// Before the commands are added, which inherit it.
const program = new Command("mds")
  .description(
    "run and administer the Mining and Geological Data Service; settings are environment variables",
  )
  .showHelpAfterError("(add --help for usage)")
  .configureOutput(printableErrors)

const given = process.argv[2] ?? "serve"
for (const [name, command] of Object.entries(commands)) {
  // Anything else is an option, a request for help or an error, which may list them all.
  if (name !== given && Object.hasOwn(commands, given)) continue
  const add = await command()
  add(program, () => readConfig(process.env), process.env)
}

await run(program)
