/** Span attributes, named by the OpenTelemetry semantic conventions where one exists. */
export type Fields = Readonly<Record<string, string | number | boolean>>

export interface FinishedSpan {
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

export interface Collector {
  /** Base URL of the collector; the signal's path is appended. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

const KIND = { server: 2, client: 3 } as const
/** Only failures get a status: an explicit "ok" would override the judgment of other tools. */
const STATUS = { ok: {}, error: { code: 2 } } as const

/** An ExportTraceServiceRequest in OTLP/HTTP's JSON (OTLP 1.x: ids in hexadecimal, 64-bit numbers as text). */
export function otlpRequest({ url, headers }: Collector, spans: readonly FinishedSpan[]) {
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
    ...{ traceId, spanId, name, kind: KIND[kind] },
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
