import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import type { LibsqlDatabase } from "./database.ts"
import { Session } from "./session.ts"
import { ProtocolError } from "./sql-error.ts"

/** A stream of Hrana over HTTP. It lasts over several requests, as long as each presents its baton in time. */
export interface Stream {
  readonly id: string
  readonly session: Session
  readonly sqls: Map<number, string>
  /** Sequence number of the only baton that continues the stream. */
  sequence: bigint
  inUse: boolean
  expiry?: NodeJS.Timeout
}

/** The client presented its baton too late. */
export class StreamExpired extends Error {}

/** The limit of open streams is reached. */
export class TooManyStreams extends Error {}

export interface StreamLimits {
  readonly idleMs: number
  readonly maxStreams: number
}

/** How long an expired stream is reported as expired instead of invalid. */
const REMEMBER_EXPIRED_MS = 300_000
const ID_BYTES = 8
const BATON_BYTES = 48

/** All open streams. A baton is `id | sequence | HMAC-SHA256` and valid once. */
export class Streams {
  readonly #key = randomBytes(32)
  readonly #open = new Map<string, Stream>()
  readonly #expired = new Map<string, NodeJS.Timeout>()
  readonly #database: LibsqlDatabase
  readonly #limits: StreamLimits

  constructor(database: LibsqlDatabase, limits: StreamLimits) {
    this.#database = database
    this.#limits = limits
  }

  /** @throws TooManyStreams */
  start(): Stream {
    if (this.#open.size >= this.#limits.maxStreams) throw new TooManyStreams("Too many concurrent requests")
    const random = randomBytes(ID_BYTES + 8)
    const stream: Stream = {
      id: random.toString("hex", 0, ID_BYTES),
      session: new Session(this.#database),
      sqls: new Map(),
      sequence: random.readBigUInt64BE(ID_BYTES),
      inUse: true,
    }
    this.#open.set(stream.id, stream)
    return stream
  }

  /** The stream of a baton. @throws ProtocolError for a forged or used baton, StreamExpired */
  resume(baton: string): Stream {
    const { id, sequence } = this.#decode(baton)
    if (this.#expired.has(id)) throw new StreamExpired("The stream has expired due to inactivity")
    const stream = this.#open.get(id)
    if (!stream) throw new ProtocolError("Received an invalid baton")
    if (stream.inUse || stream.sequence !== sequence) {
      throw new ProtocolError("Received a baton that has already been used")
    }
    clearTimeout(stream.expiry)
    stream.sequence = BigInt.asUintN(64, sequence + 1n)
    stream.inUse = true
    return stream
  }

  /** Ends a request. @returns the baton for the next one; null when the stream was closed */
  release(stream: Stream): string | null {
    if (stream.session.closed) {
      this.#open.delete(stream.id)
      return null
    }
    stream.inUse = false
    stream.expiry = setTimeout(() => this.#expire(stream), this.#limits.idleMs)
    return this.#encode(stream)
  }

  close(stream: Stream): void {
    clearTimeout(stream.expiry)
    this.#open.delete(stream.id)
    if (!stream.session.closed) stream.session.close()
  }

  /** Closes streams without a request, so that running requests do not wait for their locks. */
  closeIdle(): void {
    for (const stream of this.#open.values()) if (!stream.inUse) this.close(stream)
  }

  closeAll(): void {
    for (const stream of this.#open.values()) this.close(stream)
    for (const timer of this.#expired.values()) clearTimeout(timer)
    this.#expired.clear()
  }

  #expire(stream: Stream): void {
    this.close(stream)
    const timer = setTimeout(() => this.#expired.delete(stream.id), REMEMBER_EXPIRED_MS)
    this.#expired.set(stream.id, timer)
  }

  #encode({ id, sequence }: Stream): string {
    const payload = Buffer.alloc(ID_BYTES + 8)
    payload.write(id, "hex")
    payload.writeBigUInt64BE(sequence, ID_BYTES)
    return Buffer.concat([payload, this.#mac(payload)]).toString("base64")
  }

  #decode(baton: string): { id: string; sequence: bigint } {
    const bytes = Buffer.from(baton, "base64")
    const payload = bytes.subarray(0, ID_BYTES + 8)
    if (bytes.length !== BATON_BYTES || !timingSafeEqual(bytes.subarray(ID_BYTES + 8), this.#mac(payload))) {
      throw new ProtocolError("Received an invalid baton")
    }
    return { id: payload.toString("hex", 0, ID_BYTES), sequence: payload.readBigUInt64BE(ID_BYTES) }
  }

  #mac(payload: Buffer): Buffer {
    return createHmac("sha256", this.#key).update(payload).digest()
  }
}
