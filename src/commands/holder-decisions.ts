/** The commands that decide which holders belong to which companies, one by one or many at once. */
import type { Config } from "../config.ts"
import { asxCodeFromText } from "../data/resources/values.ts"
import { decide, publishDecisions, readDecisions } from "../ingest/loading/link-decisions.ts"
import { readLinkFacts } from "../ingest/loading/link-facts.ts"
import { readLinkedShares } from "../ingest/loading/links.ts"
import type { PublishedChange } from "../ingest/loading/publishing.ts"
import {
  readSuggestionGroups,
  readSuggestions,
  type SuggestionGroup,
} from "../ingest/loading/suggested-companies.ts"
import { judgement, type Reason, reasons } from "../ingest/loading/suggestions.ts"
import { sharesText } from "../ingest/loading/summary.ts"
import { countOf, formatCount } from "../system/text/display.ts"
import { append, argument, choiceParameter, command, reading, required } from "./command.ts"
import { withDatabase } from "./database.ts"
import { exitOnSignals, reportChange } from "./loads.ts"
import { interruptedReview, reviewDetails, reviewEach } from "./review.ts"
import { formatTable, printCompleted, printResult, readAnswer } from "./terminal.ts"

const decision = (help: string, isRight: boolean) =>
  command({
    help,
    parameters: {
      code: argument(asxCodeFromText, "the ASX code of the company"),
      holders: argument(append, "their names, in any spelling", "<*...>"),
    },
    run: ({ code: asxCode, holders }, { config }) =>
      decideAndPublish(config, async (url) => {
        const outcomes = await decide(
          url,
          holders.map((holder) => ({ holder, asxCode, isRight })),
        )
        const lines = outcomes.map(({ isChange, keptBy }, index) => {
          const holder = holders[index]
          if (isRight) return `${holder} is linked to ${asxCode}`
          return keptBy === null
            ? `${holder} is no longer ${isChange ? "linked to" : "suggested for"} ${asxCode}`
            : `${holder} stays linked to ${asxCode}: the source ${keptBy} has it as a subsidiary`
        })
        return { isChange: outcomes.some(({ isChange }) => isChange), message: lines.join("\n") }
      }),
  })

const link = decision("link the tenements of holders to a company, in one release", true)

const decline = decision("end suggestions or confirmed links of a company, in one release", false)

const decisions = reading({
  help: "list the decisions, also those of holders without tenements",
  read: (_, { config }) => withDatabase(config, ({ url }) => readDecisions(url)),
  text: formatTable,
})

const review = command({
  help: "decide the suggested links, all of one company and reason at once, and publish at the end",
  details: reviewDetails("what links most tenements"),
  run: (_, { config }) => decideAndPublish(config, askForGroups),
})

const confirm = command({
  help: "confirm all suggested links of one reason, and publish them",
  parameters: {
    reason: required("<reason>", `one of: ${reasons.join(", ")}`, choiceParameter(reasons)),
  },
  run: ({ reason }, { config }) => decideAndPublish(config, (url) => confirmReason(url, reason)),
})

export const decisionCommands = { link, decline, decisions, review, confirm }

interface Decided {
  /** Whether links may change. */
  isChange: boolean
  /** Of a single decision, for after its publication. Otherwise the linked shares are shown. */
  message?: string
}

async function decideAndPublish(
  config: Config,
  work: (url: string) => Promise<Decided>,
): Promise<void> {
  exitOnSignals(interruptedReview("holders"))
  await withDatabase(config, async ({ url }) => {
    const { isChange, message } = await work(url)
    if (isChange) {
      await reportChange((progress) => publishDecisions(url, progress), published)
    }
    await printCompleted(message ?? (await sharesNow(url)))
  })
}

const published = {
  published: ({ links }: PublishedChange) =>
    `the companies of ${countOf(links?.changed.tenements ?? 0, "tenement")} changed`,
  unchanged: "No link changed: nothing was published",
}

const sharesNow = async (url: string): Promise<string> =>
  `Linked now: ${sharesText(await readLinkedShares(url))}`

async function askForGroups(url: string): Promise<Decided> {
  await printResult(await sharesNow(url))
  const linked = new Set<string>()
  const undecided = ({ holders }: SuggestionGroup) => holders.filter(({ key }) => !linked.has(key))
  await reviewEach({
    items: await readSuggestionGroups(url),
    describe: async (group) => {
      const holders = undecided(group)
      if (holders.length === 0) return null
      const { reason, company, tenements } = group
      const keys = holders.map(({ key }) => key)
      return [
        `${reason} (${judgement(reason)}); tenements that links add: ${formatCount(tenements)}`,
        ...(await readLinkFacts(url, keys, company.asx_code)),
        tableOf(holders),
        `Do they belong to ${company.asx_code}? y (yes, all), n (no, none)`,
      ].join("\n")
    },
    decide: async (group, isRight) => {
      const asxCode = group.company.asx_code
      const holders = undecided(group)
      await decide(
        url,
        holders.map(({ name }) => ({ holder: name, asxCode, isRight })),
      )
      if (isRight) for (const { key } of holders) linked.add(key)
    },
  })
  return { isChange: true }
}

async function confirmReason(url: string, reason: Reason): Promise<Decided> {
  await printResult(await sharesNow(url))
  const suggested = (await readSuggestions(url)).filter((row) => row.reason === reason)
  const ofHolder = Map.groupBy(suggested, ({ name }) => name)
  const sure = suggested.filter(({ name }) => ofHolder.get(name)?.length === 1)
  await printResult(
    [
      formatTable(sure),
      ...(sure.length < suggested.length
        ? ["Left out: holders that the reason gives several companies; see `mds holders review`"]
        : []),
      ...(sure.length > 0
        ? [
            `Confirm these ${formatCount(sure.length)} links (${judgement(reason)})? y (yes), Enter (no)`,
          ]
        : []),
    ].join("\n"),
  )
  if (sure.length === 0) return { isChange: false }
  if ((await readAnswer()) !== "y") return { isChange: false, message: published.unchanged }
  await decide(
    url,
    sure.map((row) => ({ holder: row.name, asxCode: row.suggested_asx_code, isRight: true })),
  )
  return { isChange: true }
}

const tableOf = (holders: SuggestionGroup["holders"]): string =>
  formatTable(
    holders.map(({ tenements, name, similar_name }) => ({ tenements, holder: name, similar_name })),
  ).replace(/^/gm, "  ")
