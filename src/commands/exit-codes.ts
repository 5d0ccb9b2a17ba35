/** Of a process that a signal has ended: 128 and the number of the signal, as shells have it. */
export const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const

export type Signal = keyof typeof exitCodes
