/** The log of the shared stack. Global, because vitest loads the configuration and each project's set-up separately. */
const shared = globalThis as { mailverdictStackLog?: { readonly at: number; readonly line: string }[] }

export function addToStackLog(line: string): void {
  shared.mailverdictStackLog ??= []
  shared.mailverdictStackLog.push({ at: Date.now(), line })
}

/** All lines so far. */
export function stackLog(): string[] {
  return (shared.mailverdictStackLog ?? []).map(({ line }) => line)
}

/** The lines of a span of time, without those about scripts and styles. @param from Unix ms @param to Unix ms */
export function loggedBetween(from: number, to: number): string[] {
  const lines = (shared.mailverdictStackLog ?? []).filter(({ at }) => at >= from && at <= to).map(({ line }) => line)
  return lines.filter((line) => !line.includes('"route":"/console/assets/'))
}
