/** An output that is slow or broken loses whole lines at most, and each loss is counted. */

import { expect, test } from "bun:test"
import { createLogBuffer, maxBufferedLength } from "../../src/log/log-buffer.ts"
import { until } from "../support/until.ts"

/** An output that takes as much of each write as `take` returns, and records it. */
function output(take: (bytes: Uint8Array, attempt: number) => number | Promise<number>) {
  const written: Uint8Array[] = []
  let attempts = 0
  const write = async (bytes: Uint8Array): Promise<number> => {
    const count = await take(bytes, ++attempts)
    written.push(bytes.slice(0, count))
    return count
  }
  return { write, text: () => Buffer.concat(written).toString() }
}

const failing = (code: string) => {
  throw Object.assign(new Error(code), { code })
}

const nothing = (): void => {}

test("an output that takes a few bytes at a time gets every line once, whole and in order", async () => {
  const { write, text } = output((_, attempt) =>
    attempt % 2 === 0 ? failing("EAGAIN") : Math.min(attempt, 5),
  )
  const buffer = createLogBuffer({ write, onDropped: nothing })
  for (const line of ["one\n", "zwölf\n", "three\n"]) buffer.write(line)
  await buffer.flush(20_000)
  expect(text()).toBe("one\nzwölf\nthree\n")
  expect(buffer.readings().failures).toBe(0)
})

test("a failed write is counted and retried", async () => {
  const { write, text } = output(({ length }, attempt) =>
    attempt === 1 ? failing("ENOSPC") : length,
  )
  const buffer = createLogBuffer({ write, onDropped: nothing })
  buffer.write("one\n")
  await until(() => buffer.readings().failures === 1)
  buffer.write("two\n")
  await buffer.flush(20_000)
  expect(text()).toBe("one\ntwo\n")
})

test("a full buffer drops and counts lines, and reports them once it is empty", async () => {
  const gate = Promise.withResolvers<void>()
  const reports: number[] = []
  const { write, text } = output(async ({ length }) => {
    await gate.promise
    return length
  })
  const buffer = createLogBuffer({
    write,
    onDropped: (lines) => {
      reports.push(lines)
      buffer.write(`dropped ${lines}\n`)
    },
  })
  const line = `${"x".repeat(1023)}\n`
  const room = maxBufferedLength / line.length
  for (let count = 0; count < room + 7; count++) buffer.write(line)
  expect(buffer.readings()).toEqual({ dropped: 7, failures: 0, bytes: maxBufferedLength })
  gate.resolve()
  await buffer.flush(20_000)
  expect(text()).toBe(`${line.repeat(room)}dropped 7\n`)
  expect(reports).toEqual([7])
  expect(buffer.readings()).toEqual({ dropped: 7, failures: 0, bytes: 0 })
})

test("a flush to a blocked output ends after its limit", async () => {
  const buffer = createLogBuffer({ write: () => new Promise(nothing), onDropped: nothing })
  buffer.write("never\n")
  const startedMs = performance.now()
  await buffer.flush(50)
  expect(performance.now() - startedMs).toBeLessThan(10_000)
  expect(buffer.readings().bytes).toBe(6)
})
