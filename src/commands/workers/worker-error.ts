/** A worker does not serve. It has printed the reason itself. */
export class WorkerError extends Error {
  override readonly name = "WorkerError"
}
