/** Times and digests in the names of files that a load or a fetch writes. */

/** A time in the name of a file: `20260102T030405Z`. */
export const fileTime = (time: Date): string => time.toISOString().replace(/[-:]|\.\d+/g, "")

/** SHA-256 of a file, in hexadecimal. */
export async function fileDigest(path: string): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256")
  for await (const chunk of Bun.file(path).stream()) hasher.update(chunk)
  return hasher.digest("hex")
}
