/** Why Redis does not answer. Never contains the password. */
export class RedisFailure extends Error {
  override readonly name = "RedisFailure"
}

/**
 * Returns a function that converts errors of the server at `url`. The original error is not their
 * cause, because an old server that does not support HELLO repeats it in its error, password included.
 */
export function failuresOf(url: string): (error: unknown) => RedisFailure {
  const { place, secrets } = partsOf(url)
  return (error) => {
    const text = error instanceof Error ? error.message : String(error)
    const shown = secrets.reduce((left, secret) => left.replaceAll(secret, "…"), text)
    return new RedisFailure(`${place}: ${shown}`)
  }
}

function partsOf(url: string): { place: string; secrets: string[] } {
  if (!URL.canParse(url)) return { place: "Redis", secrets: url === "" ? [] : [url] }
  const { host, password } = new URL(url)
  const written = [url, password, decoded(password)].filter((text) => text !== "")
  return { place: `Redis at ${host}`, secrets: written }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
