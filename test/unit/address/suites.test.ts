import { describe, expect, it } from "vitest"
import { parseAddress } from "../../../src/domain/address/parse.ts"
import { SUITES } from "./suites.ts"

describe.each(SUITES)("$suite", ({ valid, repaired, malformed }) => {
  it.each(valid)("accepts %j", (address) => {
    expect(parseAddress(address)).toMatchObject({ ok: true })
  })

  it.each(repaired)("repairs %j", (address) => {
    expect(parseAddress(address)).toMatchObject({ ok: true, repaired: [expect.any(String)] })
  })

  const rejected = Object.entries(malformed).flatMap(([reason, list]) =>
    list.map((address) => [reason, address] as const),
  )
  it.each(rejected)("rejects as %s: %j", (reason, address) => {
    expect(parseAddress(address)).toMatchObject({ ok: false, reason, input: address })
  })
})
