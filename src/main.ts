#!/usr/bin/env bun
/** The command line. */
import { newProgram, run } from "./commands/run.ts"

/** Each is loaded on demand, because the modules of all commands take long to load. */
const commands = {
  serve: async () => (await import("./commands/serve.ts")).serveCommand,
  migrate: async () => (await import("./commands/migrate.ts")).migrateCommand,
  load: async () => (await import("./commands/load.ts")).loadCommand,
  fetch: async () => (await import("./commands/fetch.ts")).fetchCommand,
  companies: async () => (await import("./commands/companies.ts")).companiesCommand,
  holders: async () => (await import("./commands/holders.ts")).holdersCommand,
  sources: async () => (await import("./commands/sources.ts")).sourcesCommand,
  releases: async () => (await import("./commands/releases.ts")).releasesCommand,
  account: async () => (await import("./commands/accounts.ts")).accountCommand,
  token: async () => (await import("./commands/tokens.ts")).tokenCommand,
  watch: async () => (await import("./commands/watches.ts")).watchCommand,
}

const program = newProgram(
  "mds",
  "run and administer the Mining and Geological Data Service",
).addHelpText(
  "afterAll",
  "\nSettings are environment variables: see src/web/guide/settings.md, or /docs/guide/settings of the running service.",
)

const given = process.argv[2] ?? ""
for (const [name, declared] of Object.entries(commands)) {
  // Help and suggestions need all commands.
  if (name === given || !Object.hasOwn(commands, given))
    (await declared())(program, name, process.env)
}

await run(program)
