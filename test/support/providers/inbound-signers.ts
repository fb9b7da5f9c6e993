import { execFileSync } from "node:child_process"
import { createHmac, generateKeyPairSync, randomBytes, sign } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { InboundRequest } from "../../../src/adapters/suppression/inbound.ts"
import { ownNumber } from "../deps/own-number.ts"

/** Signs as the providers document it, with Node's own crypto and without code of our verifiers. */

export interface Posted {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** The request as the receivers see it. */
export function asRequest({ body, headers }: Posted, now: number): InboundRequest {
  const bytes = Uint8Array.from(Buffer.from(body))
  return { body: bytes, header: (name) => headers[name], now }
}

/** SendGrid: ECDSA P-256 over timestamp and body, DER. A CRLF follows each event. */
export function sendgridSigner() {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  return {
    verificationKey: publicKey.export({ type: "spki", format: "der" }).toString("base64"),
    post(events: unknown, signedAt: number): Posted {
      const body = `${JSON.stringify(events).replaceAll("},{", "},\r\n{")}\r\n`
      const timestamp = String(Math.floor(signedAt / 1000))
      const signature = sign("sha256", Buffer.from(timestamp + body), privateKey).toString("base64")
      return {
        body,
        headers: {
          "content-type": "application/json",
          "x-twilio-email-event-webhook-signature": signature,
          "x-twilio-email-event-webhook-timestamp": timestamp,
        },
      }
    },
  }
}

/** Mailgun: HMAC-SHA256 of timestamp and token, inside the JSON. */
export function mailgunSigner(signingKey = randomBytes(16).toString("hex")) {
  const signatureOf = (timestamp: string, token: string) =>
    createHmac("sha256", signingKey)
      .update(timestamp + token)
      .digest("hex")
  return {
    signingKey,
    signature(signedAt: number, token = randomBytes(25).toString("hex")) {
      const timestamp = String(Math.floor(signedAt / 1000))
      return { timestamp, token, signature: signatureOf(timestamp, token) }
    },
    post(event: unknown, signedAt: number, token?: string): Posted {
      const body = JSON.stringify({ signature: this.signature(signedAt, token), "event-data": event })
      return { body, headers: { "content-type": "application/json" } }
    },
  }
}

export function postmarkPost(event: unknown, credentials: string): Posted {
  const authorization = `Basic ${Buffer.from(credentials).toString("base64")}`
  return { body: JSON.stringify(event), headers: { "content-type": "application/json", authorization } }
}

type Message = Record<string, string>

/** Amazon SNS: RSA over the lines of a message, with a certificate from openssl. */
export function snsSigner() {
  const where = ownCertUrl()
  const folder = mkdtempSync(join(tmpdir(), "mailverdict-sns-"))
  const [keyFile, certFile] = [join(folder, "key.pem"), join(folder, "cert.pem")]
  const subject = "/C=US/ST=Washington/L=Seattle/O=Amazon.com, Inc./CN=sns.us-east-1.amazonaws.com"
  const options = [
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-days",
    "30",
    "-subj",
    subject,
    "-keyout",
    keyFile,
    "-out",
    certFile,
  ]
  execFileSync("openssl", ["req", "-x509", ...options], { stdio: "ignore" })
  const [key, certificate] = [readFileSync(keyFile, "utf8"), readFileSync(certFile, "utf8")]
  rmSync(folder, { recursive: true })
  return {
    certificate,
    /** Adds version, certificate URL and signature to the fields. */
    sign(fields: Message, { version = "1", certUrl = where } = {}): Message {
      const message = { ...fields, SignatureVersion: version, SigningCertURL: certUrl }
      const isNotification = fields.Type === "Notification"
      const names = isNotification
        ? ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"]
        : ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"]
      const text = names.flatMap((name) => (fields[name] === undefined ? [] : [`${name}\n${fields[name]}\n`])).join("")
      return {
        ...message,
        Signature: sign(version === "1" ? "sha1" : "sha256", Buffer.from(text), key).toString("base64"),
      }
    },
  }
}

/** A URL of a certificate that this isolate has not cached. */
export const ownCertUrl = () =>
  `https://sns.us-east-1.amazonaws.com/SimpleNotificationService-0123456789abcdef0123456789abcdef${ownNumber()}.pem`
export const TOPIC = "arn:aws:sns:us-east-1:123456789012:ses-events"

/** SNS declares its JSON as text. */
export const snsPost = (message: Message): Posted => ({
  body: JSON.stringify(message, null, 2),
  headers: { "content-type": "text/plain; charset=UTF-8", "x-amz-sns-message-type": message.Type ?? "" },
})
