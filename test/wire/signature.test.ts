import { createPrivateKey, createPublicKey } from "node:crypto"
import fc from "fast-check"
import { createSignature, verifySignature, webcrypto } from "http-message-sig"
import { createSigner, createVerifier, httpbis } from "http-message-signatures"
import { describe, expect, test } from "vitest"
import {
  CLOCK_SKEW_SECONDS,
  contentDigest,
  LABEL,
  MAX_AGE_SECONDS,
  signRequest,
  signResponse,
  TAG,
  verifyRequest,
  verifyResponse,
  type WireRequest,
  type WireResponse,
} from "../../schema/wire/signature.ts"
import {
  otherSigningKey,
  otherTrustedKey,
  RFC_KEY_ID,
  RFC_PRIVATE,
  RFC_PUBLIC,
  rfcSigningKey,
  rfcTrustedKey,
} from "../support/signing-keys.ts"

const NOW = 1_618_884_473
const NONCE = "b3k2pp5k7z50gnwpyemdAA"
const TRUSTED = [rfcTrustedKey]
const JSON_TYPE = { "content-type": "application/json" }

const bytes = (text: string) => Uint8Array.from(new TextEncoder().encode(text))

function unsigned(parts: Partial<WireRequest> = {}): WireRequest {
  return {
    method: "POST",
    url: "https://node.example/v1/probe?a=1",
    headers: new Headers(JSON_TYPE),
    body: bytes('{"hello": "world"}'),
    ...parts,
  }
}

async function signed(parts: Partial<WireRequest> = {}, key = rfcSigningKey): Promise<WireRequest> {
  const request = unsigned(parts)
  return { ...request, headers: await signRequest(request, key, { nowSeconds: NOW, nonce: NONCE }) }
}

async function answered(request: WireRequest, body: WireResponse["body"] = bytes("{}"), key = rfcSigningKey) {
  const response: WireResponse = { status: 200, headers: new Headers(JSON_TYPE), body }
  return { ...response, headers: await signResponse(response, request, key, { nowSeconds: NOW, nonce: "n2" }) }
}

function withHeader<T extends { headers: Headers }>(
  message: T,
  name: string,
  edit: (value: string) => string | null,
): T {
  const headers = new Headers(message.headers)
  const value = edit(headers.get(name) ?? "")
  if (value === null) headers.delete(name)
  else headers.set(name, value)
  return { ...message, headers }
}

describe("RFC 9421 Appendix B", () => {
  // B.2: the request all examples sign; B.2.6: what Ed25519, which is deterministic, makes of it.
  const message = {
    kind: "request" as const,
    method: "POST",
    targetUri: "https://example.com/foo?param=Value&Pet=dog",
    fields: [
      { name: "date", value: "Tue, 20 Apr 2021 02:07:55 GMT" },
      { name: "content-type", value: "application/json" },
      { name: "content-length", value: "18" },
    ],
  }
  const signatureInput =
    'sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"'
  const signature = "sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:"

  test("B.1.4, B.2.6: our key text signs the example as published", async () => {
    const fields = await createSignature(message, {
      label: "sig-b26",
      components: ["date", "@method", "@path", "@authority", "content-type", "content-length"],
      parameters: { created: NOW, keyid: RFC_KEY_ID },
      signer: webcrypto.signer(rfcSigningKey.privateKey),
    })
    expect(fields).toEqual({ signature, signatureInput })
  })

  test("B.2.6: our key text verifies the example as published, and not a changed one", async () => {
    const verify = (date: string) => {
      const fields = [{ name: "date", value: date }, ...message.fields.slice(1)]
      const added = [
        { name: "signature", value: signature },
        { name: "signature-input", value: signatureInput },
      ]
      return verifySignature(
        { ...message, fields: [...fields, ...added] },
        {
          policy: {
            algorithms: ["ed25519"],
            requiredComponents: ["@method"],
            requiredParameters: ["created"],
            now: NOW,
          },
          resolveVerifier: () => webcrypto.verifier(rfcTrustedKey.publicKey),
        },
      )
    }
    await expect(verify("Tue, 20 Apr 2021 02:07:55 GMT")).resolves.toMatchObject({ label: "sig-b26" })
    await expect(verify("Tue, 20 Apr 2021 02:07:56 GMT")).rejects.toMatchObject({ code: "VerificationFailed" })
  })

  test("B.2: the digest of the example body, as RFC 9530 Appendix D prints it", async () => {
    expect(await contentDigest(bytes('{"hello": "world"}'))).toBe(
      "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:",
    )
  })
})

