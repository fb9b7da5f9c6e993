import { words } from "./tables.ts"

/** Webmail and internet-provider domains at which anyone can get a permanent mailbox, reviewed by hand. */
export const FREE_CORE = words(`
  # Google, Microsoft, Apple, Yahoo and AOL
  gmail.com googlemail.com
  outlook.com outlook.at outlook.be outlook.cl outlook.co.id outlook.co.il outlook.co.nz outlook.co.th outlook.com.ar
  outlook.com.au outlook.com.br outlook.com.gr outlook.com.pe outlook.com.tr outlook.com.vn outlook.cz outlook.de outlook.dk
  outlook.es outlook.fr outlook.hu outlook.ie outlook.in outlook.it outlook.jp outlook.kr outlook.lv outlook.my
  outlook.ph outlook.pt outlook.sa outlook.sg outlook.sk
  hotmail.com hotmail.at hotmail.be hotmail.ca hotmail.ch hotmail.cl hotmail.co.il hotmail.co.jp hotmail.co.kr
  hotmail.co.nz hotmail.co.th hotmail.co.uk hotmail.co.za hotmail.com.ar hotmail.com.au hotmail.com.br hotmail.com.hk
  hotmail.com.mx hotmail.com.tr hotmail.com.tw hotmail.com.vn hotmail.cz hotmail.de hotmail.dk hotmail.es hotmail.fi
  hotmail.fr hotmail.gr hotmail.hu hotmail.ie hotmail.it hotmail.my hotmail.nl hotmail.no hotmail.ph hotmail.pt
  hotmail.rs hotmail.se hotmail.sg hotmail.sk
  live.com live.at live.be live.ca live.ch live.cl live.cn live.co.kr live.co.uk live.co.za live.com.ar live.com.au
  live.com.mx live.com.my live.com.ph live.com.pt live.com.sg live.de live.dk live.fi live.fr live.hk live.ie live.in
  live.it live.jp live.nl live.no live.ru live.se windowslive.com msn.com msn.cn passport.com webtv.net
  icloud.com me.com mac.com
  yahoo.com yahoo.at yahoo.be yahoo.bg yahoo.ca yahoo.cl yahoo.cn yahoo.co.hu yahoo.co.id yahoo.co.il yahoo.co.in
  yahoo.co.jp yahoo.co.kr yahoo.co.nz yahoo.co.th yahoo.co.uk yahoo.co.za yahoo.com.ar yahoo.com.au yahoo.com.br
  yahoo.com.cn yahoo.com.co yahoo.com.hk yahoo.com.hr yahoo.com.mx yahoo.com.my yahoo.com.pe yahoo.com.ph yahoo.com.pk
  yahoo.com.sg yahoo.com.tr yahoo.com.tw yahoo.com.ua yahoo.com.ve yahoo.com.vn yahoo.cz yahoo.de yahoo.dk yahoo.ee
  yahoo.es yahoo.fi yahoo.fr yahoo.gr yahoo.hr yahoo.hu yahoo.ie yahoo.in yahoo.it yahoo.lt yahoo.lv yahoo.nl yahoo.no
  yahoo.pl yahoo.pt yahoo.ro yahoo.rs yahoo.se yahoo.si yahoo.sk ymail.com ymail.ne.jp rocketmail.com myyahoo.com
  yahoomail.com geocities.com
  aol.com aol.at aol.be aol.ch aol.cl aol.co.nz aol.co.uk aol.com.ar aol.com.au aol.com.br aol.com.co aol.com.mx
  aol.com.tr aol.com.ve aol.cz aol.de aol.dk aol.es aol.fi aol.fr aol.hk aol.in aol.it aol.jp aol.kr aol.nl aol.pl
  aol.ru aol.se aol.tw aim.com games.com love.com netscape.net netscape.com wow.com ygm.com verizon.net cs.com
  compuserve.com
  # Privacy-minded and paid webmail open to anyone
  proton.me protonmail.com protonmail.ch pm.me tuta.io tuta.com tutanota.com tutanota.de tutamail.com keemail.me hey.com
  fastmail.com fastmail.fm fastmail.net fastmail.org fastmail.to fastmail.us fastmail.co.uk fastmail.com.au fastmail.de
  fastmail.in fastmail.jp sent.com messagingengine.com mailfence.com mailbox.org posteo.de posteo.net posteo.eu
  posteo.at posteo.ch startmail.com runbox.com hushmail.com hushmail.me hush.com hush.ai mac.hush.com countermail.com
  kolabnow.com riseup.net disroot.org dismail.de systemli.org autistici.org lavabit.com cock.li vivaldi.net skiff.com onionmail.org
  ctemplar.com soverin.net migadu.com zoho.com zoho.eu zoho.in zohomail.com zohomail.eu zohomail.in neo.com
  ik.me infomaniak.ch etik.com pobox.com bigfoot.com iki.fi mail2world.com bluebottle.com animail.net
  fastmessaging.com mailhaven.com nospammail.net reallyfast.info veryfast.biz mykolab.com kolabnow.ch attorneymail.ch
  barmail.ch journalistmail.ch libertymail.net opengroupware.ch swisscollab.ch swissgroupware.ch switzerlandmail.ch
  collaborative.li cmail.nu onmail.com e.email murena.io eclipso.de eclipso.eu eclipso.email eclipso.ch zaclys.com zaclys.net
  inventati.org paranoici.org cryptolab.net subvertising.org stronzi.org anche.no insicuri.net bastardi.net
  onenetbeyond.org canaglie.net canaglie.org distruzione.org grrlz.net krutt.org logorroici.org so36.net immerda.ch
  aktivix.org espiv.net sdf.org in-ulm.de in-berlin.de
  runbox.no runbox.at runbox.biz runbox.bz runbox.ch runbox.co runbox.co.in runbox.dk runbox.email runbox.eu runbox.is
  runbox.it runbox.ky runbox.li runbox.me runbox.nl runbox.us rbx.email rbx.life rbx.run mailhost.work offshore.rocks
  xobnur.me posteo.com.br
  movemail.com megamail.pt addcom.de mailo.com mailo.eu net-c.com netc.fr netcourrier.com caramail.com caramail.fr lycos.com
  lycos.co.uk lycos.de lycos.fr lycos.es lycos.it lycosmail.com excite.com excite.it inbox.com inbox.eu inbox.lv inbox.lt inbox.ru
  # United Internet: gmx, web.de, mail.com
  gmx.com gmx.de gmx.net gmx.at gmx.ch gmx.fr gmx.es gmx.co.uk gmx.us gmx.eu gmx.info gmx.org gmx.biz gmx.li web.de
  email.de caramail.lycos.fr mail.com email.com usa.com myself.com consultant.com post.com europe.com asia.com iname.com
  writeme.com dr.com engineer.com cheerful.com accountant.com techie.com linuxmail.org uymail.com contractor.net
  lawyer.com activist.com adexec.com allergist.com alumni.com alumnidirector.com angelic.com appraiser.net
  archaeologist.com arcticmail.com artlover.com atheist.com auctioneer.net bartender.net bikerider.com birdlover.com
  blader.com boardermail.com brazilmail.com brew-master.com brew-meister.com bsdmail.com californiamail.com cash4u.com
  catlover.com chef.net chemist.com chinamail.com clerk.com clubmember.org collector.org columnist.com comic.com
  computer4u.com coolsite.net counsellor.com cutey.com cyber-wizard.com cyberdude.com cybergal.com dallasmail.com
  dbzmail.com deliveryman.com diplomats.com disciples.com discofan.com doctor.com doglover.com doramail.com
  dublin.com dutchmail.com elvisfan.com englandmail.com execs.com fastservice.com financier.com fireman.net
  galaxyhit.com gardener.com geologist.com germanymail.com graduate.org graphic-designer.com greenmail.net groupmail.com
  hackermail.com hairdresser.net hilarious.com hiphopfan.com homemail.com hot-shot.com housemail.com humanoid.net
  innocent.com insurer.com instruction.com instructor.net irelandmail.com israelmail.com italymail.com job4u.com
  journalist.com keromail.com kissfans.com kittymail.com koreamail.com legislator.com loveable.com lovecat.com
  mail-me.com mail.org madonnafan.com marchmail.com metalfan.com mexicomail.com mindless.com minister.com mobsters.com
  monarchy.com moscowmail.com munich.com musician.org muslim.com net-shopping.com ninfan.com nonpartisan.com null.net
  nycmail.com optician.com orthodontist.net pacific-ocean.com pacificwest.com pediatrician.com petlover.com
  photographer.net physicist.net planetmail.com planetmail.net polandmail.com politician.com presidency.com priest.com
  programmer.net protestant.com publicist.com qualityservice.com radiologist.net ravemail.com realtyagent.com reborn.com
  registerednurses.com reggaefan.com religious.com repairman.com representative.com rescueteam.com rocketship.com
  safrica.com saintly.com salesperson.net samerica.com sanfranmail.com scientist.com scotlandmail.com secretary.net
  snakebite.com socialworker.net sociologist.com solution4u.com songwriter.net spainmail.com surgical.net swedenmail.com
  swissmail.com teachers.org tech-center.com technologist.com theplate.com therapist.net toke.com toothfairy.com
  torontomail.com tvstar.com umpire.com webname.com whoever.com winning.com witty.com worker.com workmail.com yours.com
  # Germany, Austria, Switzerland
  t-online.de freenet.de arcor.de vodafone.de vodafonemail.de kabelmail.de unitymedia.de online.de 1und1.de o2mail.de o2online.de
  ewetel.net ewe.net htp-tel.de netcologne.de alice-dsl.net alice.de versanet.de onlinehome.de directbox.com emailn.de
  firemail.de smart-mail.de magenta.de mnet-mail.de osnanet.de gmx.tm aon.at a1.net chello.at inode.at kabsi.at
  liwest.at drei.at utanet.at sms.at bluewin.ch sunrise.ch hispeed.ch swissonline.ch freesurf.ch vtxmail.ch
  kabelbw.de teleos-web.de alice-dsl.de mnet-online.de gelsennet.de tele2.de primacom.net telecolumbus.net nexgo.de gmx.cc ewetel.de
  gmx.it gmx.se gmx.ru gmx.cn gmx.ph gmx.co.in gmx.com.br gmx.com.my gmx.com.tr
  # France, Belgium, Netherlands, Luxembourg
  orange.fr wanadoo.fr free.fr laposte.net sfr.fr neuf.fr cegetel.net club-internet.fr bbox.fr numericable.fr noos.fr
  aliceadsl.fr dbmail.com voila.fr hotmail.lu skynet.be telenet.be proximus.be scarlet.be belgacom.net voo.be
  brutele.be base.be ziggo.nl kpnmail.nl kpnplanet.nl planet.nl xs4all.nl hetnet.nl home.nl upcmail.nl chello.nl
  casema.nl quicknet.nl tele2.nl zonnet.nl solcon.nl online.nl telfort.nl wxs.nl hccnet.nl pt.lu internet.lu
  9online.fr libertysurf.fr infonie.fr worldonline.fr tiscali.fr freesbee.fr nordnet.fr evhr.net planetinternet.be
  versatel.be edpnet.be zeelandnet.nl caiway.nl caiway.net wanadoo.nl tiscali.nl multiweb.nl onsbrabantnet.nl
  kabelfoon.nl
  # Italy, Spain, Portugal, Greece, Malta
  libero.it virgilio.it tiscali.it alice.it tin.it tim.it iol.it inwind.it blu.it giallo.it email.it fastwebnet.it vodafone.it
  poste.it teletu.it katamail.com pec.it legalmail.it arubapec.it telefonica.net terra.es ya.com ono.com movistar.es orange.es
  euskaltel.es euskalnet.net sapo.pt iol.pt clix.pt netcabo.pt mail.telepac.pt otenet.gr forthnet.gr hol.gr
  freemail.gr in.gr maltanet.net
  cheapnet.it mundo-r.com telecable.es jazzfree.com jazztel.es vivodinet.gr cytanet.com.cy primehome.com
  # United Kingdom, Ireland
  btinternet.com btopenworld.com talk21.com sky.com virginmedia.com virgin.net ntlworld.com blueyonder.co.uk talktalk.net
  tiscali.co.uk freeserve.co.uk fsnet.co.uk lineone.net orange.net o2.co.uk plus.com plusnet.com mail.co.uk uk2.net
  eircom.net iol.ie indigo.ie vodafone.ie
  cableinet.co.uk fslife.co.uk fsworld.co.uk orangehome.co.uk f9.co.uk zen.co.uk supanet.com madasafish.com tesco.net
  pipex.com onetel.com onetel.net waitrose.com which.net demon.co.uk eclipse.co.uk greenbee.net homecall.co.uk
  bulldoghome.com clara.co.uk clara.net utvinternet.com
  # Nordics, Baltics
  telia.com telia.se spray.se bredband.net comhem.se tele2.se home.se swipnet.se passagen.se ownit.nu bahnhof.se
  online.no broadpark.no getmail.no frisurf.no c2i.net start.no lyse.net jubii.dk ofir.dk tdcadsl.dk mail.dk
  post.tele.dk stofanet.dk webspeed.dk youmail.dk luukku.com kolumbus.fi elisanet.fi saunalahti.fi suomi24.fi sci.fi
  simnet.is visir.is mail.ee hot.ee online.ee apollo.lv one.lt takas.lt
  bredband2.com glocalnet.net brevet.se utfors.se altibox.no nextgentel.no tele2.no chello.no mail.tele.dk cybercity.dk
  youseepost.dk privat.dk pc.dk hafnet.dk welho.com inet.fi nic.fi vortex.is internet.is neti.ee delfi.lt latnet.lv
  # Central and eastern Europe
  wp.pl o2.pl interia.pl interia.eu interia.com onet.pl onet.eu op.pl vp.pl poczta.onet.pl poczta.fm tlen.pl
  gazeta.pl buziaczek.pl spoko.pl autograf.pl go2.pl neostrada.pl opoczta.pl seznam.cz email.cz post.cz centrum.cz
  centrum.sk atlas.cz volny.cz tiscali.cz quick.cz zoznam.sk azet.sk post.sk pobox.sk freemail.hu citromail.hu
  indamail.hu t-online.hu upcmail.hu vipmail.hu c2.hu abv.bg mail.bg dir.bg k.ro home.ro siol.net t-2.net net.hr
  inet.hr t-com.hr optinet.hr eunet.rs sbb.rs ptt.rs open.telekom.rs ukr.net i.ua meta.ua bigmir.net online.ua
  pino.pl hot.pl prokonto.pl plusnet.pl multimo.pl vectranet.pl spoluzaci.cz iol.cz o2active.cz stonline.sk orangemail.sk slovanet.sk
  chello.sk chello.hu fibermail.hu digikabel.hu invitel.hu enternet.hu gbg.bg rdslink.ro upcmail.ro clicknet.ro amis.net
  volja.net telemach.net bnet.hr vip.hr iskon.hr globalnet.hr mts.rs beotel.net orion.rs bih.net.ba tel.net.ba
  # Russia and neighbors
  mail.ru bk.ru list.ru internet.ru yandex.ru yandex.com yandex.by yandex.kz yandex.ua yandex.uz yandex.com.tr
  ya.ru rambler.ru lenta.ru autorambler.ru myrambler.ru ro.ru pochta.ru nm.ru pisem.net mail15.com hotbox.ru land.ru
  tut.by mail.kz nur.kz xmail.ru qip.ru vk.com sibmail.com
  yandex.fr yandex.az yandex.co.il yandex.com.am yandex.com.ge yandex.ee yandex.kg yandex.lt yandex.lv yandex.md yandex.tj
  yandex.tm narod.ru rambler.ua r0.ru fromru.com pop3.ru smtp.ru chat.ru e1.ru ngs.ru
  # North America
  comcast.net xfinity.com att.net sbcglobal.net bellsouth.net ameritech.net pacbell.net swbell.net snet.net flash.net
  prodigy.net nvbell.net wans.net worldnet.att.net cox.net charter.net spectrum.net twc.com rr.com roadrunner.com
  brighthouse.com bresnan.net optonline.net optimum.net suddenlink.net earthlink.net mindspring.com netcom.com juno.com netzero.net
  netzero.com frontier.com frontiernet.net windstream.net centurylink.net centurytel.net embarqmail.com embarq.net q.com
  qwest.net tds.net mediacombb.net cableone.net sparklight.net wowway.com rcn.com gci.net hawaii.rr.com hughes.net
  ptd.net zoominternet.net atlanticbb.net consolidated.net fuse.net gte.net myfairpoint.net peoplepc.com insightbb.com
  adelphia.net rogers.com bell.net bell.ca sympatico.ca shaw.ca telus.net cogeco.ca cogeco.net videotron.ca eastlink.ca
  elpasotel.net gulftel.com mebtel.net grics.net coastalnow.net cswnet.com kelcom.net currently.com wmconnect.com metrocast.net fairpoint.net localnet.com nni.com toast.net penn.com hargray.com knology.net
  sonic.net speakeasy.net speakeasy.org pacific.net cruzio.com well.com panix.com eskimo.com nwlink.com blarg.net
  drizzle.com oz.net execulink.com xplornet.com xplornet.ca northwestel.net accesscomm.ca tbaytel.net wightman.ca look.ca
  uniserve.com dccnet.com
  sasktel.net mts.net mymts.net nb.aibn.com nbnet.nb.ca nl.rogers.com teksavvy.com primus.ca gmail.ca
  # Latin America
  uol.com.br bol.com.br terra.com.br ig.com.br globo.com globomail.com r7.com oi.com.br zipmail.com.br superig.com.br
  ibest.com.br pop.com.br click21.com.br prodigy.net.mx terra.com.mx live.com.co terra.com.co une.net.co etb.net.co terra.cl vtr.net
  entelchile.net fibertel.com.ar ciudad.com.ar arnet.com.ar speedy.com.ar terra.com.ar cantv.net adinet.com.uy
  veloxmail.com.br brturbo.com.br uai.com.br infinitummail.com cablevision.net.mx telmexmail.com telecentro.com.ar
  vera.com.uy latinmail.com starmedia.com
  # China, Hong Kong, Taiwan
  qq.com vip.qq.com foxmail.com 163.com vip.163.com 126.com vip.126.com yeah.net 188.com 139.com 189.cn wo.cn sina.com
  sina.cn vip.sina.com sohu.com vip.sohu.com tom.com 21cn.com 263.net aliyun.com eyou.com china.com netvigator.com
  hongkong.com pchome.com.tw hinet.net msa.hinet.net seed.net.tw
  263.net.cn chinaren.com hkstar.com ctimail.com url.com.tw giga.net.tw so-net.net.tw
  # Japan, Korea
  docomo.ne.jp ezweb.ne.jp au.com softbank.ne.jp i.softbank.jp vodafone.ne.jp nifty.com biglobe.ne.jp ocn.ne.jp
  so-net.ne.jp dion.ne.jp plala.or.jp excite.co.jp goo.jp infoseek.jp naver.com hanmail.net daum.net kakao.com nate.com
  korea.com dreamwiz.com paran.com empas.com
  nifty.ne.jp eonet.ne.jp zaq.ne.jp jcom.home.ne.jp asahi-net.or.jp hi-ho.ne.jp wakwak.com tiki.ne.jp sannet.ne.jp
  iij4u.or.jp iijmio-mail.jp mopera.net miobox.jp broba.cc wind.ne.jp gunmanet.ne.jp cty-net.ne.jp dcn.ne.jp hal.ne.jp
  janis.or.jp jet.ne.jp mnet.ne.jp commufa.jp livedoor.com rakumail.jp uqmobile.jp mineo.jp ymobile.ne.jp yahoo.ne.jp wcm.ne.jp pdx.ne.jp willcom.com
  emobile.ne.jp disney.ne.jp hanmir.com chol.com freechal.com hitel.net
  # South and south-east Asia, Oceania
  rediffmail.com rediff.com sify.com indiatimes.com in.com vsnl.com vsnl.net sancharnet.in bsnl.in airtelmail.in singnet.com.sg
  starhub.net.sg pacific.net.sg streamyx.com tm.net.my pldtdsl.net plasa.com telkom.net vnn.vn bigpond.com
  bigpond.net.au bigpond.com.au telstra.com optusnet.com.au iinet.net.au tpg.com.au internode.on.net dodo.com.au
  westnet.com.au aapt.net.au ozemail.com.au adam.com.au xtra.co.nz clear.net.nz ihug.co.nz orcon.net.nz slingshot.co.nz
  paradise.net.nz vodafone.co.nz
  dataone.in eth.net jaring.my time.net.my cbn.net.id indosat.net.id centrin.net.id loxinfo.co.th ksc.th.com truemail.co.th
  activ8.net.au spin.net.au grapevine.com.au chariot.net.au actrix.co.nz snap.net.nz inspire.net.nz farmside.co.nz
  kol.co.nz maxnet.co.nz woosh.co.nz
  # Middle East, Africa
  mynet.com superonline.com ttmail.com turk.net walla.co.il walla.com netvision.net.il bezeqint.net 012.net.il
  maktoob.com emirates.net.ae eim.ae batelco.com.bh qatar.net.qa saudi.net.sa mweb.co.za telkomsa.net vodamail.co.za
  webmail.co.za absamail.co.za iafrica.com polka.co.za menara.ma caramail.com.tn topnet.tn planet.tn
  lantic.net worldonline.co.za cybersmart.co.za axxess.co.za intekom.co.za iam.net.ma gnet.tn djaweb.dz tedata.net.eg
  013.net barak.net.il actcom.co.il awalnet.net.sa cyberia.net.lb idm.net.lb nets.com.jo
`)
