/** `mds holders link`, `decline` and `review`: an operator decides which suggested links are right. */
import { createInterface } from "node:readline"
import type { Command } from "commander"
import type { Config } from "../config.ts"
import { withSnapshot } from "../db/snapshot.ts"
import { type Decision, decide, publishConfirmed } from "../loading/link-decisions.ts"
import { readLinkFacts } from "../loading/link-facts.ts"
import { formatCount, progressOn } from "../loading/progress.ts"
import { readSuggestions } from "../loading/suggested-companies.ts"
import { judgement, type Suggestion } from "../loading/suggestions.ts"
import { formatSummary } from "../loading/summary.ts"
import { withDatabase } from "./database.ts"
import { finishLoad } from "./load.ts"
import { handleSignals } from "./signals.ts"
import { printCompleted, printResult } from "./terminal.ts"

export function addLinkCommands(holders: Command, config: () => Config): void {
  const add = (name: string, description: string, isRight: boolean) =>
    holders
      .command(name)
      .description(description)
      .argument("<holder>", "its name, in any spelling")
      .argument("<code>", "the ASX code of the company")
      .action((holder: string, asxCode: string) =>
        withDecisions(config(), async ({ store, publish }) => {
          const isWithdrawn = await store({ holder, asxCode, isRight })
          if (isRight || isWithdrawn) await publish()
          else
            await printCompleted(`${holder} is not suggested for ${asxCode.toUpperCase()} any more`)
        }),
      )

  add("link", "link the tenements of a holder to a company, as those of its subsidiary", true)
  add(
    "decline",
    "never suggest a holder for a company again, and remove a link confirmed before",
    false,
  )
  holders
    .command("review")
    .description("decide the suggested links one by one, and publish the right ones at the end")
    .addHelpText(
      "after",
      "\nEach decision is stored at once: Ctrl-C publishes nothing and loses none.",
    )
    .action(() => withDecisions(config(), review))
}

interface Decisions {
  url: string
  /** Stores one. Returns whether a confirmed link is now declined. */
  store: (decision: Decision) => Promise<boolean>
  /** Publishes all links that are confirmed, now or before. */
  publish: () => Promise<void>
}

function withDecisions(config: Config, work: (decisions: Decisions) => Promise<void>) {
  const progress = progressOn(process.stderr)
  let stored = 0
  const signals = handleSignals(
    progress.stop,
    () =>
      `Interrupted: nothing was published; decisions stored: ${formatCount(stored)}. ` +
      "The next `mds holders link` or `mds holders review` publishes their links",
  )
  return withDatabase(config, ({ url }) =>
    work({
      url,
      store: async (decision) => {
        const isWithdrawn = await decide(url, decision)
        stored++
        return isWithdrawn
      },
      publish: async () => {
        const summary = await publishConfirmed({
          url,
          absentAfterHours: config.ABSENT_AFTER_HOURS,
          holderNames: config.HOLDER_NAMES,
          progress,
          onCommit: signals.committing,
          onPublished: signals.published,
        })
        if (summary === null) return
        await printCompleted(formatSummary(summary))
        await finishLoad(url, summary, progress, signals)
      },
    }),
  )
}

async function review({ url, store, publish }: Decisions): Promise<void> {
  const suggestions = await readSuggestions(url)
  const linked = new Set<string>()
  const input = createInterface({ input: process.stdin })
  const lines = input[Symbol.asyncIterator]()
  for (const [index, suggestion] of suggestions.entries()) {
    const { holder, company } = suggestion
    if (linked.has(holder.key)) continue
    await printResult(
      `${index + 1} of ${suggestions.length}: ${await suggestionText(url, suggestion)}`,
    )
    const answer = await askUntilClear(lines)
    if (answer === "q") break
    if (answer === "l") continue
    await store({ holder: holder.name, asxCode: company.asx_code, isRight: answer === "y" })
    if (answer === "y") linked.add(holder.key)
  }
  input.close()
  await publish()
}

async function suggestionText(url: string, suggestion: Suggestion): Promise<string> {
  const { holder, company, reason, similarName } = suggestion
  const facts = await withSnapshot(url, (sql) => readLinkFacts(sql, holder.key, company.asx_code))
  return [
    `${holder.name}, ${formatCount(holder.tenements)} tenement${holder.tenements === 1 ? "" : "s"}`,
    ...facts,
    `  ${"reason".padEnd(9)}${reason}: ${similarName} (${judgement(reason)})`,
    `Does it belong to ${company.asx_code}? y (yes), n (no), l (later), q (end and publish)`,
  ].join("\n")
}

/** The end of the input is `q`. */
async function askUntilClear(lines: AsyncIterator<string>): Promise<string> {
  const { done, value } = await lines.next()
  const answer = done ? "q" : value.trim().toLowerCase()
  if (/^[ynlq]$/.test(answer)) return answer
  await printResult("Type y, n, l or q, and Enter")
  return askUntilClear(lines)
}
