/** SHA-256 of bytes that arrive in pieces, in constant memory. */
export interface ContentHash {
  /** The same pieces, each hashed before it is returned. */
  following(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>
  /** The hash of all pieces as hex. Callable once. */
  digest(): string
}

/** Web Crypto hashes only a whole. The module loads at the first use, so that an isolate starts without it. */
export async function createContentHash(): Promise<ContentHash> {
  const { createHash } = await import("node:crypto")
  const hash = createHash("sha256")
  return {
    async *following(pieces) {
      for await (const piece of pieces) {
        hash.update(piece)
        yield piece
      }
    },
    digest: () => hash.digest("hex"),
  }
}
