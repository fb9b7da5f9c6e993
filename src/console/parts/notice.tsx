import type { ComponentChildren } from "preact"
import type { Problem } from "../api/call.ts"

type Tone = "valid" | "invalid" | "accept_all" | "accent"

export function Notice({ tone, title, children }: { tone: Tone; title: string; children?: ComponentChildren }) {
  return (
    <div class={`notice tone-${tone}`} role={tone === "invalid" ? "alert" : "status"}>
      <b>{title}</b>
      {children}
    </div>
  )
}

const TITLES: Readonly<Record<number, string>> = {
  0: "No connection",
  400: "Not accepted",
  402: "No credits left",
  403: "Not allowed",
  404: "Not found",
  408: "Connection too slow",
  413: "Too large",
  422: "Not accepted",
  429: "Too many requests",
  503: "Service unavailable",
}

export function ProblemNotice({ problem, retry }: { problem: Problem | null; retry?: (() => void) | undefined }) {
  if (!problem) return null
  return (
    <Notice tone="invalid" title={TITLES[problem.status] ?? "Request failed"}>
      <p>{problem.message}</p>
      {problem.status >= 500 && problem.requestId && (
        <p class="small soft">
          Request <code>{problem.requestId}</code>
        </p>
      )}
      {retry && (
        <button type="button" class="button quiet" onClick={retry}>
          Try again
        </button>
      )}
    </Notice>
  )
}

export function Empty({ title, text, children }: { title: string; text?: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {text && <p>{text}</p>}
      {children}
    </div>
  )
}

/** Placeholder for content that is loading. */
export function Skeleton({ lines = 4, label = "Loading" }: { lines?: number; label?: string }) {
  return (
    <div class="skeleton" role="status">
      <span class="unseen">{label}</span>
      {Array.from({ length: lines }, (_, line) => (
        <i key={line} />
      ))}
    </div>
  )
}
