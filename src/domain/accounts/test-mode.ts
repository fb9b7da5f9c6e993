import { TEST_ACCOUNT_SUFFIX } from "../../../schema/vocabulary.ts"
import type { ParsedAddress } from "../address/parse.ts"
import type { Allowance } from "./tiers.ts"

/**
 * Test mode: names under `.test` (RFC 6761 §6.2) have fixed answers, which the Worker makes itself and gives for free. A
 * test key (`mv_test_…`) can verify no other address, and its data belongs to an account of its own.
 */

/** Whether a name is `test` or below it. @param name A-labels in lower case, without a final dot */
export function isTestName(name: string): boolean {
  return name === "test" || name.endsWith(".test")
}

/**
 * The account that the test keys of an account act for, so that they neither read nor change its lists, suppressions and
 * webhooks. It has no row of its own, no sign-in and no payments.
 */
export function testAccountOf(accountId: string): string {
  return `${accountId}${TEST_ACCOUNT_SUFFIX}`
}

/** @param accountId null for a caller without an account */
export function isTestAccount(accountId: string | null): boolean {
  return accountId?.endsWith(TEST_ACCOUNT_SUFFIX) ?? false
}

/** Calls a minute of test keys, at least: the tests of a program come in bursts, and reach no mail server. */
const TEST_PER_MINUTE = 60

/** What a test key may do in a minute. @param allowance of the key's tier */
export function testAllowanceOf({ perMinute, perMonth }: Allowance): Allowance {
  return { perMonth, perMinute: perMinute === null ? null : Math.max(perMinute, TEST_PER_MINUTE) }
}

/** Whether an address is one of test mode. */
export function isTestAddress(address: ParsedAddress): boolean {
  return address.ok && isTestName(address.domain)
}
