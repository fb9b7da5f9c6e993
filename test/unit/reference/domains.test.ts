import { describe, expect, test } from "vitest"
import type { ListClass } from "../../../schema/vocabulary.ts"
import { parseAddress } from "../../../src/domain/address/parse.ts"
import { BUILT_IN, listsWith } from "../../../src/domain/reference/active-lists.ts"
import { classifyAddress } from "../../../src/domain/reference/classify.ts"
import { classifyMxHosts } from "../../../src/domain/reference/classify-by-hosts.ts"
import { FREE_CORE } from "../../../src/domain/reference/free-data.ts"
import { DISPOSABLE_CORE, HONEST_DOMAINS, RELAY_DOMAINS } from "../../../src/domain/reference/reviewed-domains.ts"
import { classesAt, table } from "./classes.ts"

describe("disposable", () => {
  // Each is on at least four public lists of November 2026. Only the first row is in the curated core.
  const KNOWN = table(`
    mailinator.com yopmail.com guerrillamail.com 10minutemail.com trashmail.com temp-mail.org getnada.com maildrop.cc
    0-mail.com 0815.ru 027168.com 0box.eu 10mail.org 123-m.com 1chuan.com 1zhuan.com 20email.eu 2prong.com 30minutemail.com
    3d-painting.com 4warding.com 675hosting.com 6url.com 75hosting.com 9ox.net a-bc.net afrobacon.com
    ajaxapp.net amilegit.com anonymail.dk antispam.de baxomale.ht.cx beefmilk.com bigstring.com bio-muesli.net
    boximail.com brefmail.com bsnow.net bugmenot.com bumpymail.com cosmorph.com cust.in dandikmail.com dfgh.net
    e4ward.net emailias.com emailinfive.com emailwarden.com
    emz.net enterto.com explodemail.com fakedemail.com fastacura.com frapmail.com garliclife.com gelitik.in ghosttexter.de girlsundertheinfluence.com
    haltospam.com hatespam.org hulapla.de imails.info irish2me.com jsrsolutions.com klassmaster.com kulturbetrieb.info
    lortemail.dk maileater.com mailquack.com mailscrap.com mailslapping.com mailtemp.info nincsmail.com noclickemail.com
    s0ny.net sharklasers.com sofort-mail.de tempmail2.com tempalias.com thisisnotmyrealemail.com trbvm.com
    wegwerfadresse.de xyzfree.net`)
  test.each(KNOWN)("%s is disposable", (domain) => {
    expect(classesAt(domain)).toMatchObject({ isDisposable: true, isFree: false, isCorporate: false, isRelay: false })
  })

  test.each(table("00jac.com 10min.email 20minutesmail.com 1secmail.website 1smail.top 123mails.org yomail.edu.pl"))(
    "%s is disposable by a single first-hand list",
    (domain) => expect(classesAt(domain).isDisposable).toBe(true),
  )

  test.each(table("temp-mail.world tempmail.gg 10minute-email.com trashmail.app throwaway.io jetable.email"))(
    "%s is disposable by its name, which lists without a first-hand voice confirm",
    (domain) => expect(classesAt(domain).isDisposable).toBe(true),
  )

  test("every name of the curated core is disposable", () => {
    const missed = [...DISPOSABLE_CORE].filter((domain) => !classesAt(domain).isDisposable)
    expect(missed).toEqual([])
  })

  test("a subdomain of a disposable domain is disposable, a similar name is not", () => {
    expect(classesAt("box7.in.yopmail.com").isDisposable).toBe(true)
    expect(classesAt("mailinator.com.example.org").isDisposable).toBe(false)
    expect(classesAt("notmailinator.example").isDisposable).toBe(false)
  })

  // Frozen: honest domains that standards, peers' issue trackers or public lists call disposable.
  const HONEST = table(`
    zoho.com hushmail.com hush.com duck.com mozmail.com simplelogin.com simplelogin.co anonaddy.com anonaddy.me addy.io
    passmail.net passmail.com passinbox.com passfwd.com relay.firefox.com privaterelay.appleid.com aleeas.com slmail.me
    8alias.com 8shield.net slmails.com forwardemail.net erine.email improvmx.com 163.com 139.com 189.cn tom.com sohu.com
    gmail.com outlook.com yahoo.com icloud.com proton.me protonmail.com pm.me tuta.io tutanota.com hey.com fastmail.com
    consultant.com techie.com dr.com mindless.com mail.com email.com cock.li keemail.me posteo.de mailbox.org riseup.net
    disroot.org mailfence.com startmail.com sify.com rediffmail.com bigmir.net inbox.com latinmail.com freemail.hu c2.hu
    embarqmail.com mail15.com test.com nus.edu.sg stanford.edu ethz.ch github.com users.noreply.github.com example.com
    yandex.com mail.ru qq.com web.de gmx.net t-online.de comcast.net mail2world.com mailinblack.com
    fastmessaging.com mailhaven.com nospammail.net reallyfast.info veryfast.biz sdf.org in-ulm.de aver.com beliefnet.com
    blogs.com myabandonware.com sankakucomplex.com theporndude.com 99.com engie.nl netherlandsandyou.nl reedbusiness.nl
    seftonchamber.org.uk 24hourfitness.com seomoz.org foxwoods.com shoes.com
    feedspot.com stanbondsa.com.au e2estudios.com icon.foundation podatnik.info md5hashing.net ukmail.com`)
  test.each(HONEST)("%s is not disposable", (domain) => {
    expect(classesAt(domain).isDisposable).toBe(false)
  })

  test.each(table("com.ar co.uk github.io web.id msk.ru pp.ua eu.org duckdns.org"))(
    "the public suffix %s is not disposable",
    (suffix) => expect(classesAt(`someone.${suffix}`).isDisposable).toBe(false),
  )

  test("no provider, relay or honest domain is disposable", () => {
    const all = [...FREE_CORE, ...RELAY_DOMAINS, ...HONEST_DOMAINS]
    expect(all.filter((domain) => BUILT_IN.disposable.has(domain))).toEqual([])
    expect(all.filter((domain) => DISPOSABLE_CORE.has(domain))).toEqual([])
  })
})

