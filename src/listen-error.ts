/** The address or port in the settings cannot be used. */
export class ListenError extends Error {
  override readonly name = "ListenError"
}

export function cannotListen(
  host: string,
  port: number,
  setting: "PORT" | "ADMIN_PORT",
  error: unknown,
): ListenError {
  const reason = error instanceof Error ? error.message : String(error)
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`
  return new ListenError(`Cannot listen on ${address}: ${reason}. Check HOST and ${setting}`, {
    cause: error,
  })
}
