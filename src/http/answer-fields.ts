import { z } from "@hono/zod-openapi"
import { GRADES, STATUSES, SUB_STATUSES } from "../../schema/vocabulary.ts"
import { DELIVERABILITY_STATUSES } from "../domain/verification/checks.ts"

/** Fields of answers that have one meaning in every endpoint. */

export const shownAddress = z.string().openapi({ description: "The normalized address; as given when it is malformed" })

export const addressDomain = z.string().openapi({ description: "The domain of the address, in ASCII (IDNA)" })

export const syntaxValid = z.boolean().openapi({ description: "The address is well-formed (RFC 5321, RFC 6531)" })

const ABOUT_STATUS =
  "`valid`: the mailbox exists. `invalid`: it takes no mail. `accept_all`: the domain accepts every address. " +
  "`unknown`: nothing is known about the mailbox"

/** The status of a verification where a malformed address has its own. */
export const verdictStatus = z
  .enum(STATUSES)
  .openapi({ description: `${ABOUT_STATUS}. \`invalid_syntax\`: the address is malformed` })

/** The status of a verification where a malformed address is invalid. */
export const plainStatus = z
  .enum(DELIVERABILITY_STATUSES)
  .openapi({ description: `${ABOUT_STATUS}. A malformed address is \`invalid\`` })

export const subStatus = z
  .enum(SUB_STATUSES)
  .nullable()
  .openapi({ description: "What decided the status; null when the mail server was not probed" })

export const score = z
  .int()
  .min(0)
  .max(100)
  .openapi({ description: "How safe it is to send to the address, 0 to 100. docs/verdicts.md has the points" })

export const grade = z.enum(GRADES).openapi({ description: "The score in a letter, from A, the best, to F" })

export const gradeWithPlus = z
  .string()
  .openapi({ description: "The score in a letter, from A+ (95 points or more) to F", example: "A" })

export const canSend = z.boolean().openapi({
  description:
    "The decision: true when the score is 60 or more and nothing forbids sending, such as your suppression list",
})

export const mailHosts = z.array(z.string()).openapi({
  description: "Names of the domain's mail hosts, the preferred one first; empty when it accepts no mail or DNS failed",
})

export const isDisposable = z.boolean().openapi({ description: "The domain belongs to a disposable mail service" })

export const isRole = z
  .boolean()
  .openapi({ description: "The local part names a function, such as info, which several people may read" })

export const isFree = z.boolean().openapi({ description: "The domain gives mailboxes to the public for free" })

export const nextCursor = z
  .string()
  .nullable()
  .openapi({ description: "The `cursor` of the next page; null on the last one" })
