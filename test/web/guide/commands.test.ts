/** Checks the command lines of the guide and the README against the declared commands. */
import { expect, test } from "bun:test"
import { Command } from "commander"
import { accountCommand } from "../../../src/commands/accounts.ts"
import { companiesCommand } from "../../../src/commands/companies.ts"
import { fetchCommand } from "../../../src/commands/fetch.ts"
import { holdersCommand } from "../../../src/commands/holders.ts"
import { loadCommand } from "../../../src/commands/load.ts"
import { migrateCommand } from "../../../src/commands/migrate.ts"
import { releasesCommand } from "../../../src/commands/releases.ts"
import { serveCommand } from "../../../src/commands/serve.ts"
import { sourcesCommand } from "../../../src/commands/sources.ts"
import { tokenCommand } from "../../../src/commands/tokens.ts"
import { watchCommand } from "../../../src/commands/watches.ts"
import { guide } from "../../../src/web/pages/docs/pages.ts"
import { textOf } from "./samples.ts"

const program = new Command("mds")
const groups = {
  account: accountCommand,
  companies: companiesCommand,
  holders: holdersCommand,
  releases: releasesCommand,
  sources: sourcesCommand,
  token: tokenCommand,
  watch: watchCommand,
}
const commands = {
  ...groups,
  fetch: fetchCommand,
  load: loadCommand,
  migrate: migrateCommand,
  serve: serveCommand,
}
for (const [name, declared] of Object.entries(commands)) declared(program, name, {})

/** Lines of samples, and code within sentences. */
function commandLines(text: string): string[] {
  const lines =
    /^(?:(?:npx -y bun@1.4.5|bun) run |docker .*?(?:mds-1|CONTAINER|mds) )?mds ([a-z].*)$/gm
  const inSentences = /`(?:(?:bun )?run )?mds ([a-z][^`]*)`/g
  return [...text.matchAll(lines), ...text.matchAll(inSentences)].map(([, line = ""]) => line)
}

/** Null if the program has the command and its options. */
function faultIn(line: string): string | null {
  const [given = ""] = line.split(/ (?:[#<>]|&&)/)
  let command = program
  for (const word of given.match(/"[^"]*"|\S+/g) ?? []) {
    if (word.startsWith("--")) {
      if (word !== "--help" && !command.options.some(({ long }) => long === word)) return word
    } else {
      command = command.commands.find((each) => each.name() === word) ?? command
    }
  }
  const isComplete = command !== program && command.commands.length === 0
  return isComplete || given.includes("--help") ? null : "no such command"
}

test("Every command of the guide and the README exists, with its options", async () => {
  const readme = await Bun.file(new URL("../../../README.md", import.meta.url)).text()
  const texts = [readme, ...(await Promise.all(guide.map(({ name }) => textOf(name))))]
  const lines = texts.flatMap(commandLines).filter((line) => !line.startsWith("COMMAND"))
  expect(lines.length).toBeGreaterThan(40)
  const faults = lines.map((line) => [line, faultIn(line)]).filter(([, fault]) => fault !== null)
  expect(faults).toEqual([])
})
