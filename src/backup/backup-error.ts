/** A backup cannot be made or restored. The message says what failed, why and what to do. */
export class BackupError extends Error {
  override readonly name = "BackupError"
}
