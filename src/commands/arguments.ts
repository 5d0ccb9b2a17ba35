/** Arguments of more than one command. */
import { InvalidArgumentError } from "commander"

/** A parser of integers from `least` to `most`. */
export const integer =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text)
    if (/^(0|[1-9]\d*)$/.test(text) && value >= least && value <= most) return value
    throw new InvalidArgumentError(`Must be an integer from ${least} to ${most}.`)
  }
