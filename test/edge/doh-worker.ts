import type { RecordType } from "../../src/adapters/dns/message.ts"
import { createDns } from "../../src/adapters/dns/resolver.ts"

/** Resolves `?name=&type=` with the resolvers listed in `urls`, within `ms` each, as the Worker does, for doh.test.ts. */
export const dohWorker = {
  async fetch(request: Request): Promise<Response> {
    const query = new URL(request.url).searchParams
    const dns = createDns({
      urls: query.get("urls")!.split(","),
      fetch: (input, init) => fetch(input, init),
      now: () => Date.now(),
      tryMs: Number(query.get("ms")),
    })
    return Response.json(await dns.resolve(query.get("name")!, query.get("type") as RecordType))
  },
}
