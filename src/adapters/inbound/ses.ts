import { parseJson } from "../../../schema/wire/json.ts"
import { AppError } from "../../errors.ts"
import { Memo } from "../cache/memo.ts"
import type { Fetch } from "../outbound.ts"
import { readText } from "../read-text.ts"
import { type Inbound, type InboundReader, isRecent, refuse } from "./inbound.ts"
import { toBatch } from "./lenient.ts"
import { readSesEvents } from "./ses-events.ts"
import { isSigned, SnsMessage, snsUrl } from "./sns-signature.ts"

/** SNS repeats a message with its original timestamp and signature for up to an hour. */
const MAX_AGE_MS = 60 * 60_000
const FETCH_MS = 5_000
const MAX_CERTIFICATE_BYTES = 64_000
const ARN = /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]{1,256}$/

/** Certificates by URL, as text, for one day. Only certificates fetched from SNS are cached. */
const certificates = new Memo<string>({ capacity: 50, ttlMs: 24 * 60 * 60_000 })

/**
 * Events of Amazon SES, delivered by SNS and signed with a certificate key at amazonaws.com.
 * Any AWS customer may own a topic there, so the secret is the ARN of the account's topic.
 */
export function createSes(fetch: Fetch): InboundReader {
  return {
    async problemOf(secret) {
      return ARN.test(secret) ? null : "is not the ARN of an SNS topic"
    },

    async read({ body, now }, secret) {
      if (!ARN.test(secret)) return refuse("no_secret")
      const parsed = SnsMessage.safeParse(parseJson(body))
      if (!parsed.success) return refuse("no_signature")
      const message = parsed.data
      const certificateUrl = snsUrl(message.SigningCertURL)
      if (!certificateUrl?.pathname.endsWith(".pem") || certificateUrl.search !== "") return refuse("wrong_sender")
      if (message.TopicArn !== secret) return refuse("wrong_sender")
      if (!(await isSigned(message, await certificateAt(fetch, certificateUrl.href, now))))
        return refuse("bad_signature")
      if (!isRecent(Date.parse(message.Timestamp), now, MAX_AGE_MS)) return refuse("too_old")
      return answerTo(message, now)
    },
  }
}

const IGNORED: Inbound = { ...toBatch(["ignored"]), token: null }
/** SES publishes this when a topic is connected. It is the only message that is no JSON. */
const CONNECTED = /^Successfully validated SNS topic/

function answerTo(message: SnsMessage, now: number): Inbound {
  if (message.Type === "Notification")
    return CONNECTED.test(message.Message) ? IGNORED : readSesEvents(message.MessageId, parseJson(message.Message), now)
  const url = message.Type === "SubscriptionConfirmation" ? snsUrl(message.SubscribeURL ?? "") : null
  const isForTopic =
    url?.searchParams.get("Action") === "ConfirmSubscription" && url.searchParams.get("TopicArn") === message.TopicArn
  if (url && isForTopic) return { kind: "subscription", confirmUrl: url.href }
  return message.Type === "SubscriptionConfirmation" ? refuse("wrong_sender") : IGNORED
}

/** Confirms a subscription. @param url the confirmUrl that `read` returned */
export async function confirmSubscription(fetch: Fetch, url: string): Promise<void> {
  const response = await getFromSns(fetch, url)
  await response.body?.cancel()
}

async function certificateAt(fetch: Fetch, url: string, now: number): Promise<string> {
  const known = certificates.get(url, now)
  if (known !== undefined) return known
  const text = await readText(await getFromSns(fetch, url), MAX_CERTIFICATE_BYTES)
  certificates.set(url, text, now)
  return text
}

/** Follows no redirects, because a redirect could lead anywhere. After an error SNS sends the message again. */
async function getFromSns(fetch: Fetch, url: string): Promise<Response> {
  const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(FETCH_MS) }).catch((cause) => {
    throw new AppError("unavailable", "Amazon SNS could not be reached", { cause })
  })
  if (response.status === 200) return response
  await response.body?.cancel()
  throw new AppError("unavailable", "Amazon SNS did not answer as expected")
}