describe("against a second implementation (http-message-signatures)", () => {
  const jwk = { kty: "OKP", crv: "Ed25519", x: RFC_PUBLIC }
  const privateKey = createPrivateKey({ key: { ...jwk, d: RFC_PRIVATE }, format: "jwk" })
  const publicKey = createPublicKey({ key: jwk, format: "jwk" })
  const verifyConfig = {
    keyLookup: async () => ({ id: RFC_KEY_ID, algs: ["ed25519"], verify: createVerifier(publicKey, "ed25519") }),
    notAfter: NOW + 5,
    tolerance: 10 ** 9, // it compares with the real clock, and the example is of 2021
  }
  const theirs = ({ method, url, headers }: WireRequest) => ({ method, url, headers: Object.fromEntries(headers) })

  test("it verifies our requests, and refuses them changed", async () => {
    const request = await signed()
    expect(await httpbis.verifyMessage(verifyConfig, theirs(request))).toBe(true)
    expect(await httpbis.verifyMessage(verifyConfig, theirs({ ...request, method: "PUT" }))).toBe(false)
  })

  test("it verifies our responses together with their request, and not with another", async () => {
    const request = await signed()
    const response = await answered(request)
    const message = { status: response.status, headers: Object.fromEntries(response.headers) }
    expect(await httpbis.verifyMessage(verifyConfig, message, theirs(request))).toBe(true)
    const other = await signed({ url: "https://node.example/v1/health" })
    expect(await httpbis.verifyMessage(verifyConfig, message, theirs(other))).toBe(false)
  })

  test("we verify its requests", async () => {
    const body = bytes('{"hello": "world"}')
    const message = await httpbis.signMessage(
      {
        key: createSigner(privateKey, "ed25519", RFC_KEY_ID),
        name: LABEL,
        params: ["created", "expires", "nonce", "keyid", "tag"],
        fields: ["content-type", "@query", "@path", "@authority", "@method", "content-digest"],
        paramValues: {
          created: new Date(NOW * 1000),
          expires: new Date((NOW + MAX_AGE_SECONDS) * 1000),
          nonce: NONCE,
          tag: TAG,
        },
      },
      {
        method: "POST",
        url: "https://node.example/v1/probe?a=1",
        headers: { ...JSON_TYPE, "content-digest": await contentDigest(body) },
      },
    )
    const headers = new Headers(message.headers as Record<string, string>)
    const verified = await verifyRequest(unsigned({ headers, body }), TRUSTED, NOW)
    expect(verified).toEqual({ ok: true, keyid: RFC_KEY_ID, nonce: NONCE })
  })
})

