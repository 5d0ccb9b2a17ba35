import { once } from "../text/once.ts"
import type { Description, DescriptionOptions } from "./openapi.ts"

export type Describe = () => Promise<Description>

/** The description, made when it is first asked for, since most processes never are. */
export const describeOnce = (options: DescriptionOptions): Describe =>
  once(async () => {
    const { describeApi } = await import("./openapi.ts")
    return describeApi(options)
  })
