/** A time limit that can begin again. */
export interface TimeLimit {
  readonly signal: AbortSignal
  begin(): void
  /** Must be called at the end: a running limit keeps the process alive. */
  end(): void
}

export function createTimeLimit(ms: number): TimeLimit {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = () => clearTimeout(timer)
  return {
    signal: controller.signal,
    begin() {
      end()
      timer = setTimeout(() => controller.abort(new DOMException(`nothing within ${ms} ms`, "TimeoutError")), ms)
    },
    end,
  }
}
