/** Reads the XML inside workbooks with sax, as a stream, and refuses what is not well-formed. */
import sax from "sax"

export interface XmlHandlers {
  /** Names are without their prefixes. */
  open: (name: string, attributes: Readonly<Record<string, string>>) => void
  close?: (name: string) => void
  /** The text between two tags may come in several parts. */
  text?: (text: string) => void
}

/** No workbook comes near; they bound the memory for what is open. */
const maxDepth = 100
const maxAttributes = 1000

/**
 * Yields after each chunk, so that what the handlers have collected can be passed on. `reject` ends
 * the reading. Definitions of a document's own, which could expand without end, are refused.
 */
export async function* parseXml(
  bytes: AsyncIterable<Uint8Array>,
  { open, close = () => {}, text = () => {} }: XmlHandlers,
  reject: (why: string) => never,
): AsyncGenerator<void> {
  const parser = sax.parser(true)
  let error: string | undefined
  let depth = 0
  let attributeCount = 0
  parser.onattribute = () => {
    if (++attributeCount > maxAttributes) reject("an element has too many attributes")
  }
  parser.onopentag = ({ name, attributes }) => {
    attributeCount = 0
    if (++depth > maxDepth) reject("its elements are nested too deeply")
    open(localName(name), attributes as Record<string, string>)
  }
  parser.onclosetag = (name) => {
    depth--
    close(localName(name))
  }
  parser.ontext = text
  parser.oncdata = text
  parser.ondoctype = () => {
    error ??= "it declares a document type"
  }
  parser.onerror = ({ message }) => {
    error ??= message
    // Otherwise, the parser throws it again.
    parser.resume()
  }
  const decoder = new TextDecoder("utf-8", { fatal: true })
  const decode = (chunk?: Uint8Array): string => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode()
    } catch (cause) {
      if (cause instanceof TypeError) return reject("it is not UTF-8")
      throw cause
    }
  }
  for await (const chunk of bytes) {
    parser.write(decode(chunk))
    if (error !== undefined) reject(error)
    yield
  }
  parser.write(decode()).close()
  if (error !== undefined) reject(error)
  yield
}

const localName = (name: string): string => name.slice(name.indexOf(":") + 1)
