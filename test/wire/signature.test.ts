import fc from "fast-check"
import { createSignature, webcrypto } from "http-message-sig"
import { describe, expect, test } from "vitest"
import {
  CLOCK_SKEW_SECONDS,
  contentDigest,
  LABEL,
  MAX_AGE_SECONDS,
  signRequest,
  TAG,
  verifyResponse,
  type WireRequest,
  type WireResponse,
} from "../../schema/wire/signature.ts"
import { verifyRequest } from "../support/mail/verify-request.ts"
import {
  answered,
  bytes,
  JSON_TYPE,
  NONCE,
  NOW,
  signed,
  TRUSTED,
  unsigned,
  withHeader,
} from "../support/providers/signed-messages.ts"
import {
  otherSigningKey,
  otherTrustedKey,
  RFC_KEY_ID,
  rfcSigningKey,
  rfcTrustedKey,
} from "../support/providers/signing-keys.ts"

describe("a signed request", () => {
  test("is accepted with a trusted key, and with either of two keys in rotation", async () => {
    const accepted = { ok: true, keyid: RFC_KEY_ID, nonce: NONCE }
    expect(await verifyRequest(await signed(), [otherTrustedKey, rfcTrustedKey], NOW)).toEqual(accepted)
    expect(await verifyRequest(await signed({}, otherSigningKey), [otherTrustedKey, rfcTrustedKey], NOW)).toMatchObject(
      {
        keyid: "other",
      },
    )
  })

  test("has the same authority in any spelling of the receiver", async () => {
    const request = await signed()
    for (const url of ["https://NODE.example/v1/probe?a=1", "https://node.example:443/v1/probe?a=1"])
      expect(await verifyRequest({ ...request, url }, TRUSTED, NOW)).toMatchObject({ ok: true })
  })

  test.each([
    [NOW + MAX_AGE_SECONDS + CLOCK_SKEW_SECONDS, true],
    [NOW + MAX_AGE_SECONDS + CLOCK_SKEW_SECONDS + 1, false],
    [NOW - CLOCK_SKEW_SECONDS, true],
    [NOW - CLOCK_SKEW_SECONDS - 1, false],
  ])("verified at %d, with clock skew or late, is accepted: %s", async (now, ok) => {
    expect(await verifyRequest(await signed(), TRUSTED, now)).toMatchObject({ ok })
  })

  test("has a nonce for the receiver's replay guard, because the signature itself can be verified twice", async () => {
    const request = await signed()
    const nonces = await Promise.all([verifyRequest(request, TRUSTED, NOW), verifyRequest(request, TRUSTED, NOW)])
    expect(nonces.map((verified) => verified.ok && verified.nonce)).toEqual([NONCE, NONCE])
  })

  test("with a second, foreign signature is verified by its own label", async () => {
    const request = await signed()
    const junk = withHeader(
      withHeader(request, "signature", (value) => `${value}, junk=:AAAA:`),
      "signature-input",
      (value) => `${value}, junk=("@method");created=1`,
    )
    expect(await verifyRequest(junk, TRUSTED, NOW)).toMatchObject({ ok: true })
  })
})

const drop = () => null
const uncover = (name: string) => (value: string) =>
  value.replace(`"${name}"`, "").replace("( ", "(").replace("  ", " ")
