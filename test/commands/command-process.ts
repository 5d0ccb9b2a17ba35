/**
 * A command as a process of its own, as an operator starts it: in any directory, with any standard
 * streams.
 */
import { tmpdir } from "node:os"
import { collect, unreadPipe } from "../support/process.ts"

const main = Bun.fileURLToPath(new URL("../../src/main.ts", import.meta.url))

export interface CommandOptions {
  url: string
  /** `DATA_DIR`. */
  dataDir: string
  /** Settings besides these two. */
  variables?: Record<string, string>
  cwd?: string
  stdin?: "pipe" | "ignore" | Blob
  /** File descriptors; without them the output is collected. */
  stdout?: number
  stderr?: number
}

export const startOptions = (
  args: readonly string[],
  { url, dataDir, variables, cwd = tmpdir() }: CommandOptions,
) => ({
  command: [process.execPath, main, ...args],
  cwd,
  // Bun keeps what it has transpiled under HOME, which saves a fifth of the CPU of a start.
  env: {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    DATABASE_URL: url,
    DATA_DIR: dataDir,
    ...variables,
  },
})

export function startCommand(args: readonly string[], options: CommandOptions) {
  const { command, ...others } = startOptions(args, options)
  const { stdin = "ignore", stdout = "pipe", stderr = "pipe" } = options
  const child = Bun.spawn(command, { ...others, stdin, stdout, stderr })
  const printed = child.stdout instanceof ReadableStream ? child.stdout.text() : ""
  const messages = child.stderr instanceof ReadableStream ? collect(child.stderr) : undefined
  return {
    child,
    /** Resolves when standard error contains the text, and rejects when it ends without. */
    waitForStderr: (text: string) => messages?.find(new RegExp(`(${RegExp.escape(text)})`)),
    ended: async () => ({
      code: await child.exited,
      stdout: await printed,
      stderr: (await messages?.whole) ?? "",
    }),
  }
}

/** Runs a command to its end. */
export const runCommand = (args: readonly string[], options: CommandOptions) =>
  startCommand(args, options).ended()

/** The writing end of a pipe without a reader: the first write to it fails with EPIPE. */
export function pipeWithoutReader(): number {
  const { descriptor, closeReader } = unreadPipe()
  closeReader()
  return descriptor
}
