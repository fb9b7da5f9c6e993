const OTHER_LANGUAGES =
  "c clojure csharp dart fsharp http java js julia kotlin node objc ocaml powershell python r rust swift".split(" ")

/** A value that the console stores in this browser. Null without one, and when the browser blocks storage. */
function stored(storage, name) {
  try {
    return window[storage].getItem(name)
  } catch {
    return null
  }
}

// Scalar reads the storage without a guard. Its properties throw in a browser that blocks storage.
function allowBlockedStorage() {
  for (const name of ["localStorage", "sessionStorage"]) {
    try {
      window[name].length
    } catch {
      const values = new Map()
      const getItem = (key) => values.get(key) ?? null
      const setItem = (key, value) => void values.set(key, String(value))
      const removeItem = (key) => void values.delete(key)
      Object.defineProperty(window, name, { value: { getItem, setItem, removeItem } })
    }
  }
}

/** Controls that Scalar leaves without a state or a fitting name for screen readers, and what they lack. */
const INCOMPLETE = [
  ["button[class*='group/copy-button']:not([aria-label])", "aria-label", () => "Copy"],
  [".code-input-lite__editor:not([aria-label])", "aria-label", (field) => field.dataset.placeholder || "Value"],
  // Users of speech input say the text that a button shows, so its name has that text.
  [
    ".show-more[aria-label^='Show all ']",
    "aria-label",
    (button) => button.ariaLabel.replace("Show all", button.textContent.trim()),
  ],
  // The list of variables, which is closed unless Scalar says so.
  [".code-input-lite__editor:not([aria-expanded])", "aria-expanded", () => "false"],
  // The results of the search are always below it.
  ["input[role='combobox']:not([aria-expanded])", "aria-expanded", () => "true"],
]

// Vue leaves attributes alone that it does not set. One that it removes is added again.
function completeControls() {
  let isPending = false
  const complete = () => {
    isPending = false
    for (const [selector, name, create] of INCOMPLETE)
      for (const element of document.querySelectorAll(selector)) element.setAttribute(name, create(element))
  }
  const observer = new MutationObserver(() => {
    if (!isPending) requestAnimationFrame(complete)
    isPending = true
  })
  observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ["aria-expanded"] })
}

const theme = stored("localStorage", "mailverdict.theme")
const apiKey = stored("sessionStorage", "mailverdict.api-key")
allowBlockedStorage()
completeControls()

// Loaded now, because Scalar reads the storage while it loads, too.
const { createApiReference } = await import("/docs/scalar.js")
createApiReference("#reference", {
  url: "/openapi.json",
  theme: "none",
  // The console's choice; by default the browser's.
  ...(theme === "light" || theme === "dark" ? { forceDarkModeState: theme } : {}),
  hideDarkModeToggle: true,
  withDefaultFonts: false,
  hideModels: true,
  documentDownloadType: "direct",
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  // The document has samples for our own clients in JavaScript and Python.
  hiddenClients: {
    ...Object.fromEntries(OTHER_LANGUAGES.map((name) => [name, true])),
    shell: ["httpie", "wget"],
    php: ["guzzle", "laravel"],
  },
  authentication: {
    preferredSecurityScheme: "ApiKey",
    ...(apiKey ? { securitySchemes: { ApiKey: { value: apiKey } } } : {}),
  },
  // Without a key the call is anonymous: the service refuses an empty one.
  onRequestBuilt({ request }) {
    if (request.headers.get("x-api-key") === "") request.headers.delete("x-api-key")
  },
  // Nothing leaves for another host.
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: "never",
  mcp: { disabled: true },
  agent: { disabled: true },
})
