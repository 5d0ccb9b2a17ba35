/**
 * Compares a description of the API, or of tools, with the recorded one: it may only gain. Descriptions and examples
 * may change.
 */

const words = ["description", "summary", "example", "examples"]

/** The keywords of JSON Schema and OpenAPI that reject what was accepted before. */
const constraints = [
  ...["additionalProperties", "const", "default", "enum", "format", "maxItems", "maxLength"],
  ...["maximum", "minItems", "minLength", "minimum", "pattern", "required", "uniqueItems"],
]

/** Their names are those of fields, parameters, headers and the like, and no keywords. */
const named = /\.(properties|schemas|headers|paths|responses|securitySchemes|content)$/

/** Lists what the description has lost, and the constraints that it has gained. */
export function losses(was: unknown, is: unknown, at = ""): string[] {
  if (Array.isArray(was) && Array.isArray(is)) return lossesOfArray(was, is, at)
  if (!isObject(was) || !isObject(is)) {
    const isSame = Bun.deepEquals(was, is)
    return isSame ? [] : [`${at}: ${JSON.stringify(was)} is now ${JSON.stringify(is)}`]
  }
  const isOfNames = named.test(at)
  const kept = Object.keys(was).filter((name) => isOfNames || !words.includes(name))
  const further = Object.keys(is).filter((name) => !(name in was))
  return [
    ...kept.flatMap((name) =>
      name in is ? losses(was[name], is[name], `${at}.${name}`) : [`${at}.${name} is missing`],
    ),
    ...further
      .filter((name) => !isOfNames && constraints.includes(name))
      .map((name) => `${at}.${name} is a new constraint`),
  ]
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const nameOf = (value: unknown): unknown => (isObject(value) ? value.name : undefined)

function lossesOfArray(was: unknown[], is: unknown[], at: string): string[] {
  // A response may name more fields as required; a request may not.
  const mayGrow = !at.endsWith(".type") && !/inputSchema.*\.required$/.test(at)
  const further = is.filter(
    (each) => !was.some((other) => Bun.deepEquals(nameOf(other), nameOf(each))),
  )
  return [
    ...was.flatMap((each, index) => {
      const name = nameOf(each)
      if (name !== undefined) {
        const now = is.find((other) => nameOf(other) === name)
        return now ? losses(each, now, `${at}[${name}]`) : [`${at}[${name}] is missing`]
      }
      if (isObject(each)) return losses(each, is[index], `${at}[${index}]`)
      return is.includes(each) ? [] : [`${at}: ${JSON.stringify(each)} is missing`]
    }),
    ...(mayGrow || is.length <= was.length ? [] : [`${at} is now ${JSON.stringify(is)}`]),
    ...further
      .filter((each) => isObject(each) && each.required === true)
      .map((each) => `${at}[${nameOf(each)}] is required`),
  ]
}
