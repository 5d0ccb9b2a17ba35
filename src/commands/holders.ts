import { closeSync, openSync, rmSync, writeFileSync } from "node:fs"
import { createInterface } from "node:readline"
import type { Config } from "../config.ts"
import { decide, publishConfirmed } from "../loading/link-decisions.ts"
import { readLinkFacts } from "../loading/link-facts.ts"
import { LoadError, reasonOf } from "../loading/load-error.ts"
import { readSuggestions, suggestionsCsv } from "../loading/suggested-companies.ts"
import { judgedFiles, judgement, reasons } from "../loading/suggestions.ts"
import { formatSummary } from "../loading/summary.ts"
import { readUnlinked, unlinkedCsv } from "../loading/unlinked.ts"
import { asxCodeFromText } from "../resources/values.ts"
import { countOf, formatCount } from "../text/display.ts"
import { codeOf } from "../text/error-code.ts"
import { argument, command, group, option } from "./command.ts"
import { withDatabase } from "./database.ts"
import { startLoads } from "./loads.ts"
import {
  formatTable,
  logToStderr,
  printCompleted,
  printData,
  printResult,
  type Row,
} from "./terminal.ts"

interface List<Item> {
  help: string
  further?: string
  /** Of the newest release. */
  read: (url: string) => Promise<Item[]>
  row: (item: Item) => Row
  csv: (items: readonly Item[]) => string
}

const list = <Item>({ help, further, read, row, csv }: List<Item>) =>
  command({
    help,
    parameters: {
      csv: option("<file>", "write a CSV file to complete and load as subsidiaries", String),
    },
    hasJson: true,
    further: `${further === undefined ? "" : `${further}\n\n`}Prints the same CSV if standard output is not a terminal.`,
    run: async ({ csv: path }, { config, json }) => {
      const items = await withDatabase(config, ({ url }) => read(url))
      if (path !== undefined) {
        writeNewFile(path, csv(items))
        logToStderr(
          `Wrote ${countOf(items.length, "row")} to ${path}; fill in parent_asx_code where you know it, ` +
            `then run \`mds load subsidiaries ${path} --partial\``,
        )
      } else if (json) {
        await printResult(JSON.stringify(items.map(row)))
      } else if (process.stdout.isTTY) {
        await printResult(formatTable(items.map(row)))
      } else {
        // The CSV already ends with a line break.
        await printData(csv(items).trimEnd())
      }
    },
  })

const unlinked = list({
  help: "list the holders without a company, most tenements first",
  read: readUnlinked,
  row: ({ name, tenements }) => ({ tenements, holder: name }),
  csv: unlinkedCsv,
})

const reasonTable = `${formatTable(
  reasons.map((reason) => ({ reason, how_often: judgement(reason) })),
)}\n(${judgedFiles})`

const suggest = list({
  help: "list possible companies of unlinked holders, most tenements first",
  further: `Links nothing: \`mds holders link\`, \`decline\` and \`review\` decide.\n\n${reasonTable}`,
  read: readSuggestions,
  row: ({ holder, company, reason, similarName }) => ({
    tenements: holder.tenements,
    holder: holder.name,
    code: company.asx_code,
    company: company.company_name,
    is_active: company.is_active,
    reason,
    how_often: judgement(reason),
    similar_name: similarName,
  }),
  csv: suggestionsCsv,
})

const decision = (help: string, isRight: boolean) =>
  command({
    help,
    parameters: {
      holder: argument(String, "its name, in any spelling"),
      code: argument(asxCodeFromText, "the ASX code of the company"),
    },
    run: ({ holder, code: asxCode }, { config }) =>
      decideAndPublish(config, async (url) => {
        const { isChange, keptBy } = await decide(url, { holder, asxCode, isRight })
        if (!isRight && keptBy !== null) {
          await printCompleted(
            `${holder} stays linked to ${asxCode}: the source ${keptBy} has it as a subsidiary`,
          )
        } else if (!isChange) {
          await printCompleted(`${holder} is no longer suggested for ${asxCode}`)
        }
        return isChange
      }),
  })

const link = decision(
  "link the tenements of a holder to a company, as those of its subsidiary",
  true,
)

const decline = decision("end the suggestion of a link, or a confirmed link", false)

const review = command({
  help: "decide the suggested links one by one, and publish the confirmed links at the end",
  further: "Stores each decision at once. Ctrl-C publishes nothing and keeps the decisions.",
  run: (_, { config }) => decideAndPublish(config, askForDecisions),
})

export const holders = group("list holders of tenements, and link them to their companies", {
  unlinked,
  suggest,
  link,
  decline,
  review,
})

/** Writes all of the file or nothing, and overwrites none: a person may have half completed it. */
function writeNewFile(path: string, text: string): void {
  let file: number | undefined
  try {
    file = openSync(path, "wx")
    writeFileSync(file, text)
  } catch (error) {
    if (file !== undefined) rmSync(path, { force: true })
    const reason = codeOf(error) === "ENOENT" ? "no such directory" : reasonOf(error)
    throw new LoadError(`Cannot write ${path}: ${reason}`, { cause: error })
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

const interrupted =
  "Interrupted: nothing was published; the next `mds holders link` or `mds holders review` publishes the decisions"

/** @param work returns whether to publish all confirmed links */
async function decideAndPublish(
  config: Config,
  work: (url: string) => Promise<boolean>,
): Promise<void> {
  const loads = startLoads(config, interrupted)
  await withDatabase(config, async ({ url }) => {
    if (!(await work(url))) return
    const summary = await publishConfirmed({ url, ...loads.options })
    if (summary) await loads.finish(url, summary, formatSummary(summary))
  })
}

async function askForDecisions(url: string): Promise<true> {
  const suggestions = await readSuggestions(url)
  const linked = new Set<string>()
  const answers = readAnswers()
  for (const [index, suggestion] of suggestions.entries()) {
    const { holder, company, reason, similarName } = suggestion
    if (linked.has(holder.key)) continue
    const place = `${formatCount(index + 1)} of ${formatCount(suggestions.length)}`
    await printResult(
      [
        `${place}: ${holder.name}; ${countOf(holder.tenements, "tenement")}`,
        ...(await readLinkFacts(url, holder.key, company.asx_code)),
        `  ${reason}: ${similarName} (${judgement(reason)})`,
        `Does it belong to ${company.asx_code}? y (yes), n (no), q (end and publish), Enter (later)`,
      ].join("\n"),
    )
    const { done, value } = await answers.next()
    const answer = done ? "q" : value.trim().toLowerCase()
    if (answer === "q") break
    if (answer !== "y" && answer !== "n") continue
    const isRight = answer === "y"
    await decide(url, { holder: holder.name, asxCode: company.asx_code, isRight })
    if (isRight) linked.add(holder.key)
  }
  await answers.return()
  return true
}

/** One line for each question or, on a terminal, one key without Enter. */
async function* readAnswers(): AsyncGenerator<string, void> {
  const { stdin } = process
  if (!stdin.isTTY) return yield* createInterface({ input: stdin })
  stdin.setRawMode(true)
  try {
    for await (const keys of stdin) {
      for (const key of String(keys)) {
        // A terminal in raw mode sends no signal, and no end of input.
        if (key === "\u0003") process.kill(process.pid, "SIGINT")
        if (key === "\u0004") return
        if (!/[ynq\r]/i.test(key)) continue
        await printResult(key.trim())
        yield key
      }
    }
  } finally {
    stdin.setRawMode(false)
  }
}
