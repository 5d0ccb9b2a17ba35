/**
 * HTML as template literals. Every value is escaped; only what this tag made passes as it is. A value
 * may stand in text or in a quoted attribute, and nowhere else, so that escaping is enough: a template
 * that puts one into a script, a comment or an unquoted attribute throws when it is first used.
 */

/** Markup that is safe to send. */
export class Html {
  constructor(readonly text: string) {}
  toString(): string {
    return this.text
  }
}

/** What a template takes: null, undefined and false are nothing, a list is its elements in turn. */
export type Content = Html | string | number | null | undefined | false | readonly Content[]

/** @throws Error for a value where escaping would not make it safe */
export function html(strings: TemplateStringsArray, ...values: Content[]): Html {
  const contexts = contextsOf(strings)
  let text = strings[0] ?? ""
  values.forEach((value, index) => {
    text += written(value, contexts[index] ?? "text") + (strings[index + 1] ?? "")
  })
  return new Html(text)
}

/** Name to value; `true` gives the name alone. */
export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>

/** Attributes for a template's tag: `<input ${attributes({ checked: true })}>`. False, null and undefined leave one out. */
export const attributes = (named: Attributes): Html =>
  new Html(
    Object.entries(named)
      .flatMap(([name, value]) => {
        if (value === false || value === null || value === undefined) return []
        if (!/^[a-z][a-z-]*$/.test(name) || name.startsWith("on") || name === "style") {
          throw new Error(`Not an attribute that may be set: ${name}`)
        }
        if (value === true) return [name]
        const text = String(value)
        return [`${name}="${escaped(addresses.has(name) ? checkedAddress(text) : text)}"`]
      })
      .join(" "),
  )

/** Where a value is: in text, in a tag, in a quoted attribute, or at the start of one that is an address. */
type Context = "text" | "tag" | "attribute" | "address"

const addresses = new Set(["href", "src", "action", "formaction"])

/** Of each template, found once: a template's strings are one object, however often it is used. */
const contextsByTemplate = new WeakMap<TemplateStringsArray, readonly Context[]>()

function contextsOf(strings: TemplateStringsArray): readonly Context[] {
  const found = contextsByTemplate.get(strings)
  if (found) return found
  const contexts = strings.slice(0, -1).map((_, index) => contextAfter(strings.slice(0, index + 1)))
  contextsByTemplate.set(strings, contexts)
  return contexts
}

/** The context after these strings, with a harmless value between each two. */
function contextAfter(strings: readonly string[]): Context {
  const before = strings.join("0")
  if (/<!--|<(?:script|style)\b[^>]*>[^<]*$/i.test(before)) throw misplaced(before)
  const [tag, quoted] = /<(?=\S|$)[^<>"]*(?:"[^"]*"[^<>"]*)*("[^"]*)?$/.exec(before) ?? []
  if (tag === undefined) return "text"
  if (quoted === undefined) {
    if (/\s$/.test(tag)) return "tag"
    throw misplaced(before)
  }
  const [, name = ""] = /([\w-]+)="[^"]*$/.exec(tag) ?? []
  if (/^on|^style$/.test(name)) throw misplaced(before)
  return addresses.has(name) && quoted === '"' ? "address" : "attribute"
}

const misplaced = (before: string) =>
  new Error(`A template has a value where escaping does not make it safe: ${before.slice(-40)}`)

function written(value: Content, context: Context): string {
  if (value === null || value === undefined || value === false) return ""
  if (value instanceof Html) {
    if (context === "text" || context === "tag") return value.text
    throw new Error("A template has markup in an attribute")
  }
  if (Array.isArray(value)) return value.map((each) => written(each, context)).join("")
  if (context === "tag") throw new Error("A template has text where only attributes may be")
  const text = String(value)
  return escaped(context === "address" ? checkedAddress(text) : text)
}

/** Refuses schemes that run code. @throws Error */
function checkedAddress(address: string): string {
  if (/^(?:https?:\/\/|mailto:|[/?#]|\.{1,2}\/|$)/i.test(address)) return address
  throw new Error("An address in a page has a scheme that is not allowed")
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

const escaped = (text: string): string =>
  /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (character) => entities[character] ?? "") : text
