/** The content of a record, of a page and of a short list in one of the formats. */
import { atomFeed } from "../http/atom.ts"
import { codedBody } from "../http/content-coding.ts"
import { linkHeader, type PageMeta } from "../http/page.ts"
import type { ResourceRecord } from "../resources/resource.ts"
import { parquetOf, textOfRecords } from "./export-rows.ts"
import type { ListPlan } from "./plan.ts"
import { type Content, type ContentHeaders, contentOf, type Validators } from "./represent.ts"

type Records = readonly ResourceRecord[]

export const recordContent = (validators: Validators, record: ResourceRecord): Content =>
  contentOf(validators, "json", {}, codedBody(JSON.stringify({ data: record })))

export function pageContent(
  plan: ListPlan,
  validators: Validators,
  { records, meta }: { records: Records; meta: PageMeta },
  baseUrl: string,
): Content {
  const headers = {
    ...exportHeaders(plan, meta.total),
    // A feed has no other pages.
    ...(plan.format !== "atom" && {
      "X-Total-Pages": String(meta.total_pages),
      Link: linkHeader(`${baseUrl}${plan.path}`, plan.canonical, meta),
    }),
  }
  const text = pageText(plan, validators, { records, meta }, baseUrl)
  return contentOf(validators, plan.format, headers, codedBody(text))
}

/** The body of a page. */
export function pageText(
  plan: ListPlan,
  validators: Validators,
  { records, meta }: { records: Records; meta: PageMeta },
  baseUrl: string,
): string {
  if (plan.format === "json") return JSON.stringify({ data: records, meta })
  if (plan.format !== "atom" || !plan.feed) return textOfRecords(plan, records)
  const query = plan.canonical.filter(([name]) => name !== "format")
  const publishedAt = new Date(validators["Last-Modified"] ?? 0)
  return atomFeed(plan.feed, records, { baseUrl, path: plan.path, query, publishedAt })
}

/** Every record of a short list. */
export async function wholeContent(
  plan: ListPlan,
  validators: Validators,
  records: Records,
): Promise<Content> {
  const body =
    plan.format === "parquet"
      ? { bytes: await parquetOf(plan, records), coded: null }
      : codedBody(textOfRecords(plan, records))
  return contentOf(validators, plan.format, exportHeaders(plan, records.length), body)
}

/** The headers of every export. */
export const exportHeaders = (plan: ListPlan, total: number): ContentHeaders => ({
  ...fileName(plan),
  "X-Total-Count": String(total),
})

const fileName = ({ format, shown }: ListPlan): ContentHeaders =>
  format === "json" || format === "atom"
    ? {}
    : { "Content-Disposition": `attachment; filename="${shown.name}.${format}"` }
