/** Finds names that stand twice in one object of a JSON text: `JSON.parse` keeps only the last of them. */

const token = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g

interface Level {
  names: Set<string>
  /** The name whose value is being read; empty in an array. */
  at: string
}

/** Their places, such as `wa` or `wa.url`, each once. @param json valid */
export function repeatedNames(json: string): string[] {
  const levels: Level[] = []
  const repeated = new Set<string>()
  for (const [text, colon] of json.matchAll(token)) {
    if (text === "{" || text === "[") {
      levels.push({ names: new Set(), at: "" })
    } else if (text === "}" || text === "]") levels.pop()
    else if (colon !== undefined) {
      const level = levels.at(-1)
      if (!level) continue
      level.at = JSON.parse(text.slice(0, -colon.length))
      const place = levels.flatMap(({ at }) => (at === "" ? [] : [at])).join(".")
      if (level.names.has(level.at)) repeated.add(place)
      level.names.add(level.at)
    }
  }
  return [...repeated]
}
