/** Curated cores of the list classes. */
const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Mailboxes named after a function, not a person: RFC 2142 and everyday use. */
export const ROLE_LOCAL_PARTS = words(`
  abuse accounting accounts admin administrator all billing board careers compliance contact customercare customerservice
  dev editor enquiries everyone feedback finance ftp hello help helpdesk hostmaster hr info inquiries investors it jobs legal
  list-request mail mailer-daemon marketing media news newsletter no-reply noc noreply office operations ops orders
  postmaster press privacy recruiting reception registrar remove root sales security service shop spam staff subscribe
  support sysadmin tech team unsubscribe usenet uucp webmaster welcome www`)

export const FREE_DOMAINS = words(`
  gmail.com googlemail.com yahoo.com yahoo.co.uk yahoo.co.jp yahoo.fr yahoo.de yahoo.it yahoo.es yahoo.co.in ymail.com
  rocketmail.com hotmail.com hotmail.co.uk hotmail.fr hotmail.de hotmail.it hotmail.es outlook.com outlook.fr outlook.de
  live.com live.co.uk live.fr msn.com icloud.com me.com mac.com aol.com proton.me protonmail.com pm.me gmx.de gmx.net
  gmx.com gmx.at gmx.ch web.de t-online.de freenet.de mail.ru bk.ru list.ru inbox.ru yandex.ru yandex.com ya.ru qq.com
  163.com 126.com yeah.net sina.com naver.com daum.net hanmail.net zoho.com zohomail.com fastmail.com hey.com tuta.io
  tutanota.com mail.com orange.fr wanadoo.fr free.fr laposte.net sfr.fr libero.it virgilio.it tiscali.it alice.it uol.com.br
  bol.com.br terra.com.br seznam.cz email.cz wp.pl o2.pl interia.pl onet.pl rediffmail.com comcast.net verizon.net att.net
  sbcglobal.net btinternet.com bigpond.com rogers.com shaw.ca`)

export const DISPOSABLE_DOMAINS = words(`
  mailinator.com guerrillamail.com guerrillamail.net guerrillamail.org guerrillamailblock.com sharklasers.com grr.la
  10minutemail.com 10minutemail.net tempmail.com temp-mail.org tempmailo.com throwawaymail.com yopmail.com yopmail.fr
  yopmail.net getnada.com nada.email maildrop.cc mailnesia.com mintemail.com trashmail.com trashmail.de trash-mail.com
  dispostable.com fakeinbox.com mohmal.com emailondeck.com spamgourmet.com mytemp.email moakt.com discard.email
  mailcatch.com tempinbox.com tempr.email inboxkitten.com burnermail.io`)
