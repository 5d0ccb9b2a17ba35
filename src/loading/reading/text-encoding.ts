/**
 * Decodes text whose encoding its bytes tell: UTF-8, UTF-16 by its byte order mark or, without one,
 * by the NUL in every ASCII character, and Windows-1252, which is what bytes are that are not
 * UTF-8. A file in which both occur, or bytes that neither has, is refused: what its letters are
 * would be a guess. Decoding is `TextDecoder`'s, which refuses invalid bytes.
 */
import type { RejectFile } from "./row.ts"

type Note = (what: string) => void

/** Without a byte order mark. `start` are the first bytes, or all if they are few. */
export function decodedText(
  bytes: AsyncIterable<Uint8Array>,
  start: Uint8Array,
  rejectFile: RejectFile,
  note: Note,
): AsyncGenerator<string> {
  const utf16 = utf16In(start)
  if (!utf16) return utf8OrWindows(bytes, rejectFile, note)
  note("it is UTF-16 text")
  return decodedUtf16(bytes, utf16, rejectFile)
}

type Utf16 = "utf-16le" | "utf-16be"

function utf16In(start: Uint8Array): Utf16 | undefined {
  if (start[0] === 0xff && start[1] === 0xfe) return "utf-16le"
  if (start[0] === 0xfe && start[1] === 0xff) return "utf-16be"
  const nulsAt = (parity: number) =>
    start.reduce((count, byte, at) => count + (byte === 0 && at % 2 === parity ? 1 : 0), 0)
  const [even, odd] = [nulsAt(0), nulsAt(1)]
  // Half of the characters, at least, are ASCII; and none has its NUL on the other side.
  const enough = start.length / 4
  if (odd > 0 && odd >= enough && even === 0) return "utf-16le"
  return even > 0 && even >= enough && odd === 0 ? "utf-16be" : undefined
}

async function* decodedUtf16(
  bytes: AsyncIterable<Uint8Array>,
  encoding: Utf16,
  rejectFile: RejectFile,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  for await (const chunk of bytes) {
    yield validText(() => decoder.decode(chunk, { stream: true })) ??
      rejectFile("it is not valid UTF-16 text")
  }
  yield validText(() => decoder.decode()) ?? rejectFile(endsInCharacter)
}

const endsInCharacter = "it is truncated: it ends inside a character"

/**
 * Until a byte is not ASCII both are the same, so that the first such bytes decide, wherever in the
 * file they are. Each part is decoded whole: a character that a chunk ends in waits for the next.
 */
async function* utf8OrWindows(
  bytes: AsyncIterable<Uint8Array>,
  rejectFile: RejectFile,
  note: Note,
): AsyncGenerator<string> {
  let encoding: "ascii" | "utf-8" | "windows-1252" = "ascii"
  const decode = (part: Uint8Array): string => {
    if (encoding !== "windows-1252") {
      const text = validText(() => utf8.decode(part))
      if (text !== undefined) {
        if (text.length !== part.length) encoding = "utf-8"
        return text
      }
      if (encoding === "utf-8") return rejectFile(mixture)
      encoding = "windows-1252"
      note("it is not UTF-8 text and was read as Windows-1252")
    }
    if (hasUtf8Character(part)) return rejectFile(mixture)
    if (part.some((byte) => unassigned.has(byte)))
      return rejectFile("its text is neither UTF-8 nor Windows-1252; save it as UTF-8")
    return windows.decode(part)
  }
  let isFirst = true
  let waiting: Uint8Array = new Uint8Array()
  for await (const chunk of bytes) {
    const all = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk])
    const end = all.length - unfinishedAtEnd(all)
    waiting = all.subarray(end)
    if (end === 0) continue
    const text = decode(all.subarray(0, end))
    yield isFirst && text.startsWith("\ufeff") ? text.slice(1) : text
    isFirst = false
  }
  if (waiting.length === 0) return
  // The compiler does not see that `decode` has changed it.
  if ((encoding as string) !== "windows-1252") rejectFile(endsInCharacter)
  yield decode(waiting)
}

const mixture = "its text mixes UTF-8 with other bytes; save it as UTF-8"
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const windows = new TextDecoder("windows-1252")
/** The bytes that are no character in Windows-1252. */
const unassigned = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d])

function validText(decode: () => string): string | undefined {
  try {
    return decode()
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

/** The length of the UTF-8 character that begins with this byte; 0 if none does. */
const utf8Length = (byte = 0): number =>
  byte < 0xc2 ? 0 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf5 ? 4 : 0

const continues = (byte = 0): boolean => byte >= 0x80 && byte < 0xc0

/** The number of bytes at the end that may be the beginning of a UTF-8 character. */
function unfinishedAtEnd(bytes: Uint8Array): number {
  for (let count = 1; count <= Math.min(3, bytes.length); count++) {
    const byte = bytes[bytes.length - count]
    if (!continues(byte)) return utf8Length(byte) > count ? count : 0
  }
  return 0
}

function hasUtf8Character(bytes: Uint8Array): boolean {
  return bytes.some((byte, at) => {
    const length = utf8Length(byte)
    if (length === 0 || at + length > bytes.length) return false
    return bytes.subarray(at + 1, at + length).every(continues)
  })
}
