import { reasonOfTitle } from "./suppression-reason.ts"

/** Column indexes of a suppression table, beside those of addresses and domains. -1 for a missing column. */
export type DetailColumns = ReturnType<typeof detailColumns>

/** Titles in lower case, without spaces and signs. Each line has one meaning, the most certain first. */
const REASON_TITLES =
  "reason suppressionreason suppressreason reasoncode bouncereason blockedreason blockreason rejectreason rejectionreason " +
  "unsubscribereason unsubreason optoutreason hardbouncereason removalreason cause grund motif motivo " +
  "bouncetype suppressiontype type bouncesubtype subtype eventtype event eventname kind bouncecategory category " +
  "bounceclassification classification bounceclass status emailstatus suppressionstatus subscriptionstatus state substatus " +
  "error errormessage errorreason bouncemessage bouncedescription smtpresponse smtpreply smtpmessage response reply diagnostic " +
  "diagnosticcode friendlyerrormessage description detail details message " +
  "code errorcode bouncecode smtpcode smtpstatus statuscode enhancedcode enhancedstatus dsncode dsn replycode"
const DAYS_TITLES = "expiresindays expireindays"
const MOMENT_TITLES =
  "expiresat expires expireson expiry expiryat expirydate expirationdate expiration expiredate expireat suppresseduntil validuntil until"
const CREATED_TITLES =
  "suppressedat suppresseddate created createdat createdon creationdate createdate createtime createdtime createddate timestamp datetime date datum fecha dateadded dateofcreation added " +
  "addedat addedon addeddate addtime lastupdatetime lastupdate updatedat bouncedat bouncedate unsubscribedat unsubscribedate unsubtime " +
  "cleantime complaintdate blockedat time eventtime"
const NOTE_TITLES = "note notes comment comments remark remarks"

/** A shorter title also ends others: "Lead status" says nothing about a suppression. */
const SHORTEST_END = 10

/** Finds the columns by the titles that mail providers use. @param titles the header; empty without one */
export function detailColumns(titles: readonly string[]) {
  const names = titles.map(plain)
  const all = (known: string) => known.split(" ").flatMap((name) => (names.includes(name) ? [names.indexOf(name)] : []))
  const first = (known: string) => all(known)[0] ?? -1
  const reasons = [...new Set(REASON_TITLES.split(" ").flatMap((name) => namedAfter(names, name)))]
  const meant = titles.flatMap((title, at) => {
    const reason = reasonOfTitle(title)
    return reason ? [{ at, reason }] : []
  })
  const titled = meant.filter(({ at }) => reasons.includes(at))
  return {
    /** Columns that say why, the most certain first. */
    reasons,
    /** Those whose title is the reason of words without a known meaning, such as "Unsubscribe reason". */
    titled,
    /** Columns whose title is the reason, and whose cells say whether it applies, or since when. */
    flags: meant.filter((one) => !titled.includes(one)),
    source: first("source suppressionsource"),
    days: first(DAYS_TITLES),
    /** When the entry expires. */
    moment: first(MOMENT_TITLES),
    created: first(CREATED_TITLES),
    note: first(NOTE_TITLES),
  }
}

/** Indexes of a title and of longer ones that end with it, such as "Email hard bounce reason". */
function namedAfter(names: readonly string[], title: string): number[] {
  const isDistinct = title === "reason" || title.length >= SHORTEST_END
  return names.flatMap((name, at) => (name === title || (isDistinct && name.endsWith(title)) ? [at] : []))
}

function plain(title: string): string {
  return title
    .slice(0, 100)
    .normalize("NFKD")
    .replace(/[^\p{L}\p{N}]/gu, "")
    .toLowerCase()
    .replace(/(?:utc|gmt)$/, "")
}
