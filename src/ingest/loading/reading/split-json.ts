/**
 * Splits a JSON document into the elements of its array while it streams. The array is the document
 * itself, or the value of `features` in its outermost object. At the end it returns the rest of the document
 * as an object, which also proves that the document is complete.
 *
 * Our own splitter because it only finds where elements end and leaves parsing to `JSON.parse`;
 * streaming parsers tokenise every value, coordinates of geometry included.
 */

import { isObject, parsedJson } from "../../../system/text/parsed-json.ts"
import type { RawRecord } from "../../sources/source.ts"
import { damaged } from "../load-error.ts"
import type { RefuseFile } from "./row.ts"
import { maxRecordLength } from "./text.ts"

const maxEnvelopeLength = 4_000_000

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c

/** @param onList receives the part of the document before its list */
export async function* splitJson(
  text: AsyncIterable<string>,
  refuse: RefuseFile,
  onList: (before: RawRecord) => void,
): AsyncGenerator<string, RawRecord> {
  let depth = 0
  let isInString = false
  let isEscaped = false
  /** The depth of the array's elements; null outside it. */
  let listDepth: number | null = null
  let envelope = ""
  let element = ""
  for await (const chunk of text) {
    let from = 0
    const takeElement = (to: number): string => {
      const whole = element + chunk.slice(from, to)
      element = ""
      from = to + 1
      return whole
    }
    for (let index = 0; index < chunk.length; index++) {
      const code = chunk.charCodeAt(index)
      if (isInString) {
        if (isEscaped) isEscaped = false
        else if (code === backslash) isEscaped = true
        else if (code === quote) isInString = false
        continue
      }
      if (code === quote) isInString = true
      else if (isOpening(code)) {
        depth++
        if (listDepth === null && isList(code, depth, envelope, chunk, from, index)) {
          listDepth = depth
          envelope += chunk.slice(from, index + 1)
          from = index + 1
          onList(parsed(`${envelope}]${depth === 2 ? "}" : ""}`, refuse))
        }
      } else if (isClosing(code)) {
        if (depth === listDepth) {
          const last = takeElement(index)
          if (last.trim() !== "") yield last
          // The closing bracket belongs to the envelope.
          from = index
          listDepth = null
        }
        depth--
      } else if (code === comma && depth === listDepth) yield takeElement(index)
    }
    if (listDepth === null) envelope += chunk.slice(from)
    else element += chunk.slice(from)
    if (element.length > maxRecordLength)
      refuse(`a record is longer than ${maxRecordLength} characters`)
    if (envelope.length > maxEnvelopeLength) refuse("it contains no list of records")
  }
  if (depth > 0 || isInString) refuse(damaged("it is truncated: its JSON does not end"))
  return parsed(envelope, refuse)
}

const isOpening = (code: number) => code === 0x5b || code === 0x7b
const isClosing = (code: number) => code === 0x5d || code === 0x7d

/** Whether the bracket at `index` begins the array. */
function isList(
  code: number,
  depth: number,
  envelope: string,
  chunk: string,
  from: number,
  index: number,
): boolean {
  if (code !== 0x5b) return false
  const before = envelope.slice(-100) + chunk.slice(Math.max(from, index - 100), index)
  return depth === 1 ? before.trim() === "" : depth === 2 && /"features"\s*:\s*$/.test(before)
}

function parsed(envelope: string, refuse: RefuseFile): RawRecord {
  const value = parsedJson(envelope)
  if (Array.isArray(value)) return {}
  if (isObject(value)) return value
  return refuse(
    "it is not a valid JSON document: there is text before, between or after its records",
  )
}
