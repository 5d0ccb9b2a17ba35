/** `mds holders link`, `decline` and `review`: an operator decides which suggested links are right. */
import { createInterface } from "node:readline"
import type { Command } from "commander"
import type { Config } from "../config.ts"
import { decide, publishConfirmed } from "../loading/link-decisions.ts"
import { readLinkFacts } from "../loading/link-facts.ts"
import { formatCount, progressOn } from "../loading/progress.ts"
import { readSuggestions } from "../loading/suggested-companies.ts"
import { judgement } from "../loading/suggestions.ts"
import { formatSummary } from "../loading/summary.ts"
import { asxCodeFromText } from "../resources/values.ts"
import { withDatabase } from "./database.ts"
import { handleSignals } from "./signals.ts"
import { printCompleted, printResult, warnIfUnconfirmed } from "./terminal.ts"

export function addLinkCommands(holders: Command, config: () => Config): void {
  const add = (name: string, description: string, isRight: boolean) =>
    holders
      .command(name)
      .description(description)
      .argument("<holder>", "its name, in any spelling")
      .argument("<code>", "the ASX code of the company", asxCodeFromText)
      .action((holder: string, asxCode: string) =>
        decideAndPublish(config(), async (url) => {
          const { isChange, keptBy } = await decide(url, { holder, asxCode, isRight })
          if (!isRight && keptBy !== null) {
            await printCompleted(
              `${holder} stays linked to ${asxCode}: the source ${keptBy} has it as a subsidiary`,
            )
          } else if (!isChange) {
            await printCompleted(`${holder} is not suggested for ${asxCode} any more`)
          }
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
    const { holder, company, reason, similarName } = suggestion
    if (linked.has(holder.key)) continue
    const place = `${index + 1} of ${suggestions.length}`
    await printResult(
      [
        `${place}: ${holder.name}; tenements: ${formatCount(holder.tenements)}`,
        ...(await readLinkFacts(url, holder.key, company.asx_code)),
        `  ${reason}: ${similarName} (${judgement(reason)})`,
        `Does it belong to ${company.asx_code}? y (yes), n (no), q (end and publish), Enter (later)`,
      ].join("\n"),
    )
    const { done, value } = await lines.next()
    const answer = done ? "q" : value.trim().toLowerCase()
    if (answer === "q") break
    if (answer !== "y" && answer !== "n") continue
    const isRight = answer === "y"
    await decide(url, { holder: holder.name, asxCode: company.asx_code, isRight })
    if (isRight) linked.add(holder.key)
  }
  input.close()
  return true
}
