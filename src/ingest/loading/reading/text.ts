/**
 * Decodes text by its bytes: UTF-16 with a byte order mark, UTF-8, or Windows-1252 for bytes that are not
 * UTF-8. A file that mixes both, or has bytes of neither, is rejected: its letters would be a guess.
 */
import { addNote } from "../figures.ts"
import { damaged } from "../load-error.ts"
import type { FileReading, RefuseFile } from "./row.ts"

type Remarks = Pick<FileReading, "refuse" | "figures">

/** Returns the text without a byte order mark. @param start the first bytes, or all if they are few */
export function decodedText(
  bytes: AsyncIterable<Uint8Array>,
  start: Uint8Array,
  { refuse, figures }: Remarks,
): AsyncGenerator<string> {
  const mark = `${start[0]} ${start[1]}`
  if (mark !== "255 254" && mark !== "254 255") return utf8OrWindows(bytes, { refuse, figures })
  addNote(figures, "it is UTF-16 text")
  const decoder = new TextDecoder(mark === "255 254" ? "utf-16le" : "utf-16be", { fatal: true })
  return decodedWith(decoder, bytes, refuse, "it is not valid UTF-16 text")
}

async function* decodedWith(
  decoder: TextDecoder,
  bytes: AsyncIterable<Uint8Array>,
  refuse: RefuseFile,
  fault: string,
): AsyncGenerator<string> {
  const decode = (part: Uint8Array | undefined, wrong: string): string => {
    try {
      return part ? decoder.decode(part, { stream: true }) : decoder.decode()
    } catch (error) {
      if (error instanceof TypeError) return refuse(wrong)
      throw error
    }
  }
  for await (const chunk of bytes) yield decode(chunk, fault)
  yield decode(undefined, endsInCharacter)
}

const endsInCharacter = damaged("it is truncated: it ends inside a character")
const mixture = "its text mixes UTF-8 with other bytes; save it as UTF-8"

/** In bytes as Latin-1. */
const utf8Character = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/
const notAscii = /[^\0-\x7f]/
/** Bytes without a character in Windows-1252. */
const unassigned = /[\x81\x8d\x8f\x90\x9d]/

/** The first bytes outside ASCII decide, anywhere in the file. */
async function* utf8OrWindows(
  bytes: AsyncIterable<Uint8Array>,
  { refuse, figures }: Remarks,
): AsyncGenerator<string> {
  const chunks = bytes[Symbol.asyncIterator]()
  let waiting = Buffer.alloc(0)
  for (;;) {
    const { done, value } = await chunks.next()
    const all = done ? waiting : Buffer.concat([waiting, value])
    const latin1 = all.toString("latin1")
    const first = latin1.search(notAscii)
    if (first < 0) {
      yield latin1
      if (done) return
      waiting = Buffer.alloc(0)
      continue
    }
    waiting = all
    // A character of UTF-8 has up to four bytes.
    if (!done && all.length < first + 4) continue
    const character = latin1.slice(first, first + 4)
    const whole = concatenated(all, chunks)
    if (character.search(utf8Character) === 0) {
      return yield* decodedWith(new TextDecoder("utf-8", { fatal: true }), whole, refuse, mixture)
    }
    if (/^[\xc2-\xf4][\x80-\xbf]*$/.test(character)) refuse(endsInCharacter)
    addNote(figures, "it is not UTF-8 text and was read as Windows-1252")
    return yield* windowsText(whole, refuse)
  }
}

async function* concatenated(first: Uint8Array, rest: AsyncIterator<Uint8Array>) {
  yield first
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

async function* windowsText(bytes: AsyncIterable<Uint8Array>, refuse: RefuseFile) {
  const decoder = new TextDecoder("windows-1252")
  for await (const chunk of bytes) {
    const latin1 = Buffer.from(chunk).toString("latin1")
    if (utf8Character.test(latin1)) refuse(mixture)
    if (unassigned.test(latin1))
      refuse("its text is neither UTF-8 nor Windows-1252; save it as UTF-8")
    yield decoder.decode(chunk)
  }
}

/** In characters. A coastline may be long; a longer line or record has no end. */
export const maxRecordLength = 128_000_000

/** The lines of a text with their line breaks, by chunks. */
export async function* linesOf(
  text: AsyncIterable<string>,
  refuse: RefuseFile,
): AsyncGenerator<string[]> {
  let rest = ""
  let ended = 0
  for await (const chunk of text) {
    const lines: string[] = []
    let from = 0
    for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", from)) {
      lines.push(rest + chunk.slice(from, end + 1))
      rest = ""
      from = end + 1
    }
    rest += chunk.slice(from)
    ended += lines.length
    if (rest.length > maxRecordLength)
      refuse(
        `line ${ended + 1} is longer than ${maxRecordLength} characters. Save the file again with a line for each record`,
      )
    yield lines
  }
  if (rest !== "") yield [rest]
}
