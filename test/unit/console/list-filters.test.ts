import { expect, test } from "vitest"
import { STATUSES } from "../../../schema/vocabulary.ts"
import { FILTERS, passes } from "../../../src/console/pages/lists/filters.ts"
import { passes as passesInFile, RESULT_FILTERS } from "../../../src/domain/lists/download.ts"

const BOTH = [false, true]
const VERDICT = { subStatus: null, smtpStatus: "accepted", isCatchAll: null, finding: null, reply: null } as const

test("the table of a list shows what a download of the same filter has", () => {
  expect(FILTERS.map(([filter]) => filter).toSorted()).toEqual(RESULT_FILTERS.toSorted())
  for (const status of STATUSES)
    for (const canSend of BOTH)
      for (const isDisposable of BOTH)
        for (const isRole of BOTH)
          for (const isFree of BOTH) {
            const kinds = { is_disposable: isDisposable, is_role_account: isRole, is_free_provider: isFree }
            const lists = { isDisposable, isRole, isFree }
            const shown = FILTERS.filter(([filter]) => passes(filter, { status, can_send: canSend, ...kinds }))
            const saved = FILTERS.filter(([filter]) =>
              passesInFile(filter, { verdict: { ...VERDICT, status }, canSend, evidence: { lists } }),
            )
            expect(shown).toEqual(saved)
          }
})
