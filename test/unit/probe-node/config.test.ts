import { describe, expect, test } from "vitest"
import { readConfig } from "../../../probe-node/config.ts"
import { generateKeyPair } from "../../../schema/wire/keys.ts"

const [edge, next, node] = await Promise.all(["edge-1", "edge-2", "node-1"].map(generateKeyPair))

const GOOD = {
  PROBE_HELO: "probe1.example.com",
  PROBE_MAIL_FROM: "probe@example.com",
  PROBE_TRUSTED_KEYS: edge!.publicKey,
  PROBE_SIGNING_KEY: node!.signingKey,
}

async function problems(changes: Record<string, string>): Promise<string[]> {
  const read = await readConfig({ ...GOOD, ...changes })
  return read.ok ? [] : read.problems
}

const MANY_IPS = Array.from({ length: 257 }, (_, n) => `10.0.${n >> 8}.${n & 255}`).join(",")

describe("settings of a node", () => {
  test("four settings are enough", async () => {
    const read = await readConfig(GOOD)
    expect(read).toMatchObject({
      ok: true,
      config: {
        host: "127.0.0.1",
        port: 8625,
        metricsToken: null,
        heloName: "probe1.example.com",
        dns: null,
        sourceIps: [],
        proxy: null,
        policy: { allowPrivate: false, sandbox: null, smtpPort: 25 },
        budget: { perDay: null, warmUpFromMs: null },
      },
    })
  })

  test("reads every setting", async () => {
    const read = await readConfig({
      ...GOOD,
      PROBE_HOST: "::",
      PROBE_PORT: "9000",
      PROBE_METRICS_TOKEN: "a-token-of-16-chars",
      PROBE_REGION: "eu-1",
      PROBE_NODE_ID: "eu-1-a",
      PROBE_PUBLIC_URL: "https://node.example.com/",
      PROBE_DNS: "127.0.0.1:5354",
      PROBE_SOURCE_IPS: "203.0.113.5, 2001:db8::5 203.0.113.5",
      PROBE_SOCKS5: "socks5://me:p%40ss@127.0.0.1:1081",
      PROBE_SANDBOX: "127.42.0.0/16:2525",
      PROBE_ALLOW_PRIVATE: "true",
      PROBE_SMTP_PORT: "2525",
      PROBE_CONCURRENCY: "50",
      PROBE_RATE: "0",
      PROBE_DAILY_BUDGET: "10000",
      PROBE_WARMUP_FROM: "2026-11-01",
      PROBE_TRUSTED_KEYS: `${edge!.publicKey},${next!.publicKey}`,
    })
    expect(read).toMatchObject({
      ok: true,
      config: {
        id: "eu-1-a",
        publicUrl: "https://node.example.com",
        metricsToken: "a-token-of-16-chars",
        sourceIps: ["203.0.113.5", "2001:db8::5"],
        proxy: { host: "127.0.0.1", port: 1081, credentials: { username: "me", password: "p@ss" } },
        policy: { allowPrivate: true, smtpPort: 2525, sandbox: { network: [expect.anything(), 16], port: 2525 } },
        ratePerSlot: Number.POSITIVE_INFINITY,
        budget: { perDay: 10_000, warmUpFromMs: Date.UTC(2026, 10, 1) },
        trustedKeys: [{ keyid: "edge-1" }, { keyid: "edge-2" }],
      },
    })
  })

  test.each([
    ["PROBE_HELO", "", /PROBE_HELO is missing: set it to the full host name/],
    ["PROBE_HELO", "localhost", /is localhost/],
    ["PROBE_HELO", "localhost.localdomain", /is localhost/],
    ["PROBE_HELO", "203.0.113.5", /is a bare IP address/],
    ["PROBE_HELO", "[203.0.113.5]", /is a bare IP address/],
    ["PROBE_HELO", "2001:db8::1", /is a bare IP address/],
    ["PROBE_HELO", "probe1", /a single label/],
    ["PROBE_HELO", "probe_1.example.com", /not a host name/],
    ["PROBE_HELO", "probe.example.com\r\nDATA", /not a host name/],
    ["PROBE_MAIL_FROM", "", /is missing: set it to a mailbox of yours/],
    ["PROBE_MAIL_FROM", "probe", /set it to a mailbox/],
    ["PROBE_MAIL_FROM", "probe@localhost", /set it to a mailbox/],
    ["PROBE_MAIL_FROM", "<probe@example.com>", /set it to a mailbox/],
    ["PROBE_MAIL_FROM", "a@example.com>\r\nRCPT TO:<b", /set it to a mailbox/],
    ["PROBE_PORT", "70000", /write a whole number from 0 to 65535/],
    ["PROBE_METRICS_TOKEN", "secret-that", /is too short: write at least 16 characters/],
    ["PROBE_METRICS_TOKEN", "secret that is wrong", /without blanks/],
    ["PROBE_CONCURRENCY", "many", /write a whole number/],
    ["PROBE_DNS", "resolver.example.com:53", /write the resolver's IP address/],
    ["PROBE_SOURCE_IPS", "203.0.113.5,eth0", /has "eth0": list IP addresses/],
    ["PROBE_SOURCE_IPS", MANY_IPS, /has 257 addresses: a node may have at most 256/],
    ["PROBE_SOCKS5", "http://127.0.0.1:8080", /write socks5:\/\/host:port/],
    ["PROBE_SOCKS5", "socks5://me:100%@127.0.0.1:1080", /a "%" in the password as %25/],
    ["PROBE_SANDBOX", "127.42.0.0", /write a network and a port/],
    ["PROBE_ALLOW_PRIVATE", "yes", /write 1 or 0/],
    ["PROBE_PUBLIC_URL", "node.example.com", /write the URL/],
    ["PROBE_WARMUP_FROM", "01.11.2026", /write the first day/],
    ["PROBE_TRUSTED_KEYS", "", /is missing: set it to the edge's public key/],
    ["PROBE_TRUSTED_KEYS", "edge-1:short", /a public key is written/],
    ["PROBE_SIGNING_KEY", "", /is missing/],
    ["PROBE_SIGNING_KEY", "secret-that-is-wrong", /cannot be read/],
  ])("%s=%j is refused, with the solution", async (name, value, message) => {
    const found = await problems({ [name]: value })
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(message)
    expect(found[0]).not.toMatch(/secret.that/)
  })

  test("reports all problems at once", async () => {
    const read = await readConfig({ PROBE_PORT: "x" })
    expect(read.ok ? [] : read.problems.map((problem) => problem.split(" ")[0])).toEqual([
      "PROBE_PORT",
      "PROBE_HELO",
      "PROBE_MAIL_FROM",
      "PROBE_TRUSTED_KEYS",
      "PROBE_SIGNING_KEY",
    ])
  })
})
