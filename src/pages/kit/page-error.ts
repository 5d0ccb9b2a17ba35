/** A page can't be shown. The message says why and what to do, for the person who asked for it. */
export class PageError extends Error {
  override readonly name = "PageError"

  constructor(
    readonly status: number,
    readonly title: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
  }
}

export const pageNotFound = () =>
  new PageError(
    404,
    "Page not found",
    "There is nothing at this address. It may be mistyped, or what it showed is no longer there.",
  )

/** The page is for people who are signed in. */
export class SignInRequired extends Error {
  override readonly name = "SignInRequired"

  /** @param next where to go afterwards; by default the page that was asked for */
  constructor(
    readonly reason?: SignInReason,
    readonly next?: string,
  ) {
    super("Sign in first")
  }
}

/** A sentence for the sign-in page, by its name there. */
export type SignInReason = "again" | "link"

/** Where a person signs in, and comes back from. */
export const signInPath = (next: string, reason?: SignInReason): string =>
  `/account/sign-in?${new URLSearchParams({ next, ...(reason && { reason }) })}`
