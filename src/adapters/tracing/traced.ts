import type { Dns } from "../dns/resolver.ts"
import type { ProbeAnswer, Probes } from "../probes/probes.ts"
import type { Span, Tracer } from "./tracer.ts"

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
