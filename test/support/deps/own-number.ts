let last = 0

/**
 * A number that no other test of this process has. The suites of a worker share the isolate's memory in src/, so a test
 * that depends on it needs names of its own.
 */
export function ownNumber(): number {
  return ++last
}
