/** Runs cron schedules on this machine: workerd does not fire them itself. */
export interface Crons {
  /** Starts no further runs and waits for those under way. */
  stop(): Promise<void>
}

export interface LocalCron {
  /** What the Worker runs: the cron, or a part of it. */
  readonly name: string
  /** Five fields, UTC: numbers and "*". */
  readonly cron: string
  /** Milliseconds between two looks at whether it is due. */
  readonly everyMs: number
}

/**
 * Runs each cron when it is due: at once, so that nodes are checked when the service starts, and then in its period. A
 * cron that still runs is not started again.
 */
export function startCrons(crons: readonly LocalCron[], run: (name: string) => Promise<void>): Crons {
  const running = new Map<string, Promise<void>>()
  function runIfDue({ name, cron }: LocalCron): void {
    if (running.has(name) || !isDue(cron, new Date())) return
    const ended = run(name)
      .catch(() => undefined)
      .finally(() => running.delete(name))
    running.set(name, ended)
  }
  crons.forEach(runIfDue)
  const timers = crons.map((one) => setInterval(() => runIfDue(one), one.everyMs))
  return {
    async stop() {
      timers.forEach(clearInterval)
      await Promise.all(running.values())
    },
  }
}

/** Whether a cron of numbers and "*" is due in this minute (UTC). Other forms never are. */
export function isDue(cron: string, at: Date): boolean {
  const fields = cron.split(" ")
  const values = [at.getUTCMinutes(), at.getUTCHours(), at.getUTCDate(), at.getUTCMonth() + 1, at.getUTCDay()]
  return fields.length === values.length && fields.every((field, n) => field === "*" || field === String(values[n]))
}
