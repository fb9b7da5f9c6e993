import type { Playbook } from "../../../schema/wire/probe.ts"

/** How to treat the mail hosts of an operator, keyed by MX suffix. The first match wins. */
const PLAYBOOKS: readonly { readonly suffixes: readonly string[]; readonly playbook: Playbook }[] = []

/** RFC 5321 behaviour, with manners: one session at a time to a host nobody knows is unfriendly to nobody. */
const GENERIC: Playbook = {
  operator: "generic",
  pipelining: true,
  starttls: true,
  control: "same-session",
  recipientsPerSession: 20,
  sessionsPerHost: 5,
}

/** The playbook for a domain's MX hosts. A host without a known operator is paced on its own. */
export function playbookFor(hosts: readonly { readonly host: string }[]): Playbook {
  const first = hosts[0]?.host ?? ""
  const known = PLAYBOOKS.find(({ suffixes }) => suffixes.some((suffix) => `.${first}`.endsWith(`.${suffix}`)))
  return known?.playbook ?? { ...GENERIC, operator: first.slice(-64) }
}
