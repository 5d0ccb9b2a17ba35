import { printableLine } from "../text/printable-text.ts"

/** Why a load published nothing, or a file was not written. The message is for the operator. */
export class LoadError extends Error {
  override name = "LoadError"
}

/** @param what is wrong with the file, in a few words */
export const cannotRead = (name: string, what: string, options?: ErrorOptions): LoadError =>
  new LoadError(`Cannot read ${printableLine(name)}: ${what}`, options)
