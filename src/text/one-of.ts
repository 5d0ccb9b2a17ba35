import { Type } from "@sinclair/typebox"

/** The schema of text that is one of a few values, matched exactly. */
export const oneOf = <Value extends string>(
  values: readonly Value[],
  options: { description?: string; default?: Value; examples?: Value[] } = {},
) => Type.Unsafe<Value>({ type: "string", enum: values, ...options })
