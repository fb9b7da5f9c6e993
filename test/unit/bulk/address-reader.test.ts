import { expect, test } from "vitest"
import { parseAddress } from "../../../src/domain/address/parse.ts"
import { AddressReader } from "../../../src/domain/bulk/address-reader.ts"
import { mailboxOf } from "../../../src/domain/bulk/unique.ts"

test("an address of a list is parsed as alone, also when the reader has seen more addresses than it caches", () => {
  const reader = new AddressReader()
  const texts = Array.from({ length: 2_500 }, (_, n) => (n % 7 === 0 ? `none ${n}` : `User${n}@d${n % 3}.test`))
  for (const text of [...texts, ...texts.toReversed()]) {
    const address = parseAddress(text)
    expect(reader.read(text)).toEqual({ mailbox: mailboxOf(address), domain: address.ok ? address.domain : "" })
  }
})

test("a long international address in every row is parsed once", () => {
  const long = `a@${`${"漢".repeat(30)}.`.repeat(8)}test`
  const reader = new AddressReader()
  const first = reader.read(long)
  for (let row = 0; row < 200; row++) expect(reader.read(long)).toBe(first)
})
