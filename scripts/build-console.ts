import { fileURLToPath } from "node:url"
import { build } from "vite"

/** Where the Worker serves the console. */
const CONSOLE_PATH = "/console/"

/** Builds src/console for browsers. Everything it loads is in the folder; the names of files say what is in them. */
export async function buildConsole(outDir: string): Promise<void> {
  await build({
    configFile: false,
    root: fileURLToPath(new URL("../src/console", import.meta.url)),
    base: CONSOLE_PATH,
    logLevel: "warn",
    // For production wherever it is built: left alone, NODE_ENV would decide what comes out.
    oxc: { jsx: { development: false } },
    build: {
      outDir,
      emptyOutDir: true,
      target: ["chrome123", "firefox120", "safari17.5"],
      // Small files too are files: the page's content security policy is simpler so.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
    },
  })
}
