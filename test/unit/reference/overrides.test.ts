import { describe, expect, test } from "vitest"
import { parseAddress } from "../../../src/domain/address/parse.ts"
import { activeLists, listsWith, type Override, setActiveLists } from "../../../src/domain/reference/active-lists.ts"
import { classifyAddress } from "../../../src/domain/reference/classify.ts"
import { classifyMxHosts } from "../../../src/domain/reference/classify-by-hosts.ts"
import { planFreeUpdate } from "../../../src/domain/reference/update-plan.ts"

const classes = (domain: string, overrides: readonly Override[]) =>
  classifyAddress(parseAddress(`a@${domain}`), listsWith(overrides))

describe("overrides of the built-in lists", () => {
  test.each([
    ["disposable", "isDisposable"],
    ["relay", "isRelay"],
    ["free", "isFree"],
    ["corporate", "isCorporate"],
  ] as const)("the operator's class %s applies to the domain and its subdomains", (listClass, flag) => {
    const overrides = [{ domain: "some-company.com", origin: "operator", class: listClass }] as const
    expect(classes("some-company.com", overrides)[flag]).toBe(true)
    expect(classes("mail.some-company.com", overrides)[flag]).toBe(true)
    expect(classes("other-company.com", overrides)).toMatchObject({ isCorporate: true, isDisposable: false })
  })

  test("the operator's class overrides a fetched class and the built-in lists", () => {
    const fetched = { domain: "qz-throwaway.com", origin: "fetched", class: "disposable" } as const
    expect(classes("qz-throwaway.com", [fetched]).isDisposable).toBe(true)
    const allow = { domain: "qz-throwaway.com", origin: "operator", class: "allow" } as const
    expect(classes("qz-throwaway.com", [fetched, allow]).isDisposable).toBe(false)
    expect(classes("mailinator.com", []).isDisposable).toBe(true)
    expect(
      classes("mailinator.com", [{ domain: "mailinator.com", origin: "operator", class: "allow" }]).isDisposable,
    ).toBe(false)
    expect(classes("gmail.com", [{ domain: "gmail.com", origin: "fetched", class: "disposable" }])).toMatchObject({
      isFree: true,
      isDisposable: false,
    })
  })

  test("a fetched free provider is free", () => {
    expect(classes("qz-free-mail.com", [{ domain: "qz-free-mail.com", origin: "fetched", class: "free" }]).isFree).toBe(
      true,
    )
  })

  test("the operator's class also applies to mail hosts", () => {
    const lists = listsWith([{ domain: "mx-qz.com", origin: "operator", class: "disposable" }])
    expect(classifyMxHosts(["in.mx-qz.com"], lists).isDisposable).toBe(true)
  })

  test("classification uses the active lists by default", () => {
    const before = activeLists()
    setActiveLists(listsWith([{ domain: "qz-now.com", origin: "operator", class: "disposable" }]))
    expect(classifyAddress(parseAddress("a@qz-now.com")).isDisposable).toBe(true)
    setActiveLists(before)
    expect(classifyAddress(parseAddress("a@qz-now.com")).isDisposable).toBe(false)
  })
})

describe("a refresh of free providers", () => {
  const voice = (name: string, ...domains: string[]) => ({ name, domains: new Set(domains) })
  const many = Array.from({ length: 2_000 }, (_, n) => `qz-gratis-${n}.com`)

  test("adds agreed names, but no disposable domain, relay, school or public suffix", () => {
    const domains = ["qz-free.com", "mailinator.com", "relay.firefox.com", "stanford.edu", "co.uk", "gmail.com"]
    const plan = planFreeUpdate(new Set(), [voice("a", ...domains, "only-a.com"), voice("b", ...domains)])
    expect(plan).toMatchObject({ accepted: true, additions: ["qz-free.com"], removals: [] })
  })

  test("removes names that the lists no longer contain", () => {
    const plan = planFreeUpdate(new Set(["gone.com", "kept.com"]), [voice("a", "kept.com"), voice("b", "kept.com")])
    expect(plan).toMatchObject({ accepted: true, additions: [], removals: ["gone.com"] })
  })

  test("refuses too few sources, and too large a change unless forced", () => {
    expect(planFreeUpdate(new Set(), [voice("a", "x.com")])).toMatchObject({ refusal: { reason: "too_few_sources" } })
    const sources = [voice("a", ...many), voice("b", ...many)]
    expect(planFreeUpdate(new Set(), sources)).toMatchObject({
      refusal: { reason: "too_many_additions", changes: 2_000 },
    })
    expect(planFreeUpdate(new Set(), sources, { force: true })).toMatchObject({ accepted: true })
    const none = [voice("a"), voice("b")]
    expect(planFreeUpdate(new Set(many), none)).toMatchObject({ refusal: { reason: "too_many_removals" } })
  })
})
