/** What the name of a column says about its addresses. */
type NameKind = "exact" | "mail" | "contact" | "others" | "no_address" | "none"

/** Longest column name in characters. A longer text is not a name, and its normalization takes too long. */
const LONGEST = 100
/** Longest name, without spaces and signs, that only contains a word for mail. A note may contain one, too. */
const LONGEST_PHRASE = 40

const words = (text: string) => text.split(" ").map(bareName)

/** Names that are nothing else than an address column, the most certain first. */
const EXACT = words(
  "email emailaddress mail mailaddress correo correoelectronico courriel adressemail adresseemail emailadresse " +
    "mailadresse eposta epost sahkoposti posta address recipient useremail contactemail primaryemail workemail " +
    "businessemail customeremail email1 email1value personalemail emailaddress1 recipientemail subscriberemail to rcpt " +
    "rcptto toaddress toemail почта электроннаяпочта элпочта емейл имейл メール メールアドレス 電子メール 邮箱 电子邮箱 " +
    "电子邮件 邮件 郵箱 電子郵件 電郵 信箱 이메일 이메일주소 메일 전자우편 อีเมล อีเมล์ البريدالإلكتروني بريدإلكتروني אימייל דואל דואראלקטרוני " +
    "ईमेल ηλεκτρονικόταχυδρομείο имейладрес електроннапошта пошта",
)
/** The names in which only an address decides: a postal address, and any posting. */
const AMBIGUOUS = words("address to posta epost recipient")
const RANK: ReadonlyMap<string, number> = new Map(EXACT.map((name, rank) => [name, rank]))
const MAIL = anyOf(
  words(
    "email mail courriel correo correio eposta epost sahkoposti почт пошта メール 邮箱 邮件 郵箱 郵件 電郵 信箱 이메일 메일 전자우편 อีเมล بريد אימייל דואל דואר",
  ),
)
const CONTACT = anyOf(
  words(
    "contact kontakt customer client cliente kunde lead recipient rcpt empfanger destinataire destinatario subscriber " +
      "member guest получатель клиент контакт 顧客 客户 고객",
  ),
)
/** People other than the contacts: who owns, sends, sells or changed something. */
const OTHERS = anyOf(
  (
    "owner sender ^from ^sentby manager salesrep ^rep salesperson ^sales seller agent assign creat updated modif added " +
    "edited referr reply ^mailfrom ^emailfrom ^b?cc staff employee advis consultant operator returnpath bounceaddress " +
    "envelopefrom absender besitzer bearbeiter betreuer zustandig mitarbeiter verkauf vertreter remitente propietario " +
    "vendedor expediteur proprietaire commercial vendeur mittente отправител ответственн менеджер 担当 送信者 差出人 负责人 " +
    "銷售 销售 发件人 담당자 발신자"
  )
    .split(" ")
    .map((word) => (word.startsWith("^") ? word : bareName(word))),
)
/** Facts about an address or a message that are no address. */
const NO_ADDRESS =
  /messageid|^msgid|optin|optout|donot|dont|^no(?:e?mail)|unsub|status|type$|verified|valid|date$|format|consent|permission|^is|^has|hash|md5|count|domain|provider|sent$|opened|clicked/

/** Whether a cell may be a name: one with "@" is an address, unless that is an example in parentheses. */
export function mayName(cell: string): boolean {
  return !cell.includes("@") || !withoutNote(cell).includes("@")
}

function withoutNote(cell: string): string {
  return cell.slice(0, LONGEST).replace(/\([^()]*\)/g, "")
}

/** Judges the name of a column. A cell with a delimiter or a gap names none. */
export function nameKind(name: string | undefined): { readonly kind: NameKind; readonly rank: number } {
  const given = withoutNote(name ?? "")
  const none = { kind: "none", rank: Number.POSITIVE_INFINITY } as const
  if (given.includes("@") || /[,;\t|]|\s{2}/.test(given.trim())) return none
  const plain = bareName(given)
  const rank = RANK.get(plain)
  if (AMBIGUOUS.includes(plain)) return { kind: "mail", rank: EXACT.length + 3 }
  if (rank !== undefined) return { kind: "exact", rank }
  if (plain === "" || plain.length > LONGEST_PHRASE) return none
  if (NO_ADDRESS.test(plain)) return { ...none, kind: "no_address" }
  if (OTHERS.test(plain)) return { ...none, kind: "others" }
  const isContact = CONTACT.test(plain)
  if (MAIL.test(plain)) return { kind: "mail", rank: EXACT.length + (isContact ? 0 : 1) }
  return isContact ? { kind: "contact", rank: EXACT.length + 2 } : none
}

/** The name in lower case without accents, spaces and signs. Syllables of Hangul stay whole. */
function bareName(name: string): string {
  return name
    .normalize("NFKD")
    .replace(/[^\p{L}\p{N}]/gu, "")
    .normalize("NFC")
    .toLowerCase()
}

function anyOf(parts: readonly string[]): RegExp {
  return new RegExp(parts.join("|"))
}

/** Returns unique column names: the names of the file, or "column_2" for a column without a name. */
export function columnNames(named: readonly string[] | null, width: number): string[] {
  const used: UsedNames = new Map()
  return Array.from({ length: Math.max(width, named?.length ?? 0) }, (_, index) =>
    uniqueName(used, named?.[index]?.trim() || `column_${index + 1}`),
  )
}

/** Returns unique names for added columns. A name that the table already has gets a prefix. */
export function addedNames(added: readonly string[], existing: readonly string[]): string[] {
  const used: UsedNames = new Map(existing.map((name) => [name.toLowerCase(), 2]))
  return added.map((name) => uniqueName(used, used.has(name) ? `mailverdict_${name}` : name))
}

/** Names in lower case with the next number to try, because thousands of columns may have the same name. */
type UsedNames = Map<string, number>

/** Returns a free name, with a number when it is taken, and marks it as taken. */
function uniqueName(used: UsedNames, name: string): string {
  const key = name.toLowerCase()
  let number = used.get(key) ?? 2
  let free = name
  while (used.has(free.toLowerCase())) free = `${name}_${number++}`
  used.set(key, number)
  if (free !== name) used.set(free.toLowerCase(), 2)
  return free
}

/** Finds a column by its name or its number from 1. Null when there is none. */
export function columnNamed(wanted: string, names: readonly string[]): number | null {
  const index = names.findIndex((name) => name.toLowerCase() === wanted.trim().toLowerCase())
  if (index >= 0) return index
  const number = /^\d{1,3}$/.test(wanted) ? Number(wanted) : 0
  return number >= 1 && number <= names.length ? number - 1 : null
}
