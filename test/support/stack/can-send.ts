import { type CallInit, call, postJson } from "./api.ts"

/** can_send in the answer of every endpoint that has it. */
export async function canSend(init: CallInit, email: string, more = ""): Promise<Record<string, unknown>> {
  const query = `?email=${encodeURIComponent(email)}${more}`
  const get = async (path: string) =>
    (await call<Record<string, Record<string, unknown>>>("GET", path, { ...init, at: `${path}${query}` })).body
  const bulk = await call<{ results: { checks: Record<string, unknown> }[] }>("POST", "/validate/bulk/turbo", {
    ...init,
    ...postJson({ emails: [email] }),
    headers: { ...init.headers, "content-type": "application/json" },
  })
  return {
    "/validate": (await get("/validate")).deliverability_score!.can_send,
    "/validate/checks": (await get("/validate/checks")).checks!.can_send,
    "/validate/with-score": (await get("/validate/with-score")).can_send,
    "/validate/fast": (await get("/validate/fast")).checks!.can_send,
    "/verify/quick": (await get("/verify/quick")).checks!.can_send,
    "/score": (await get("/score")).can_send,
    turbo: bulk.body.results[0]!.checks.can_send,
  }
}

export const everywhere = (value: boolean) => ({
  "/validate": value,
  "/validate/checks": value,
  "/validate/with-score": value,
  "/validate/fast": value,
  "/verify/quick": value,
  "/score": value,
  turbo: value,
})
