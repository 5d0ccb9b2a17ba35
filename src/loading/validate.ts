import { loadedFields, type Resource, type ResourceRecord } from "../resources/resource.ts"
import type { RawRecord } from "../sources/source.ts"
import { fieldReader, InvalidValue } from "./field-values.ts"

export type Validated =
  | { record: ResourceRecord }
  /** `key` where it can be read: the stored record of that key is then left unchanged. */
  | { rejected: string; key?: string }

/**
 * Reads records of a resource: every loaded field validated by its schema, everything else ignored.
 * One reason names every invalid value of a record.
 */
export function recordReader(resource: Resource): (raw: RawRecord) => Validated {
  const readers = loadedFields(resource).map(([name, field]) => ({
    name,
    read: fieldReader(field),
  }))
  return (raw) => {
    const record: ResourceRecord = {}
    let faults: string[] | undefined
    for (const { name, read } of readers) {
      const value = read(raw[name])
      if (value instanceof InvalidValue) {
        faults ??= []
        faults.push(`${name} ${value.reason}`)
      } else record[name] = value
    }
    if (!faults) return { record }
    const key = record[resource.key]
    return { rejected: faults.join("; "), ...(typeof key === "string" ? { key } : {}) }
  }
}
