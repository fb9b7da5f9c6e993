/** "1 row", "2 rows", "0 rows". @param plural by default the noun with an s */
export function counted(amount: number, noun: string, plural = `${noun}s`): string {
  return `${amount} ${amount === 1 ? noun : plural}`
}
