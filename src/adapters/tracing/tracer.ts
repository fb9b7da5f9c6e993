import { hex } from "../../domain/accounts/crypto.ts"
import type { Config } from "../../env.ts"
import type { Fetch } from "../outbound.ts"
import type { Clock, Log } from "../platform.ts"
import { type Fields, type FinishedSpan, otlpRequest } from "./otlp.ts"

/** A measured piece of work. Fields never hold addresses, domain names, keys or bodies. */
export interface Span {
  set(fields: Fields): void
  /** Only the first call counts. @param name replaces the name, when it becomes known late */
  end(outcome?: "ok" | "error", name?: string): void
}

/** Traces one request, cron run or batch: a root span and its children. */
export interface Tracer {
  /** False for work outside the sample: then every method is a no-op. */
  readonly isOn: boolean
  /** Starts the root span. @param traceparent the caller's trace to join (W3C Trace Context) */
  begin(name: string, traceparent?: string): Span
  start(name: string, fields?: Fields): Span
}

interface TracerDeps {
  readonly clock: Clock
  readonly log: Log
  readonly randomBytes: (n: number) => Uint8Array
  readonly background: (work: Promise<unknown>) => void
  readonly fetch: Fetch
}

/** A turbo request looks up thousands of domains; the first spans are enough. */
const MAX_SPANS = 500
/** Spans that end within this time after the root span are sent with it. */
const GATHER_MS = 250
const SEND_MS = 10_000
/** version-traceid-parentid-flags (W3C Trace Context §3.2). */
const TRACEPARENT = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}/

const NO_SPAN: Span = { set: () => undefined, end: () => undefined }
const NO_TRACER: Tracer = { isOn: false, begin: () => NO_SPAN, start: () => NO_SPAN }

/**
 * Samples requests at random and ignores the sampling flag of a caller's traceparent.
 * Callers must not decide what is measured. @param traces null disables tracing
 */
export function createTracer(traces: Config["traces"], deps: TracerDeps): Tracer {
  if (!traces || chance(deps) >= traces.ratio) return NO_TRACER
  return new RequestTracer(traces, deps)
}

class RequestTracer implements Tracer {
  readonly isOn = true
  readonly #traces: NonNullable<Config["traces"]>
  readonly #deps: TracerDeps
  #traceId: string
  #rootId: string
  #finished: FinishedSpan[] = []
  #count = 0
  #rootEnded = false
  #isSending = false

  constructor(traces: NonNullable<Config["traces"]>, deps: TracerDeps) {
    this.#traces = traces
    this.#deps = deps
    this.#traceId = this.#id(16)
    this.#rootId = this.#id(8)
  }

  begin(name: string, traceparent = ""): Span {
    const [, traceId, parentId = null] = TRACEPARENT.exec(traceparent) ?? []
    this.#traceId = traceId ?? this.#traceId
    return this.#open({ name, kind: "server", spanId: this.#rootId, parentId }, () => {
      this.#rootEnded = true
    })
  }

  start(name: string, fields: Fields = {}): Span {
    if (this.#count >= MAX_SPANS) return NO_SPAN
    this.#count++
    const span = this.#open({ name, kind: "client", spanId: this.#id(8), parentId: this.#rootId })
    span.set(fields)
    return span
  }

  #open(identity: Pick<FinishedSpan, "name" | "kind" | "spanId" | "parentId">, ended?: () => void): Span {
    const { clock } = this.#deps
    const startedAt = clock.now()
    let fields: Fields = {}
    let isOpen = true
    return {
      set: (more) => {
        fields = { ...fields, ...more }
      },
      end: (outcome = "ok", name = identity.name) => {
        if (!isOpen) return
        isOpen = false
        const times = { startedAt, endedAt: clock.now() }
        this.#finished.push({ ...identity, name, ...times, fields, outcome, traceId: this.#traceId })
        ended?.()
        if (this.#rootEnded) this.#sendSoon()
      },
    }
  }

  #sendSoon(): void {
    if (this.#isSending) return
    this.#isSending = true
    this.#deps.background(this.#send())
  }

  async #send(): Promise<void> {
    const { clock, fetch, log } = this.#deps
    await clock.sleep(GATHER_MS)
    this.#isSending = false
    const spans = this.#finished.splice(0)
    const { url, headers, body } = otlpRequest(this.#traces, spans)
    try {
      const signal = AbortSignal.timeout(SEND_MS)
      const answer = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal })
      await answer.body?.cancel()
      if (!answer.ok) log("traces_not_sent", { status: answer.status })
    } catch (error) {
      log("traces_not_sent", { error: (error as Error).message })
    }
  }

  #id(bytes: number): string {
    return hex(this.#deps.randomBytes(bytes))
  }
}

function chance({ randomBytes }: TracerDeps): number {
  return new DataView(Uint8Array.from(randomBytes(4)).buffer).getUint32(0) / 2 ** 32
}
