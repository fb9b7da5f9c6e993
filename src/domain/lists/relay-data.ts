import { words } from "../word-table.ts"

/** Alias services that forward to a permanent mailbox. Some public lists wrongly call them disposable. */
export const RELAY_DOMAINS = words(`
  # Apple Hide My Email, Firefox Relay, DuckDuckGo
  privaterelay.appleid.com relay.firefox.com mozmail.com duck.com
  # SimpleLogin and Proton Pass
  simplelogin.com simplelogin.co simplelogin.fr simplelogin.io aleeas.com slmail.me slmails.com 8alias.com 8shield.net
  dralias.com silomails.com passmail.net passmail.com passinbox.com passfwd.com
  # addy.io (AnonAddy)
  anonaddy.com anonaddy.me addymail.com addy.io mailer.me 4wrd.cc
  # Others with accounts behind them
  33mail.com forwardemail.net erine.email alias.email emailalias.io hidemail.app cloaked.id cloaked.email
  relay.cloaked.com shieldedmail.net starmail.net opayq.com blurmail.net ironvestmail.com ivmail.com
  sneakemail.com e4ward.com users.noreply.github.com
  reply.github.com marketplace.amazon.com marketplace.amazon.co.uk marketplace.amazon.de reply.craigslist.org
  hous.craigslist.org sale.craigslist.org serv.craigslist.org
`)
