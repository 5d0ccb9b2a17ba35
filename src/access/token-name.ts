import { AccountError } from "./change.ts"

/** Characters in the name of a token. */
export const maxNameLength = 100

/** A visible character: no space, no zero-width character, no empty Braille cell. */
const visible = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]/u

/** The name of a token, trimmed. @throws AccountError */
export function tokenName(text: string): string {
  const name = text.trim()
  if (!visible.test(name)) throw new AccountError("A token requires a name")
  if ([...name].length > maxNameLength) {
    throw new AccountError(`The name of a token has at most ${maxNameLength} characters`)
  }
  // Marks that change the direction of text could disguise a name.
  if (/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(name) || !name.isWellFormed()) {
    throw new AccountError("The name of a token must not contain control characters")
  }
  return name
}
