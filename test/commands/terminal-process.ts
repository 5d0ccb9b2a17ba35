/** A command on a terminal of its own, as a person runs it. */
import { relative } from "node:path"
import { type CommandOptions, startOptions } from "./command-process.ts"

/** Where the system has pseudo terminals, and this Bun gives them. */
export const hasTerminals = process.platform !== "win32" && typeof Bun.Terminal === "function"

/** For a test file that leaves tests out where there are none. */
export function reportMissingTerminals(path: string): void {
  if (hasTerminals) return
  const file = relative(process.cwd(), path)
  process.stderr.write(`Left out for want of pseudo terminals, some tests of: ${file}\n`)
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
    /** All that the terminal was sent so far. */
    output: () => text,
    type: (keys: string) => child.terminal?.write(keys),
  }
}
