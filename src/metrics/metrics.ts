/**
 * The metrics of a process, in the text format of Prometheus, with OpenTelemetry's names where it has any
 * (semantic conventions for HTTP and databases). Values are read when they are scraped. None contains an
 * account, a client's address or a token, and the values of every label are bounded.
 */
import type { Collector } from "./families.ts"
import { contentType, textFormat } from "./text-format.ts"

export interface Metrics {
  scrape(): Promise<{ contentType: string; text: string }>
}

export const createMetrics = (collectors: readonly Collector[]): Metrics => ({
  scrape: async () => {
    const families = await Promise.all(collectors.map((collect) => collect()))
    return { contentType, text: textFormat(families.flat()) }
  },
})
