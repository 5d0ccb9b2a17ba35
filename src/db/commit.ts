/** The connection was lost during the COMMIT, so it is unknown whether the transaction was committed. */
export class OutcomeUnknown extends Error {
  override readonly name = "OutcomeUnknown"
}

/**
 * Runs a transaction and distinguishes a failure of its COMMIT from an earlier one, after which it is
 * certain to be rolled back.
 * @param whenUnknown the message for the operator in that case, in whole sentences
 * @param begin runs the transaction; it calls `committing` when only the COMMIT remains
 * @throws OutcomeUnknown where the COMMIT was sent, or may have been, and no reply arrived
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
    if (!isCommitting || isRolledBack(error)) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new OutcomeUnknown(
      `The connection to the database was lost during the commit (${reason}). ${whenUnknown}`,
      { cause: error },
    )
  }
}

/**
 * An ERROR means that the server has rolled back. FATAL and PANIC only end the connection: the
 * transaction may have been committed.
 */
const isRolledBack = (error: unknown): boolean =>
  error instanceof Error && "severity" in error && error.severity === "ERROR"
