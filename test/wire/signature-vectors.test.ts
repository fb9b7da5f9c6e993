import { createPrivateKey, createPublicKey } from "node:crypto"
import { createSignature, verifySignature, webcrypto } from "http-message-sig"
import { createSigner, createVerifier, httpbis } from "http-message-signatures"
import { describe, expect, test } from "vitest"
import { contentDigest, LABEL, MAX_AGE_SECONDS, TAG, type WireRequest } from "../../schema/wire/signature.ts"
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
} from "../support/providers/signed-messages.ts"
import { RFC_KEY_ID, RFC_PRIVATE, RFC_PUBLIC, rfcSigningKey, rfcTrustedKey } from "../support/providers/signing-keys.ts"

describe("RFC 9421 Appendix B", () => {
  // B.2: the request of all examples. B.2.6: its Ed25519 signature, which is deterministic.
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

  test("B.1.4, B.2.6: our key format signs the example as published", async () => {
    const fields = await createSignature(message, {
      label: "sig-b26",
      components: ["date", "@method", "@path", "@authority", "content-type", "content-length"],
      parameters: { created: NOW, keyid: RFC_KEY_ID },
      signer: webcrypto.signer(rfcSigningKey.privateKey),
    })
    expect(fields).toEqual({ signature, signatureInput })
  })

  test("B.2.6: our key format verifies the example as published, and refuses a changed one", async () => {
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

  test("B.2: the digest of the example body equals RFC 9530 Appendix D", async () => {
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
    tolerance: 10 ** 9, // It compares with the real clock, and the example is from 2021.
  }
  const theirs = ({ method, url, headers }: WireRequest) => ({ method, url, headers: Object.fromEntries(headers) })

  test("it verifies our requests, and refuses them changed", async () => {
    const request = await signed()
    expect(await httpbis.verifyMessage(verifyConfig, theirs(request))).toBe(true)
    expect(await httpbis.verifyMessage(verifyConfig, theirs({ ...request, method: "PUT" }))).toBe(false)
  })

  test("it verifies our responses with their request, and refuses them with another one", async () => {
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
