import type { ModelKind } from "../../../schema/vocabulary.ts"
import { logit } from "./logistic.ts"
import type { Model } from "./model.ts"

/**
 * Weights set by hand before any outcome was known, in natural log-odds: beliefs of the field, not measurements. Where
 * mail is sent at all, two thirds of addresses at accept-all domains do not bounce; a server that tells its recipients
 * apart is right in 95 of 100 cases; a refusal is wrong in one of a hundred; the rest moves a few tenths either way.
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

/** The same for domains that accept every recipient, where the name and the neighbours are all there is. */
const CATCH_ALL: Model = {
  ...DELIVERABILITY,
  kind: "catch_all",
  weights: { ...DELIVERABILITY.weights, realism: 1.2, accept_all_realism: 0 },
}

export const PRIOR_MODELS: Readonly<Record<ModelKind, Model>> = {
  deliverability: DELIVERABILITY,
  catch_all: CATCH_ALL,
}
