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
  const message = error instanceof Error ? error.message : String(error)
  // Bun's message is a question: "Is port 3000 in use?"
  const reason = message.endsWith("in use?") ? "another program uses the port" : message
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`
  return new ListenError(`Cannot listen on ${address}: ${reason}. Check HOST and ${setting}`, {
    cause: error,
  })
}
