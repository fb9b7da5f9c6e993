import { createInterface } from "node:readline"
import type { Verdict } from "../score.ts"

/**
 * Reads addresses from stdin and prints one line of JSON for each: `node.ts <verifier>`. The script copies this file next
 * to the installed package, so that `import(verifier)` finds it.
 */
type Verify = (address: string) => Promise<readonly [verdict: Verdict, raw: unknown]>

const { PEER_MAIL_FROM, PEER_TIMEOUT_MS, MAILVERDICT_URL } = process.env

/** Replies after which the package's reason names the mailbox: 550, 551 and 553. */
const ABOUT_THE_MAILBOX = /^Mailbox not found|user is not local|not syntactically correct/

const VERIFIERS: Readonly<Record<string, () => Promise<Verify>>> = {
  mailverdict: async () => {
    // Ours alone runs in place. The copies beside the packages have no score.ts.
    const { verdictOf } = await import("../score.ts")
    return async (address) => {
      const response = await fetch(`${MAILVERDICT_URL}/validate?email=${encodeURIComponent(address)}`)
      const { status, sub_status } = (await response.json()) as { status: string; sub_status: string | null }
      return [verdictOf(status), { status, sub_status }]
    }
  },
  // `valid` is false for every failure. A reason that states a timeout, a lost connection or a temporary reply counts as
  // unknown, in favor of the package. It takes no HELO name and no timeout (10 s).
  "deep-email-validator": async () => {
    const { validate } = await import("deep-email-validator" as string)
    return async (email) => {
      const { valid, reason, validators } = await validate({
        email,
        sender: PEER_MAIL_FROM,
        // Otherwise mailbox.test is a typo of mail.com.
        validateTypo: false,
      })
      const why: string = validators[reason]?.reason ?? ""
      if (valid) return ["deliverable", "valid"]
      return [reason !== "smtp" || ABOUT_THE_MAILBOX.test(why) ? "undeliverable" : "unknown", `${reason}: ${why}`]
    }
  },
  // Null means that the mailbox was not verified. It takes no HELO name and no sender.
  "email-deep-validator": async () => {
    const { default: EmailValidator } = await import("email-deep-validator" as string)
    const validator = new EmailValidator({ timeout: Number(PEER_TIMEOUT_MS) })
    return async (address) => {
      const result = await validator.verify(address)
      const { wellFormed, validDomain, validMailbox } = result
      if (!wellFormed || !validDomain || validMailbox === false) return ["undeliverable", result]
      return [validMailbox ? "deliverable" : "unknown", result]
    }
  },
}

const verify = await VERIFIERS[process.argv[2]!]!()
createInterface({ input: process.stdin }).on("line", async (address) => {
  // A fault of the package is no statement about the mailbox.
  const [verdict, raw] = await verify(address).catch((error) => ["unknown", String(error)] as const)
  console.log(JSON.stringify({ address, verdict, raw: typeof raw === "string" ? raw : JSON.stringify(raw) }))
})