describe("a signed request", () => {
  test("is accepted by whoever trusts its key, with either of two keys in rotation", async () => {
    const accepted = { ok: true, keyid: RFC_KEY_ID, nonce: NONCE }
    expect(await verifyRequest(await signed(), [otherTrustedKey, rfcTrustedKey], NOW)).toEqual(accepted)
    expect(await verifyRequest(await signed({}, otherSigningKey), [otherTrustedKey, rfcTrustedKey], NOW)).toMatchObject(
      {
        keyid: "other",
      },
    )
  })

  test("means the same authority however the receiver spells it", async () => {
    const request = await signed()
    for (const url of ["https://NODE.example/v1/probe?a=1", "https://node.example:443/v1/probe?a=1"])
      expect(await verifyRequest({ ...request, url }, TRUSTED, NOW)).toMatchObject({ ok: true })
  })

  test.each([
    [NOW + MAX_AGE_SECONDS + CLOCK_SKEW_SECONDS, true],
    [NOW + MAX_AGE_SECONDS + CLOCK_SKEW_SECONDS + 1, false],
    [NOW - CLOCK_SKEW_SECONDS, true],
    [NOW - CLOCK_SKEW_SECONDS - 1, false],
  ])("read at %d by a clock that is off or late is accepted: %s", async (now, ok) => {
    expect(await verifyRequest(await signed(), TRUSTED, now)).toMatchObject({ ok })
  })

  test("carries its nonce so that the receiver can refuse it a second time; the signature alone cannot", async () => {
    const request = await signed()
    const nonces = await Promise.all([verifyRequest(request, TRUSTED, NOW), verifyRequest(request, TRUSTED, NOW)])
    expect(nonces.map((verified) => verified.ok && verified.nonce)).toEqual([NONCE, NONCE])
  })

  test("next to a signature of somebody else is judged by its own label", async () => {
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
  ["an unknown key id", (request) => withHeader(request, "signature-input", (v) => v.replace(RFC_KEY_ID, "nobody"))],
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

/** A request signed with a trusted key, but over fewer components or parameters than the protocol asks for. */
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

describe("a trusted key does not excuse", () => {
  test("nothing, when everything is there", async () => {
    expect(await verifyRequest(await signedLess(COMPONENTS, PARAMETERS), TRUSTED, NOW)).toMatchObject({ ok: true })
  })

  test.each(COMPONENTS)("leaving %s out of the signature", async (left) => {
    const request = await signedLess(
      COMPONENTS.filter((name) => name !== left),
      PARAMETERS,
    )
    expect(await verifyRequest(request, TRUSTED, NOW)).toMatchObject({ ok: false })
  })

  test.each(Object.keys(PARAMETERS))("a signature without %s", async (left) => {
    const parameters = Object.fromEntries(Object.entries(PARAMETERS).filter(([name]) => name !== left))
    expect(await verifyRequest(await signedLess(COMPONENTS, parameters), TRUSTED, NOW)).toMatchObject({ ok: false })
  })

  test("the tag of another protocol, or a validity longer than ours", async () => {
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

  test("is refused as the answer to another request, even one alike", async () => {
    const request = await signed()
    const other = {
      ...request,
      headers: await signRequest(unsigned(), rfcSigningKey, { nowSeconds: NOW, nonce: "other" }),
    }
    expect(await verifyResponse(await answered(request), other, TRUSTED, NOW)).toMatchObject({ ok: false })
  })

  test("is refused when it is the request's own signature sent back", async () => {
    const request = await signed()
    const response = { status: 200, headers: request.headers, body: request.body }
    expect(await verifyResponse(response, request, TRUSTED, NOW)).toMatchObject({ ok: false })
  })

  test("is refused from a key that is not the node's", async () => {
    const request = await signed()
    const response = await answered(request, bytes("{}"), otherSigningKey)
    expect(await verifyResponse(response, request, TRUSTED, NOW)).toMatchObject({ ok: false })
  })

  const changes: readonly [string, (response: WireResponse) => WireResponse][] = [
    ["another status", (response) => ({ ...response, status: 201 })],
    ["another body", (response) => ({ ...response, body: bytes("[]") })],
    ["another content type", (response) => withHeader(response, "content-type", () => "text/html")],
    ["no digest", (response) => withHeader(response, "content-digest", drop)],
    ["no signature", (response) => withHeader(response, "signature", drop)],
  ]
  test.each(changes)("is refused with %s", async (_, change) => {
    const request = await signed()
    expect(await verifyResponse(change(await answered(request)), request, TRUSTED, NOW)).toMatchObject({ ok: false })
  })

  test.each([[NOW + MAX_AGE_SECONDS + CLOCK_SKEW_SECONDS + 1], [NOW - CLOCK_SKEW_SECONDS - 1]])(
    "is refused at %d",
    async (now) => {
      const request = await signed()
      expect(await verifyResponse(await answered(request), request, TRUSTED, now)).toMatchObject({ ok: false })
    },
  )
})

test("whatever the signature headers hold, the answer is a refusal and not an exception", async () => {
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
