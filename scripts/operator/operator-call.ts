import type { Operations } from "../../src/client/operations.ts"

/** The service refused a call. The message is its explanation. */
export class RefusedCall extends Error {
  readonly status: number

  constructor(status: number, detail: unknown) {
    // A 422 lists the fields.
    const fields = Array.isArray(detail) ? detail.map(({ loc, msg }) => `${loc?.at(-1)}: ${msg}`).join("; ") : ""
    super(typeof detail === "string" ? detail : fields || `the service answered ${status}`)
    this.status = status
  }
}

/** No answer of a service arrived. */
export class NoAnswer extends Error {}

interface Operator {
  readonly url: string
  readonly adminSecret: string
}

/** The calls of the operator, by their operation. The generated client is not part of a container or a release. */
const PLACES = {
  createUser: ["POST", () => "/admin/users"],
  createUserKey: ["POST", ({ account }) => `/admin/users/${account}/keys`],
  createSignInLink: ["POST", ({ account }) => `/admin/users/${account}/sign-in-link`],
  upgradeUser: ["POST", ({ email }) => `/admin/users/${email}/upgrade`],
  listUsers: ["GET", ({ search, limit }) => `/admin/users?search=${search}&limit=${limit}`],
  getUser: ["GET", ({ account }) => `/admin/users/${account}`],
  revokeAnyKey: ["DELETE", ({ key_id: id }) => `/admin/keys/${id}`],
} as const satisfies Partial<
  Record<keyof Operations, readonly [method: string, path: (input: Readonly<Record<string, string>>) => string]>
>

type Operation = keyof typeof PLACES
/** Calls one operation. @throws RefusedCall, NoAnswer */
export type OperatorCall = <O extends Operation>(
  operation: O,
  input: Operations[O]["input"],
) => Promise<Operations[O]["answer"]>

const TIMEOUT_MS = 30_000

/** Calls a service with the operator's secret, without repeats. */
export function createOperatorCall({ url, adminSecret }: Operator): OperatorCall {
  return async (operation, input) => {
    const [method, path] = PLACES[operation]
    const encoded = Object.entries(input).map(([name, value]) => [name, encodeURIComponent(String(value))])
    const response = await fetch(new URL(path(Object.fromEntries(encoded)), url), {
      method,
      headers: { "x-admin-secret": adminSecret, "content-type": "application/json" },
      ...(method === "POST" ? { body: JSON.stringify(input) } : {}),
      // A redirect would take the secret to another place.
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((cause: Error) => {
      throw new NoAnswer(`${url} does not answer`, { cause })
    })
    const answer = await response.json().catch(() => null)
    if (answer === null) throw new NoAnswer(`the server at ${url} is not a Mailverdict service`)
    if (!response.ok) throw new RefusedCall(response.status, (answer as { detail?: unknown }).detail)
    return answer
  }
}
