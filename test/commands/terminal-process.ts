/** A command on a terminal of its own, as a person runs it. */
import { relative } from "node:path"
import { type CommandOptions, startOptions } from "./command-process.ts"

/** Whether the system has pseudo terminals and this Bun supports them. */
export const hasTerminals = process.platform !== "win32" && typeof Bun.Terminal === "function"

/** For test files that skip tests without pseudo terminals. */
export function reportMissingTerminals(path: string): void {
  if (hasTerminals) return
  const file = relative(process.cwd(), path)
  process.stderr.write(`Skipped without pseudo terminals: some tests of ${file}\n`)
}

export function onTerminal(args: readonly string[], options: CommandOptions) {
  let text = ""
  const { command, ...others } = startOptions(args, options)
  const child = Bun.spawn(command, {
    ...others,
    terminal: {
      cols: 120,
      rows: 30,
      data: (_, data) => {
        text += Buffer.from(data).toString()
      },
    },
  })
  return {
    child,
    /** What has been written to the terminal so far. */
    output: () => text,
    type: (keys: string) => child.terminal?.write(keys),
  }
}
