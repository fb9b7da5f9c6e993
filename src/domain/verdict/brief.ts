import type { Grade, Status } from "../../../schema/vocabulary.ts"
import { isDeliverable } from "./judge.ts"
import { CAN_SEND_FROM, gradeOf } from "./score.ts"
import type { Verification } from "./verification.ts"

/** Short result for long lists. It can be derived from a stored status and score alone. */
export interface Brief {
  readonly email: string
  readonly deliverable: boolean
  readonly canSend: boolean
  readonly status: Status
  readonly score: number
  readonly grade: Grade
  readonly cached: boolean
}

export function briefOf({ evidence, verdict, score, canSend, cached }: Verification, email: string): Brief {
  const { address } = evidence
  return {
    email: address.ok ? address.normalized : email,
    deliverable: isDeliverable(verdict),
    canSend,
    status: verdict.status,
    score: score.total,
    grade: score.grade,
    cached,
  }
}

/** The brief of a stored result. Only accepted recipients become valid or accept_all, and a full mailbox stays below the send threshold. */
export function storedBrief(
  email: string,
  { status, score }: { status: Status; score: number },
  isForbidden: boolean,
): Brief {
  const deliverable = status === "valid" || status === "accept_all"
  const canSend = !isForbidden && score >= CAN_SEND_FROM && status !== "invalid" && status !== "invalid_syntax"
  return { email, deliverable, canSend, status, score, grade: gradeOf(score), cached: true }
}
