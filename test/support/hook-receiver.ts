import { type StandIn, startStandIn } from "./stand-in.ts"

export interface Received {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Takes webhooks at any path; a GET of the same path tells what came there. */
export function startHookReceiver(): Promise<StandIn> {
  const received = new Map<string, Received[]>()
  return startStandIn(({ method, path, headers, body }) => {
    const sofar = received.get(path) ?? []
    if (method === "GET") return { status: 200, json: sofar }
    received.set(path, [...sofar, { headers, body }])
    return { status: 204 }
  })
}
