const TIMEOUT_MS = 1_500
/** Without any answer for SILENT_MS there is no network: queries then pause for PAUSE_MS, so that answers stay fast. */
const SILENT_MS = 30_000
const PAUSE_MS = 5_000
const LARGEST_ANSWER_BYTES = 65_535

/** Real DNS over HTTPS (RFC 8484) for names outside the sandbox. */
export class Upstream {
  readonly #urls: readonly string[]
  #pausedUntil = 0
  #answeredAt = Number.NEGATIVE_INFINITY

  constructor(urls: readonly string[]) {
    this.#urls = urls
  }

  /** Queries the resolvers in turn. @returns null when none of them answers */
  async query(message: Buffer): Promise<Buffer | null> {
    if (performance.now() < this.#pausedUntil) return null
    for (const url of this.#urls) {
      const answer = await post(url, message)
      if (!answer) continue
      this.#answeredAt = performance.now()
      return answer
    }
    const now = performance.now()
    if (now - this.#answeredAt > SILENT_MS) this.#pausedUntil = now + PAUSE_MS
    return null
  }
}

async function post(url: string, message: Buffer): Promise<Buffer | null> {
  const body = Buffer.from(message)
  body.writeUInt16BE(0, 0) // RFC 8484 §4.1: id 0 lets HTTP caches share the answer
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/dns-message", accept: "application/dns-message" },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const answer = Buffer.from(await response.arrayBuffer())
    if (!response.ok || answer.length < 12 || answer.length > LARGEST_ANSWER_BYTES) return null
    message.copy(answer, 0, 0, 2)
    return answer
  } catch {
    return null
  }
}
