/** What `serve` and its workers send each other, as JSON over the channel that Bun makes between them. */

export type FromWorker = { serving: string }

/** `replaced` when another worker has taken its place on the port. */
export type ToWorker = { stop: "service" | "replaced" }
