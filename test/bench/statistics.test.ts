/** Medians, quantiles, ratios and slopes are those of their definitions. */
import { expect, test } from "bun:test"
import { lowest, median, quantile, ratios, slope } from "./statistics.ts"

test("a median is the middle of the samples, or between the two in the middle", () => {
  expect(median([3])).toBe(3)
  expect(median([9, 1, 5])).toBe(5)
  expect(median([10, 1, 2, 4])).toBe(3)
})

test("a quantile lies between two samples in proportion, and no order is changed", () => {
  const samples = [40, 10, 30, 20]
  expect(quantile(samples, 0)).toBe(10)
  expect(quantile(samples, 1)).toBe(40)
  expect(quantile(samples, 0.95)).toBeCloseTo(38.5)
  expect(samples).toEqual([40, 10, 30, 20])
})

test("without samples there is no quantile", () => {
  expect(() => quantile([], 0.5)).toThrow("There are no samples")
})

test("rounds of equal number are compared one by one", () => {
  // The second round was disturbed, which the ratio of the medians would show as a difference.
  expect(ratios([100, 20, 90], [50, 10, 45])).toEqual([2, 2, 2])
})

test("rounds of different number are compared by their medians", () => {
  expect(ratios([10], [4, 5, 6])).toEqual([2])
})

test("a slope is that of the line through the points", () => {
  expect(
    slope([
      [0, 70],
      [1, 72],
      [2, 74],
    ]),
  ).toBeCloseTo(2)
  expect(
    slope([
      [0, 70],
      [1, 71],
      [2, 69],
      [3, 70],
    ]),
  ).toBeCloseTo(-0.2)
})

test("the lowest point of each window is found, wherever in it that is", () => {
  const points = [
    [0, 70],
    [0.4, 60],
    [0.6, 90],
    [1.2, 65],
    [1.4, 61],
  ] as const
  expect(lowest(points, 0.5)).toEqual([
    [0.4, 60],
    [0.6, 90],
    [1.4, 61],
  ])
  expect(lowest([], 0.5)).toEqual([])
})
