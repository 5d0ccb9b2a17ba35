/**
 * Packages that only one test needs, in a directory of their own with its package.json and lockfile,
 * so that nobody else installs them.
 */
import { reportSkipped } from "./supervised.ts"

const INSTALL_LIMIT_MS = 120_000

/** What Bun reports where a registry cannot be reached. */
const unreachable =
  /Connection(Refused|Closed|Reset)|FailedToOpenSocket|NetworkUnreachable|DNS|UnknownHostName|Timeout| - (403|407|5\d\d)\b/

/**
 * Installs what the directory's lockfile lists, as far as it is missing. False, and a line that says
 * which test file is skipped, where it cannot be downloaded. Pass `import.meta.path`.
 * @throws Error for any other failure, such as a lockfile that does not match
 */
export async function installPackages(directory: string, path: string): Promise<boolean> {
  // No script of a package runs: none is needed, and one of them reports the installation to its authors.
  const install = Bun.spawn(
    [process.execPath, "install", "--frozen-lockfile", "--ignore-scripts"],
    {
      cwd: directory,
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
      timeout: INSTALL_LIMIT_MS,
    },
  )
  const [output, status] = await Promise.all([new Response(install.stderr).text(), install.exited])
  if (status === 0) return true
  if (!unreachable.test(output) && install.signalCode === null) {
    throw new Error(`Cannot install the packages of ${directory}: ${output}`)
  }
  reportSkipped(path, "a package registry")
  return false
}

/** Runs a program of these packages to its end. */
export async function runProgram(
  command: readonly string[],
  options: { directory: string; environment?: Record<string, string> },
): Promise<{ status: number; output: string }> {
  const program = Bun.spawn([process.execPath, ...command], {
    cwd: options.directory,
    env: { ...process.env, ...options.environment },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })
  const [stdout, stderr, status] = await Promise.all([
    new Response(program.stdout).text(),
    new Response(program.stderr).text(),
    program.exited,
  ])
  return { status, output: stdout + stderr }
}
