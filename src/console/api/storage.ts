type KeyValueStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">

/** Falls back to memory when the browser's settings forbid storage: reading it then throws. */
function storageOrMemory(open: () => Storage): KeyValueStorage {
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

/** Storage of this tab until it is closed. */
export const tabStorage = storageOrMemory(() => sessionStorage)

/** Storage of the browser, for all tabs. */
export const browserStorage = storageOrMemory(() => localStorage)
