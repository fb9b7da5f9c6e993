/**
 * Verifies the addresses of a Google Sheet with a Mailverdict service. Paste this file into Extensions > Apps Script of
 * the sheet, save, and reload the sheet: it has a menu Mailverdict then. Row 1 must hold the headers.
 */

/** A run of Apps Script ends after 6 minutes. This leaves time to write. */
const RUN_MS = 4.5 * 60_000
/** A trigger continues after this time, from the start of a run. */
const CONTINUE_MS = 7 * 60_000
const POLL_MS = 5_000
/** Addresses of one list. */
const BATCH = 5_000
const OLD_MS = 30 * 24 * 60 * 60_000
/** Seconds: the longest time that CacheService allows. */
const CACHE_SECONDS = 21_600
/** The columns beside the addresses: the end of a header, after that of the address column, and the value of a result. */
const COLUMNS = {
  status: (result) => result.status ?? "unknown",
  score: (result) => result.score ?? "",
  "can send": (result) => result.can_send ?? false,
  reason: ({ sub_status, did_you_mean }) =>
    [sub_status, did_you_mean && `perhaps ${did_you_mean}`].filter(Boolean).join(", "),
  "checked at": () => new Date(),
}
/** The result of a cell with several addresses. */
const SEVERAL = { status: "invalid_syntax", score: 0, can_send: false, sub_status: "several_addresses" }

function onOpen() {
  SpreadsheetApp.getUi()
    .createMenu("Mailverdict")
    .addItem("Verify the selected column", "verifyColumn")
    .addItem("Refresh results older than 30 days", "refreshColumn")
    .addItem("Stop", "stopWork")
    .addSeparator()
    .addItem("Set URL and key", "setKey")
    .addToUi()
}

/** A result belongs to the address that it was made for, so it goes when that address is edited. */
function onEdit({ range }) {
  const sheet = range.getSheet()
  const headers = headersOf_(sheet)
  const first = Math.max(range.getRow(), 2)
  const rows = range.getLastRow() - first + 1
  const edited = headers.slice(range.getColumn() - 1, range.getLastColumn())
  if (rows < 1 || !edited.some((header) => headers.includes(`${header} status`))) return
  for (const header of edited)
    for (const name of Object.keys(COLUMNS)) {
      const at = headers.indexOf(`${header} ${name}`)
      if (at !== -1) sheet.getRange(first, at + 1, rows, 1).clearContent()
    }
}

/** Stores URL and key for this user. Other editors of the sheet cannot read them. */
function setKey() {
  const ui = SpreadsheetApp.getUi()
  const answers = ["URL of your service, such as https://api.example.com", "API key (mv_live_…)"].map((question) =>
    ui.prompt("Mailverdict", question, ui.ButtonSet.OK_CANCEL),
  )
  if (answers.some((answer) => answer.getSelectedButton() !== ui.Button.OK)) return
  const [url, key] = answers.map((answer) => answer.getResponseText().trim())
  const settings = { url: url.replace(/\/$/, ""), key }
  const account = call_("/auth/me", {}, settings)
  PropertiesService.getUserProperties().setProperties(settings)
  ui.alert(`Connected to the account of ${account.email ?? account.account_id}`)
}

function verifyColumn() {
  start_(0)
}

function refreshColumn() {
  start_(Date.now() - OLD_MS)
}

/**
 * Verifies one address, as `=MAILVERDICT(A2)`. Its column needs two empty ones beside it. The key is that of the owner of
 * the sheet. A stored result costs no credit.
 * @param {string} email The address
 * @return {any[][]} status, score, and whether to send
 * @customfunction
 */
function MAILVERDICT(email) {
  const address = String(email).trim()
  if (address === "") return ""
  const cache = CacheService.getScriptCache()
  const name = digest_(address)
  const cached = cache.get(name)
  if (cached) return JSON.parse(cached)
  // A custom function has 30 seconds.
  const { checks } = post_("/validate", "application/json", JSON.stringify({ email: address, timeout_ms: 20_000 }))
  const row = [[checks.status, checks.score, checks.can_send]]
  if (checks.status !== "unknown") cache.put(name, JSON.stringify(row), CACHE_SECONDS)
  return row
}

