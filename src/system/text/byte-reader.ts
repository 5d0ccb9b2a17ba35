/** Takes the next bytes from chunks of any size; undefined if the file ends before. */
export function byteReader(bytes: AsyncIterable<Uint8Array>) {
  const chunks = bytes[Symbol.asyncIterator]()
  let unread = Buffer.alloc(0)
  return async (length: number): Promise<Buffer | undefined> => {
    const parts: Uint8Array[] = [unread]
    for (let read = unread.length; read < length; ) {
      const { done, value } = await chunks.next()
      if (done) return undefined
      parts.push(value)
      read += value.length
    }
    if (parts.length > 1) unread = Buffer.concat(parts)
    const taken = unread.subarray(0, length)
    unread = unread.subarray(length)
    return taken
  }
}
