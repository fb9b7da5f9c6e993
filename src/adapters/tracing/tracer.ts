import { hex } from "../../domain/keys/digest.ts"
import type { Config } from "../../env.ts"
import type { Fetch } from "../outbound.ts"
import type { Clock, Log } from "../platform.ts"
import { type Fields, type FinishedSpan, otlpRequest } from "./otlp.ts"

/** A piece of work while it is measured. Fields never hold addresses, names of domains, keys or bodies. */
export interface Span {
  set(fields: Fields): void
  /** @param name when it is known only now. Only the first end counts */
  end(outcome?: "ok" | "error", name?: string): void
}

/** Measures the work of one request, cron run or batch: one span for the whole, and its children. */
export interface Tracer {
  /** False for work that was not picked to be measured: then nothing below costs anything. */
  readonly isOn: boolean
  /** Begins the whole. @param traceparent of the caller (W3C Trace Context), whose trace it then belongs to */
  begin(name: string, traceparent?: string): Span
  start(name: string, fields?: Fields): Span
}

interface TracerNeeds {
  readonly clock: Clock
  readonly log: Log
  readonly randomBytes: (n: number) => Uint8Array
  readonly background: (work: Promise<unknown>) => void
  readonly fetch: Fetch
}

/** A turbo call looks up thousands of domains; the first ones tell enough. */
const MAX_SPANS = 500
/** What ends after the answer is waited for that long, so that it goes out together. */
const GATHER_MS = 250
const SEND_MS = 10_000
/** version-traceid-parentid-flags (W3C Trace Context §3.2). */
const TRACEPARENT = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}/

const NO_SPAN: Span = { set: () => undefined, end: () => undefined }
const NO_TRACER: Tracer = { isOn: false, begin: () => NO_SPAN, start: () => NO_SPAN }

/**
 * Picks a share of all requests by chance of our own, whatever a caller's traceparent asks for: strangers must not decide what
 * is measured. @param traces null: nothing is
 */
export function createTracer(traces: Config["traces"], needs: TracerNeeds): Tracer {
  if (!traces || chance(needs) >= traces.ratio) return NO_TRACER
  return new RequestTracer(traces, needs)
}

class RequestTracer implements Tracer {
  readonly isOn = true
  readonly #traces: NonNullable<Config["traces"]>
  readonly #needs: TracerNeeds
  #traceId: string
  #rootId: string
  #finished: FinishedSpan[] = []
  #count = 0
  #rootEnded = false
  #isSending = false

  constructor(traces: NonNullable<Config["traces"]>, needs: TracerNeeds) {
    this.#traces = traces
    this.#needs = needs
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

  #open(who: Pick<FinishedSpan, "name" | "kind" | "spanId" | "parentId">, ended?: () => void): Span {
    const { clock } = this.#needs
    const startedAt = clock.now()
    let fields: Fields = {}
    let isOpen = true
    return {
      set: (more) => {
        fields = { ...fields, ...more }
      },
      end: (outcome = "ok", name = who.name) => {
        if (!isOpen) return
        isOpen = false
        const times = { startedAt, endedAt: clock.now() }
        this.#finished.push({ ...who, name, ...times, fields, outcome, traceId: this.#traceId })
        ended?.()
        if (this.#rootEnded) this.#sendSoon()
      },
    }
  }

  #sendSoon(): void {
    if (this.#isSending) return
    this.#isSending = true
    this.#needs.background(this.#send())
  }

  async #send(): Promise<void> {
    const { clock, fetch, log } = this.#needs
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
    return hex(this.#needs.randomBytes(bytes))
  }
}

function chance({ randomBytes }: TracerNeeds): number {
  return new DataView(Uint8Array.from(randomBytes(4)).buffer).getUint32(0) / 2 ** 32
}
