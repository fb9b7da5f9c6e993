type Field = string | number | boolean | null

/** Writes one JSON line per event. Fields never carry an email address or what a server said about one. */
export type Log = (event: string, fields?: Readonly<Record<string, Field>>) => void

export function createLog(nodeId: string, write: (line: string) => void): Log {
  return (event, fields = {}) =>
    write(`${JSON.stringify({ time: new Date().toISOString(), node: nodeId, event, ...fields })}\n`)
}
