import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { isPolledUrl, readTargetUrl, type TargetRules } from "../../../src/domain/webhooks/target-url.ts"

const RULES: TargetRules = { allowHttp: false, allowHosts: new Set(), ownHosts: ["api.mailverdict.example"] }
const read = (url: string, rules: Partial<TargetRules> = {}) => readTargetUrl(url, { ...RULES, ...rules })

describe("a webhook may use", () => {
  test.each([
    ["https://hooks.example.com/a?b=c", "https://hooks.example.com/a?b=c"],
    ["https://hooks.example.com:443/", "https://hooks.example.com/"],
    ["https://hooks.example.com:8443/x", "https://hooks.example.com:8443/x"],
    ["HTTPS://Hooks.Example.COM#part", "https://hooks.example.com/"],
    ["https://bücher.example/", "https://xn--bcher-kva.example/"],
  ])("%s", (text, url) => {
    expect(read(text)).toEqual({ ok: true, url })
  })
})

describe("a webhook must not use", () => {
  test.each([
    ["nonsense", /must be a URL/],
    ["/relative", /must be a URL/],
    ["ftp://example.com/", /https/],
    ["javascript:alert(1)", /https/],
    ["file:///etc/passwd", /https/],
    ["http://example.com/", /https/],
    ["https://user@example.com/", /user name/],
    ["https://:secret@example.com/", /user name/],
    ["https://example.com:22/", /port/],
    ["https://example.com:80/", /port/],
    ["https://127.0.0.1/", /IP address/],
    ["https://2130706433/", /IP address/],
    ["https://0x7f.1/", /IP address/],
    ["https://0177.0.0.1/", /IP address/],
    ["https://127.1/", /IP address/],
    ["https://①②⑦.0.0.1/", /IP address/],
    ["https://8.8.8.8/", /IP address/],
    ["https://[::1]/", /IP address/],
    ["https://[::ffff:7f00:1]/", /IP address/],
    ["https://169.254.169.254/latest/meta-data", /IP address/],
    ["https://localhost/", /private/],
    ["https://LOCALHOST/", /private/],
    ["https://localhost./", /dot/],
    ["https://example.com./", /dot/],
    ["https://a.localhost/", /private/],
    ["https://printer.local/", /private/],
    ["https://metadata.google.internal/", /private/],
    ["https://nas.home.arpa/", /private/],
    ["https://1.0.0.127.in-addr.arpa/", /private/],
    ["https://intranet/", /private/],
    ["https://api.mailverdict.example/validate", /this service/],
    ["https://exa mple.com/", /white space/],
    ["https://example.com/\n", /white space/],
    [" https://example.com/", /white space/],
    [`https://example.com/${"a".repeat(2_048)}`, /2048/],
  ])("%s", (text, problem) => {
    const result = read(text)
    expect(result).toMatchObject({ ok: false, problem: expect.stringMatching(problem) })
  })

  test("an IPv4 address in any notation", () => {
    const part = fc.integer({ min: 0, max: 255 })
    fc.assert(
      fc.property(part, part, part, part, (a, b, c, d) => {
        const whole = ((a * 256 + b) * 256 + c) * 256 + d
        for (const host of [
          `${a}.${b}.${c}.${d}`,
          String(whole),
          `0x${whole.toString(16)}`,
          `${a}.${(b * 256 + c) * 256 + d}`,
        ])
          expect(read(`https://${host}/`).ok).toBe(false)
      }),
      { numRuns: 200 },
    )
  })
})

describe("an operator may allow", () => {
  test("http", () => {
    expect(read("http://example.com/", { allowHttp: true })).toMatchObject({ ok: true })
    expect(read("http://127.0.0.1/", { allowHttp: true })).toMatchObject({ ok: false })
  })

  test("a host with an optional port, but no user name and no other scheme", () => {
    const allowHosts = new Set(["127.0.0.1:9000", "hooks.internal"])
    expect(read("http://127.0.0.1:9000/x", { allowHosts })).toMatchObject({ ok: true })
    expect(read("https://hooks.internal:1234/x", { allowHosts })).toMatchObject({ ok: true })
    expect(read("http://127.0.0.1:9001/x", { allowHosts })).toMatchObject({ ok: false })
    expect(read("http://a@127.0.0.1:9000/x", { allowHosts })).toMatchObject({ ok: false })
    expect(read("ftp://hooks.internal/x", { allowHosts })).toMatchObject({ ok: false })
  })
})

test.each([
  ["poll:laptop", true],
  ["poll:laptop/http://localhost:3000/hook", true],
  ["poll:", false],
  ["poll:two words", false],
  ["POLL:laptop", false],
  [`poll:${"x".repeat(201)}`, false],
  ["https://hooks.example.com/poll:x", false],
])("%s names a polled endpoint: %s", (url, isPolled) => {
  expect(isPolledUrl(url)).toBe(isPolled)
  // A list's webhook_url cannot be polled.
  if (isPolled) expect(read(url)).toEqual({ ok: false, problem: "must begin with https://" })
})