const REFUSED: readonly [string, (request: WireRequest) => WireRequest][] = [
  ["another method", (request) => ({ ...request, method: "PUT" })],
  ["another path", (request) => ({ ...request, url: "https://node.example/v1/health?a=1" })],
  ["another query", (request) => ({ ...request, url: "https://node.example/v1/probe?a=2" })],
  ["no query", (request) => ({ ...request, url: "https://node.example/v1/probe" })],
  ["another authority", (request) => ({ ...request, url: "https://evil.example/v1/probe?a=1" })],
  ["another port", (request) => ({ ...request, url: "https://node.example:8443/v1/probe?a=1" })],
  ["another body", (request) => ({ ...request, body: bytes('{"hello": "world" }') })],
  ["no body", (request) => ({ ...request, body: bytes("") })],
  ["another content type", (request) => withHeader(request, "content-type", () => "text/plain")],
  ["no content type", (request) => withHeader(request, "content-type", drop)],
  ["no digest", (request) => withHeader(request, "content-digest", drop)],
  ["a digest of something else", (request) => withHeader(request, "content-digest", (v) => v.replace("X", "Y"))],
  ["no signature", (request) => withHeader(request, "signature", drop)],
  ["no signature input", (request) => withHeader(request, "signature-input", drop)],
  ["another label", (request) => withHeader(request, "signature", (v) => v.replace(LABEL, "sig2"))],
  ["two signatures of one label", (request) => withHeader(request, "signature", (v) => `${v}, ${v}`)],
  [
    "a changed signature",
    (request) => withHeader(request, "signature", (v) => v.replace(/:./, (c) => (c === ":A" ? ":B" : ":A"))),
  ],
  ["an empty signature", (request) => withHeader(request, "signature", () => `${LABEL}=::`)],
  ["another nonce", (request) => withHeader(request, "signature-input", (v) => v.replace(NONCE, "other"))],
  [
    "a later creation",
    (request) => withHeader(request, "signature-input", (v) => v.replace(`created=${NOW}`, `created=${NOW + 1}`)),
  ],
  [
    "a later expiry",
    (request) => withHeader(request, "signature-input", (v) => v.replace(/expires=\d+/, `expires=${NOW + 999}`)),
  ],
  ["another tag", (request) => withHeader(request, "signature-input", (v) => v.replace(TAG, "other"))],
  ["another algorithm", (request) => withHeader(request, "signature-input", (v) => `${v};alg="hmac-sha256"`)],
  ["an unknown key id", (request) => withHeader(request, "signature-input", (v) => v.replace(RFC_KEY_ID, "unknown"))],
  [
    "the id of another trusted key",
    (request) => withHeader(request, "signature-input", (v) => v.replace(RFC_KEY_ID, "other")),
  ],
  ["a body not covered", (request) => withHeader(request, "signature-input", uncover("content-digest"))],
  ["an authority not covered", (request) => withHeader(request, "signature-input", uncover("@authority"))],
]

test.each(REFUSED)("refuses a request with %s", async (_, change) => {
  const request = await signed()
  expect(await verifyRequest(request, [rfcTrustedKey, otherTrustedKey], NOW)).toMatchObject({ ok: true })
  expect(await verifyRequest(change(request), [rfcTrustedKey, otherTrustedKey], NOW)).toMatchObject({
    ok: false,
    reason: expect.any(String),
  })
})

const PARAMETERS = { created: NOW, expires: NOW + MAX_AGE_SECONDS, nonce: NONCE, keyid: RFC_KEY_ID, tag: TAG }
const COMPONENTS = ["@method", "@authority", "@path", "@query", "content-digest", "content-type"]

/** A request signed with a trusted key, over fewer components or parameters than the protocol requires. */
async function signedLess(components: string[], parameters: Partial<typeof PARAMETERS>): Promise<WireRequest> {
  const request = unsigned()
  const headers = new Headers({ ...JSON_TYPE, "content-digest": await contentDigest(request.body) })
  const fields = [...headers].map(([name, value]) => ({ name, value }))
  const { signature, signatureInput } = await createSignature(
    { kind: "request", method: request.method, targetUri: request.url, fields },
    { label: LABEL, components, parameters, signer: webcrypto.signer(rfcSigningKey.privateKey) },
  )
  headers.set("signature", signature)
  headers.set("signature-input", signatureInput)
  return { ...request, headers }
}

