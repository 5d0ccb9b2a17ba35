/** The connection was lost during COMMIT, so the outcome of the transaction is unknown. */
export class OutcomeUnknown extends Error {
  override readonly name = "OutcomeUnknown"
}

/**
 * Runs a transaction and distinguishes a failure of COMMIT from an earlier one, which certainly rolls back.
 * @param whenUnknown the message for the operator if the outcome is unknown, in whole sentences
 * @param begin runs the transaction; it calls `committing` when only COMMIT remains
 * @throws OutcomeUnknown if no reply to COMMIT arrived
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
 * ERROR means that the server has rolled back. After FATAL and PANIC the transaction may be committed.
 */
const isRolledBack = (error: unknown): boolean =>
  error instanceof Error && "severity" in error && error.severity === "ERROR"
