import { expect, test } from "vitest"
import { ENDPOINTS } from "../../../src/routes/index.ts"
import { READY_ENDPOINTS, ROUTE_GROUPS, routeGroupAt } from "../../../src/routes/route-groups.ts"

const at = (path: string) => `https://service.example${path}`

const notInside = () => Promise.reject(new Error("no request of the service to itself"))

test("each endpoint is found in the group of its path, and in no other", async () => {
  for (const group of ROUTE_GROUPS)
    for (const { route } of await group.load(notInside)) expect(routeGroupAt(at(route.path)), route.path).toBe(group)
  for (const { route } of READY_ENDPOINTS) expect(routeGroupAt(at(route.path)), route.path).toBe(null)
})

/** Calls whose clients follow MCP and OAuth instead of the document. */
const UNPUBLISHED = {
  "POST /mcp": "key-optional",
  "GET /.well-known/oauth-authorization-server": "public",
  "GET /.well-known/oauth-protected-resource": "public",
  "GET /.well-known/oauth-protected-resource/mcp": "public",
  "POST /oauth/register": "public",
  "GET /oauth/authorize": "public",
  "POST /oauth/device_authorization": "public",
  "POST /oauth/token": "public",
  "POST /oauth/revoke": "public",
}

test("the groups and the ready endpoints are all endpoints, and those that are not in the document", async () => {
  const loaded = await Promise.all(ROUTE_GROUPS.map((group) => group.load(notInside)))
  const all = [...READY_ENDPOINTS, ...loaded.flat()]
  const published = new Set(ENDPOINTS)
  const others = all.filter((one) => !published.has(one))
  const named = others.map(({ access, route }) => [`${route.method.toUpperCase()} ${route.path}`, access])
  expect(Object.fromEntries(named)).toEqual(UNPUBLISHED)
  expect(new Set(all)).toEqual(new Set([...ENDPOINTS, ...others]))
})

test.each(["/keys", "/keys?a=1", "/keys/x", "/keys#x", "/%6beys"])("%s leads to the group of /keys", (path) => {
  expect(routeGroupAt(at(path))?.segments).toContain("keys")
})

test.each(["", "/", "/keysx", "/%E0%A4%A", "//keys", "/validate"])("%s leads to no group", (path) => {
  expect(routeGroupAt(at(path))).toBe(null)
})
