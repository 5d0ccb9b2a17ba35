/** Parameters as OpenAPI has them. What several operations have alike stands once. */
import type { JsonSchema } from "./json-schema.ts"
import { capitalised, type Operation, type Parameter } from "./operations.ts"
import { refTo } from "./schemas.ts"

/**
 * The example stands in the schema, where programs that let people try an endpoint don't take it for
 * the value to send.
 */
const parameterObject = ({
  name,
  in: where,
  required,
  description,
  schema,
  example,
}: Parameter): JsonSchema => ({
  name,
  in: where,
  ...(required && { required }),
  description,
  schema: { ...schema, examples: [example] },
})

export interface Parameters {
  /** By name; the operations refer to them. */
  shared: Readonly<Record<string, JsonSchema>>
  of(operation: Operation): JsonSchema[]
}

export function parametersOf(operations: readonly Operation[]): Parameters {
  const all = operations.flatMap(({ parameters }) => parameters.map(parameterObject))
  const shared: Record<string, JsonSchema> = {}
  const names = new Map<string, string>()
  for (const [text, [first, second]] of Map.groupBy(all, textOf)) {
    const name = componentName(String(first?.name))
    if (!first || !second || name in shared) continue
    shared[name] = first
    names.set(text, name)
  }
  return {
    shared,
    of: ({ parameters }) =>
      parameters.map(parameterObject).map((each) => {
        const name = names.get(textOf(each))
        return name === undefined ? each : refTo("parameters", name)
      }),
  }
}

const textOf = (parameter: JsonSchema): string => JSON.stringify(parameter)

/** `PerPage` of `per_page`. */
const componentName = (name: string): string =>
  name === "_" ? "CacheBuster" : name.split(/[_-]/).map(capitalised).join("")
