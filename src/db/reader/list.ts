/** A list as a client requested it. */
import { digest } from "../../text/digest.ts"
import { type Release, releaseKey } from "./releases.ts"
import { type ListShape, type Parent, parentName } from "./statements.ts"

export interface List extends ListShape {
  /** Values that the filters bind, by name; and the releases that `updated` and `removed` need. */
  bound: Readonly<Record<string, unknown>>
  /** The record that the list belongs to, by key. The list exists only where the record does. */
  parent?: (Parent & { key: string }) | undefined
  /** Identifies the list: equal for lists with the same rows in the same order. */
  identity: string
}

/** Identifies a list at a release. */
export const listKey = ({ identity }: List, release: Release): string =>
  digest(`${releaseKey(release)} ${identity}`)

/** The values that every statement on the list binds. */
export const bindingsOf = ({ bound, parent }: List): Record<string, unknown> => ({
  ...bound,
  ...(parent && { [parentName]: parent.key }),
})
