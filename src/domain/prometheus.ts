export interface Sample {
  /** "_bucket", "_sum" or "_count" of a histogram. */
  readonly suffix?: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface Family {
  readonly name: string
  readonly type: "counter" | "gauge" | "histogram"
  readonly help: string
  readonly samples: readonly Sample[]
}

/** Formats metrics as Prometheus text 0.0.4. Omits families without samples. */
export function formatPrometheus(families: readonly Family[]): string {
  const lines = families
    .filter(({ samples }) => samples.length > 0)
    .flatMap(({ name, type, help, samples }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(({ suffix = "", labels, value }) => `${name}${suffix}${labelText(labels)} ${value}`),
    ])
  return `${lines.join("\n")}\n`
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, escapeChar)}"`)
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`
}

function escapeChar(char: string): string {
  return char === "\n" ? "\\n" : `\\${char}`
}
