import { plain } from "./words.ts"

/** Names of mail operators that are not their identifier with a capital letter. A domain name stays as it is. */
const NAMES: Readonly<Record<string, string>> = {
  "all-inkl": "ALL-INKL",
  att: "AT&T",
  au: "au",
  bt: "BT",
  dnsmadeeasy: "DNS Made Easy",
  docomo: "NTT Docomo",
  dreamhost: "DreamHost",
  fireeye: "FireEye",
  forwardemail: "Forward Email",
  forwardmx: "ForwardMX",
  fusemail: "FuseMail",
  gmx: "GMX",
  godaddy: "GoDaddy",
  hey: "HEY",
  hosteurope: "Host Europe",
  hostgator: "HostGator",
  icloud: "iCloud",
  improvmx: "ImprovMX",
  ionos: "IONOS",
  kinghost: "KingHost",
  kpn: "KPN",
  laposte: "La Poste",
  mailbox: "mailbox.org",
  mailchannels: "MailChannels",
  mailguard: "MailGuard",
  mailroute: "MailRoute",
  microsoft365: "Microsoft 365",
  mxroute: "MXroute",
  mxthunder: "MXThunder",
  netease: "NetEase",
  "network-solutions": "Network Solutions",
  nospamproxy: "NoSpamProxy",
  outlook: "Outlook.com",
  ovh: "OVHcloud",
  "perception-point": "Perception Point",
  qq: "QQ",
  sendgrid: "SendGrid",
  sfr: "SFR",
  simplelogin: "SimpleLogin",
  siteground: "SiteGround",
  solarwinds: "SolarWinds",
  spamexperts: "SpamExperts",
  spamhero: "SpamHero",
  sparkpost: "SparkPost",
  startmail: "StartMail",
  transip: "TransIP",
  trendmicro: "Trend Micro",
  "united-domains": "united-domains",
  uol: "UOL",
  "yahoo-japan": "Yahoo Japan",
}

/** The name of a mail operator. @param operator the API's name for it, or a mail host of an unknown one */
export const operatorName = (operator: string): string =>
  NAMES[operator] ?? (operator.includes(".") ? operator : plain(operator))

/** Values of `provider` that are not a name. */
const PROVIDER_WORDS: Readonly<Record<string, string>> = { other: "not a known provider", none: "none" }

export const providerWords = (provider: string): string => PROVIDER_WORDS[provider] ?? operatorName(provider)
