import { call } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"

/** Opens the payment processor's page for a plan or a credit pack. */
export function useCheckout() {
  return useAction(async (product: string) => {
    const path = `/billing/checkout/${encodeURIComponent(product)}`
    const answer = await call<{ checkout_url: string }>(path, { method: "POST" })
    if (!answer.ok) return answer.problem
    location.assign(answer.body.checkout_url)
    return null
  })
}

/** Opens the payment processor's page to change or cancel a plan and to read invoices. */
export function usePortal() {
  return useAction(async () => {
    const answer = await call<{ portal_url: string }>("/billing/portal", { method: "POST" })
    if (!answer.ok)
      return answer.problem.status === 409
        ? { ...answer.problem, message: "This account has not bought anything yet." }
        : answer.problem
    location.assign(answer.body.portal_url)
    return null
  })
}
