/** Reads pages as a person would: the text of cells, bars and fields, and where links lead. */

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x27;": "'",
}

const decoded = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => entities[entity] ?? "")

/** The text of a page as a person reads it: its words, whatever elements they are in. */
export const textOf = (html: string): string =>
  decoded(
    html
      .replace(/<(script|style|head)\b[\s\S]*?<\/\1>/g, " ")
      .replace(/<\/?bdi>/g, "")
      .replace(/<[^>]*>/g, " "),
  )
    .replace(/\s+/g, " ")
    .trim()

/** The text of an element. Lines that stand under one another are separated by a bar. */
export const contentOf = (html: string): string =>
  decoded(html.replaceAll("</div><div>", " | ").replace(/<[^>]*>/g, ""))

/** The cells of the rows of the first table, or of the one with this caption. */
export function cellsOf(page: string, caption = ""): string[][] {
  const from = caption === "" ? page : (page.split(`>${caption}</caption>`)[1] ?? "")
  const [, body = ""] = /<tbody>(.*?)<\/tbody>/s.exec(from) ?? []
  return body
    .split("</tr>")
    .slice(0, -1)
    .map((row) =>
      [...row.matchAll(/<(t[hd])\b[^>]*>(.*?)<\/\1>/gs)].map(([, , cell]) =>
        contentOf(cell ?? "").replace(/ +$/, ""),
      ),
    )
}

/** The sentence about a page: above a list, where each filter is a link that clears it, or under the title. */
export const leadOf = (page: string): string =>
  contentOf(
    /<p id="lead">(.*?)<\/p>/s.exec(page)?.[1] ??
      /<h1>.*?<\/h1><p>(.*?)<\/p>/s.exec(page)?.[1] ??
      "",
  ).replaceAll(" ×", "")

export const headingOf = (page: string): string =>
  contentOf(/<h1>(.*?)<\/h1>/s.exec(page)?.[1] ?? "")

/** Where a link with this text leads. */
export function linkTo(page: string, text: string): string | undefined {
  const links = [...page.matchAll(/<a\b[^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/gs)]
  const found = links.find(([, , content]) => contentOf(content ?? "").trim() === text)
  return found && decoded(found[1] ?? "")
}

export const addressesIn = (page: string): string[] =>
  [...page.matchAll(/(?:href|action)="([^"]*)"/g)].map(([, address]) => decoded(address ?? ""))

export interface ShownBar {
  label: string
  records: number
  href: string | undefined
}

/** The bars under a heading; undefined where there is none. */
export function barsOf(page: string, heading: string): ShownBar[] | undefined {
  const section = page
    .split("<section")
    .find((each) => /<h[23]>(.*?)<\/h[23]>/.exec(each)?.[1] === heading)
  return section
    ?.split("</section>")[0]
    ?.split("<li>")
    .slice(1)
    .map((item) => ({
      label: contentOf(/^<(a|span)\b[^>]*>(.*?)<\/\1>/s.exec(item)?.[2] ?? ""),
      records: Number(/<span class="numbers">([^<]*)</.exec(item)?.[1]?.replaceAll(",", "")),
      href: addressesIn(item)[0],
    }))
}

/** The values to choose from, by the name of a field. */
export function optionsOf(page: string, name: string): string[] | undefined {
  const [, options] = new RegExp(`<select id="${name}"[^>]*>(.*?)</select>`, "s").exec(page) ?? []
  return options === undefined
    ? undefined
    : [...options.matchAll(/<option value="([^"]*)"/g)].map(([, value]) => decoded(value ?? ""))
}

/** What is wrong with a field. */
export const faultAt = (page: string, name: string): string | undefined => {
  const [, fault] = new RegExp(`<p class="fault" id="${name}-fault">(.*?)</p>`).exec(page) ?? []
  return fault && contentOf(fault)
}

/** Label to value of a record's fields. */
export const factsOf = (page: string): Record<string, string> =>
  Object.fromEntries(
    [...page.matchAll(/<dt>(.*?)<\/dt>\s*<dd>(.*?)<\/dd>/gs)].map(([, label, value]) => [
      contentOf(label ?? ""),
      contentOf(value ?? ""),
    ]),
  )

/** The value of a hidden field. */
export const hiddenField = (page: string, name: string): string =>
  decoded(new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? "")
