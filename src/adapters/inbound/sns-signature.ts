import { importX509 } from "jose"
import { z } from "zod"
import { fromBase64 } from "./inbound.ts"
import { text } from "./lenient.ts"

/** A message of Amazon SNS over HTTP. Unsigned fields are left out. */
export const SnsMessage = z.object({
  Type: z.enum(["Notification", "SubscriptionConfirmation", "UnsubscribeConfirmation"]),
  MessageId: z.string().min(1),
  TopicArn: z.string(),
  Message: z.string(),
  Timestamp: z.string(),
  Subject: text,
  Token: text,
  SubscribeURL: text,
  SignatureVersion: z.enum(["1", "2"]),
  Signature: z.string(),
  SigningCertURL: z.string(),
})
export type SnsMessage = z.infer<typeof SnsMessage>

const HOST = /^sns\.[a-z0-9-]{3,}\.amazonaws\.(?:com|com\.cn|eu)$/
const URL_TEXT = new RegExp(`^https://${HOST.source.slice(1, -1)}/[\\x21-\\x7e]*$`)
const NOTIFICATION = ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"] as const
const CONFIRMATION = ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"] as const
const HASHES = { "1": "SHA-1", "2": "SHA-256" } as const

/** A URL of Amazon SNS; null for any other. The raw text is checked too, because URL parsers differ. */
export function snsUrl(text: string): URL | null {
  if (!URL_TEXT.test(text)) return null
  const url = URL.parse(text)
  const isPlain = url?.protocol === "https:" && url.port === "" && url.username === "" && url.password === ""
  return url && isPlain && HOST.test(url.hostname) ? url : null
}

/** The text that SNS signs: names and values of the signed fields, sorted by name, one per line. */
function canonicalText(message: SnsMessage): string {
  const names = message.Type === "Notification" ? NOTIFICATION : CONFIRMATION
  return names
    .flatMap((name) => {
      const value = (message as Readonly<Record<string, unknown>>)[name]
      return typeof value === "string" ? [name, value] : []
    })
    .map((line) => `${line}\n`)
    .join("")
}

/** Whether the certificate's key signed the message (RSASSA-PKCS1-v1_5; version 1 with SHA-1, 2 with SHA-256). */
export async function isSigned(message: SnsMessage, certificatePem: string): Promise<boolean> {
  const signature = fromBase64(message.Signature)
  const key = signature && (await publicKey(certificatePem, HASHES[message.SignatureVersion]))
  if (!key) return false
  return crypto.subtle.verify("RSASSA-PKCS1-v1_5", key, signature, new TextEncoder().encode(canonicalText(message)))
}

/** Imports the key twice: jose reads the certificate but does not support SHA-1. */
async function publicKey(pem: string, hash: "SHA-1" | "SHA-256") {
  try {
    const certified = await importX509(pem, "RS256", { extractable: true })
    const spki = await crypto.subtle.exportKey("spki", certified as never)
    return await crypto.subtle.importKey("spki", spki as ArrayBuffer, { name: "RSASSA-PKCS1-v1_5", hash }, false, [
      "verify",
    ])
  } catch {
    return null
  }
}
