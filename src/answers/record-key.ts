import { ApiError } from "../http/api-error.ts"
import type { Readable } from "../resources/resource.ts"

/**
 * A record's key as its table has it, from the key in a path.
 * @throws ApiError NOT_FOUND for a NUL, which PostgreSQL's text cannot hold
 */
export function recordKey({ keyFromPath }: Readable, text: string): string {
  if (text.includes("\0")) throw new ApiError("NOT_FOUND")
  return keyFromPath?.(text) ?? text
}
