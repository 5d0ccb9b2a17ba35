/** Secrets of API tokens, sessions and one-time links. */
/** Random bytes in base64url. */
export const randomText = (bytes: number): string =>
  crypto
    .getRandomValues(new Uint8Array(bytes))
    .toBase64({ alphabet: "base64url", omitPadding: true })

/**
 * SHA-256, as 64 lower-case hex digits: the only form in which a secret is stored. A salt or a slow hash
 * would add nothing, since 256 random bits can be neither enumerated nor guessed. The timing of a lookup
 * by hash reveals nothing that helps to find a secret.
 */
export const hashSecret = (secret: string): string => Bun.CryptoHasher.hash("sha256", secret, "hex")
