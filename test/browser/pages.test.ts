import { readFileSync } from "node:fs"
import { beforeAll, expect, inject, test } from "vitest"
import { newKey, type TestKey, withKey } from "../support/stack/account.ts"
import { call, postJson } from "../support/stack/api.ts"
import { describeInBrowser, SCREENSHOTS } from "../support/stack/browser.ts"
import { CHROMIUM } from "../support/stack/chromium.ts"
import { becomeOperator, CUSTOMER_PAGES, examine, OPERATOR_PAGES } from "../support/stack/console-pages.ts"
import { waitForJobEnd } from "../support/stack/jobs.ts"

test("a browser is installed in CI", () => {
  if (!CHROMIUM) console.log("test/browser: chromium is missing: run scripts/ci-install.sh as root")
  expect(CHROMIUM !== undefined || !process.env.BROWSER_REQUIRED).toBe(true)
})

test("every page of the console is opened here", () => {
  const app = readFileSync(new URL("../../src/console/app.tsx", import.meta.url), "utf8")
  const pages = [...app.matchAll(/^ {2}"?([\w-]*)"?: async \(\) =>/gm)].map(([, step]) => step!)
  const opened = [...CUSTOMER_PAGES, ...OPERATOR_PAGES].map(([path]) => path.split("/")[0]!)
  expect(new Set(opened)).toEqual(new Set(pages))
})

describeInBrowser("the pages of the console", ({ withVisitor }) => {
  let key: TestKey
  beforeAll(async () => {
    key = await newKey()
    const body = {
      emails: ["alice@mailbox.test", "nobody@mailbox.test"],
      webhook_url: `${inject("providerUrls").hooks}/ok`,
    }
    const submitted = await call<{ job_id: string }>("POST", "/validate/bulk/async", withKey(key, postJson(body)))
    await waitForJobEnd(submitted.body.job_id, { "x-api-key": key.secret })
    console.log(`screenshots of the console are in ${SCREENSHOTS}`)
  })

  test("each page of a customer is loaded, accessible and fits", () =>
    withVisitor({ apiKey: key.secret }, async (visitor) => {
      for (const [path, text] of CUSTOMER_PAGES)
        await examine(visitor, { path, text, picture: `page-${path.replace("/", "-")}` })
    }))

  test("each page of the operator is loaded, accessible and fits", () =>
    withVisitor({}, async (visitor) => {
      await becomeOperator(visitor)
      for (const [path, text] of OPERATOR_PAGES)
        await examine(visitor, { path, text, picture: `operator-${path.replace("/", "-")}` })
    }))
})
