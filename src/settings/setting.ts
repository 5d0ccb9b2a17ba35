export interface Setting<T> {
  /** For the README. */
  description: string
  /** The default, as text. */
  fallback: string
  /** The value must not be printed. */
  secret?: boolean
  /** @throws Error whose message says what is expected */
  parse: (text: string) => T
}

export type Settings = Readonly<Record<string, Setting<unknown>>>
