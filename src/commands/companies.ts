import { asxCodeFromText } from "../data/resources/values.ts"
import {
  decideSuccessor,
  readProposedSuccessors,
  readSuccessorEvidence,
} from "../ingest/loading/successors.ts"
import { argument, command, group, reading } from "./command.ts"
import { withDatabase } from "./database.ts"
import { reportChange } from "./loads.ts"
import { formatTable, printResult, readAnswer } from "./terminal.ts"

const successors = reading({
  help: "list ended codes, each with a new code of the same listing date",
  read: (_, { config }) => withDatabase(config, ({ url }) => readProposedSuccessors(url)),
  text: (found) => formatTable(found.map((pair) => ({ ...pair }))),
})

/** Asks before a link, which may be of any two codes. */
async function isConfirmed(url: string, pair: Record<"predecessor" | "successor", string>) {
  const { speaksFor, speaksAgainst } = await readSuccessorEvidence(url, pair)
  const { predecessor, successor } = pair
  await printResult(
    [
      ...speaksFor.map((text) => `  for: ${text}`),
      ...speaksAgainst.map((text) => `  against: ${text}`),
      `Did ${predecessor} become ${successor}? y (yes), Enter (no)`,
    ].join("\n"),
  )
  return (await readAnswer()) === "y"
}

const decision = (help: string, isRight: boolean) =>
  command({
    help,
    parameters: {
      code: argument(asxCodeFromText, "the ended code"),
      successor: argument(asxCodeFromText, "the new code"),
    },
    run: ({ code: predecessor, successor }, { config }) =>
      withDatabase(config, async ({ url }) => {
        if (isRight && !(await isConfirmed(url, { predecessor, successor }))) return
        const decided = { predecessor, successor, isRight }
        await reportChange((progress) => decideSuccessor(url, decided, progress), {
          published: () =>
            `${predecessor} ${isRight ? "was succeeded by" : "was not succeeded by"} ${successor}`,
          unchanged: `${successor} is no longer proposed for ${predecessor}`,
        })
      }),
  })

export const companiesCommand = group(
  "list possible changes of companies' codes, and decide them",
  {
    successors,
    confirm: decision("link the records of an ended code to its successor, after a question", true),
    decline: decision("end the proposal of a successor, or undo its link", false),
  },
)
