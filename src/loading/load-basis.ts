/**
 * The inputs that decide the result of a load besides the stored data: the bytes of its files, its options
 * and the program. Where all of them are the same, a further load would publish nothing.
 */
import type { Sql, TransactionSql } from "postgres"
import { programRoot } from "../program.ts"
import { once } from "../text/once.ts"
import type { Load } from "./load-options.ts"
import { holdersBasis } from "./stored-holders.ts"

type BasisOptions = Pick<
  Load,
  "source" | "partial" | "allSectors" | "absentAfterHours" | "holderNames"
>

/** A digest of it. @param digests of the files, sorted */
export async function loadBasis(
  sql: Sql | TransactionSql,
  { source, partial, allSectors, absentAfterHours, holderNames }: BasisOptions,
  digests: readonly string[],
): Promise<string> {
  const program = await programDigest()
  const holders = await holdersBasis(sql, holderNames, source.resource)
  const basis = [program, partial, allSectors, absentAfterHours, holders, digests]
  return Bun.CryptoHasher.hash("sha256", JSON.stringify(basis), "hex")
}

/**
 * A digest of the files of the program that decide on it and of package.json with the versions of its
 * packages. Nobody would remember to raise a version number with each change of a source.
 */
const programDigest = once(async (): Promise<string> => {
  const sources = new Bun.Glob("src/{loading,resources,sources,text}/**/*.ts").scanSync({
    cwd: Bun.fileURLToPath(programRoot),
  })
  const hasher = new Bun.CryptoHasher("sha256")
  for (const path of ["package.json", ...[...sources].sort()]) {
    const content = await Bun.file(new URL(path, programRoot)).bytes()
    hasher.update(`${path} ${content.length}\n`).update(content)
  }
  return hasher.digest("hex")
})
