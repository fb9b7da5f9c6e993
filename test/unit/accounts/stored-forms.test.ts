import { expect, test } from "vitest"
import { createDigests } from "../../../src/domain/accounts/digest.ts"
import { createSealer } from "../../../src/domain/accounts/seal.ts"
import { isSecretForm } from "../../../src/domain/accounts/secret.ts"

const PEPPERS = ["a pepper of at least thirty-two letters"]

/** Values that customers and databases hold. Another algorithm would no longer recognize them. */
test("keys, keyed hashes and sealed texts of an earlier version are still recognized", async () => {
  expect(isSecretForm("mv_live_0bCnOzaBmNyZAlMxY9kLwX8jKvW7iJuV0EfgDw")).toBe(true)
  const digests = await createDigests(PEPPERS)
  expect(digests.pepperId).toBe("960ecca2")
  const hash = "9feaf1602b0c75edf34255e6e86ba58657620102bf8a483364bdd60f6decac5b"
  expect(await digests.of("key", "text")).toBe(hash)
  expect(await digests.candidates("key", "text")).toEqual([hash])
  const sealer = await createSealer(PEPPERS, (n) => new Uint8Array(n))
  expect(sealer.keyId).toBe("20588d08f2b7c48a")
  expect(await sealer.open("purpose", "BwcHBwcHBwcHBwcHkGqgikTArB8iD2/p1pc4n97WKtI=")).toBe("text")
  expect(await sealer.open("another", "BwcHBwcHBwcHBwcHkGqgikTArB8iD2/p1pc4n97WKtI=")).toBeNull()
})
