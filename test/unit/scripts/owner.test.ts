import { describe, expect, test } from "vitest"
import { createOwnerKey, type OperatorCall, RefusedCall } from "../../../scripts/operator/service.ts"

const EMAIL = "owner@example.org"

/** A service with this account of its owner. `calls` lists what changes it. */
function serviceWith(account: { plan: string; keys: object[] } | null) {
  const calls: string[] = []
  const answers: Record<string, (input: Record<string, string>) => object> = {
    getUser: () => {
      if (account) return account
      throw new RefusedCall(404, "no account has proven this mailbox")
    },
    createUserKey: () => ({ api_key: "secret" }),
  }
  const call = async (operation: string, input: Record<string, string>) => {
    if (operation !== "getUser") calls.push(`${operation} ${input.tier}`)
    return answers[operation]?.(input) ?? {}
  }
  return { calls, call: call as unknown as OperatorCall, owner: { email: EMAIL, tier: "unlimited" as const } }
}

describe("the owner's first key", () => {
  test.each<[what: string, account: Parameters<typeof serviceWith>[0], key: string | null, calls: string[]]>([
    ["without an account", null, "secret", ["createUser unlimited", "createUserKey unlimited"]],
    // As after a trial in the sandbox with the same OWNER_EMAIL.
    ["of a free account", { plan: "free", keys: [] }, "secret", ["upgradeUser unlimited", "createUserKey unlimited"]],
    ["of an account without a key", { plan: "unlimited", keys: [] }, "secret", ["createUserKey unlimited"]],
    ["of an account with a revoked key", { plan: "unlimited", keys: [{ is_active: 0 }] }, null, []],
  ])("%s", async (_, account, key, calls) => {
    const service = serviceWith(account)
    expect([await createOwnerKey(service), service.calls]).toEqual([key, calls])
  })

  test("is not created when the service cannot say whether there is one", async () => {
    const call = async () => {
      throw new RefusedCall(503, "the database does not answer")
    }
    await expect(createOwnerKey({ ...serviceWith(null), call })).rejects.toThrow("does not answer")
  })
})
