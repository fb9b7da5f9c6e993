import { describe, expect, test } from "vitest"
import { createDigests } from "../../../src/domain/accounts/crypto.ts"
import { parseAddress, type ValidAddress } from "../../../src/domain/address/parse.ts"
import { addressTerms } from "../../../src/domain/compliance/data-subject.ts"

const peppers = ["a pepper of at least 32 characters", "the pepper before, of 32 characters"]
const digests = await createDigests(peppers)
const terms = (email: string) => addressTerms(digests, parseAddress(email) as ValidAddress)
const spellings = async (email: string) => JSON.parse((await terms(email)).spellings ?? "") as string[]

describe("the search terms of a person's rows", () => {
  test("are the same for every spelling of the address", async () => {
    const [one, two] = [await terms("Alice@Mailbox.test"), await terms("aLICE@mailbox.test")]
    for (const term of ["key", "hashes", "breach_digests", "sample_digests"]) expect(one[term], term).toBe(two[term])
  })

  test("cover every accepted pepper", async () => {
    const { hashes } = await terms("alice@mailbox.test")
    expect(JSON.parse(hashes ?? "")).toHaveLength(2)
    const before = await createDigests([peppers[1]!])
    const old = (await addressTerms(before, parseAddress("alice@mailbox.test") as ValidAddress)).hashes
    expect(JSON.parse(hashes ?? "")).toContain(JSON.parse(old ?? "")[0])
  })

  test("have every case variant beyond ASCII", async () => {
    expect(await spellings("alice@mailbox.test")).toContain("alice@mailbox.test")
    expect((await spellings("jörg.ünal@mailbox.test")).toSorted()).toEqual(
      expect.arrayContaining([
        "jÖrg.Ünal@mailbox.test",
        "jörg.ünal@mailbox.test",
        "jÖrg.ünal@mailbox.test",
        "jörg.Ünal@mailbox.test",
      ]),
    )
    expect((await spellings(`${"ö".repeat(20)}@mailbox.test`)).length).toBeLessThan(300)
  })
})