test.each(
  table(`duck.com mozmail.com relay.firefox.com privaterelay.appleid.com simplelogin.com simplelogin.co anonaddy.com
    jane.anonaddy.me addymail.com passmail.net passinbox.com slmail.me 33mail.com jane.33mail.com forwardemail.net`),
)("%s is only a relay", (domain) => {
  expect(classesAt(domain)).toMatchObject({ isRelay: true, isDisposable: false, isFree: false, isCorporate: false })
})

test.each(
  table(`gmail.com googlemail.com proton.me pm.me protonmail.com hey.com tuta.io tutanota.com fastmail.com yahoo.co.jp ymail.com
    hotmail.fr live.com.au outlook.com.br msn.com icloud.com me.com aol.com gmx.de gmx.at web.de t-online.de freenet.de mail.ru
    bk.ru yandex.ru ya.ru rambler.ru qq.com 163.com 126.com sina.com naver.com daum.net hanmail.net zoho.com mail.com
    orange.fr wanadoo.fr free.fr laposte.net libero.it virgilio.it uol.com.br bol.com.br seznam.cz wp.pl o2.pl interia.pl abv.bg
    ukr.net rediffmail.com comcast.net verizon.net att.net btinternet.com bigpond.com rogers.com shaw.ca nyc.rr.com ziggo.nl
    bluewin.ch telenet.be sapo.pt telia.com luukku.com docomo.ne.jp walla.co.il consultant.com posteo.de mailbox.org
    runbox.eu mykolab.com eclipso.eu inventati.org onmail.com yandex.lv narod.ru chat.ru zen.co.uk tesco.net demon.co.uk
    bredband2.com altibox.no welho.com zeelandnet.nl kabelbw.de sonic.net panix.com xplornet.com eonet.ne.jp
    jcom.home.ne.jp yahoo.ne.jp rdslink.ro cytanet.com.cy uai.com.br intekom.co.za`),
)("%s is free", (domain) => {
  expect(classesAt(domain)).toMatchObject({ isFree: true, isDisposable: false, isRelay: false, isCorporate: false })
})

test.each(
  table(`acme-machines.com siemens.com bmw.de google.com microsoft.com apple.com amazon.com mailchimp.com stripe.com bbc.co.uk
    lemonde.fr toyota.co.jp verizon.com att.com comcast.com orange.com mozilla.org example.com`),
)("%s is corporate", (domain) => {
  expect(classesAt(domain)).toMatchObject({ isFree: false, isDisposable: false, isRelay: false, isCorporate: true })
})

test("a malformed address has no class", () => {
  expect(Object.values(classifyAddress(parseAddress("no-at-sign")))).toEqual(Array(8).fill(false))
})

