/**
 * Runs an image that `verify` has built as an engine would: the command of its configuration as process
 * 1 of a namespace, as a user of any number and without capabilities, on a read-only root file system.
 */
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { childrenOf } from "../support/supervised.ts"
import { until } from "../support/until.ts"

const images = process.env.MDS_IMAGES ?? ""

/** The part of an image's configuration that is used here. */
interface ImageConfig {
  User: string
  Labels: Record<string, string>
  Env: string[]
  Entrypoint: string[]
  Cmd: string[]
  WorkingDir: string
  StopSignal: string
  Volumes?: Record<string, object>
  ExposedPorts: Record<string, object>
  Healthcheck: { Test: string[] }
}

export interface Image {
  config: ImageConfig
  /** Where its files are, on this machine. */
  root: string
  /** The size in bytes of each of its layers, with what made it, without those of the base. */
  layers: { by: string }[]
}

export function imageOf(name: "mds" | "mds-slim"): Image {
  const { Docker } = JSON.parse(readFileSync(join(images, `${name}.json`), "utf8"))
  const root = readFileSync(join(images, `${name}.root`), "utf8").trim()
  return { config: Docker.config, root, layers: Docker.history }
}

export interface RunOptions {
  /** In place of the image's command. */
  args?: readonly string[]
  settings?: Record<string, string>
  /** As `--user`: this one has no line in the image's /etc/passwd. */
  user?: string
  /** Files and directories of this machine, by their path in the container. */
  volumes?: Record<string, string>
  stdin?: Blob
}

// Its arguments: root file system, user, working directory, volumes as pairs that end with --, command.
// Like an engine, it also mounts /proc, /dev with a /dev/shm, and a file of hosts.
const setUp = `
set -eu
root=$1 user=$2 directory=$3
shift 3
mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
mount -t tmpfs -o mode=755 tmpfs dev
mkdir dev/shm
mount -t tmpfs -o mode=1777,size=64m tmpfs dev/shm
for device in null zero full random urandom; do
  : >"dev/$device"
  mount --bind "/dev/$device" "dev/$device"
done
ln -s /proc/self/fd dev/fd
while [ "$1" != -- ]; do
  mount --bind "$1" ".$2"
  shift 2
done
shift
mount -o remount,bind,ro "$root"
cd "$root"
exec chroot --userspec="$user" --groups= . /usr/bin/env --chdir="$directory" "$@"
`

/** The volume that an engine makes of a directory of the image: with its owner and permissions. */
export function newVolume(image: Image, path: string): string {
  const { uid, gid, mode } = statSync(join(image.root, path))
  const directory = join(images, `volume-${crypto.randomUUID()}`)
  mkdirSync(directory)
  chownSync(directory, uid, gid)
  chmodSync(directory, mode & 0o777)
  return directory
}

export type Container = ReturnType<typeof start>

const started: Container[] = []

/** For `afterAll`: ends every container that still runs, whatever a test left. */
export async function endContainers(): Promise<void> {
  await Promise.all(started.splice(0).map((container) => container.end()))
}

export function run(image: Image, options: RunOptions = {}): Container {
  const container = start(image, options)
  started.push(container)
  return container
}

function start(image: Image, options: RunOptions) {
  const { args = image.config.Cmd, user = "12345:0", volumes = {} } = options
  const { WorkingDir, Entrypoint, Env } = image.config
  const hosts = join(images, "hosts")
  writeFileSync(hosts, "127.0.0.1 localhost\n")
  const mounts = Object.entries({ "/etc/hosts": hosts, ...volumes })
  const variables = [...Env, ...Object.entries(options.settings ?? {}).map(([n, v]) => `${n}=${v}`)]
  for (const [path] of mounts) makeMountPoint(join(image.root, path), path)
  const namespaces = ["--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child"]
  const child = Bun.spawn(
    [
      ...["unshare", ...namespaces, "/bin/sh", "-c", setUp, "container"],
      ...[image.root, user, WorkingDir],
      ...mounts.flatMap(([path, from]) => [from, path]),
      ...["--", "--ignore-environment", ...variables, ...Entrypoint, ...args],
    ],
    { stdin: options.stdin ?? "ignore", stdout: "pipe", stderr: "pipe" },
  )
  const output = collect(child.stdout)
  const messages = collect(child.stderr)
  const namespaceOf = (): number => childrenOf(child.pid)[0] ?? 0

  return {
    child,
    output,
    messages,
    /** Resolves with the exit code, and with what was printed. */
    ended: async () => {
      const exitCode = await child.exited
      return { exitCode, stdout: await output.whole, stderr: await messages.whole }
    },
    /** Sends a signal to process 1. */
    signal: (signal: NodeJS.Signals) => process.kill(namespaceOf(), signal),
    /**
     * Kills process 1, and with it all others of its namespace. It would survive if `unshare` alone were
     * killed: by changing its user it has lost the signal that --kill-child sends it then.
     */
    end: async () => {
      const first = namespaceOf()
      if (first !== 0) process.kill(first, "SIGKILL")
      child.kill("SIGKILL")
      await child.exited
    },
    /** Runs a command in it, as `docker exec` does. */
    exec: async (command: readonly string[], stdin?: Blob) => {
      const enter = ["nsenter", "--target", String(namespaceOf()), "--mount", "--pid", "--ipc"]
      const inside = ["chroot", `--userspec=${user}`, "--groups=", image.root, "/usr/bin/env"]
      const environment = [`--chdir=${WorkingDir}`, "--ignore-environment", ...variables]
      const started = Bun.spawn([...enter, ...inside, ...environment, ...command], {
        stdin: stdin ?? "ignore",
        stdout: "pipe",
        stderr: "pipe",
      })
      const [exitCode, stdout, stderr] = await Promise.all([
        started.exited,
        started.stdout.text(),
        started.stderr.text(),
      ])
      return { exitCode, stdout, stderr }
    },
    /** All its processes but the first: their program and state, as in /proc. */
    processes: () => {
      const first = namespaceOf()
      return descendantsOf(first).map((pid) => ({ pid, ...statOf(pid) }))
    },
    untilServing: () =>
      until(() => {
        if (child.exitCode !== null) throw new Error(`It has ended: ${messages.text()}`)
        return messages.text().includes("Serving ")
      }, 60_000),
  }
}

/** An engine makes it in the container's own layer. */
function makeMountPoint(path: string, name: string): void {
  if (statSync(path, { throwIfNoEntry: false })) return
  if (name.endsWith("/")) mkdirSync(path, { recursive: true })
  else {
    mkdirSync(join(path, ".."), { recursive: true })
    writeFileSync(path, "")
  }
}

function collect(stream: ReadableStream<Uint8Array>) {
  let text = ""
  const whole = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) text += decoder.decode(chunk, { stream: true })
    return text
  })()
  return { text: () => text, whole }
}

const descendantsOf = (pid: number): number[] =>
  childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)])

function statOf(pid: number): { program: string; state: string } {
  try {
    const [, program = "", state = ""] =
      /\((.*)\) (\S)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? []
    return { program, state }
  } catch {
    return { program: "", state: "gone" }
  }
}

/** Deletes what the containers have written. */
export const removeVolume = (path: string): void => rmSync(path, { recursive: true, force: true })
