/** Data of another major version of PostgreSQL in DATA_DIR: never touched, and brought over by a backup. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { embeddedBinaries } from "../../src/db/embedded/binaries.ts"
import { startEmbedded } from "../../src/db/embedded/server.ts"
import { runCommand, startCommand } from "../commands/command-process.ts"
import {
  reportIfWithoutPostgres,
  type SystemPostgres,
  systemPostgres,
  systemPostgresIsInstalled,
  systemVersion,
} from "../support/system-postgres.ts"
import { commandsIn, contentsOf } from "./databases.ts"

setDefaultTimeout(120_000)
reportIfWithoutPostgres(import.meta.path)

describe.skipIf(!systemPostgresIsInstalled)("a data directory of an older PostgreSQL", () => {
  const { path, mds, remove } = commandsIn()
  let older: SystemPostgres
  let dataDir: string
  let contents: Record<string, string>

  beforeAll(async () => {
    older = await systemPostgres()
    // What the program before the upgrade did, with the embedded server of its time.
    expect((await mds(older.url, ["migrate"])).code).toBe(0)
    writeFileSync(
      path("companies.csv"),
      "asx_code,company_name,is_active\nAAA,Alpha,true\nBBB,Beta,false\n",
    )
    for (const args of [
      ["load", "companies", path("companies.csv")],
      ["token", "create", "--account", "x@example.com", "--name", "x"],
      ["backup", path("before.dump")],
    ]) {
      expect(await mds(older.url, args)).toMatchObject({ code: 0 })
    }
    contents = await contentsOf(older.url)
    await older.shutDown()
    dataDir = path("upgraded")
    mkdirSync(dataDir, { mode: 0o711 })
    cpSync(older.cluster, join(dataDir, "cluster"), { recursive: true, preserveTimestamps: true })
    const { uid, gid } = statSync(older.cluster)
    if (process.getuid?.() === 0) chownSync(join(dataDir, "cluster"), uid, gid)
    writeFileSync(join(dataDir, "password"), "secret", { mode: 0o600 })
  })

  afterAll(async () => {
    await older.stop()
    remove()
  })

  const embedded = (...args: string[]) => runCommand(args, { url: "", dataDir })

  /** Every file of the directory with its time and size. */
  const filesOf = (cluster: string): string =>
    Bun.spawnSync(["find", cluster, "-type", "f", "-printf", "%P %s %T@\n"]).stdout.toString()

  test("is refused with what to do, and not touched", async () => {
    const cluster = join(dataDir, "cluster")
    const before = filesOf(cluster)
    const { majorVersion } = embeddedBinaries()
    for (const args of [["serve"], ["migrate"], ["backup", path("refused.dump")]]) {
      expect(await embedded(...args)).toEqual({
        code: 1,
        stdout: "",
        stderr:
          `Cannot use the embedded PostgreSQL in ${dataDir}: ${cluster} is of PostgreSQL ${systemVersion}, ` +
          `and this program comes with PostgreSQL ${majorVersion}, which cannot read it. Nothing was changed. ` +
          "Run `mds backup FILE` with the program before the upgrade, " +
          `move ${cluster} to another place, and run \`mds restore FILE\` with this one\n`,
      })
    }
    expect(filesOf(cluster)).toBe(before)
    expect(existsSync(path("refused.dump"))).toBe(false)
  })

  test("is brought over by a backup, also where that is killed and repeated", async () => {
    const kept = join(dataDir, "cluster.before")
    renameSync(join(dataDir, "cluster"), kept)
    const before = filesOf(kept)
    const { child, ended, waitForStderr } = startCommand(["restore", path("before.dump")], {
      url: "",
      dataDir,
    })
    await waitForStderr("Starting PostgreSQL")
    child.kill("SIGKILL")
    expect((await ended()).code).toBe(137)

    const restored = await embedded("restore", path("before.dump"))
    expect(restored.stderr).toContain("Restored release 1, of the backup made at ")
    expect(restored.code).toBe(0)
    const server = await startEmbedded(dataDir)
    try {
      expect(await contentsOf(server.url)).toEqual(contents)
    } finally {
      await server.stop()
    }
    expect(readFileSync(join(dataDir, "cluster", "PG_VERSION"), "utf8").trim()).toBe(
      embeddedBinaries().majorVersion,
    )
    expect(filesOf(kept)).toBe(before)
  })
})
