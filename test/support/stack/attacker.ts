import { startStub } from "../providers/stub-server.ts"

/** A site that tries to use the session of its visitors. */
export interface Attacker {
  /** URL with another host name: another site than the service on 127.0.0.1. */
  readonly crossSite: string
  /** URL with the service's host and another port: another origin on the same site. */
  readonly sameSite: string
  stop(): Promise<void>
}

/** Serves `/page?to=<url>` with a link and a form to the URL; with `&moves=1` a script navigates there at once. */
export async function startAttacker(): Promise<Attacker> {
  const { url, stop } = await startStub(({ query }) => {
    const to = (query.get("to") ?? "").replaceAll("&", "&amp;").replaceAll('"', "&quot;")
    const script = query.has("moves") ? "<script>location.href = document.links[0].href</script>" : ""
    const text = `<a href="${to}">A gift</a><form method="post" action="${to}"><button>A prize</button></form>${script}`
    return { status: 200, headers: { "content-type": "text/html" }, text }
  })
  return { crossSite: url.replace("127.0.0.1", "localhost"), sameSite: url, stop }
}
