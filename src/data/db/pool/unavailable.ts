/** The database is unreachable or too slow, or its queue is full. The request may be retried. */
export class Unavailable extends Error {
  override readonly name: string = "Unavailable"
}

/** A queue is full, or a turn did not come in time. */
export class Overloaded extends Unavailable {
  override readonly name = "Overloaded"
}

export const noResponseWithin = (limitMs: number): Unavailable =>
  new Unavailable(`No response from the database within ${limitMs} ms`)

/** For `catch`: returns the value if the database is unavailable, and rethrows any other error. */
export const ifUnavailable =
  <T>(value: T) =>
  (error: unknown): T => {
    if (error instanceof Unavailable) return value
    throw error
  }
