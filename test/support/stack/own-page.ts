import { inject } from "vitest"
import { type Answer, type CallInit, call, postJson } from "./api.ts"

let networks = 0

/** A page of the service in a browser: it keeps cookies, and its calls state its origin as a browser does. */
export class OwnPage {
  readonly cookies = new Map<string, string>()
  /** A network of its own, because sign-ins are limited by network. */
  readonly ip = `10.91.${networks >> 8}.${networks++ & 255}`

  /** @param init `headers` replace those of the browser */
  async call<T>(method: string, path: string, init: CallInit = {}): Promise<Answer<T>> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const own = { origin: inject("stackUrl"), "sec-fetch-site": "same-origin", "x-real-ip": this.ip }
    const headers = { ...own, ...(cookie === "" ? {} : { cookie }), ...(init.headers as Record<string, string>) }
    const answer = await call<T>(method, path, { ...init, headers })
    for (const text of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(text) ?? []
      if (value === "") this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return answer
  }

  post<T>(path: string, body: object, headers: Record<string, string> = {}): Promise<Answer<T>> {
    const init = postJson(body)
    return this.call<T>("POST", path, { ...init, headers: { ...(init.headers as Record<string, string>), ...headers } })
  }
}
