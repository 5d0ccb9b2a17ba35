import type { ServedEndpoint } from "../answers/endpoint.ts"
import { once } from "../text/once.ts"
import type { Description } from "./openapi.ts"

export type Describe = () => Promise<Description>

export interface DescribeOptions {
  served: () => readonly ServedEndpoint[]
  /** The service's public address; empty where it is not known. */
  baseUrl: string
}

/** The description, made when it is first asked for, since most processes never are. */
export const describeOnce = ({ served, baseUrl }: DescribeOptions): Describe =>
  once(async () => {
    const { describeApi } = await import("./openapi.ts")
    return describeApi({ served: served(), baseUrl })
  })
