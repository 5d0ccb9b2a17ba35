/** A backup from standard input is kept in a file meanwhile, of which nothing is left, however the restore ends. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import postgres from "postgres"
import { startCommand } from "../commands/command-process.ts"
import { smallDisk } from "../faults/small-disk.ts"
import { type TestService, testService } from "../support/service.ts"
import { reportSkipped } from "../support/supervised.ts"
import { until } from "../support/until.ts"
import { commandsIn, contentsOf } from "./databases.ts"

setDefaultTimeout(60_000)

const disk = smallDisk(1)
if (!disk) reportSkipped(import.meta.path, "the right to mount a file system")

let service: TestService
let url: string
const { path, mds, remove } = commandsIn()
const temporary = mkdtempSync(join(tmpdir(), "mds-test-temporary-"))

beforeAll(async () => {
  service = await testService()
  url = service.database.url
  expect((await mds(url, ["backup", path("all.dump")])).code).toBe(0)
})

afterAll(async () => {
  await service.stop()
  disk?.remove()
  rmSync(temporary, { recursive: true })
  remove()
})

const backup = () => Bun.file(path("all.dump"))
const restoreWith = (TMPDIR: string, stdin: Blob = backup()) =>
  mds(url, ["restore", "--replace", "-"], { stdin, variables: { TMPDIR } })

test.each(["SIGKILL", "SIGTERM"] as const)(
  "a restore that is ended by %s leaves nothing in the temporary directory",
  async (signal) => {
    const other = postgres(url, { max: 1, onnotice: () => {} })
    await other.begin(async (sql) => {
      await sql`lock table releases in access share mode`
      const { child, ended, waitForStderr } = startCommand(["restore", "--replace", "-"], {
        url,
        dataDir: path("data"),
        stdin: backup(),
        variables: { TMPDIR: temporary },
      })
      await waitForStderr("Replacing the tables")
      child.kill(signal)
      await ended()
    })
    await other.end({ timeout: 1 })
    expect(readdirSync(temporary)).toEqual([])
  },
)

test("one that is killed while it still reads leaves nothing either", async () => {
  const { child, ended } = startCommand(["restore", "--replace", "-"], {
    url,
    dataDir: path("data"),
    stdin: "pipe",
    variables: { TMPDIR: temporary },
  })
  const { stdin } = child
  if (typeof stdin !== "object") throw new Error("Its standard input is no pipe")
  stdin.write(await backup().bytes())
  await stdin.flush()
  const opened = () => readdirSync(`/proc/${child.pid}/fd`).map((fd) => linkOf(child.pid, fd))
  await until(() => opened().some((link) => link.startsWith(temporary)))
  child.kill("SIGKILL")
  await ended()
  expect(readdirSync(temporary)).toEqual([])
})

function linkOf(pid: number, descriptor: string): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/${descriptor}`)
  } catch {
    return ""
  }
}

test("a restore that succeeds leaves nothing", async () => {
  const before = await contentsOf(url)
  expect((await restoreWith(temporary)).code).toBe(0)
  expect(readdirSync(temporary)).toEqual([])
  expect(await contentsOf(url)).toEqual(before)
})

test("what is no backup is refused as standard input", async () => {
  const { code, stderr } = await restoreWith(temporary, new Blob(["no backup"]))
  expect(stderr).toStartWith("Cannot restore standard input: ")
  expect(code).toBe(1)
})

test.skipIf(disk === null)(
  "without a temporary directory that can be written, nothing is changed and the message says what to do",
  async () => {
    const before = await contentsOf(url)
    const missing = join(temporary, "missing")
    const readOnly = disk?.path ?? ""
    Bun.spawnSync(["mount", "-o", "remount,ro", readOnly])
    const refusals = [
      [missing, "no such file"],
      [readOnly, "read-only file system"],
    ] as const
    for (const [TMPDIR, reason] of refusals) {
      expect(await restoreWith(TMPDIR)).toEqual({
        code: 1,
        stdout: "",
        stderr: `Cannot keep standard input in ${TMPDIR}: ${reason}. Nothing was changed. Give the path of the file instead, or another directory as TMPDIR\n`,
      })
    }
    Bun.spawnSync(["mount", "-o", "remount,rw", readOnly])
    await disk?.fill(8192)
    const { code, stderr } = await restoreWith(readOnly)
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `Cannot keep standard input in ${readOnly}: no space left on device. Nothing was changed. Give the path of the file instead, or another directory as TMPDIR\n`,
    })
    expect(readdirSync(readOnly)).toEqual(["filler"])
    expect(await contentsOf(url)).toEqual(before)
  },
)

test("a directory, and a pipe that cannot be read twice, are refused by name", async () => {
  const directory = path("directory")
  mkdirSync(directory)
  const pipe = path("pipe")
  Bun.spawnSync(["mkfifo", pipe])
  expect(await mds(url, ["restore", "--replace", directory])).toEqual({
    code: 1,
    stdout: "",
    stderr: `Cannot restore ${directory}: it is a directory; give the file of a backup. Nothing was changed\n`,
  })
  expect(await mds(url, ["restore", "--replace", pipe])).toEqual({
    code: 1,
    stdout: "",
    stderr: `Cannot restore ${pipe}: it is not a regular file, and a backup is read twice; give - to read standard input. Nothing was changed\n`,
  })
})
