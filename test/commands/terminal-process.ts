/** A command on a terminal of its own, as a person runs it. */
import { type LoadProcessOptions, startOptions } from "./load-process.ts"

/** Where the system has pseudo terminals, and this Bun gives them. */
export const hasTerminals = process.platform !== "win32" && typeof Bun.Terminal === "function"

export function onTerminal(args: readonly string[], options: LoadProcessOptions) {
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
