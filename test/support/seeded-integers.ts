import { seeded } from "../../src/sample/random.ts"

/** Integers from 0 up to, and without, the number given; the same in every run. */
export function seededIntegers(seed: number): (below: number) => number {
  const next = seeded(seed)
  return (below) => Math.floor(next() * below)
}
