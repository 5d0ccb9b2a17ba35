/**
 * The weight that a client gives to an alternative (RFC 9110, 12.4.2), by its parameters: `q=0.5`. A
 * malformed one counts as none, so the alternative is not wanted rather than wanted most.
 */
export function readWeight(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => /^q\s*=/i.test(parameter))
  if (weight === undefined) return 1
  const value = weight.replace(/^q\s*=\s*/i, "")
  return /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(value) ? Number(value) : 0
}
