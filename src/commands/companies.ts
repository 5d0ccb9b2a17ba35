import { InvalidArgumentError } from "commander"
import { asxCodeFromText } from "../data/resources/values.ts"
import {
  readSuccessorEvidence,
  readWeighedSuccessors,
  type SuccessorEvidence,
} from "../ingest/loading/successor-evidence.ts"
import {
  decideSuccessors,
  readProposedSuccessors,
  type SuccessorDecision,
  type SuccessorPair,
  storeSuccessor,
} from "../ingest/loading/successors.ts"
import { countOf, formatCount } from "../system/text/display.ts"
import { argument, command, flag, group, reading } from "./command.ts"
import { withDatabase } from "./database.ts"
import { exitOnSignals, reportChange } from "./loads.ts"
import { interruptedReview, reviewDetails, reviewEach } from "./review.ts"
import { formatTable, printResult, readAnswer } from "./terminal.ts"

const successors = reading({
  help: "list ended codes, each with a new code of the same listing date",
  read: (_, { config }) => withDatabase(config, ({ url }) => readProposedSuccessors(url)),
  text: formatTable,
})

const confirm = command({
  help: "link the records of ended codes to their successors, after a question",
  parameters: {
    code: argument<string | undefined>(asxCodeFromText, "the ended code", "[*]"),
    successor: argument<string | undefined>(asxCodeFromText, "the new code", "[*]"),
    sameDate: flag("confirm all proposed pairs of which neither code has a second candidate"),
  },
  run: ({ code: predecessor, successor, sameDate }, { config }) => {
    const isPair = predecessor !== undefined && successor !== undefined
    if (sameDate ? predecessor !== undefined : !isPair)
      throw new InvalidArgumentError(
        "Name an ended code and its successor, or give --same-date without codes",
      )
    return withDatabase(config, async ({ url }) => {
      const pairs = isPair
        ? await describePair(url, { predecessor, successor })
        : await describeOnly(url)
      if (pairs.length > 0 && (await readAnswer()) === "y")
        await decide(
          url,
          pairs.map((pair) => ({ ...pair, isRight: true })),
        )
    })
  },
})

/** Asks for a link, which may be of any two codes. */
async function describePair(url: string, pair: SuccessorPair): Promise<SuccessorPair[]> {
  const evidence = await readSuccessorEvidence(url, pair)
  await printResult(askWith(pair, evidence, "Enter (no)"))
  return [{ ...pair, listing_date: evidence.listing_date }]
}

/** @param others the other keys */
const askWith = (
  { predecessor, successor }: SuccessorPair,
  { speaksFor, speaksAgainst, tenements }: SuccessorEvidence,
  others: string,
): string =>
  [
    ...speaksFor.map((text) => `  for: ${text}`),
    ...speaksAgainst.map((text) => `  against: ${text}`),
    `  tenements that would move: ${formatCount(tenements)}`,
    `Did ${predecessor} become ${successor}? y (yes), ${others}`,
  ].join("\n")

const review = command({
  help: "decide the possible successors one by one, and publish at the end",
  details: reviewDetails("the likeliest"),
  run: (_, { config }) => {
    exitOnSignals(interruptedReview("companies"))
    return withDatabase(config, async ({ url }) => {
      const linked = new Set<string>()
      await reviewEach({
        items: await readWeighedSuccessors(url),
        describe: async (pair) => {
          if (sidesOf(pair).some((side) => linked.has(side))) return null
          return `${pair.former_company} to ${pair.company}\n${askWith(pair, pair, "n (no)")}`
        },
        decide: async (pair, isRight) => {
          await storeSuccessor(url, { ...pair, isRight })
          if (isRight) for (const side of sidesOf(pair)) linked.add(side)
        },
      })
      await reportChange((progress) => decideSuccessors(url, [], progress), {
        published: ({ changes }) => `${countOf(changes.changed, "successor")} linked`,
        unchanged: "No link changed: nothing was published",
      })
    })
  },
})

/** Each has one link: a company has one successor and one predecessor. */
const sidesOf = ({ predecessor, successor }: SuccessorPair) => [
  `of ${predecessor}`,
  `to ${successor}`,
]

/** Asks for all pairs of codes that have no second candidate. */
async function describeOnly(url: string): Promise<SuccessorPair[]> {
  const pairs = (await readProposedSuccessors(url)).filter(({ is_only }) => is_only)
  const table = formatTable(pairs)
  const question = `Confirm ${countOf(pairs.length, "pair")}? y (yes, all), Enter (no)`
  await printResult(pairs.length > 0 ? `${table}\n${question}` : table)
  return pairs
}

const decline = command({
  help: "end the proposal of a successor, or undo its link",
  parameters: {
    code: argument(asxCodeFromText, "the ended code"),
    successor: argument(asxCodeFromText, "the new code"),
  },
  run: ({ code: predecessor, successor }, { config }) =>
    withDatabase(config, ({ url }) => decide(url, [{ predecessor, successor, isRight: false }])),
})

const decide = (url: string, decisions: readonly SuccessorDecision[]) =>
  reportChange((progress) => decideSuccessors(url, decisions, progress), {
    published: () => decisions.map(textOf).join("; "),
    unchanged: `No link changed: nothing was published. ${decisions.map(textOf).join("; ")}`,
  })

const textOf = ({ predecessor, successor, isRight }: SuccessorDecision) =>
  `${predecessor} ${isRight ? "was" : "was not"} succeeded by ${successor}`

export const companiesCommand = group(
  "list possible changes of companies' codes, and decide them",
  { successors, review, confirm, decline },
)
