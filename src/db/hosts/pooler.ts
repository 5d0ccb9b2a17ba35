/**
 * Whether requests reach the database where they go through a connection pooler, while the host is asked
 * past it. A pooler opens a session even while all its connections to the database are busy, so a long
 * statement is not taken for its loss.
 */
import { unlessSilent } from "../../text/unless-silent.ts"
import { singleConnection } from "../connection.ts"
import { isAnswer } from "../pool/database-errors.ts"
import { noAnswerWithin } from "../pool/unavailable.ts"

const answerWithinMs = 1_000

/** Opens a session. @returns why there was none; undefined where it answered, be it with an error */
export async function poolerFault(url: string): Promise<Error | undefined> {
  try {
    await openSession(url)
    return undefined
  } catch (cause) {
    // Such as that it accepts no more clients: those that it has go on.
    return isAnswer(cause)
      ? undefined
      : new Error("The connection pooler does not answer", { cause })
  }
}

async function openSession(url: string): Promise<void> {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const client = singleConnection(url, {
    connection: { application_name: "mds pooler" },
    // The settings of the session come with its beginning.
    onparameter: () => begin(),
  })
  const answered = client.unsafe("select 1").execute()
  try {
    await unlessSilent(answerWithinMs, Promise.race([begun, answered]), noAnswerWithin)
  } finally {
    // The answer may wait for a connection of the pooler.
    answered.catch(() => {})
    await client.end({ timeout: 0 })
  }
}
