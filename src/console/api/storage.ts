type Kept = Pick<Storage, "getItem" | "setItem" | "removeItem">

/** Where the browser is told to keep nothing, to look at its storage throws; then memory serves until the page is left. */
function kept(open: () => Storage): Kept {
  try {
    const storage = open()
    storage.getItem("")
    return storage
  } catch {
    const memory = new Map<string, string>()
    return {
      getItem: (name) => memory.get(name) ?? null,
      setItem: (name, value) => void memory.set(name, value),
      removeItem: (name) => void memory.delete(name),
    }
  }
}

/** Kept by this tab until it is closed. */
export const tabStorage = kept(() => sessionStorage)

/** Kept by the browser, for all tabs. */
export const browserStorage = kept(() => localStorage)
