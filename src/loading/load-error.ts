/** Why a load published nothing, or a file was not written. The message is for the operator. */
export class LoadError extends Error {
  override name = "LoadError"
}
