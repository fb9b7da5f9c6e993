/** Domains that accept mail and must never be corrected. Each group names its source. */
export interface LegitimateGroup {
  readonly source: string
  readonly domains: string
}

export const LEGITIMATE_GROUPS: readonly LegitimateGroup[] = [
  {
    source: "national variants of the global mailbox providers: freemail free.txt, providers' sign-up pages",
    domains: `gmail.com googlemail.com yahoo.com yahoo.co.uk yahoo.fr yahoo.de yahoo.it yahoo.es yahoo.ca yahoo.in yahoo.co.in
      yahoo.co.jp yahoo.com.br yahoo.com.mx yahoo.com.ar yahoo.com.au yahoo.co.nz yahoo.com.sg yahoo.com.ph yahoo.co.id
      yahoo.com.vn yahoo.com.tw yahoo.com.hk yahoo.com.my yahoo.co.th yahoo.gr yahoo.se yahoo.dk yahoo.no yahoo.pl yahoo.ro
      yahoo.ie yahoo.com.tr yahoo.com.co yahoo.cl yahoo.com.pe yahoo.com.ve yahoo.co.za ymail.com rocketmail.com y7mail.com
      hotmail.com hotmail.co.uk hotmail.fr hotmail.de hotmail.it hotmail.es hotmail.be hotmail.nl hotmail.se hotmail.no
      hotmail.dk hotmail.fi hotmail.ca hotmail.ch hotmail.gr hotmail.com.ar hotmail.com.br hotmail.com.mx hotmail.com.tr
      hotmail.co.jp hotmail.co.th hotmail.co.za hotmail.cl hotmail.rs hotmail.my outlook.com outlook.fr outlook.de outlook.it
      outlook.es outlook.pt outlook.be outlook.at outlook.ie outlook.dk outlook.cz outlook.hu outlook.sk outlook.com.br
      outlook.com.au outlook.co.th outlook.co.id outlook.co.il outlook.in outlook.jp outlook.kr outlook.lv outlook.my
      outlook.ph outlook.sa outlook.sg outlook.cl outlook.com.ar outlook.com.tr outlook.com.vn outlook.com.gr live.com
      live.co.uk live.fr live.nl live.it live.be live.de live.ca live.com.au live.com.mx live.se live.dk live.no live.at
      live.ch live.ie live.jp live.cn live.com.ar live.com.pt live.cl live.co.za live.in live.ru live.hk live.com.sg msn.com
      icloud.com me.com mac.com aol.com aol.co.uk aol.de aol.fr aol.it aim.com love.com wow.com games.com verizon.net
      yahoomail.com yahoo.ne.jp yahoo.rs yahoo.com.pk yahoo.com.ua yahoo.com.hr yahoo.co.hu hotmail.at hotmail.ie hotmail.lu`,
  },
  {
    source: "gmx, mail.com, proton, tuta, zoho, fastmail and other services: their own lists of domains",
    domains: `gmx.de gmx.net gmx.at gmx.ch gmx.com gmx.fr gmx.es gmx.co.uk gmx.us gmx.eu gmx.li gmx.info gmx.biz gmx.org web.de
      mail.com email.com usa.com consultant.com engineer.com myself.com post.com iname.com europe.com asia.com writeme.com
      dr.com cheerful.com techie.com linuxmail.org accountant.com musician.org workmail.com proton.me protonmail.com
      protonmail.ch pm.me tutanota.com tutanota.de tuta.com tuta.io tutamail.com keemail.me zoho.com zoho.eu zoho.in
      zohomail.com zohomail.eu fastmail.com fastmail.fm fastmail.net fastmail.org fastmail.us fastmail.co.uk fastmail.de
      fmail.co.uk imap.cc mailhaven.com sent.com hushmail.com hush.com hey.com duck.com pobox.com runbox.com posteo.de
      posteo.net mailbox.org disroot.org riseup.net startmail.com mailfence.com lavabit.com kolabnow.com inbox.com inbox.lv
      inbox.lt inbox.ru mailinator.com simplelogin.com anonaddy.me addy.io mozmail.com mail.ee mail.bg mail.de mail.lv
      email.cz email.it email.de email.ua qmail.com xmail.com ghostmail.com joymail.com bitmail.com prontomail.com
      verizonmail.com eastmail.com fastemail.us fast-mail.org uymail.com foodmail.com liberomail.com jmail.co.za snail-mail.net
      kmail.com.au imail.org pmail.net ukmail.org`,
  },
  {
    source: "access providers of Europe: freemail free.txt and their sign-up pages",
    domains: `btinternet.com btopenworld.com bt.com virginmedia.com virgin.net sky.com talktalk.net ntlworld.com
      blueyonder.co.uk tiscali.co.uk plus.com plus.net o2.co.uk orange.net talk21.com freeserve.co.uk fsmail.net supanet.com
      tesco.net which.net zen.co.uk orange.fr wanadoo.fr free.fr sfr.fr laposte.net laposte.fr neuf.fr bbox.fr numericable.fr
      aliceadsl.fr alice.fr club-internet.fr cegetel.net voila.fr noos.fr 9online.fr t-online.de freenet.de arcor.de
      online.de vodafone.de vodafonemail.de kabelmail.de unitybox.de ewetel.net versatel.de netcologne.de 1und1.de
      libero.it virgilio.it alice.it tiscali.it tin.it fastwebnet.it poste.it inwind.it iol.it tim.it aruba.it blu.it
      telefonica.net terra.es ono.com ya.com orange.es movistar.es euskaltel.net sapo.pt clix.pt netcabo.pt iol.pt mail.pt
      ziggo.nl kpnmail.nl planet.nl hetnet.nl home.nl xs4all.nl casema.nl upcmail.nl chello.nl quicknet.nl online.nl
      zonnet.nl telfort.nl tele2.nl telenet.be skynet.be proximus.be scarlet.be voo.be pandora.be belgacom.net bluewin.ch
      sunrise.ch hispeed.ch aon.at chello.at a1.net wp.pl o2.pl interia.pl onet.pl op.pl poczta.onet.pl poczta.fm gazeta.pl
      vp.pl tlen.pl interia.eu onet.eu seznam.cz email.cz centrum.cz post.cz volny.cz atlas.cz centrum.sk azet.sk zoznam.sk
      pobox.sk freemail.hu citromail.hu t-online.hu indamail.hu abv.bg dir.bg otenet.gr forthnet.gr mail.gr in.gr telia.com
      bredband.net comhem.se spray.se tele2.se bahnhof.se online.no broadpark.no mail.dk stofanet.dk jubii.dk luukku.com
      kolumbus.fi elisanet.fi suomi24.fi saunalahti.fi mail.ru bk.ru list.ru inbox.ru internet.ru rambler.ru yandex.ru
      yandex.com yandex.ua yandex.by yandex.kz ya.ru ukr.net i.ua bigmir.net meta.ua tut.by eircom.net siol.net`,
  },
  {
    source: "access providers and services of the Americas, Asia, Africa and Oceania: freemail free.txt",
    domains: `comcast.net comcast.com verizon.com att.net att.com sbcglobal.net bellsouth.net bellsouth.com charter.net
      spectrum.net cox.net cox.com earthlink.net juno.com netzero.net optonline.net optimum.net rr.com twc.com windstream.net
      frontier.com frontiernet.net centurylink.net centurytel.net embarqmail.com q.com qwest.net suddenlink.net mchsi.com
      cableone.net netscape.net prodigy.net pacbell.net swbell.net ameritech.net snet.net peoplepc.com excite.com lycos.com
      mindspring.com hughes.net wowway.com tds.net rcn.com usa.net rogers.com shaw.ca sympatico.ca telus.net bell.net bell.ca
      videotron.ca cogeco.ca eastlink.ca sasktel.net mts.net uol.com.br bol.com.br terra.com.br ig.com.br globo.com r7.com
      oi.com.br zipmail.com.br globomail.com prodigy.net.mx fibertel.com.ar speedy.com.ar arnet.com.ar ciudad.com.ar
      bigpond.com bigpond.net.au optusnet.com.au iinet.net.au inet.net.au tpg.com.au ozemail.com.au westnet.com.au dodo.com.au
      xtra.co.nz slingshot.co.nz mweb.co.za vodamail.co.za telkomsa.net webmail.co.za qq.com foxmail.com 163.com 126.com
      139.com 189.cn yeah.net sina.com sina.cn sohu.com tom.com 21cn.com aliyun.com naver.com hanmail.net daum.net kakao.com
      nate.com docomo.ne.jp ezweb.ne.jp softbank.ne.jp i.softbank.jp au.com nifty.com biglobe.ne.jp goo.jp excite.co.jp
      rediffmail.com rediff.com indiatimes.com sify.com in.com singnet.com.sg starhub.net.sg netvigator.com pacific.net.hk
      hinet.net seed.net.tw walla.co.il walla.com netvision.net.il bezeqint.net 012.net.il mynet.com superonline.com
      emirates.net.ae`,
  },
  {
    source: "companies and products whose names differ by one or two letters from a provider: their own sites",
    domains: `cloud.com grail.com gm.com gmc.com ge.com ao.com alo.com aoc.com bol.com gol.com sol.com apl.com ola.com
      olive.com lime.com line.me line.com love.com liv.com alive.com livex.com five.com hive.com life.com like.com
      outbrain.com outlook.ai hootsuite.com hubspot.com hotels.com hotjar.com hotwire.com homedepot.com hormel.com
      yahooinc.com yahoo-inc.com yale.edu yamaha.com wahoo.com wahoofitness.com yoohoo.com kahoot.com
      mailchimp.com mailgun.com mailjet.com mailerlite.com mail.mil gmac.com gmu.edu gmt.com gmv.com gamma.com gal.com
      gaia.com gala.com gail.co.in email.arizona.edu comcash.com compass.com concast.com comcastbiz.net concur.com
      coast.com cox.edu max.com mars.com man.com msc.com msci.com mst.com nsn.com man.eu mac-cosmetics.com macys.com
      me.uk meta.com messe.de mae.com mc.com mck.com mckinsey.com orange.com orangecounty.gov blueorange.com range.com
      free.com fee.org freed.com three.co.uk tree.com sfr.com sas.com skynet.com sky.uk sky.de skyline.com ski.com
      veriton.com verisign.com verisk.com horizon.com horizonblue.com vizio.com version1.com
      protonvpn.com proton.ch protolabs.com photon.com neutron.com iclub.com cloudflare.com icloudhospital.com loud.com
      zoom.us zoho.tech zohocorp.com boho.com soho.com yandex-team.ru yango.com index.ru rambus.com gambler.com
      mall.cz mails.ch gmx.tech web.com wed.com webs.com libera.it liberty.it liberoquotidiano.it virgil.com virgin.com
      telenor.com telenor.no telenet.com proximus.com ziggo.com bluewin.com skype.com never.com navex.com navy.mil
      tim.com att.jobs watt.com natl.com note.com sine.com china.com sinaweibo.com tencent.com alibaba-inc.com
      fastly.com fastmail.team fasttrack.com hush.co.uk rocket.com rocketmoney.com internet.com binternet.com
      facebook.com fb.com meta.com google.com googlers.com alphabet.com apple.com amazon.com microsoft.com amc.com usaa.com
      yahoomail.acme.io gmailmail.acme.com jmail.ovh gmial.top`,
  },
  {
    source: "universities, public bodies and organizations (JetBrains swot; their own sites)",
    domains: `harvard.edu mit.edu stanford.edu berkeley.edu ox.ac.uk cam.ac.uk ucl.ac.uk imperial.ac.uk ed.ac.uk ethz.ch epfl.ch
      uzh.ch tum.de lmu.de uni-heidelberg.de sorbonne-universite.fr ens.fr polimi.it unibo.it upm.es ub.edu kuleuven.be ugent.be
      uva.nl tudelft.nl ku.dk lu.se uio.no helsinki.fi mff.cuni.cz uw.edu.pl msu.ru u-tokyo.ac.jp kyoto-u.ac.jp nus.edu.sg
      ntu.edu.tw tsinghua.edu.cn pku.edu.cn hku.hk iitb.ac.in iisc.ac.in usp.br unam.mx uba.ar uc.cl uct.ac.za auckland.ac.nz
      unimelb.edu.au sydney.edu.au utoronto.ca mcgill.ca ubc.ca ibero.mx gial.edu gmu.edu liu.edu liv.ac.uk hull.ac.uk
      yahooligans.com europa.eu ec.europa.eu un.org who.int nato.int oecd.org worldbank.org icrc.org gao.gov nasa.gov nih.gov
      irs.gov state.gov army.mil navy.mil gov.uk nhs.net nhs.uk parliament.uk bund.de bundestag.de gouv.fr admin.ch gc.ca
      gov.au govt.nz go.jp gob.mx gov.br gov.in greenpeace.org amnesty.org wikimedia.org mozilla.org debian.org apache.org
      ietf.org w3.org acm.org ieee.org`,
  },
  {
    source: "mailcheck: its tests and complaints (mailw.com, mac.com), and newer top-level domains",
    domains: `mailw.com kicksend.com company.ai company.io company.app company.dev company.zip company.co company.design
      company.museum example.com example.org example.net example.co example.cn example.gr example.coop example.info
      randomsmallcompany.com con-artists.com gmil.ai startup.so team.xyz agency.studio law.pro photo.gallery shop.store
      news.online me.io web.dev my.name bank.bank doctor.health cafe.coffee hotel.travel artist.art school.academy
      mail.example.com students.example.edu example.co.uk host.localhost host.test host.invalid printer.local intra.corp`,
  },
  {
    source:
      "mail services of the npm packages email-providers and free-email-domains with a name close to a larger one",
    domains: `jmail.ro hmail.us tmail.com tmail.mx tmail.lt tmail.edu.rs gotmail.com gotmail.net gotmail.org vmail.co.il fmail.pw
      5ymail.com coxmail.com gomail.in`,
  },
]
