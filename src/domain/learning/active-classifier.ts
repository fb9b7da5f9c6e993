import type { Model } from "./model.ts"
import { PRIOR_MODELS } from "./prior.ts"

/** Shared by all callers, because every verdict about a catch-all domain depends on it. */
let current: Model = PRIOR_MODELS.catch_all

/** Returns the classifier that scores mailboxes of catch-all domains now: the prior until another one is set. */
export function activeClassifier(): Model {
  return current
}

export function setActiveClassifier(model: Model): void {
  current = model
}
