export type JsonObject = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** TypeScript does not know the third argument yet. */
type Reviver = (
  this: unknown,
  name: string,
  value: unknown,
  context: { source?: string },
) => unknown
type ParseWithSource = (text: string, reviver: Reviver) => unknown

/** Integers beyond 2^53 become their digits as text, so that two of them never become one. */
const exactly: Reviver = (_, value, { source }) =>
  Number.isInteger(value) && !Number.isSafeInteger(value) ? source : value

/** An integer of that many digits, outside the fractions that coordinates are full of. */
const longInteger = /(?<![\d.])\d{16}/

/** The object that a JSON text is; undefined where it is none. */
export function jsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = longInteger.test(text)
      ? (JSON.parse as ParseWithSource)(text, exactly)
      : JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
