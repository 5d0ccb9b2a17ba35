/** Measures several sides in turns, so that all see the same machine. */

/**
 * Runs every side once in each round, each round beginning with another side.
 * @param options.warmUp runs a round before, in which programs compile and connect, and which does not count
 * @returns the samples of each side, by round
 */
export async function rounds<Side extends string>(
  count: number,
  sides: Readonly<Record<Side, () => Promise<number>>>,
  options: { warmUp: boolean },
): Promise<Record<Side, number[]>> {
  const names = Object.keys(sides) as Side[]
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<
    Side,
    number[]
  >
  for (let round = options.warmUp ? -1 : 0; round < count; round++) {
    for (const [index] of names.entries()) {
      const name = names[(index + round + 1) % names.length] as Side
      const sample = await sides[name]()
      if (round >= 0) samples[name].push(sample)
    }
  }
  return samples
}
