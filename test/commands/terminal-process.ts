/** A command on a terminal of its own, as a person runs it. */
import { type CommandOptions, startOptions } from "./command-process.ts"

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
