/** A workbench, and commands that run on its database, each as a process of its own. */
import { closeSync } from "node:fs"
import { join } from "node:path"
import { workbench } from "../ingest/loading/workbench.ts"
import { fullDisk } from "../support/process.ts"
import { type CommandOptions, pipeWithoutReader, runCommand } from "./command-process.ts"

export async function commandWorkbench() {
  const bench = await workbench()
  const dataDir = join(bench.directory, "data")
  const options = (others: Partial<CommandOptions> = {}): CommandOptions => ({
    url: bench.url,
    dataDir,
    ...others,
  })
  const run = (args: readonly string[], others?: Partial<CommandOptions>) =>
    runCommand(args, options(others))

  async function runWithOutput(args: readonly string[], descriptor: number, isStderrToo: boolean) {
    const ended = await run(args, {
      stdout: descriptor,
      ...(isStderrToo && { stderr: descriptor }),
    })
    closeSync(descriptor)
    return ended
  }

  return {
    ...bench,
    /** Does not exist until a command creates it. */
    dataDir,
    options,
    /** Runs a command to its end. */
    run,
    /**
     * The same, with its standard output, and its standard error where asked, a pipe that nobody
     * reads.
     */
    runUnread: (args: readonly string[], { stderr = false } = {}) =>
      runWithOutput(args, pipeWithoutReader(), stderr),
    /** The same, with its standard output a full disk. */
    runOnFullDisk: (args: readonly string[]) => runWithOutput(args, fullDisk().descriptor, false),
  }
}
