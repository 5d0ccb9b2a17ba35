import type { Elysia } from "elysia"

/** Calls `respond` once and returns its response, or another one. */
export type AroundRequest = (
  request: Request,
  respond: () => Response | Promise<Response>,
) => Response | Promise<Response>

type HigherOrderFunction = Parameters<Elysia["wrap"]>[0]
type Handler = (request: Request) => Response | Promise<Response>

/**
 * For `wrap`, whose own type does not say what it gives: the app's handler and the request, and it calls
 * what it is returned with the request again.
 */
export const aroundRequest =
  (around: AroundRequest): HigherOrderFunction =>
  (handler, request) =>
    (() => around(request, () => (handler as unknown as Handler)(request))) as never
