import { hex } from "../domain/accounts/crypto.ts"
import type { Config } from "../env.ts"
import type { Dns } from "./dns/resolver.ts"
import type { ProbeAnswer, Probes } from "./fleet/fleet.ts"
import type { Fetch } from "./outbound.ts"
import type { Platform } from "./platform.ts"

/** A measured piece of work. Fields never hold addresses, domain names, keys or bodies. */
interface Span {
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

type TracerDeps = Omit<Platform, "randomToken"> & { readonly fetch: Fetch }

/** A turbo request looks up thousands of domains; the first spans are enough. */
const MAX_SPANS = 500
/** Spans that end within this time after the root span are sent with it. */
const GATHER_MS = 250
const SEND_MS = 10_000
/** version-traceid-parentid-flags (W3C Trace Context §3.2). */
const TRACEPARENT = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}/

const NO_SPAN: Span = { set: () => undefined, end: () => undefined }
const NO_TRACER: Tracer = { isOn: false, begin: () => NO_SPAN, start: () => NO_SPAN }

/** Samples requests at random, whatever the caller's traceparent says. @param traces null disables tracing */
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

/** Span attributes, named by the OpenTelemetry semantic conventions where one exists. */
type Fields = Readonly<Record<string, string | number | boolean>>

interface FinishedSpan {
  readonly name: string
  /** "server" handled the request; "client" called another service. */
  readonly kind: "server" | "client"
  /** 32 and 16 hexadecimal digits. */
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | null
  /** Unix milliseconds, both. */
  readonly startedAt: number
  readonly endedAt: number
  readonly fields: Fields
  readonly outcome: "ok" | "error"
}

interface Collector {
  /** Base URL of the collector; the signal's path is appended. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

const KIND = { server: 2, client: 3 } as const
/** Only failures get a status: an explicit "ok" would override the judgment of other tools. */
const STATUS = { ok: {}, error: { code: 2 } } as const

/** An ExportTraceServiceRequest in OTLP/HTTP's JSON (OTLP 1.x: ids in hexadecimal, 64-bit numbers as text). */
function otlpRequest({ url, headers }: Collector, spans: readonly FinishedSpan[]) {
  const resource = { attributes: attributes({ "service.name": "mailverdict" }) }
  const body = JSON.stringify({
    resourceSpans: [{ resource, scopeSpans: [{ scope: { name: "mailverdict" }, spans: spans.map(encode) }] }],
  })
  return {
    url: `${url.replace(/(?<!\/)\/+$/, "")}/v1/traces`,
    headers: { ...headers, "content-type": "application/json" },
    body,
  }
}

function encode({ name, kind, traceId, spanId, parentId, startedAt, endedAt, fields, outcome }: FinishedSpan) {
  return {
    traceId,
    spanId,
    name,
    kind: KIND[kind],
    ...(parentId === null ? {} : { parentSpanId: parentId }),
    startTimeUnixNano: nanoseconds(startedAt),
    endTimeUnixNano: nanoseconds(endedAt),
    attributes: attributes(fields),
    status: STATUS[outcome],
  }
}

function attributes(fields: Fields) {
  return Object.entries(fields).map(([key, value]) => ({ key, value: encodeValue(value) }))
}

function encodeValue(value: string | number | boolean) {
  if (typeof value === "string") return { stringValue: value }
  if (typeof value === "boolean") return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

function nanoseconds(ms: number): string {
  return `${Math.round(ms)}000000`
}

/** Traces lookups with record type and result. The queried name is not recorded. */
export function tracedDns(dns: Dns, tracer: Tracer): Dns {
  if (!tracer.isOn) return dns
  return {
    async resolve(name, type, options) {
      const span = tracer.start("dns lookup", { "dns.question.type": type })
      const answer = await dns.resolve(name, type, options)
      span.set({ "mailverdict.dns.answer": answer.kind })
      span.end(answer.kind === "failure" ? "error" : "ok")
      return answer
    },
  }
}

/** Traces probe requests, from the start until the last line is read. */
export function tracedProbes(probes: Probes, tracer: Tracer): Probes {
  if (!tracer.isOn) return probes
  return {
    ...probes,
    async probe(request, options) {
      const recipients = request.groups.reduce((total, group) => total + group.recipients.length, 0)
      const span = tracer.start("probe", { "mailverdict.probe.recipients": recipients })
      try {
        const answer = await probes.probe(request, options)
        if (answer.kind === "lines") return { kind: "lines", lines: untilRead(answer.lines, span) }
        span.end("error")
        return answer
      } catch (error) {
        span.end("error")
        throw error
      }
    },
  }
}

type Lines = Extract<ProbeAnswer, { kind: "lines" }>["lines"]

async function* untilRead(lines: Lines, span: Span): Lines {
  let read = 0
  try {
    for await (const line of lines) {
      read++
      yield line
    }
  } finally {
    span.set({ "mailverdict.probe.lines": read })
    span.end()
  }
}

/** Traces round trips to the database. */
export function tracedRoundTrip(tracer: Tracer): <T>(work: () => Promise<T>) => Promise<T> {
  if (!tracer.isOn) return (work) => work()
  return async (work) => {
    const span = tracer.start("store", { "db.system.name": "sqlite" })
    try {
      const answer = await work()
      span.end()
      return answer
    } catch (error) {
      span.end("error")
      throw error
    }
  }
}
