/**
 * What the result of a load follows from, besides the data that is stored: the bytes of its files, the
 * options that change what is made of them, and the program that reads them. Where all of it is the
 * same, a further load of the same files would publish nothing.
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
 * Of the files of the program that decide on it and, in package.json, the versions of its packages. A version number would
 * have to be raised with each change of an adapter or a vocabulary, and would be forgotten.
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
