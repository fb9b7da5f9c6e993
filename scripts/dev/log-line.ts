import { styleText } from "node:util"

/** How `npm start` shows the log lines of its parts: one readable line each for people, JSON for programs. */
type LogFormat = "readable" | "json"

/** @param setting LOG_FORMAT, which decides; without it, a terminal gets readable lines */
export function logFormatOf(setting: string | undefined, { isTerminal }: { isTerminal: boolean }): LogFormat {
  if (setting === "json" || setting === "readable") return setting
  return isTerminal ? "readable" : "json"
}

/**
 * Formats one line of a part's log.
 * @param source the part, such as "worker"
 * @param line one JSON object with an `event`, or plain text
 */
export function logLine(source: string, line: string, { format, now }: { format: LogFormat; now: Date }): string {
  const event = eventOf(line)
  if (format === "json") return JSON.stringify({ source, ...(event ?? { message: line }) })
  const time = styleText("dim", now.toTimeString().slice(0, 8))
  if (!event) return `${time}  ${source}: ${line}`
  return `${time}  ${event.event === "request" ? requestInWords(event) : eventInWords(source, event)}`
}

type LogEvent = { readonly event: string } & Readonly<Record<string, unknown>>

function eventOf(line: string): LogEvent | null {
  if (!line.startsWith("{")) return null
  try {
    const value = JSON.parse(line) as LogEvent
    return typeof value.event === "string" ? value : null
  } catch {
    return null
  }
}

/** "200  GET    /validate  66 ms" */
function requestInWords({ method, route, status, ms }: LogEvent): string {
  const color = Number(status) >= 500 ? "red" : Number(status) >= 400 ? "yellow" : "green"
  return `${styleText(color, String(status))}  ${String(method).padEnd(6)} ${route}  ${styleText("dim", `${ms} ms`)}`
}

/** Fields that only a search through many lines needs. */
const OMITTED = new Set(["event", "time", "request_id", "trace_id"])

/** "worker: service unreachable, host gravatar.com" */
function eventInWords(source: string, event: LogEvent): string {
  const facts = Object.entries(event)
    .filter(([name, value]) => !OMITTED.has(name) && value !== null && value !== "")
    .map(
      ([name, value]) => `, ${name.replaceAll("_", " ")} ${typeof value === "string" ? value : JSON.stringify(value)}`,
    )
  return `${source}: ${event.event.replaceAll("_", " ")}${facts.join("")}`
}

/** A box of rows for a terminal. The values stand in one column, so that a double click selects a whole URL. */
export function banner(title: string, rows: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length))
  const lines = rows.map(([name, value]) => `  ${name.padEnd(width)}   ${value}  `)
  const inner = Math.max(title.length + 2, ...lines.map((line) => line.length))
  const edge = (text: string) => styleText("dim", text)
  return [
    `${edge("╭─")} ${styleText("bold", title)} ${edge(`${"─".repeat(inner - title.length - 3)}╮`)}`,
    ...lines.map((line) => `${edge("│")}${line.padEnd(inner)}${edge("│")}`),
    edge(`╰${"─".repeat(inner)}╯`),
  ].join("\n")
}
