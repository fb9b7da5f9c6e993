/**
 * The lease of running work: jobs, syncs, rechecks. Two renewals may fail before it ends. Short, because the work of a
 * Worker that crashed continues this long after its last renewal.
 */
export const RUN_LEASE = { ms: 15_000, renewEveryMs: 5_000 } as const
