import { existsSync } from "node:fs"

/** The headless shell is the same engine without the interface of a desktop: the suites need half of the processor time. */
const PATHS = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
]
/** The browser of this machine; scripts/ci-install.sh installs Debian's. */
export const CHROMIUM = [process.env.CHROMIUM_PATH ?? "", ...PATHS].find((path) => path !== "" && existsSync(path))
