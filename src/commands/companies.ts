/** `mds companies`: an operator decides which companies changed their codes. */
import type { Command } from "commander"
import type { Config } from "../config.ts"
import { progressOn } from "../loading/progress.ts"
import { decideSuccessor, readProposedSuccessors } from "../loading/successors.ts"
import { asxCodeFromText } from "../resources/values.ts"
import { withDatabase } from "./database.ts"
import { formatTable, printCompleted, printResult, warnIfUnconfirmed } from "./terminal.ts"

export function addCompanyCommands(program: Command, config: () => Config): void {
  const companies = program
    .command("companies")
    .description("list companies that may have changed their codes, and decide which have")

  companies
    .command("successors")
    .description("list codes that ended, each with a code of the same listing date that appeared")
    .action(async () => {
      const found = await withDatabase(config(), ({ url }) => readProposedSuccessors(url))
      const columns = ["ended", "company", "missing since", "successor", "company", "appeared"]
      await printResult(formatTable([...columns, "both listed on"], found.map(Object.values)))
    })

  const add = (name: string, description: string, isRight: boolean) =>
    companies
      .command(name)
      .description(description)
      .argument("<code>", "the code that ended", asxCodeFromText)
      .argument("<successor>", "the code that appeared", asxCodeFromText)
      .action((predecessor: string, successor: string) =>
        withDatabase(config(), async ({ url }) => {
          const progress = progressOn(process.stderr)
          const decision = { predecessor, successor, isRight }
          const { value: release, unconfirmed } = await decideSuccessor(url, decision, progress)
          progress.stop()
          const wentOn = isRight ? "went on" : "did not go on"
          await printCompleted(
            release === null
              ? `${successor} is not proposed for ${predecessor} any more`
              : `Published as release ${release}: ${predecessor} ${wentOn} as ${successor}`,
          )
          warnIfUnconfirmed(unconfirmed)
        }),
      )

  add("confirm", "link what the company held under the code that ended to its successor", true)
  add("decline", "end the proposal of a successor, or undo its link", false)
}
