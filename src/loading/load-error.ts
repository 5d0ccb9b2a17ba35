/** Why a load published nothing, or a file was not written, in a sentence for the person who asked. */
export class LoadError extends Error {
  override name = "LoadError"
}
