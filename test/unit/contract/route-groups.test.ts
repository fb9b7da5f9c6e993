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

test("the groups and the ready endpoints are all endpoints, and /mcp, which is not in the document", async () => {
  const loaded = await Promise.all(ROUTE_GROUPS.map((group) => group.load(notInside)))
  const all = [...READY_ENDPOINTS, ...loaded.flat()]
  const mcp = all.filter(({ route }) => route.path === "/mcp")
  expect(mcp.map(({ access }) => access)).toEqual(["key-optional"])
  expect(new Set(all)).toEqual(new Set([...ENDPOINTS, ...mcp]))
})

test.each(["/keys", "/keys?a=1", "/keys/x", "/keys#x", "/%6beys"])("%s leads to the group of /keys", (path) => {
  expect(routeGroupAt(at(path))?.segments).toContain("keys")
})

test.each(["", "/", "/keysx", "/%E0%A4%A", "//keys", "/validate"])("%s leads to no group", (path) => {
  expect(routeGroupAt(at(path))).toBe(null)
})
