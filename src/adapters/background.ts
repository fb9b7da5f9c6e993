/**
 * Lets work go on after the answer. All work of a request is registered with the platform as one promise: a `waitUntil`
 * of its own for each costs 0.02 ms of CPU, and a verification has fifteen. Failed work is registered on its own, because
 * the platform logs it.
 * @param waitUntil of the execution context
 */
export function createBackground(waitUntil: (work: Promise<unknown>) => void): (work: Promise<unknown>) => void {
  let running = 0
  let finish = () => {}
  function end(): void {
    if (--running === 0) finish()
  }
  return function background(work) {
    if (running++ === 0) {
      const { promise, resolve } = Promise.withResolvers<void>()
      finish = resolve
      waitUntil(promise)
    }
    work.then(end, (error: unknown) => {
      waitUntil(Promise.reject(error))
      end()
    })
  }
}
