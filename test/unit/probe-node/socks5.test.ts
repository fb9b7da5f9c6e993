import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type ProxyStep, Socks5Handshake } from "../../../probe-node/smtp/socks5.ts"

const TARGET = { address: "203.0.113.7", port: 25 }
const OPEN = { host: "127.0.0.1", port: 1080, credentials: null }
const LOCKED = { ...OPEN, credentials: { username: "me", password: "pass" } }
const CONNECT = [5, 1, 0, 1, 203, 0, 113, 7, 0, 25]

function answers(handshake: Socks5Handshake, replies: readonly (readonly number[])[]): (ProxyStep | number[])[] {
  return replies.map((bytes) => {
    const step = handshake.receive(Buffer.from(bytes))
    return step.kind === "send" ? [...step.bytes] : step
  })
}

describe("SOCKS5", () => {
  test("connects without authentication", () => {
    const handshake = new Socks5Handshake(OPEN, TARGET)
    expect([...handshake.greeting()]).toEqual([5, 1, 0])
    expect(
      answers(handshake, [
        [5, 0],
        [5, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x32, 0x32],
      ]),
    ).toEqual([CONNECT, { kind: "open", rest: Buffer.from("22") }])
  })

  test("sends name and password on request", () => {
    const handshake = new Socks5Handshake(LOCKED, TARGET)
    expect([...handshake.greeting()]).toEqual([5, 2, 0, 2])
    expect(
      answers(handshake, [
        [5, 2],
        [1, 0],
      ]),
    ).toEqual([[1, 2, ...Buffer.from("me"), 4, ...Buffer.from("pass")], CONNECT])
  })

  test("reaches IPv6 hosts", () => {
    const handshake = new Socks5Handshake(OPEN, { address: "2001:db8::1", port: 2525 })
    const [connect] = answers(handshake, [[5, 0]])
    expect(connect).toEqual([5, 1, 0, 4, 0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 9, 0xdd])
  })

  test("understands a bound name", () => {
    const bound = [5, 0, 0, 3, 3, ...Buffer.from("abc"), 0, 25]
    expect(answers(new Socks5Handshake(OPEN, TARGET), [[5, 0], bound])[1]).toMatchObject({ kind: "open" })
  })

  test.each([
    ["another protocol", OPEN, [[0x48, 0x54]], "proxy"],
    ["no acceptable method", OPEN, [[5, 0xff]], "proxy"],
    ["a password that is not configured", OPEN, [[5, 2]], "proxy"],
    [
      "a wrong password",
      LOCKED,
      [
        [5, 2],
        [1, 1],
      ],
      "proxy",
    ],
    [
      "a general failure",
      OPEN,
      [
        [5, 0],
        [5, 1, 0, 1, 0],
      ],
      "proxy",
    ],
    [
      "a rule against it",
      OPEN,
      [
        [5, 0],
        [5, 2, 0, 1, 0],
      ],
      "proxy",
    ],
    [
      "an unreachable host",
      OPEN,
      [
        [5, 0],
        [5, 4, 0, 1, 0],
      ],
      "unreachable",
    ],
    [
      "a host that refuses",
      OPEN,
      [
        [5, 0],
        [5, 5, 0, 1, 0],
      ],
      "refused",
    ],
  ] as const)("reports %s", (_, proxy, replies, failure) => {
    expect(answers(new Socks5Handshake(proxy, TARGET), replies).at(-1)).toMatchObject({ kind: "failed", failure })
  })

  test("does not depend on the chunking of the bytes", () => {
    const bytes = Buffer.from([5, 2, 1, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...Buffer.from("220 mx\r\n")])
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 6 }), (places) => {
        const cuts = [0, ...places.toSorted((one, other) => one - other), bytes.length]
        const handshake = new Socks5Handshake(LOCKED, TARGET)
        let rest: Buffer | null = null
        for (let at = 1; at < cuts.length; at++) {
          const chunk = bytes.subarray(cuts[at - 1], cuts[at])
          if (rest) rest = Buffer.concat([rest, chunk])
          else {
            let step = handshake.receive(chunk)
            // A real proxy waits for each message. Here all bytes arrive at once.
            while (step.kind === "send") step = handshake.receive(Buffer.alloc(0))
            if (step.kind === "open") rest = Buffer.from(step.rest)
          }
        }
        expect(rest?.toString()).toBe("220 mx\r\n")
      }),
    )
  })
})
