import type { Rate } from "../../domain/limits/window.ts"
import { AppError } from "../../errors.ts"
import type { Admitted, Counted, KeyState, Take, Taken } from "./gate.ts"

/** A gate as seen from another isolate: the same methods, each a call over the network. */
export interface RemoteGate {
  open(digest: string): Promise<KeyState>
  take(take: Take): Promise<Taken>
  count(rate: Rate, n?: number): Promise<Counted>
  forget(): Promise<void>
}

/** The part of a Durable Object namespace that is used here. */
export interface GateNamespace {
  idFromName(name: string): unknown
  get(id: unknown): RemoteGate
}

/** Gates by what they guard. Names are hashes or ids, never addresses. */
export interface Gates {
  /** @param digest keyed hash of the secret */
  ofKey(digest: string): RemoteGate
  /** An account's sessions or an anonymous network. */
  ofSubject(subject: string): RemoteGate
  /** One action by one client: "keys:…" or "sign-in:…". */
  ofAction(action: string): RemoteGate
}

export function createGates(namespace: GateNamespace): Gates {
  const gate = (name: string) => namespace.get(namespace.idFromName(name))
  return {
    ofKey: (digest) => gate(`key:${digest}`),
    ofSubject: (subject) => gate(`subject:${subject}`),
    ofAction: (action) => gate(`action:${action}`),
  }
}

/** Counts an action, or `n` at once, or refuses it with the time to wait, in the contract's form. */
export async function countOrRefuse(gate: RemoteGate, rate: Rate, n?: number): Promise<Admitted> {
  const counted = await gate.count(rate, n)
  if (!counted.admitted) throw tooMany(Math.ceil(counted.retryAfterMs / 1000))
  return counted
}

/** 429; the number in the detail and in Retry-After is the same, and at least 1. */
export function tooMany(seconds: number, what = "rate limit exceeded"): AppError {
  const wait = Math.max(1, seconds)
  return new AppError("rate_limited", `${what}; retry in ${wait} seconds`, {
    headers: { "retry-after": String(wait) },
  })
}

export function storeUnavailable(): AppError {
  return new AppError("unavailable", "the account store does not answer; try again shortly", {
    headers: { "retry-after": "5" },
  })
}

/** 402, for who buys credits: waiting for the next month is not the only way on. */
export function creditsExhausted(): AppError {
  return new AppError("payment_required", "the credit balance is exhausted; buy credits or wait for the next month")
}
