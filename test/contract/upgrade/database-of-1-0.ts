/**
 * The database of `contractData` as version 1.0.0 filled it on PostgreSQL 15, in the file that this command made.
 * The file never changes: later versions upgrade what it has.
 *
 *     pg_dump --no-owner --no-privileges --rows-per-insert=100 "$DATABASE_URL" | gzip -9n > 1.0.0.sql.gz
 */
import { withConnection } from "../../../src/data/db/connection.ts"
import type { Contents } from "../../support/postgres.ts"

const file = new URL("1.0.0.sql.gz", import.meta.url)

/** The tokens that 1.0.0 issued, by plan. */
export const tokensOf10 = {
  standard: "mds_ugT7yIgtddPz0hlY2RaAjXvJtEvb63kRdIPWUMAtvfZ4QQmAB",
  enterprise: "mds_y559CgVK3j8aZVTKVCNJwf3vcuuwNB6SLhoSz1OKXQS112jAk",
  admin: "mds_4Ug7d6EZVt3noIR5IZRNs9U5TGWxbbgSHzFpW9DreXv443gpr",
}

/** Not upgraded yet. */
export const databaseOf10: Contents = {
  name: "database_of_1_0",
  base: "template0",
  fill: async (url) => {
    const dump = new TextDecoder().decode(Bun.gunzipSync(await Bun.file(file).bytes()))
    // These lines are for psql.
    const statements = dump.replaceAll(/^\\(un)?restrict .*$/gm, "")
    await withConnection(url, (sql) => sql.unsafe(statements))
    return JSON.stringify(tokensOf10)
  },
}
