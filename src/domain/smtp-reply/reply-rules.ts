import type { ReplyRules } from "./reply-rule.ts"
import { CLIENT_RULES } from "./reply-rules-client.ts"
import { DISABLED_RULES } from "./reply-rules-disabled.ts"
import { CODE_RULES, DECISIVE_CODE_RULES, REPLY_CODE_RULES } from "./reply-rules-enhanced.ts"
import { FULL_RULES } from "./reply-rules-full.ts"
import { HARVEST_RULES } from "./reply-rules-harvest.ts"
import { IDENTITY_RULES } from "./reply-rules-identity.ts"
import {
  DISABLED_LANGUAGE_RULES,
  FULL_LANGUAGE_RULES,
  MISSING_LANGUAGE_RULES,
  REFUSAL_LANGUAGE_RULES,
  SENDER_LANGUAGE_RULES,
  TEMPORARY_LANGUAGE_RULES,
} from "./reply-rules-languages.ts"
import { MISSING_RULES } from "./reply-rules-missing.ts"
import { MISSING_LOCALIZED_RULES } from "./reply-rules-missing-localized.ts"
import {
  GREYLIST_RULES,
  LATE_TEMPORARY_RULES,
  OTHER_SUBJECT_RULES,
  SYSTEM_RULES,
  TEMPORARY_RULES,
} from "./reply-rules-passing.ts"
import { ACCESS_RULES, POLICY_RULES, REFUSAL_RULES } from "./reply-rules-policy.ts"
import { RATE_RULES } from "./reply-rules-rate.ts"
import { RELAY_DENIED_RULES, RELAY_RULES } from "./reply-rules-relay.ts"
import { SCOPE_RULES } from "./reply-rules-scope.ts"
import { SENDER_RULES } from "./reply-rules-sender.ts"

/**
 * The rule table in match order. Rules about this client precede rules about a missing mailbox.
 * A refusal of our host therefore never marks an address as invalid.
 * Bare codes come last, because too many hosts answer everything with one code.
 */
export const REPLY_RULES: readonly ReplyRules[] = [
  DECISIVE_CODE_RULES,
  GREYLIST_RULES,
  SYSTEM_RULES,
  FULL_RULES,
  FULL_LANGUAGE_RULES,
  RELAY_DENIED_RULES,
  SENDER_RULES,
  SENDER_LANGUAGE_RULES,
  IDENTITY_RULES,
  CLIENT_RULES,
  RATE_RULES,
  RELAY_RULES,
  ACCESS_RULES,
  HARVEST_RULES,
  SCOPE_RULES,
  REFUSAL_LANGUAGE_RULES,
  OTHER_SUBJECT_RULES,
  DISABLED_RULES,
  DISABLED_LANGUAGE_RULES,
  TEMPORARY_RULES,
  TEMPORARY_LANGUAGE_RULES,
  MISSING_RULES,
  MISSING_LOCALIZED_RULES,
  MISSING_LANGUAGE_RULES,
  POLICY_RULES,
  CODE_RULES,
  LATE_TEMPORARY_RULES,
  REFUSAL_RULES,
  REPLY_CODE_RULES,
]
