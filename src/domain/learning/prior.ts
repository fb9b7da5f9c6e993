import type { ModelKind } from "../../../schema/vocabulary.ts"
import { logit } from "./logistic.ts"
import type { Model } from "./model.ts"

/**
 * Weights set by hand, in natural log-odds: expert estimates, not measurements. Two thirds of the addresses at accept-all
 * domains do not bounce. A server that distinguishes recipients is right in 95 of 100 cases, a rejection is wrong in one
 * of 100. All other weights move the result by a few tenths.
 */
const DELIVERABILITY: Model = {
  kind: "deliverability",
  version: 0,
  trainedAt: null,
  bias: logit(0.65),
  weights: {
    verified: 2.6,
    verified_unsure: 1.2,
    refused: -5,
    no_mail_host: -1.5,
    unanswered: -0.3,
    held_up: 0.6,
    mailbox_full: -1.5,
    refuses_us: 0.2,
    unreachable: -1.2,
    realism: 0.4,
    accept_all_realism: 0.8,
    role_account: 0.4,
    digits: -0.2,
    long_name: -0.3,
    domain_format: 0.9,
    disposable: -0.3,
    free_provider: 0.2,
    young_domain: -0.8,
    parked: -2.5,
    no_web_site: -0.4,
    spf: 0.3,
    dmarc: 0.3,
    gravatar: 1.8,
    neighbours_missing: -0.8,
    domain_history: 0.8,
    address_arrived: 4.5,
    address_bounced: -5,
  },
}

/** The prior for accept-all domains, where only the name and the neighbors are known. */
const CATCH_ALL: Model = {
  ...DELIVERABILITY,
  kind: "catch_all",
  weights: { ...DELIVERABILITY.weights, realism: 1.2, accept_all_realism: 0 },
}

export const PRIOR_MODELS: Readonly<Record<ModelKind, Model>> = {
  deliverability: DELIVERABILITY,
  catch_all: CATCH_ALL,
}
