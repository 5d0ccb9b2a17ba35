/** The database can't be reached, takes too long, or its queue is full. The request may be retried. */
export class Unavailable extends Error {
  override readonly name = "Unavailable"
}

export const noAnswerWithin = (limitMs: number): Unavailable =>
  new Unavailable(`No answer from the database within ${limitMs} ms`)

/** For `catch`: the value where the database is unavailable. Any other error goes on. */
export const orWhereUnavailable =
  <T>(value: T) =>
  (error: unknown): T => {
    if (error instanceof Unavailable) return value
    throw error
  }
