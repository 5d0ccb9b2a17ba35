/**
 * Without a terminal, progress is a line every ten seconds, with the rate and the time left where
 * it is known.
 */
import { expect, test } from "bun:test"
import { progressOn, type ReadingProgress } from "../../../src/ingest/loading/progress.ts"

const reading = (
  rows: number,
  bytesRead: number,
  bytesTotal: number | null = 1000,
): ReadingProgress => ({
  file: "a.csv",
  files: 1,
  rows,
  bytesRead,
  bytesTotal,
})

/** Progress on a stream, with what it has written there by a clock that the test sets. */
function recorded({ isTTY = false, columns = 80 } = {}) {
  const clock = { nowMs: 0 }
  const written: string[] = []
  const stream = { isTTY, columns, write: (text: string) => written.push(text) }
  return { clock, written, progress: progressOn(stream, () => clock.nowMs) }
}

test("Without a terminal, a line every ten seconds shows the rate and the time left", () => {
  const { clock, written, progress } = recorded()
  progress.reading(reading(0, 0))
  clock.nowMs = 9_999
  progress.reading(reading(5_000, 100))
  clock.nowMs = 10_000
  progress.reading(reading(20_000, 250))
  progress.step("Comparing companies")
  expect(written).toEqual([
    "a.csv: 20,000 rows, 2,000/s, reading: 25%, 30 s left\n",
    "Comparing companies …\n",
  ])
})

test("A file that grows while it is read has at most 100% of it read", () => {
  const { clock, written, progress } = recorded()
  progress.reading(reading(0, 0))
  clock.nowMs = 10_000
  progress.reading(reading(20_000, 1_500))
  expect(written).toEqual(["a.csv: 20,000 rows, 2,000/s, reading: 100%, 0 s left\n"])
})

test("No time left is estimated for an input of unknown length", () => {
  const { clock, written, progress } = recorded()
  progress.reading(reading(0, 0, null))
  clock.nowMs = 20_000
  progress.reading(reading(1_000, 5, null))
  expect(written).toEqual(["a.csv: 1,000 rows, 50/s\n"])
})

test("Reading many short files reports every ten seconds", () => {
  const { clock, written, progress } = recorded()
  for (let nth = 1; nth <= 1_838; nth++) {
    const read = { file: `${nth}.csv`, files: nth, rows: 100 * nth }
    progress.reading({ ...read, bytesRead: 10, bytesTotal: 10 })
    clock.nowMs += 100
  }
  expect(written).toHaveLength(18)
  expect(written.slice(0, 2)).toEqual([
    "101.csv (file 101): 10,100 rows in all, 1,010/s, reading: 100%, 0 s left\n",
    "201.csv (file 201): 20,100 rows in all, 1,005/s, reading: 100%, 0 s left\n",
  ])
})

test("On a terminal, the line of figures is rewritten until other text follows", () => {
  const { clock, written, progress } = recorded({ isTTY: true, columns: 12 })
  progress.reading(reading(0, 0))
  clock.nowMs = 200
  progress.reading(reading(5, 0))
  progress.step("Comparing")
  progress.stop()
  expect(written).toEqual(["\ra.csv: 5 ro\u001b[K", "\n", "Comparing …\n"])
})

test("The next load of a fetch counts its own files and rows", () => {
  const { clock, written, progress } = recorded()
  progress.reading({ file: "a.csv", files: 1, rows: 100, bytesRead: 10, bytesTotal: 10 })
  progress.reading({ file: "b.csv", files: 2, rows: 200, bytesRead: 10, bytesTotal: 10 })
  progress.stop()
  progress.reading({ file: "c.csv", files: 1, rows: 0, bytesRead: 0, bytesTotal: 10 })
  clock.nowMs = 10_000
  progress.reading({ file: "c.csv", files: 1, rows: 1_000, bytesRead: 5, bytesTotal: 10 })
  expect(written).toEqual(["c.csv: 1,000 rows, 100/s, reading: 50%, 10 s left\n"])
})
