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
  return { write, text: () => Buffer.concat(written).toString(), batches: () => written.length }
}

const failing = (code: string) => {
  throw Object.assign(new Error(code), { code })
}

const nothing = (): void => {}

test("lines are written in order, many in one batch", async () => {
  const { write, text, batches } = output(({ length }) => length)
  const buffer = createLogBuffer({ write, onDropped: nothing })
  const lines = Array.from({ length: 1_000 }, (_, index) => `line ${index}\n`)
  for (const line of lines) buffer.write(line)
  expect(text()).toBe("")
  await buffer.flush(20_000)
  expect(text()).toBe(lines.join(""))
  expect(batches()).toBe(1)
  expect(buffer.readings()).toEqual({ dropped: 0, failures: 0, bytes: 0 })
  buffer.write("later\n")
  await buffer.flush(20_000)
  expect(text()).toEndWith("\nlater\n")
})

test("the part of a batch that the output took is not written again, and no line is torn", async () => {
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

test("one batch is written at a time", async () => {
  let underWay = 0
  let most = 0
  const { write, text } = output(async ({ length }) => {
    most = Math.max(most, ++underWay)
    await Bun.sleep(1)
    underWay--
    return Math.min(length, 30_000)
  })
  const buffer = createLogBuffer({ write, onDropped: nothing })
  const lines = Array.from({ length: 500 }, (_, index) => `${index} ${"x".repeat(1_000)}\n`)
  for (const line of lines) {
    buffer.write(line)
    if (line.endsWith("00\n")) await Bun.sleep(1)
  }
  await buffer.flush(20_000)
  expect(most).toBe(1)
  expect(text()).toBe(lines.join(""))
})

test("lines that do not fit are dropped and counted, and reported once the buffer is empty again", async () => {
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

test("flushing to an output that takes nothing ends after its limit", async () => {
  const buffer = createLogBuffer({ write: () => new Promise(nothing), onDropped: nothing })
  buffer.write("never\n")
  const startedMs = performance.now()
  await buffer.flush(50)
  expect(performance.now() - startedMs).toBeLessThan(10_000)
  expect(buffer.readings().bytes).toBe(6)
})

test("flushing an empty buffer ends at once", async () => {
  const buffer = createLogBuffer({ write: () => new Promise(nothing), onDropped: nothing })
  const startedMs = performance.now()
  await buffer.flush(60_000)
  expect(performance.now() - startedMs).toBeLessThan(10_000)
})
