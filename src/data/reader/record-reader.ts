/**
 * Reads records by their keys. A statement reads all keys that its account requests before its turn, so many
 * concurrent lookups cost little more than one.
 */

import { arrayLiteral } from "../../system/text/array-literal.ts"
import type { FieldSet, Readable, ResourceRecord } from "../resources/resource.ts"
import type { Reading, ReadOptions } from "./reads.ts"
import { releaseKey } from "./releases.ts"

interface Batch {
  keys: Set<string>
  records: Promise<ReadonlyMap<unknown, ResourceRecord>>
}

export function createRecordReader({ pools, read }: Reading) {
  /** The batches before their turn, by account, resource and release. */
  const waiting = new Map<string, Batch>()

  function enqueue(
    id: string,
    resource: Readable,
    fieldSet: FieldSet,
    options: ReadOptions,
  ): Batch {
    const keys = new Set<string>()
    const close = () => {
      if (waiting.get(id)?.keys === keys) waiting.delete(id)
    }
    const found = read(pools.records, {
      ...options,
      key: null,
      statement: ({ statements, relation, values }) => {
        close()
        return statements
          .find(resource, fieldSet, relation)
          .execute({ ...values, keys: arrayLiteral([...keys]) })
      },
    })
    const records = found
      .finally(close)
      .then((page) => new Map(page.records.map((record) => [record[resource.key], record])))
    const batch = { keys, records }
    waiting.set(id, batch)
    return batch
  }

  /** Null for an unknown key. @throws Unavailable, ReleaseUnavailable */
  return async (
    resource: Readable,
    fieldSet: FieldSet,
    key: string,
    options: ReadOptions,
  ): Promise<ResourceRecord | null> => {
    const id = `${options.account} ${fieldSet} ${resource.name} ${releaseKey(options.release)}`
    const { keys, records } = waiting.get(id) ?? enqueue(id, resource, fieldSet, options)
    keys.add(key)
    return (await records).get(key) ?? null
  }
}
