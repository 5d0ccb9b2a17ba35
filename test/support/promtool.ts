/** Prometheus' own program for checking rules and metrics. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { installedProgram } from "./supervised.ts"

const program = installedProgram("promtool")

export const promtoolIsInstalled = program !== null

/**
 * Runs `promtool` on files, in a directory of their own.
 * @param files by name, with their text
 */
export function promtool(args: readonly string[], files: Record<string, string>, input = "") {
  const directory = mkdtempSync(join(tmpdir(), "mds-promtool-"))
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
    const { exitCode, stdout, stderr } = Bun.spawnSync([program ?? "promtool", ...args], {
      cwd: directory,
      stdin: new Blob([input]),
    })
    return { exitCode, output: stdout.toString() + stderr.toString() }
  } finally {
    rmSync(directory, { recursive: true })
  }
}
