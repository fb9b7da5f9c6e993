type Field = string | number | boolean | null

/** Writes one JSON line per event. Fields never contain an email address or a server's reply about one. */
export type Log = (event: string, fields?: Readonly<Record<string, Field>>) => void

export function createLog(nodeId: string, write: (line: string) => void): Log {
  return (event, fields = {}) =>
    write(`${JSON.stringify({ time: new Date().toISOString(), node: nodeId, event, ...fields })}\n`)
}