/** Begins the work of the selected column, after that of an earlier one. @param before ms; older results are refreshed */
function start_(before) {
  const properties = PropertiesService.getUserProperties()
  if (!properties.getProperty("work")) {
    const sheet = SpreadsheetApp.getActiveSheet()
    const header = headersOf_(sheet)[sheet.getActiveRange().getColumn() - 1]
    if (!header) throw new Error("Row 1 of the selected column has no header. Enter one, such as email.")
    properties.setProperty("work", JSON.stringify({ sheetId: sheet.getSheetId(), header, before, jobId: null }))
  }
  continueWork()
}

/** Verifies list after list until all rows have a result, or until its time is up. A trigger then calls it again. */
function continueWork() {
  const properties = PropertiesService.getUserProperties()
  const work = JSON.parse(properties.getProperty("work"))
  const lock = LockService.getDocumentLock()
  if (!lock.tryLock(0)) throw new Error("Mailverdict is already at work in this sheet. Try again when it is done.")
  const deadlineAt = Date.now() + RUN_MS
  dropTriggers_()
  if (!work) return
  // Before the work, because Apps Script may end a run at any time.
  ScriptApp.newTrigger("continueWork").timeBased().after(CONTINUE_MS).create()
  let isOver = false
  try {
    isOver = workUntil_(deadlineAt, properties, work)
  } catch (error) {
    isOver = error.isFinal === true
    throw error
  } finally {
    if (isOver) dropTriggers_()
    lock.releaseLock()
  }
  const message = isOver
    ? `Each address in ${work.header} has a result.`
    : `Goes on with ${work.header} in the background.`
  SpreadsheetApp.getActive().toast(message, "Mailverdict")
}

/** Forgets the work in progress. Results that were written stay. */
function stopWork() {
  PropertiesService.getUserProperties().deleteProperty("work")
  dropTriggers_()
}

/** @returns whether all rows have a result; false when the time is up, or would be before the end of the list */
function workUntil_(deadlineAt, properties, work) {
  const store = (jobId) => properties.setProperty("work", JSON.stringify(Object.assign(work, { jobId })))
  while (Date.now() < deadlineAt) {
    if (work.jobId === null) {
      const table = readTable_(work)
      const addresses = table ? nextAddresses_(table) : []
      if (addresses.length === 0) {
        properties.deleteProperty("work")
        return true
      }
      store(upload_(addresses))
    }
    if (!waitForList_(work.jobId, deadlineAt)) return false
    const table = readTable_(work)
    // Written before the list is forgotten, so an interrupted run writes again and sends nothing again.
    if (table) write_(table, call_(`/bulk/download/${work.jobId}?format=json`))
    store(null)
  }
  return false
}

/** @returns false when the list ends after the time, by the service's estimate */
function waitForList_(jobId, deadlineAt) {
  for (;;) {
    const { status, estimated_seconds } = call_(`/jobs/${jobId}?limit=1`)
    if (status === "complete" || status === "failed") return true
    if (Date.now() + Math.max(POLL_MS, (estimated_seconds || 0) * 1_000) > deadlineAt) return false
    Utilities.sleep(POLL_MS)
  }
}

/**
 * The rows of the address column with their results. It adds the columns of results that are missing.
 * @returns null for a sheet or column that was deleted meanwhile
 */
function readTable_({ sheetId, header, before }) {
  const sheets = SpreadsheetApp.getActive().getSheets()
  const sheet = sheets.find((one) => one.getSheetId() === sheetId)
  const headers = sheet ? headersOf_(sheet) : []
  const count = sheet ? sheet.getLastRow() - 1 : 0
  if (count < 1 || !headers.includes(header)) return null
  const rangeOf = (name) => {
    if (!headers.includes(name)) sheet.getRange(1, headers.push(name)).setValue(name)
    return sheet.getRange(2, headers.indexOf(name) + 1, count, 1)
  }
  const addresses = rangeOf(header).getValues()
  const ranges = Object.keys(COLUMNS).map((name) => rangeOf(`${header} ${name}`))
  const cells = ranges.map((range) => range.getValues())
  const rows = addresses.flatMap(([cell], index) => {
    const address = String(cell).trim()
    const [status, checkedAt] = [cells[0], cells[cells.length - 1]].map((column) => column[index][0])
    const isOpen = status === "" || new Date(checkedAt).getTime() < before
    return address === "" ? [] : [{ index, address, id: idOf_(address), isOpen }]
  })
  return { rows, ranges, cells }
}

