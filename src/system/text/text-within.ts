/**
 * The text of a stream, of which no more than this many bytes are in memory.
 * @param reject throws the error for a longer one
 */
export async function textWithin(
  maxBytes: number,
  chunks: AsyncIterable<Uint8Array>,
  reject: () => never,
): Promise<string> {
  const read: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > maxBytes) reject()
    read.push(chunk)
  }
  return Buffer.concat(read).toString()
}
