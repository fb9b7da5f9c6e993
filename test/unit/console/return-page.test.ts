import { expect, test } from "vitest"
import { returnPage } from "../../../src/console/route.ts"

test.each([
  ["#/", "#/"],
  ["#/usage", "#/usage"],
  ["#/lists/job_1?filter=valid", "#/lists/job_1?filter=valid"],
  ["#/?email=a%2Bb%40mailbox.test", "#/?email=a%2Bb%40mailbox.test"],
  ...[null, undefined, 7, "", "#", "#usage", "usage", "/usage", "?x#/usage"].map(
    (given) => [given, "#/lists"] as const,
  ),
  ...["http://evil.example", "https://evil.example/#/usage", "//evil.example", "javascript:alert(1)"].map(
    (given) => [given, "#/lists"] as const,
  ),
  ...["#//evil.example", "#/\\evil.example", " #/usage", "#/us\nage", "#/us\u0000age", "#/us age", "#/usage\u2028"].map(
    (given) => [given, "#/lists"] as const,
  ),
] as const)("returnPage(%j) is %j", (given, expected) => {
  expect(returnPage(given)).toBe(expected)
})