describe("a signature of a trusted key is not enough", () => {
  test("except with all components and parameters", async () => {
    expect(await verifyRequest(await signedLess(COMPONENTS, PARAMETERS), TRUSTED, NOW)).toMatchObject({ ok: true })
  })

  test.each(COMPONENTS)("without the component %s", async (left) => {
    const request = await signedLess(
      COMPONENTS.filter((name) => name !== left),
      PARAMETERS,
    )
    expect(await verifyRequest(request, TRUSTED, NOW)).toMatchObject({ ok: false })
  })

  test.each(Object.keys(PARAMETERS))("without the parameter %s", async (left) => {
    const parameters = Object.fromEntries(Object.entries(PARAMETERS).filter(([name]) => name !== left))
    expect(await verifyRequest(await signedLess(COMPONENTS, parameters), TRUSTED, NOW)).toMatchObject({ ok: false })
  })

  test("with the tag of another protocol, or with a longer validity", async () => {
    const tagged = await signedLess(COMPONENTS, { ...PARAMETERS, tag: "web-bot-auth" })
    expect(await verifyRequest(tagged, TRUSTED, NOW)).toMatchObject({ ok: false })
    const longLived = await signedLess(COMPONENTS, { ...PARAMETERS, expires: NOW + 86_400 })
    expect(await verifyRequest(longLived, TRUSTED, NOW + 60)).toMatchObject({ ok: false })
  })
})

describe("a signed response", () => {
  test("is accepted as the answer to its request, with a body or as a stream", async () => {
    const request = await signed()
    for (const body of [bytes("{}"), null])
      expect(await verifyResponse(await answered(request, body), request, TRUSTED, NOW)).toMatchObject({ ok: true })
  })

  test("is refused as the answer to another request, even an equal one", async () => {
    const request = await signed()
    const other = {
      ...request,
      headers: await signRequest(unsigned(), rfcSigningKey, { nowSeconds: NOW, nonce: "other" }),
    }
    expect(await verifyResponse(await answered(request), other, TRUSTED, NOW)).toMatchObject({ ok: false })
  })

  test("is refused when it has the request's own signature", async () => {
    const request = await signed()
    const response = { status: 200, headers: request.headers, body: request.body }
    expect(await verifyResponse(response, request, TRUSTED, NOW)).toMatchObject({ ok: false })
  })

  test("is refused with a key that is not the node's", async () => {
    const request = await signed()
    const response = await answered(request, bytes("{}"), otherSigningKey)
    expect(await verifyResponse(response, request, TRUSTED, NOW)).toMatchObject({ ok: false })
  })

  const changes: readonly [string, (response: WireResponse) => WireResponse | Promise<WireResponse>][] = [
    ["another status", (response) => ({ ...response, status: 201 })],
    ["another body", (response) => ({ ...response, body: bytes("[]") })],
    [
      "another body and its digest",
      async (response) => {
        const digest = await contentDigest(bytes("[]"))
        return withHeader({ ...response, body: bytes("[]") }, "content-digest", () => digest)
      },
    ],
    ["another content type", (response) => withHeader(response, "content-type", () => "text/html")],
    ["no digest", (response) => withHeader(response, "content-digest", drop)],
    ["no signature", (response) => withHeader(response, "signature", drop)],
  ]
  test.each(changes)("is refused with %s", async (_, change) => {
    const request = await signed()
    const changed = await change(await answered(request, bytes("{}")))
    expect(await verifyResponse(changed, request, TRUSTED, NOW)).toMatchObject({ ok: false })
  })

  test.each([[NOW + MAX_AGE_SECONDS + CLOCK_SKEW_SECONDS + 1], [NOW - CLOCK_SKEW_SECONDS - 1]])(
    "is refused at %d",
    async (now) => {
      const request = await signed()
      expect(await verifyResponse(await answered(request), request, TRUSTED, now)).toMatchObject({ ok: false })
    },
  )
})

test("any signature header gives a refusal and never an exception", async () => {
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'sig1=():;,"@\\?-09azAZ% ') }),
    fc.string({ unit: "binary-ascii" }),
  )
  const request = await signed()
  await fc.assert(
    fc.asyncProperty(text, text, async (signature, input) => {
      const headers = new Headers(request.headers)
      try {
        headers.set("signature", signature)
        headers.set("signature-input", input)
      } catch {
        return // not a header value at all
      }
      expect((await verifyRequest({ ...request, headers }, TRUSTED, NOW)).ok).toBe(false)
    }),
    { numRuns: 300 },
  )
})
