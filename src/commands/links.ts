/** `mds holders link`, `decline` and `review`: an operator decides which suggested links are right. */
import { createInterface } from "node:readline"
import type { Command } from "commander"
import type { Config } from "../config.ts"
import { withSnapshot } from "../db/snapshot.ts"
import { decide, publishConfirmed } from "../loading/link-decisions.ts"
import { readLinkFacts } from "../loading/link-facts.ts"
import { formatCount, progressOn } from "../loading/progress.ts"
import { readSuggestions } from "../loading/suggested-companies.ts"
import { judgement, type Suggestion } from "../loading/suggestions.ts"
import { formatSummary } from "../loading/summary.ts"
import { withDatabase } from "./database.ts"
import { handleSignals } from "./signals.ts"
import { printCompleted, printResult, warnIfUnconfirmed } from "./terminal.ts"

export function addLinkCommands(holders: Command, config: () => Config): void {
  const add = (name: string, description: string, isRight: boolean) =>
    holders
      .command(name)
      .description(description)
      .argument("<holder>", "its name, in any spelling")
      .argument("<code>", "the ASX code of the company")
      .action((holder: string, asxCode: string) =>
        decideAndPublish(config(), async (url) => {
          const isChange = await decide(url, { holder, asxCode, isRight })
          if (!isChange) await printCompleted(`${holder} is not suggested for ${asxCode} any more`)
          return isChange
        }),
      )

  add("link", "link the tenements of a holder to a company, as those of its subsidiary", true)
  add("decline", "end the suggestion of a link, or a link that was confirmed before", false)
  holders
    .command("review")
    .description("decide the suggested links one by one, and publish the right ones at the end")
    .addHelpText(
      "after",
      "\nStores each decision at once: Ctrl-C publishes nothing and loses none.",
    )
    .action(() => decideAndPublish(config(), review))
}

const interrupted =
  "Interrupted: nothing was published; the next `mds holders link` or `mds holders review` publishes what is decided"

/** @param work returns whether to publish all links that are confirmed, now or before */
async function decideAndPublish(
  config: Config,
  work: (url: string) => Promise<boolean>,
): Promise<void> {
  const progress = progressOn(process.stderr)
  const signals = handleSignals(progress.stop, interrupted)
  await withDatabase(config, async ({ url }) => {
    if (!(await work(url))) return
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
    warnIfUnconfirmed(summary.unconfirmed)
  })
}

async function review(url: string): Promise<true> {
  const suggestions = await readSuggestions(url)
  const linked = new Set<string>()
  const input = createInterface({ input: process.stdin })
  const lines = input[Symbol.asyncIterator]()
  for (const [index, suggestion] of suggestions.entries()) {
    const { holder, company } = suggestion
    if (linked.has(holder.key)) continue
    await printResult(`${index + 1} of ${suggestions.length}: ${await shown(url, suggestion)}`)
    const answer = await askUntilClear(lines)
    if (answer === "q") break
    if (answer === "l") continue
    const isRight = answer === "y"
    await decide(url, { holder: holder.name, asxCode: company.asx_code, isRight })
    if (isRight) linked.add(holder.key)
  }
  input.close()
  return true
}

async function shown(
  url: string,
  { holder, company, reason, similarName }: Suggestion,
): Promise<string> {
  const facts = await withSnapshot(url, (sql) => readLinkFacts(sql, holder.key, company.asx_code))
  return [
    `${holder.name}; tenements: ${formatCount(holder.tenements)}`,
    ...facts,
    `  ${reason}: ${similarName} (${judgement(reason)})`,
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
