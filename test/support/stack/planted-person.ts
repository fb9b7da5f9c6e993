import { sql } from "drizzle-orm"
import type { Database } from "../../../src/adapters/store/database.ts"
import { packEvidence } from "../../../src/adapters/verification/evidence-codec.ts"
import { createDigests } from "../../../src/domain/accounts/crypto.ts"
import { addressHash, breachDigest } from "../../../src/domain/address/address-forms.ts"
import { parseAddress, type ValidAddress } from "../../../src/domain/address/parse.ts"

export const DIGESTS = await createDigests([
  "a pepper of at least 32 characters",
  "the pepper before, of 32 characters",
])

/** A person whose data is inserted. */
export interface Person {
  readonly email: string
  readonly account: string
  readonly reason?: string
}

/** Inserts a row about a person into every table that can contain one, as normal use of an account does. */
export async function insertPersonRows(
  database: Database,
  { email, account, reason = "manual" }: Person,
): Promise<void> {
  const address = parseAddress(email) as ValidAddress
  const key = email.toLowerCase()
  const { domain, local } = address
  const hash = await addressHash(DIGESTS, address)
  const breach = await breachDigest(DIGESTS, email)
  const sample = await DIGESTS.of("format-sample", `${local.toLowerCase()}@${domain}`)
  const id = `${account}-${crypto.randomUUID()}`
  const found = { address, lists: {}, domain: null, mailbox: { said: `<${email}> is here` } }
  const evidence = JSON.stringify(found)
  const packed = packEvidence(found as never)
  const rows: Readonly<Record<string, Record<string, unknown>>> = {
    results: { address: key, domain, status: "valid", score: 1, evidence: packed, verified_at: 1, expires_at: 1 },
    verifications: {
      account_id: account,
      address: email,
      domain,
      status: "valid",
      score: 1,
      cached: 0,
      checks: evidence,
      created_at: 1,
    },
    verified_addresses: { account_id: account, address: key, domain, verified_at: 1 },
    jobs: {
      job_id: id,
      account_id: account,
      lane: account,
      kind: "upload",
      status: "complete",
      smtp: 1,
      deduplicate: 1,
      created_at: 1,
    },
    job_files: { job_id: id, header: '["mail"]', email_column: 0, rows: 1 },
    job_items: {
      job_id: id,
      idx: 0,
      email,
      domain,
      mailbox: key,
      is_duplicate: 0,
      status: "valid",
      score: 1,
      evidence,
    },
    job_rows: { job_id: id, row: 0, cells: JSON.stringify([email, "x"]), idx: 0, mailbox: key },
    job_chunks: {
      job_id: id,
      chunk: 0,
      after_domain: "",
      after_idx: -1,
      last_domain: domain,
      last_idx: 0,
      state: "done",
      due_at: 1,
    },
    pending_verifications: {
      verification_id: id,
      account_id: account,
      email,
      state: "complete",
      evidence,
      created_at: 1,
    },
    outbound_events: {
      event_id: `evt-${crypto.randomUUID()}`,
      account_id: account,
      type: "verification.completed",
      url: "https://x.test",
      payload: JSON.stringify({ data: { email } }),
      created_at: 1,
      due_at: 1,
    },
    idempotency: {
      request_key: crypto.randomUUID(),
      request_hash: "h",
      body: JSON.stringify({ email }),
      created_at: 1,
      held_until: 1,
    },
    benchmarks: {
      benchmark_id: crypto.randomUUID(),
      account_id: account,
      expected: JSON.stringify([{ email }]),
      created_at: 1,
    },
    rechecks: { address: email, attempt: 0, due_at: 1 },
    suppressions: {
      account_id: account,
      address_hash: hash,
      address: email,
      reason,
      source: `told by ${email}`,
      created_at: 1,
    },
    address_feedback: { account_id: account, address_hash: hash, received_at: 1 },
    feedback: {
      event_key: crypto.randomUUID(),
      account_id: account,
      address_hash: hash,
      domain,
      kind: "received",
      source: "x",
      at: 1,
      recorded_at: 1,
      batch: "b",
    },
    breach_answers: { digest: breach, breaches: "[]", answered_at: 1, expires_at: 1 },
    breached_addresses: { digest: breach, breach: "b" },
    format_samples: { domain, digest: sample, shares: "{}", source: "x", learned_at: 1 },
    site_scrapes: {
      domain,
      outcome: "read",
      pages: 1,
      emails: JSON.stringify([{ email: key }]),
      fetched_at: 1,
      expires_at: 1,
    },
    sign_in_links: { token_hash: crypto.randomUUID(), email: key, created_at: 1, expires_at: 1 },
    accounts: { account_id: account, email: key, created_at: 1 },
    sessions: { token_hash: crypto.randomUUID(), account_id: account, created_at: 1, last_seen_at: 1, expires_at: 1 },
    oauth_grants: {
      code_digest: crypto.randomUUID(),
      state: "approved",
      client_hash: "client",
      name: "laptop",
      scopes: "verify",
      account_id: account,
      interval_seconds: 5,
      created_at: 1,
      expires_at: 1,
    },
    identities: { provider: "google", subject: account, account_id: account },
    api_keys: {
      key_id: `kid-${account}`,
      digest: account,
      pepper_id: "p",
      account_id: account,
      owner_email: email,
      name: "x",
      tier: "free",
      created_at: 1,
    },
    usage: { subject: account, period: "2026-11", used: 1 },
  }
  for (const [table, row] of Object.entries(rows)) {
    const names = sql.join(
      Object.keys(row).map((name) => sql.identifier(name)),
      sql`, `,
    )
    const values = sql.join(
      Object.values(row).map((value) => sql`${value}`),
      sql`, `,
    )
    await database.run(sql`INSERT OR IGNORE INTO ${sql.identifier(table)} (${names}) VALUES (${values})`)
  }
}
