const batchSize = 1000

/** Collects what is read one by one, because what follows costs less for many at once. */
export async function* inBatches<T>(each: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T[]> {
  let batch: T[] = []
  for await (const one of each) {
    batch.push(one)
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
