/** Requests that the database has work with, each asked for the first time. */

/** Filters that match many reports, no two alike. */
export function* slowFilters(): Generator<string> {
  for (let day = 0; ; day++) {
    const from = new Date(Date.UTC(1990, 0, 1 + day)).toISOString().slice(0, 10)
    yield `/api/v1/reports?search=re&type=progress%20report&from=${from}`
  }
}

const letters = Array.from("etaoinshrdlucmfwygpbvkxqjz")

/** Searches of two letters, no two alike. */
export function* shortSearches(): Generator<string> {
  for (let day = 0; ; day++) {
    const from = new Date(Date.UTC(1970, 0, 1 + day)).toISOString().slice(0, 10)
    for (const first of letters) {
      for (const second of letters) {
        yield `/api/v1/reports?search=${first}${second}${day === 0 ? "" : `&from=${from}`}`
      }
    }
  }
}

export const take = (targets: Iterator<string>, count: number): string[] =>
  Array.from({ length: count }, () => targets.next().value)
