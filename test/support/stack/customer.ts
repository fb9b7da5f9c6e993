import Stripe from "stripe"
import { expect } from "vitest"
import type { Status, Tier } from "../../../schema/vocabulary.ts"
import { STRIPE } from "../providers/stripe-server.ts"
import { type Answer, type CallInit, call, postJson } from "./api.ts"

export interface Plan {
  readonly name: Tier
  readonly monthly_limit: number
  readonly rate_per_min: number
  readonly can_be_bought?: boolean
}
export interface Usage {
  readonly tier: Tier
  readonly credits_used: number
  readonly credits_limit: number
  readonly credits_remaining: number
  readonly resets_in_seconds: number
}
interface Key {
  readonly key_id: string
  readonly verifications_this_month: number
  readonly credits_this_month: number
  readonly created_at: number
  readonly last_used: number | null
}
export type Counts = Partial<Record<Status, number>>
export type Who = "key" | "session" | "nobody"

export const sum = (counts: Counts | readonly number[]) =>
  Object.values(counts).reduce((total, count) => total + count, 0)

/** What is left of the month, by the header of an answer. */
export const leftOfMonth = ({ headers }: Pick<Answer, "headers">) =>
  Number(/"month";r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1])

/** A customer who calls the service, and counts what every statistic must say. */
export class Customer {
  readonly email = `journey-${crypto.randomUUID().slice(0, 8)}@inbox.test`
  secret = ""
  keyId = ""
  session = ""
  accountId = ""
  /** Verifications so far, those with a stored result, and credits; results of lists are not in the history. */
  readonly used = { verifications: 0, cached: 0, credits: 0, ofLists: 0 }
  readonly results: Counts = {}

  headers(who: Who): Record<string, string> {
    if (who === "nobody") return {}
    return who === "key" ? { "x-api-key": this.secret } : { authorization: `Bearer ${this.session}` }
  }

  /** Calls the service from the customer's network. */
  as<T = Record<string, unknown>>(who: Who, method: string, path: string, init: CallInit = {}) {
    const headers = { ...init.headers, "x-real-ip": "10.79.0.1", ...this.headers(who) }
    return call<T>(method, path, { ...init, headers })
  }

  /** @param at the path with its values when `path` is a template */
  async read<T = Record<string, unknown>>(path: string, at = path): Promise<T> {
    return (await this.as<T>("key", "GET", path, { at })).body
  }

  post<T = Record<string, unknown>>(path: string, body: unknown, who: Who = "key") {
    return this.as<T>(who, "POST", path, postJson(body))
  }

  validate(email: string) {
    type Verified = { status: Status; detail: string; checks: { cached: boolean } }
    return this.as<Verified>("key", "GET", "/validate", { at: `/validate?email=${email}` })
  }

  usage = () => this.read<Usage>("/usage")
  keys = async () => (await this.read<{ keys: Key[] }>("/keys")).keys
  planOf = async (name: Tier) =>
    (await this.read<{ plans: Plan[] }>("/plans")).plans.find((plan) => plan.name === name)!

  /** Adds results to what the statistics must say. */
  count(status: Status, { times = 1, isFree = false, isCached = false, isOfList = false } = {}): void {
    this.results[status] = (this.results[status] ?? 0) + times
    this.used.verifications += times
    this.used.credits += isFree || isCached ? 0 : times
    this.used.cached += isCached ? times : 0
    this.used.ofLists += isOfList ? times : 0
  }

  /** Sends an event about a payment as Stripe does, signed by Stripe's own library. */
  async pay(type: string, object: object, created: number): Promise<void> {
    const event = { id: `evt_${crypto.randomUUID()}`, object: "event", type, created, data: { object } }
    const payload = JSON.stringify({ ...event, api_version: "2025-01-01" })
    const { webhooks } = new Stripe(STRIPE.secretKey)
    const header = await webhooks.generateTestHeaderStringAsync({ payload, secret: STRIPE.webhookSecret })
    const headers = { "content-type": "application/json", "stripe-signature": header }
    const { body } = await this.as("nobody", "POST", "/billing/stripe-webhook", { headers, body: payload })
    expect(body).toEqual({ received: true, changed: true })
  }

  /** Checks that every statistic of the account says the same as this customer has counted. */
  async expectSameNumbers(): Promise<void> {
    const { results } = this
    const { verifications, cached, credits, ofLists } = this.used
    // Counts arrive within seconds.
    const total = async () => (await this.read("/me/stats")).total
    await expect.poll(total).toBe(verifications)
    const { credits_used, credits_limit, credits_remaining } = await this.usage()
    expect([credits_used, credits_remaining]).toEqual([credits, Math.max(0, credits_limit - credits)])
    const keys = await this.keys()
    expect(sum(keys.map((key) => key.credits_this_month))).toBe(credits)
    expect(sum(keys.map((key) => key.verifications_this_month))).toBe(verifications)

    const stats = await this.read<{ by_status: Counts; sendable_share: number }>("/me/stats")
    expect(stats).toMatchObject({ cached, sendable: results.valid, sendable_share: expect.any(Number) })
    expect(stats.sendable_share).toBeCloseTo(results.valid! / verifications, 3)
    const all = await this.read<{ by_status: Counts }>("/stats")
    const today = { date: new Date().toISOString().slice(0, 10), verifications }
    expect(all).toMatchObject({ scope: "account", verifications, daily: [today] })
    const stored = await this.read<{ results: { total: number; by_status: Counts } }>("/stats/store")
    expect(stored.results.total).toBe(verifications)
    for (const { by_status } of [stats, all, stored.results])
      expect(Object.fromEntries(Object.entries(by_status).filter(([, count]) => count > 0))).toEqual(results)

    const span = { verifications, previous: 0, delta_percent: null }
    expect(await this.read("/me/usage")).toMatchObject({ today: span, this_month: span, this_year: span })
    const misses = verifications - cached - (results.invalid_syntax ?? 0)
    expect(await this.read("/cache/stats")).toMatchObject({ today: { store: { hits: cached, misses } } })
    const recent = await this.read<{ total: number; verifications: { created_at: string }[] }>(
      "/me/recent-verifications",
    )
    expect(recent.total).toBe(verifications - ofLists)
    const times = recent.verifications.map(({ created_at }) => created_at)
    expect(times).toEqual(times.toSorted().reverse())
    const { domains } = await this.read<{ domains: { count: number }[] }>("/stats/domains")
    expect(sum(domains.map(({ count }) => count))).toBe(recent.total)
  }
}
