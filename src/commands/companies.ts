import { progressOn } from "../loading/progress.ts"
import { decideSuccessor, readProposedSuccessors } from "../loading/successors.ts"
import { asxCodeFromText } from "../resources/values.ts"
import { argument, command, group, reading } from "./command.ts"
import { withDatabase } from "./database.ts"
import { formatTable, printCompleted, warnIfUnconfirmed } from "./terminal.ts"

const successors = reading({
  help: "list ended codes, each with a new code of the same listing date",
  read: (_, { config }) => withDatabase(config, ({ url }) => readProposedSuccessors(url)),
  text: (found) => formatTable(found.map((pair) => ({ ...pair }))),
})

const decision = (help: string, isRight: boolean) =>
  command({
    help,
    parameters: {
      code: argument(asxCodeFromText, "the ended code"),
      successor: argument(asxCodeFromText, "the new code"),
    },
    run: ({ code: predecessor, successor }, { config }) =>
      withDatabase(config, async ({ url }) => {
        const progress = progressOn(process.stderr)
        const decided = { predecessor, successor, isRight }
        const { value: release, unconfirmed } = await decideSuccessor(url, decided, progress)
        progress.stop()
        const change = `${predecessor} ${isRight ? "was succeeded by" : "was not succeeded by"} ${successor}`
        await printCompleted(
          release === null
            ? `${successor} is no longer proposed for ${predecessor}`
            : `Published as release ${release}: ${change}`,
        )
        warnIfUnconfirmed(unconfirmed)
      }),
  })

export const companies = group("list possible changes of companies' codes, and decide them", {
  successors,
  confirm: decision("link the records of the ended code to its successor", true),
  decline: decision("end the proposal of a successor, or undo its link", false),
})
