/**
 * Normalises the reference of a tenement, which registers and companies write in many ways (`E 04/2332-I`,
 * `E04/02332`, `e  0402332`): runs of letters and of digits, without leading zeros and without the minerals
 * (`-I`, `-S`, `-G`) at its end. In Western Australia the first two digits after the letters are the field.
 *
 * The runs stay apart, because `E 4/1131` and `E 41/131` are two tenements.
 */
export function tenementNumber(reference: string, state: string): string {
  const written = reference.toUpperCase().replace(/-[ISG]\s*$/, "")
  const runs = written.match(/[A-Z]+|[0-9]+/g) ?? []
  const [letters = "", digits = ""] = runs
  const isJoined = state === "WA" && runs.length === 2 && /^[A-Z]+ [0-9]{3,}$/.test(runs.join(" "))
  const parts = isJoined ? [letters, digits.slice(0, 2), digits.slice(2)] : runs
  return parts.map((run) => run.replace(/^0+(?=[0-9])/, "")).join(" ")
}
