/**
 * Leases of the embedded server: it runs as long as a process has one.
 *
 * The server runs under a supervisor, a small shell in a session of its own, so that a Ctrl-C in the
 * terminal does not reach it before the application has drained. The supervisor reads a named pipe
 * that every process using the server keeps open for writing. The kernel closes a process's end
 * however the process dies; once the last end is closed, the supervisor reads end-of-file and stops
 * the server.
 *
 * A process joins by writing a line with its name and waiting until the supervisor has created a file
 * of that name. The file proves that the supervisor was still reading while the process's end was
 * already open, so end-of-file cannot occur before that end is closed: no process joins a server that
 * is about to stop.
 */
import { spawn } from "node:child_process"
import {
  chownSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"
import { codeOf } from "../../text/error-code.ts"
import { alive } from "./process.ts"
import { until } from "./wait.ts"

const answerLimitMs = 30_000

export interface Lease {
  /** True while the supervisor reads the pipe, which it does until the server has exited. */
  isSupervised(): boolean
  /** Releases the lease; true when no other process seems to have one. */
  release(): boolean
}

// Arguments: the data directory and the server's command. Descriptor 4 only keeps the opening of 3
// from waiting for a writer.
const supervisorScript = `
trap '' HUP INT TERM
umask 077
dir=$1
shift
exec 4<>"$dir/lease"
exec 3<"$dir/lease" 4>&-
"$@" 3<&- </dev/null >>"$dir/postgres.log" 2>&1 &
server=$!
echo "$server" >"$dir/server.pid"
(
  while read -r user <&3; do
    if [ -n "$user" ]; then : >"$dir/users/$user"; fi
  done
  exec 3<&-
  kill -INT "$server"
  seconds=0
  while [ "$seconds" -lt 60 ]; do sleep 1; seconds=$((seconds + 1)); done
  kill -QUIT "$server"
) &
watcher=$!
exec 3<&-
wait "$server"
kill -KILL "$watcher"
if [ -e "$dir/temporary" ]; then rm -rf "$dir"; fi
`

/** Takes a lease of the running server in `dir`; `undefined` when it has no supervisor. */
export async function joinLease(dir: string): Promise<Lease | undefined> {
  const end = openWriter(join(dir, "lease"))
  if (end === undefined) return undefined
  const lease = await register(dir, end)
  if (!lease) closeSync(end)
  return lease
}

/** Starts `command` under a new supervisor and takes a lease. Only under the start lock. */
export async function createLease(
  dir: string,
  command: string[],
  environment: Record<string, string>,
): Promise<Lease | undefined> {
  const pipe = join(dir, "lease")
  for (const stale of ["lease", "users", "server.pid"]) {
    rmSync(join(dir, stale), { recursive: true, force: true })
  }
  mkdirSync(join(dir, "users"), { mode: 0o700 })
  const made = Bun.spawnSync(["mkfifo", "-m", "600", pipe])
  if (!made.success) throw new Error(`cannot make the named pipe ${pipe}: ${made.stderr}`)
  // After a run as root, the directory's owner must still be able to start the server.
  const { uid, gid } = statSync(dir)
  if (process.getuid?.() === 0)
    for (const file of ["lease", "users"]) chownSync(join(dir, file), uid, gid)

  // Opening a pipe for writing without blocking requires a reader: this process, until the supervisor
  // has opened it.
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
  const end = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK)
  try {
    // Through a shell that ends at once, because some parents kill their children when they fail.
    const argv = ["-c", '/bin/sh -c "$0" "$@" &', supervisorScript, "mds-postgres", dir, ...command]
    spawn("/bin/sh", argv, { detached: true, stdio: "ignore", cwd: "/", env: environment }).unref()
    if (!(await until(() => supervisedPid(dir), answerLimitMs, 2))) {
      closeSync(end)
      throw new Error("its supervisor, a small /bin/sh, does not start")
    }
  } finally {
    closeSync(reader)
  }
  const lease = await register(dir, end)
  if (!lease) closeSync(end)
  return lease
}

/** Makes the supervisor of `dir` delete the directory once the server has stopped. */
export function markTemporary(dir: string): void {
  writeFileSync(join(dir, "temporary"), "")
}

/** Process id of the server that the latest supervisor of `dir` runs. */
export function supervisedPid(dir: string): number | undefined {
  const file = join(dir, "server.pid")
  const pid = existsSync(file) && Number.parseInt(readFileSync(file, "utf8"), 10)
  return pid || undefined
}

function openWriter(pipe: string): number | undefined {
  try {
    return openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch (error) {
    const code = codeOf(error)
    if (code === "ENOENT" || code === "ENXIO") return undefined // not created, or without a reader
    throw error
  }
}

async function register(dir: string, end: number): Promise<Lease | undefined> {
  const name = `${process.pid}-${crypto.randomUUID()}`
  const users = join(dir, "users")
  const answer = join(users, name)
  const ended = () => !written(end, "\n") && "ended"
  if (!written(end, `${name}\n`)) return undefined
  const answered = () => existsSync(answer) && "answered"
  const outcome = await until(() => answered() || ended(), answerLimitMs, 2)
  if (outcome === "ended") return undefined
  if (!outcome) throw new Error("its supervisor does not answer")
  let released = false
  return {
    isSupervised: () => !released && written(end, "\n"),
    release() {
      released = true
      rmSync(answer, { force: true })
      closeSync(end)
      return !usedByOthers(users)
    },
  }
}

/** False when the pipe has no reader any more. */
function written(end: number, line: string): boolean {
  try {
    writeSync(end, line)
    return true
  } catch (error) {
    const code = codeOf(error)
    if (code === "EPIPE") return false
    if (code === "EAGAIN") return true // full: it has a reader, which is slow
    throw error
  }
}

/** Only decides whether to wait for the server to stop; when it stops depends on the pipe alone. */
function usedByOthers(users: string): boolean {
  if (!existsSync(users)) return false
  return readdirSync(users).some((name) => alive(Number.parseInt(name, 10)))
}
