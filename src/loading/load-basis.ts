/**
 * The inputs that decide the result of a load besides the stored data: the bytes of its files, its options
 * and the program. Where all of them are the same, a further load would publish nothing.
 */
import { programRoot } from "../program.ts"
import { once } from "../text/once.ts"

export interface BasisOptions {
  partial: boolean
  allSectors: boolean
  absentAfterHours: number
  /** See `holdersBasis`. */
  holders: string
}

/** A digest of it. @param digests of the files, sorted */
export async function loadBasis(
  { partial, allSectors, absentAfterHours, holders }: BasisOptions,
  digests: readonly string[],
): Promise<string> {
  const program = await programDigest()
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
