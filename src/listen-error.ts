/** The address or port in the settings cannot be used. */
export class ListenError extends Error {
  override readonly name = "ListenError"
}
