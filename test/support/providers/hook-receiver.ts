import { type StubServer, startStub } from "./stub-server.ts"

export interface Received {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Receives webhooks at any path. A GET of the same path returns the received ones. A path that ends in a status, such as
 * /one/410, answers with it.
 */
export function startHookReceiver(): Promise<StubServer> {
  const received = new Map<string, Received[]>()
  return startStub(({ method, path, headers, body }) => {
    const sofar = received.get(path) ?? []
    if (method === "GET") return { status: 200, json: sofar }
    received.set(path, [...sofar, { headers, body }])
    return { status: Number(path.match(/\/(\d{3})$/)?.[1] ?? 204) }
  })
}
