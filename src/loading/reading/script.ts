/**
 * Reads the JSON in a JavaScript file that does nothing but assign it: `var tenements = {…};`, as
 * programs write GeoJSON for a map in a web page.
 */
import type { RejectFile } from "./row.ts"

const assignment = /^\s*(?:var|let|const)\s+[\w$]+\s*=\s*(?=[{[])/

/** The length of what precedes the JSON; 0 if the file does not begin like that. */
export const assignmentLength = (start: string): number => assignment.exec(start)?.[0].length ?? 0

const maxEndLength = 1_000_000

/** The text without its first `length` characters, and without the semicolon at its end. */
export async function* assignedJson(
  text: AsyncIterable<string>,
  length: number,
  rejectFile: RejectFile,
): AsyncGenerator<string> {
  let skip = length
  let waiting = ""
  for await (const chunk of text) {
    const all = waiting + chunk.slice(skip)
    skip = Math.max(0, skip - chunk.length)
    let end = all.length
    while (end > 0 && /[;\s]/.test(all[end - 1] ?? "")) end--
    waiting = all.slice(end)
    if (waiting.length > maxEndLength) rejectFile("it contains no list of records")
    yield all.slice(0, end)
  }
}
