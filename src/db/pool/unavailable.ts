/** The database can't be reached, takes too long, or its queue is full. The request may be retried. */
export class Unavailable extends Error {
  override readonly name: string = "Unavailable"
}

/**
 * The same for want of room. It has no stack: in a flood of them the log would grow by a kilobyte for
 * each, and every stack would be the same.
 */
export class Overloaded extends Unavailable {
  override readonly name = "Overloaded"

  constructor(message: string) {
    super(message)
    delete this.stack
  }
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