/** Fills the open rows. @param valuesOf returns the values of an address by its id; undefined leaves its rows open */
function fill_({ rows, ranges, cells }, valuesOf) {
  const filled = rows.filter(({ isOpen, id }) => isOpen && valuesOf(id))
  if (filled.length === 0) return
  for (const row of filled) {
    const values = valuesOf(row.id)
    row.isOpen = false
    for (const [column, value] of values.entries()) cells[column][row.index][0] = value
  }
  for (const [column, range] of ranges.entries()) range.setValues(cells[column])
}

/** Copies results to equal addresses. @returns the next open addresses by id, each once */
function nextAddresses_(table) {
  const { rows, cells } = table
  const known = new Map(
    rows.filter(({ isOpen }) => !isOpen).map(({ id, index }) => [id, cells.map((column) => column[index][0])]),
  )
  fill_(table, (id) => known.get(id))
  return [...new Map(rows.filter(({ isOpen }) => isOpen).map(({ id, address }) => [id, address]))].slice(0, BATCH)
}

function write_(table, results) {
  const byId = new Map()
  for (const result of results) byId.set(result.id, byId.has(result.id) ? SEVERAL : result)
  fill_(table, (id) => byId.has(id) && Object.values(COLUMNS).map((read) => read(byId.get(id))))
}

/** Starts the verification of a list. @param addresses by id, which come back with the results. @returns its own id */
function upload_(addresses) {
  const lines = [["id", "email"], ...addresses].map((cells) =>
    cells.map((cell) => `"${cell.replace(/"/g, '""')}"`).join(),
  )
  const csv = lines.join("\r\n")
  // A repeated upload of the same addresses within a day is the same list, without another charge.
  return post_("/bulk/upload?email_column=email", "text/csv", csv, { "Idempotency-Key": digest_(csv) }).job_id
}

const post_ = (path, contentType, payload, headers = {}) =>
  call_(path, { method: "post", contentType, payload, headers })

/** Calls the service. @throws Error with the reason that it gives; `isFinal` when the same call would fail again */
function call_(path, options = {}, settings = PropertiesService.getUserProperties().getProperties()) {
  const { url, key } = settings
  if (!url || !key) throw new Error("Enter the URL of your service and a key first: menu Mailverdict, Set URL and key.")
  const headers = { ...options.headers, "X-API-Key": key }
  const response = UrlFetchApp.fetch(url + path, { ...options, headers, muteHttpExceptions: true })
  const text = response.getContentText()
  const code = response.getResponseCode()
  if (code < 400) return JSON.parse(text)
  const error = new Error(`Mailverdict: ${reasonOf_(text) ?? `the service answers ${code}`}`)
  throw Object.assign(error, { isFinal: code < 500 && code !== 429 })
}

function reasonOf_(text) {
  if (!text.startsWith("{")) return undefined
  const { detail } = JSON.parse(text)
  return Array.isArray(detail) ? detail.map(({ loc, msg }) => `${loc[loc.length - 1]} ${msg}`).join(", ") : detail
}

/** The same for addresses that differ in case only. The service reads no formula in it, and changes nothing. */
const idOf_ = (address) => Utilities.base64EncodeWebSafe(address.toLowerCase(), Utilities.Charset.UTF_8)

const digest_ = (text) =>
  Utilities.base64EncodeWebSafe(
    Utilities.computeDigest(Utilities.DigestAlgorithm.SHA_256, text, Utilities.Charset.UTF_8),
  )

const headersOf_ = (sheet) =>
  sheet.getLastColumn() === 0 ? [] : sheet.getRange(1, 1, 1, sheet.getLastColumn()).getValues()[0].map(String)

function dropTriggers_() {
  for (const trigger of ScriptApp.getProjectTriggers())
    if (trigger.getHandlerFunction() === "continueWork") ScriptApp.deleteTrigger(trigger)
}