describe("disposable by mail host", () => {
  test.each([
    ["mail.mailinator.com", true],
    ["SMTP.YOPMAIL.COM.", true],
    ["mx2.den.yt", true],
    ["in.mail.tm", true],
    ["aspmx.l.google.com", false],
    ["mx1.forwardemail.net", false],
    ["mx1.improvmx.com", false],
    ["mx1.simplelogin.co", false],
    ["mx1.privateemail.com", false],
    ["notyopmail.com", false],
  ])("%s: %s", (host, isDisposable) => {
    expect(classifyMxHosts([host]).isDisposable).toBe(isDisposable)
  })

  test("a single disposable host is enough and is reported", () => {
    expect(classifyMxHosts(["mx.example.org", "mx.discard.email"])).toEqual({
      isDisposable: true,
      host: "mx.discard.email",
    })
    expect(classifyMxHosts([])).toEqual({ isDisposable: false, host: null })
  })
})

describe("the operator's overrides", () => {
  const classesByDomain: [string, ListClass][] = [
    ["mailinator.com", "allow"],
    ["acme-machines.com", "disposable"],
    ["good.yopmail.com", "allow"],
    ["gmail.com", "corporate"],
    ["duck.com", "disposable"],
    ["uni.example", "free"],
    ["mx.hoster.example", "disposable"],
  ]
  const lists = listsWith(
    classesByDomain.map(([domain, listClass]) => ({ domain, origin: "operator", class: listClass })),
  )
  test.each([
    ["mailinator.com", "isCorporate"],
    ["a.mailinator.com", "isCorporate"],
    ["acme-machines.com", "isDisposable"],
    ["eu.acme-machines.com", "isDisposable"],
    ["good.yopmail.com", "isCorporate"],
    ["bad.yopmail.com", "isDisposable"],
    ["gmail.com", "isCorporate"],
    ["duck.com", "isDisposable"],
    ["uni.example", "isFree"],
  ] as const)("%s: %s", (domain, expected) => {
    expect(classesAt(domain, lists)[expected]).toBe(true)
  })

  test("apply to mail hosts", () => {
    expect(classifyMxHosts(["mail.mailinator.com"], lists).isDisposable).toBe(false)
    expect(classifyMxHosts(["mx.hoster.example"], lists).isDisposable).toBe(true)
  })

  test("domains fetched since the build are disposable unless allowed", () => {
    const names = ["brand-new-temp.example", "gmail.com"]
    const fetched = listsWith(names.map((domain) => ({ domain, origin: "fetched", class: "disposable" })))
    expect(classesAt("x.brand-new-temp.example", fetched).isDisposable).toBe(true)
    expect(classesAt("gmail.com", fetched).isFree).toBe(true)
  })
})

test.each(
  table(`whitehouse.gov nasa.gov cityofboston.gov army.mil us.af.mil service.gov.uk hmrc.gov.uk gov.uk mail.gov.br
    sat.gob.mx agenciatributaria.gob.es interieur.gouv.fr gouv.fr pref.gouv.ci meti.go.jp city.lg.jp korea.go.kr
    kemenkeu.go.id ird.govt.nz presidencia.gub.uy bmf.gv.at pm.gov.au nsw.gov.au gov.in mea.gov.in moe.gov.sg met.police.uk
    mod.uk nhs.uk guys.nhs.uk forces.gc.ca canada.ca admin.ch bund.de ec.europa.eu gov.pl mf.gov.pl
    ci.austin.tx.us state.ny.us`),
)("%s belongs to a government", (domain) => {
  expect(classesAt(domain)).toMatchObject({ isGovernment: true, isEducation: false, isDisposable: false })
})

test.each(
  table(`stanford.edu cs.stanford.edu cam.ac.uk ox.ac.uk u-tokyo.ac.jp snu.ac.kr iitb.ac.in uct.ac.za univie.ac.at
    sydney.edu.au nus.edu.sg tsinghua.edu.cn usp.br unam.edu.mx metu.edu.tr pw.edu.pl lausd.k12.ca.us kyoto.ed.jp
    univ-lyon1.fr ac-paris.fr uni-heidelberg.de tu-berlin.de ethz.ch epfl.ch kth.se uio.no ku.dk polimi.it
    unibo.it ugent.be tudelft.nl rwth-aachen.de utoronto.ca mcgill.ca`),
)("%s belongs to a school or university", (domain) => {
  expect(classesAt(domain)).toMatchObject({ isEducation: true, isGovernment: false, isDisposable: false })
})

test.each(
  table(`gov.example.com gouv-services.com edu.example.org government.com education.com military.com ac.com gov-uk.org
    mil-spec.com go.com uni.com univ-shop.com state.com gob-mx.com academy.com notgov.uk ac.me.example.net gmail.com`),
)("%s belongs to no institution", (domain) => {
  expect(classesAt(domain)).toMatchObject({ isGovernment: false, isEducation: false })
})
