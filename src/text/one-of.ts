/** The schema of text that is one of a few values, matched exactly. */
import { type TSchema, Type } from "@sinclair/typebox"

export const oneOf = <Value extends string>(
  values: readonly Value[],
  options: { description?: string; default?: Value } = {},
) =>
  Type.Union(
    values.map((value) => Type.Literal(value)),
    options,
  )

/** The values of such a schema. */
export function valuesOf({ anyOf }: TSchema): string[] {
  const literals: readonly { const: string }[] = anyOf
  return literals.map((literal) => literal.const)
}
