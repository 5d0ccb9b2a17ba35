/**
 * A short digest of a text, the same in every process and every version of Bun: the first 132 bits
 * of its SHA-256, in base64url.
 */
export const digest = (text: string): string =>
  Bun.CryptoHasher.hash("sha256", text, "base64url").slice(0, 22)
