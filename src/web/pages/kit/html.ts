/**
 * HTML as template literals. The tag escapes every value except its own output. Values are in text or in
 * double-quoted attributes, where escaping is enough. The content security policy of every response forbids
 * inline scripts, handlers and styles besides.
 */

/** Markup that is safe to send. */
export class Html {
  constructor(readonly text: string) {}
  toString(): string {
    return this.text
  }
}

/** A value of a template: null, undefined and false are omitted, and lists are concatenated. */
export type Content = Html | string | number | null | undefined | false | readonly Content[]

/** @throws Error for a URL with a scheme that runs code */
export function html(strings: TemplateStringsArray, ...values: Content[]): Html {
  let text = strings[0] ?? ""
  values.forEach((value, index) => {
    const [, name = ""] = /([a-z]+)="$/.exec(strings[index] ?? "") ?? []
    text += written(value, name) + (strings[index + 1] ?? "")
  })
  return new Html(text)
}

/** Name to value; `true` writes only the name. */
export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>

/** Attributes for a template's tag: `<input ${attributes({ checked: true })}>`. False, null and undefined leave one out. */
export const attributes = (named: Attributes): Html =>
  new Html(
    Object.entries(named)
      .flatMap(([name, value]) => {
        if (value === false || value === null || value === undefined) return []
        return [value === true ? name : `${name}="${written(value, name)}"`]
      })
      .join(" "),
  )

const addresses = ["href", "src", "action"]

/** @param attribute whose whole value begins here, if any */
function written(value: Content, attribute: string): string {
  if (value === null || value === undefined || value === false) return ""
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map((each) => written(each, attribute)).join("")
  // HTML has no NUL; browsers show this character for one.
  const text = String(value).replaceAll("\0", "\uFFFD")
  return Bun.escapeHTML(addresses.includes(attribute) ? checkedAddress(text) : text)
}

/** @throws Error */
function checkedAddress(address: string): string {
  if (/^(?:https?:\/\/|mailto:|[/?#]|\.{1,2}\/|$)/i.test(address)) return address
  throw new Error("An address in a page has a scheme that is not allowed")
}
