/** Whether a transaction whose connection was lost during the COMMIT is committed can't be told. */
export class OutcomeUnknown extends Error {
  override readonly name = "OutcomeUnknown"
}

/**
 * Runs a transaction and tells a failure of its COMMIT from one before it, after which nothing of it
 * remains.
 * @param whenUnknown what a person should know and do then, in whole sentences
 * @param begin runs the transaction; it calls `committing` when all that is left is the COMMIT
 * @throws OutcomeUnknown where the COMMIT was sent, or may have been, and no answer came
 */
export async function committed<T>(
  whenUnknown: string,
  begin: (committing: () => void) => Promise<T>,
): Promise<T> {
  let isCommitting = false
  try {
    return await begin(() => {
      isCommitting = true
    })
  } catch (error) {
    if (!isCommitting || isRefusal(error)) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new OutcomeUnknown(
      `The connection to the database was lost during the commit (${reason}). ${whenUnknown}`,
      { cause: error },
    )
  }
}

/** The server answered, and has rolled back. FATAL and worse end the connection, whether or not it committed. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && "severity" in error && error.severity === "ERROR"
