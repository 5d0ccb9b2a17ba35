/** Arguments of more than one command. */
import { InvalidArgumentError } from "commander"

export function positiveInteger(text: string): number {
  const value = Number(text)
  if (!/^[1-9]\d*$/.test(text) || value > 2_147_483_646) {
    throw new InvalidArgumentError("Must be an integer from 1 to 2147483646.")
  }
  return value
}
