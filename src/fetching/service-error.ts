/** What map services write where they have no answer, in whichever form and with whichever status. */
import { excerpt } from "../text/excerpt.ts"
import { isObject, jsonObject } from "./json-object.ts"

/**
 * The message in a response of an ArcGIS server or a Web Feature Service that is an error; undefined
 * where it is none, or has no message.
 */
export function serviceErrorIn(text: string): string | undefined {
  const message = text.trimStart().startsWith("<") ? inXml(text) : inJson(text)
  return message === undefined ? undefined : `"${excerpt(message, 200)}"`
}

function inXml(text: string): string | undefined {
  const [, message] =
    /<(?:\w+:)?(?:ExceptionText|ServiceException)\b[^>]*>\s*(?:<!\[CDATA\[)?\s*([^<\]]*?)\s*[<\]]/.exec(
      text,
    ) ?? []
  return message
}

function inJson(text: string): string | undefined {
  const { error, exceptions } = jsonObject(text) ?? {}
  if (isObject(error) && typeof error.message === "string") return error.message
  const first: unknown = Array.isArray(exceptions) ? exceptions[0] : undefined
  return isObject(first) && typeof first.text === "string" ? first.text : undefined
}
