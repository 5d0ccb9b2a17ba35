/** Decides suggestions one by one, each by one key. */
import { formatCount } from "../system/text/display.ts"
import { printResult, readAnswers } from "./terminal.ts"

interface Reviewed<Item> {
  items: readonly Item[]
  /** The item and the question with the keys `y` and `n`; null skips an item that an earlier answer has decided. */
  describe: (item: Item) => Promise<string | null>
  /** Stores the answer at once. */
  decide: (item: Item, isRight: boolean) => Promise<unknown>
}

export const reviewDetails = (first: string): string =>
  `Shows ${first} first. Stores each decision at once. Ctrl-C publishes nothing and keeps the decisions.`

/** The message of Ctrl-C. @param command the one that reviews */
export const interruptedReview = (command: string): string =>
  `Interrupted: stored decisions are kept; \`mds ${command} review\` publishes those that are not published yet`

/** Asks for each item until the last one, `q` or the end of the input. */
export async function reviewEach<Item>({ items, describe, decide }: Reviewed<Item>): Promise<void> {
  const answers = readAnswers()
  for (const [index, item] of items.entries()) {
    const text = await describe(item)
    if (text === null) continue
    const place = `${formatCount(index + 1)} of ${formatCount(items.length)}`
    await printResult(`${place}: ${text}, q (end and publish), Enter (later)`)
    const { done, value } = await answers.next()
    const answer = done ? "q" : value.trim().toLowerCase()
    if (answer === "q") break
    if (answer === "y" || answer === "n") await decide(item, answer === "y")
  }
  await answers.return()
}
