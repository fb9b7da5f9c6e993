/** Runs cron schedules on this machine: workerd does not fire them itself. */
export interface Crons {
  /** Starts no further runs and waits for those under way. */
  stop(): Promise<void>
}

export interface CronOptions {
  /** Five fields each, UTC, as in wrangler.toml. */
  readonly crons: readonly string[]
  readonly run: (cron: string) => Promise<void>
  /** Milliseconds that count as a minute. Tests use fewer. */
  readonly minuteMs: number
}

/**
 * Runs each cron that is due in the present minute: at once, so that nodes are checked when the service starts, and then
 * once a minute. A cron that still runs is not started again.
 */
export function startCrons({ crons, run, minuteMs }: CronOptions): Crons {
  const running = new Map<string, Promise<void>>()
  function runDue(): void {
    const now = new Date()
    for (const cron of crons) {
      if (running.has(cron) || !isDue(cron, now)) continue
      const ended = run(cron)
        .catch(() => undefined)
        .finally(() => running.delete(cron))
      running.set(cron, ended)
    }
  }
  runDue()
  const timer = setInterval(runDue, minuteMs)
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all(running.values())
    },
  }
}

/** Whether a cron is due in this minute (UTC). Supports numbers, lists, ranges, "*" and steps. */
export function isDue(cron: string, at: Date): boolean {
  const fields = cron.split(" ")
  const values = [at.getUTCMinutes(), at.getUTCHours(), at.getUTCDate(), at.getUTCMonth() + 1, at.getUTCDay()]
  return fields.length === values.length && fields.every((field, index) => holds(field, values[index]!))
}

function holds(field: string, value: number): boolean {
  return field.split(",").some((part) => {
    const match = /^(?:\*|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/.exec(part)
    if (!match) return false
    const [, first, last, step] = match
    const from = Number(first ?? 0)
    const to = Number(last ?? (first !== undefined && step === undefined ? first : 59))
    return value >= from && value <= to && (value - from) % Number(step ?? 1) === 0
  })
}
