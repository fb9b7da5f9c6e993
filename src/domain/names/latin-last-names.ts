/** Family names in Latin script, folded to ASCII. Merged from lists of many languages in @faker-js/faker (MIT). */
export const LATIN_LAST_NAMES = `
  aalbers abaci abay abbosova abdulazimov abdulhafizov abdulholiqov abdulkarimov abdulqahhorov abdulvaliyev abele
  abiodun aboltina abrego abreu accardi acharya acic acimovic ackermann acquaviva adam adamczak adamek adamiec adams
  adamski adar adasevic adebisi adegoke adelusi adeogun adesina adeyemo adhitama adomah adu affinito afolabi afunku
  agnello agostini aguilar agyapong ahluwalia ahrenberg aiello airlangga ajvazovic akbaba akcay akesson akinci akkaya
  akmalov akramov aksentijevic aksin aktas akyurek alakovic alarcon albano albertyn albrecht alcala aleksandrowicz
  alexa alexander alexandru ali alih aliyev alkhamis almanza aloba alpugan altinel altuntas alyanak aman amaya
  ambrozova amla amorim amrein anaya andelova andersen andic andrade andrejic andresen andrisani anelli angelucci
  anguiano anne antal antalova antonacci antoni antos antwi aparicio appia araja aras araujo ardelean aremu argenio
  arifin armas arnaut arredondo arslan arslanoglu aryal asadova asanin ascione asikoglu askraba aspers aswandi atanda
  atik aubry auer auzina avazyeva avram axelsson aybar aydin ayhan ayomide azamatov azinic baa babacan babatunde babic
  babin babou baca bacher badea badjuk baggio bahl bahriddinov bailey bajcic bajer bak bakare bakircioglu balaban
  balabanovic balaz balazevic balazova balcerzak balderas balestra balint balistreri balkow balmer balog balogun
  baloun baltin banach bandicstimac bani banjac banu baral baran baranova baranski barbato barbieri barela barile
  barisic barnard barone barr barrera barros barta bartczak bartoletti barton bartos bartosek bartosova bartulin
  basara basaran basmaci basta batinicsantic batista battisti bauer bauermeister baur baydar bayer baysoy bech becker
  beckmann becvar bednar bednarek beek beer behrenbruch bejenari bekavac bekmurodyev bektasoglu belenzada bello
  belmonte belojevic belovljev belz bender benesova benitez benova berak berberoglu berg berge berger berglund
  bergrova bergstrom berkyova bernard bernardova bernasconi bernolak bertani bertini berzina beso bester betti beye
  bezuidenhout bhattarai bhengu biagi biancheri bianchi biba bicer biedrzynski bielik bienkowski biglebauer bijl
  bilgen bilolyev bindi birca birkemeyer biro birznieks bisset bittner biyela bjeletic bjelja bjelogrlic bjornstad
  blahova blanc blanckenberg blank blasko blaua blazkova blochwitz blom boadi bobek boburov bocic bode bodea boduroglu
  bogdan bogenrieder bogucki bohge bohm bolat bolm bolukbasi bomestar bona bondarenco bondzic boni bonnet boratav
  borelli borghi bork boros borrego bortolin bos bosanac bosch bosco boshoff boskova bosman bostan botan botnari
  boucher bourrouag boxhammer boyer boz bozdokov bozkir brabcova bradova braga brambilla brandis brandt bratu braun
  brazdil bredenkamp brekke bresciani brezancic brezina brezinova briede brinjak brink brito brits brix brniclevada
  bromfield brozek bruggmann brun brunetti bruns bruyn brzezinski bubenikova bucci buchrucker bucur buder budzinski
  buhlmann bujak bukovska bulat bulgarelli bultmann bunjes burazor bures burger burgos burianova burkhard burkhardt
  buruk buschbaum buss bussmann buthelezi byrtus cabrera cacciatore caforio caiazzo cajzler calame cali calin camacho
  camagic camara cammarata campanini campos can cancellieri canepa cannata cantu capatina capek capkovic capocotta
  cappelletti capriotti cara caradonna carbajal cardinale care carini carloni carlsen carmona carnovale carp
  carrasquillo carrillo carstens carvajal casale casas caserta casper castaldo castelli castro casu catalinac caterino
  cavalic cavalli cavic cavriani cebekhulu cecchetti cedillo celar cele celik cellini cenan cerar cerna cernohorska
  cerullo cervenakova cesare chaloupka champlin chapuis chattopadhyay cherchi cheuk chiaravalle chidozie chiriac chiu
  chmelar cho chong chow christiansen chroma chudoba chvatal ciaccio cibula cibulka cibulkova cicco cierna cieslik
  cihakova cilliers cimerman cingolani ciocco cipanj cirelli cisar ciss ciubotaru cizek claeys cleem cloos cocco
  cojuhari colakovic colella collazo colonna como coniglio conroy cont cook cordero corkery corona coronado corrao
  corsini cortesi coslovich costa costantino cotruta coufalova covalciuc cozma cremin crespi crippa crispino critelli
  cronin cruciata cruz cucciniello cudina cukovic cunha curiel cuzzocrea cvijan cvijic czajka czekaj da daako
  dabkowski dachert dafunic dahl dahm dajlic dalkiran dam damato damico damore danek daniel daniels danilova dankova
  danner dare darteh daub dauth david davidova davila de deak debowski declerck dedijer degis dejanovic dekovic
  delagarza delatorre delia delonge demeter demir demut den denkel der dera deriu deschamps dethloff devetak dhawan
  diack diamanka diattara dicki dieme dietrich dietz dilla dimic dimnjasevic dinca dinh diongue dippl dittmann
  divisova dizdar dlamini dlouha dobbrunz dobler dobrosavljevic docekalova dodon dogan dokoupil dolch dolejsi dolezal
  dolezalova dolovic dombrovskis dominici donati dongen dooley doric dorontic dostal douglas doyle dracic dragan
  dragojlov drakcic drechsler dreissigacker drinic drinjak droppa drozd drvarevic dubashi dube dubska duca duchonova
  duda dudek dudkova dufek dukovac dumanjic dumitrescu dunkova dupont duran durand durisova dusikova dutta dvokic
  dvorakova dyer dzene dzigurski dzodanovic ebert edorh effler eggenmueller egger egli ehmann einert eksioglu elbekova
  elekberova elias eligibile elmurodyev elvina emery enachi engelen eplinius erbulak erdogan erginsoy erlei eronat
  erturk escobar espinosa esteves evangelista evers evola fabian fabiano fabianova fabrizi fahey fajardo faktor falco
  faller fancello fankhauser faraci faresta farkas farkasova farruhov fassbender fava favre fayzbekov febian feest
  fekete felber felici fencl ferenc ferluga fernandez ferrante ferrari ferraro ferreira ferri festuccia fichardt
  ficova fierro figueiredo filice filip filipova filipowski filsinger fink finocchiaro fiorentini fiorini fisbah
  fischer fisher flacco fleischer florczak flore florek floricelovic fluckiger fodor fofana fois foltynova fonseca
  foretay formankova forster foschi fournier frahmeke francesco franciskovic franco franey frank frankowski franzis
  fratila fredriksen freimann frey freymond fridrichova friedli friesen fritsch frydrychova fuchs fucik fuksova fuller
  funk funmilayo furlan furrer fust gabor gaborova gabud gadanski gaetano gagic gahwiler gaina gajdos gajgicmatic gal
  galasso galinac galjak gallegos gama gamlin gamper gangemi garatva garcia garibay garrido gaspar gaspari gassama
  gasser gatzka gavric gavrila gawlik gazi gbadamosi gehrig gehrke gemma gens gerard gerber gerhardt gerritsen geyer
  gherman giaccio giannelli gianotti giehl giger gil gill giordano giovanni giraud gisca giunta glab glavati glodovic
  glozanski gningue godanj goedicke goldkuhle golinelli golomski gomis gonzalez goodwin goran goricanec gorniak
  gottwaldova gowda grabic graczyk graf granados grandjean grau graziano green greenfelder gregor gregorio gregorova
  grezia griego grigore grimaldi grladinovic grodums gros grosskopf grotzinger grube gruber grubrova gruner grygar
  grznar gualtieri guastone guerra guerriero guida guillen guldemeister gulyas gunday gunes gunther gurule gusevac gut
  gutowicz guzik gwozdzik haaf haber habsuda hackett hafliger hafner hahn hajduk hajek hakan halas halilyev halova
  hamalainen hammes hana handayani hane hanizar hanniske hansen hanusova hanzal hanzalova hanzl harber harms harting
  hartman hartmann haryanti hascak hassanah hauck haupt havlicek havranek heaney heck hediger hegerova heijden
  heinonen hejdova hejnova helmke hengmith henriksen henriquez henry hepperle hering herman hermann hermans herms
  herrmann herzenberg herzog hettinger heyden hiebl hill hiltunen hinojosa hirt hladik hlavac hlavacek hlavaty
  hlongwane ho hocke hoeger hofer hoffman hoffmann hofman hoft hohosbabic holas holeckova hollard holm holtfreter
  holub holubova holzner hommel homolova hopland hoppe hora horacek horak horn hornickova horst horvat horvath hossa
  hougaard howard hrabalova hradilova hrbkova hresicdubaic hribar hrncir hromadkova hrubesova hruza hubacek huber
  hubova hudeckova hug hui hulkova humbert hunziker husakova hutasoit hyatt iacono iannello iazzetta ibranovic ierardi
  igov ihtiyorov ilic ilisic ilyosova imronova iodice iorio ippoliti isaac isik isokun istrati ivan ivanova ivanovs
  iwanowski izdebski jacimovic jacobs jacovic jagiello jahn jaimes jakl jakobsen jakolic jakubec jakubowski jambor
  james jamshidova janata jancikova janecek janecic janiak janik janikova janka jankowiak janoska janovsky jansa
  jansen jansova jantosovicova januszewski jaresova jaros jarzabek jasinski jasper javlonov jaworski jechova
  jedrzejczyk jekabsons jelen jelinkova jenicek jensen jeorga jereb jerkov jesus jeusa jevremovic jevtovic jezkova
  jiminez jirakova jirka jirsa johannessen johansen johar john jokanovic jokic joly jonas jonge jorgensen joseph
  joubert juarez jukums jung jungton jurcikova juricova jurik jurikova jurisic jurjevic justesen kabic kacavenda
  kacirkova kaczmarek kaczynski kadlec kadnar kafkova kahles kaiser kaitovic kalabova kalas kalic kalin kalinowski
  kalisz kallensee kalnina kalousova kamara kamenov kaminski kampschulte kandji kanimal kanova kaplan kaplanova
  kapulica kapusta kara karadas karaman karan karas karaskova karban karel karjalainen karlik karlsen karlsson
  karulova kasapoglu kasikovic kasprzak kasterovic kathrada katzinski kaul kautzer kawa kaya kayode kc kedzierski keil
  kekic kelm kemper kenizova kern kessler kette khan khanna khumalu khuzwayo kick kilback kindl kirac kisabaka kiss
  kizivat kladar klapkova klausen kleeberg klein kleinsteuber klerk klimczak klimes kling klocko kloucek kluwe kmet
  knapik knies knorscheidt kobela koc koch kochan kocisova kock kocman kocsis koelpin koenig kofranek koha kohler
  kohout kohs kok kokoskov kolade kolar kolaric kolarova koleiski kolesarova kolman kolokas kolundzicradic komanov
  komarica komatinovic kominkova komnenovic konda konickova konieczny konow koomson kopec kopecny koprivova kordulup
  korkmaz korpas kos kosalec koseoglu kosinski kosowski kostecki kostka kostrec kot kotasova kotowski koubek koudelova
  koutny kovac kovacova kovacs kovalski kovinjalo kowalczyk koya koza kozak kozarac kozic kozlovacki kragl krajcik
  krajewski krajicek krajinovic krajnovic kral kralik kralikova kraljinovic kramer kranz kratky krauel kraus krause
  krcevinac krcmar kregar krejcir krenkova kresse krickovic krievs krisan kristensen kristoffersen krivda krizan
  krkeljic krockert krogh krol kronberga krpovic krstanovic krstivojevic kruger krull krupa krupka krupova kruzevic
  kshlerin kubadova kubec kubesova kubica kubik kubikova kubin kuc kucharczyk kuchta kucova kudlackova kuhar kuhlman
  kuhn kuijpers kuklova kula kulhankova kulinski kumi kunc kunene kung kunicbukovac kunz kupec kuprion kuridza kurkova
  kurrat kurt kurucev kusan kuske kusuma kutlay kuzel kuzucu kvasnicka kwan kwok kysel kyselova la labadie laboy labus
  lach lacman ladewig lai lailasari laine lakatos laketa laksmiwati lam lambert lana landova lang lange langr lanza
  lapsins larsen lascio latal latorre laubscher lauridsen lavickova lazar lazendic lazic lazuardi le leal leannon
  lecca lecomte lefebvre legzdina lehner leibold leist leiwesmeier lelovic lemke lenhard leo leon leoni leppanen lero
  lesch lesiak lestari leuenberger levanic lewke li librizzi lichtenhagen lie lielmane ligorio lin lind linden
  lindgren lindner linke lipari lipka lipski lischka liska liskova lisowski livazovic ljubotina lo locatelli lodi
  logar lohre lolli lomic longoria lopez lorentzen lori loska louda lourenco lovato loy lubina lubinova luca lucas
  luchini lucio ludvikova lugo lukac lukacova lukacs lukasova lukickovanovic lund lundin lupasco luppino lusis luthi
  luzar ly maas macak macchia macgyver machacova machova macko macurova madej madic madsen maestas magdalenic maggio
  maglajic magoza maharani maheswari mai maier maisch majchrzak majka majstrenko makinwa malachovsky malavasi malecki
  malek malicanin malik malinova malizia maltasic mamaliga mamula man manca mandasari manetti mangione manjencic mann
  manolache mansurova manzanares maqsudova marakovic marano marcello marchesi marchi marcinkova marcovecchio mardhiyah
  marek mares maresca mari marian maricevic marin marinescu marinkovic marino mariucci markiewicz markowski markus
  marongiu marquart marrero marsella mart martens martin martinec martinez martino martinovic martucci maryadi marzi
  masala mascarenas mashinini maslanka masopust masson matanic matejicek mathebula matias matiasko matisone matos
  matousova mattern mattsson matula matuszak matysova maurizi mavdudyev maxim mayer mayerova mazankova mazur mazza
  mazzi mazzoni mbatha mbende mcclure mclaren meciar medina medved medvedova mehl mehrotra meier meintjies meksa
  meldere melichar melngaile meloni memoli menclova menegatti menne mensah mensikova mercier merino merseburg mertens
  merz meskuns meszaros metz meyer meylan mhlanga michal michalek michalik michalikova michalova michel michiels micu
  miglio mihailov mihalcea mijatovic mika mikes mikloskova mikula mikulasek mikus milani milea miljanovic miller minac
  minarova miotto miranda mirazizov mirgova mirziyoyeva miskiewicz mitu mladkova mlinar mocanu modise moen moffa
  mohamed mohr moise mojzis mojzisova mokrosova moldovanu molinaro moller molnar molnarova monache monnard montagner
  montanez montemayor montesano moore mora morais morar moravcik morawo moreau moretti mori moro morra mortensen moser
  moslavac mota motchebon mottet moucka moya mraz mrazova mrozek mthembu mthethwa mucavac mucha mueller muhar muinat
  mulas muller munch munda munkas muradbasic murgia murphy musella mustafoyev mustonen muzaffarov myburgh nababan
  nagel nagy nainggolan najmiddinov namboothiri nannen nappi narimonov nasriddinov nasyidah nau nava navarrete nayar
  ncusi ndiaye ndoye neamtu nedbal nedvedova negron nejedly nemcova nemec nemes nemeth nespor neubauer neubauerova
  neumann neumanova newton ngcobo ngubane nguer nguyen niane nicoara nicolas nicolini niculescu niedzwiecki niekerk
  nielsen nienow nijland nilsson nita nitzsche nizomova noack nocerino nojeem norberg normann nosirov novac novak
  novakova novosad nowaczyk nowak nsele ntombela numanoglu nurdiyanti nusratova nwachukwu nxumalo nygaard obeng
  obermaier oblak ocasio oconner odobasic oggiano ogunbiyi ohara oklobdzija oktovian olabode olah olaoluwa olbina
  olimov oliva olivas olivier oliviero olowokeere olsen oltean olugbayila oluwagbemi oluwatosin omobolaji omowale
  ondrova onohinosen oosthuizen oppenheimer oppong opuic orak orbanic orge orlovic orosz orsini orthmann ortiz osei
  osinski osis ostendarp ostrowski otabekova otero otte owczarek oyaifo oyetoro ozansoy ozdenak ozkan ozodova oztuna
  ozturk pacheco paci paden padilla paesler pagano paiva pajtl pala palano palecek palija palladino palmeri palomino
  palumbo pandolfi panek panicker pantoja paoletti paolo papak papp paredes paris parizek parmakovic parrino pasalic
  pasat pascari pasek pasic paskova pasquali pastar pasztor patek patko patriarca patzwahl paukovic paul paunkovic
  pavel pavelka pavlasova pavlikova pavlov pavlovskis pawelec paz pece pechova pecorella pedersen pedrotti pekarova
  pelikan pelikanova pellecchia pena pence penna pepelcevic perego perez perini permata peroutka perrin persa pesce
  peskova pession peter peterkova petit petras petrescu petrini petrova petru petzold pfennig pham phan piaget
  piatkowski picariello piccolo pictet pierini pietro piguet pilat pilatova pillitteri pinheiro pintea pinto
  piorkowski pircher pirvu piscitelli pitinac piva pizarro pjescic placic plamadeala platania plazonjic plemic pletsch
  pluhar podbarac podnar podzina poggi pohl poirier polachova polak polansky polat poli polis polizzi pollina pompei
  ponti popelka popovici porgante portillo pospichalova postiglione potnar poulsen powell poyrazoglu pracharova
  prajapat prasasta pratama prazak preda predovic predragovic prepelita prete prevost pridane prihoda pringle prinsloo
  probst prohaska proietti prokop prosic provenzano pruteanu psenickova puca puga puiu pupak purwadi puspasari putra
  python quartey quinodoz quintanilla quliyev raca racz radijevac radisevic radmanovic radotic radovanov radulic
  raduljeskovic raduski rafidyeva rahimah raifyev rajabova rajsic rak rakova rakovic ramadan ramirez ramos randazzo
  rangen ranz rascanin rashidova rasmussen raspopovic rath ratke rau raucher rautenkranz raxmatullohyev rea rees rehak
  rehor reichel reichling reina reis remy rendon rennich rentz repiska reskovic retzke revenco rey reynoso reznickova
  rica rice richards richter ridolfi riekstins rietmuller rigoni riner riparbelli ritosek ritz riva rizvonyev robak
  roberts robinson rocco rocha rodarte rodriguez rodriquez roger rohan rokossa rollo romancik romanini romeo roob roos
  rosa rosario rose rosenauer rosiak ross rosset rossouw rothenbacher roubal rousseau roux royer rozite rozycki rucco
  rudiger rudzite ruggieri runce rupnik rus rusova rusu ruud ruzicka ruzickova ryan rybar rybarik rybarova rydlova sa
  sabaly sabdat sabolski saccone sadilkova sadriddinova safar safiryeva safranek sagonas sahin saidova sajtos salaj
  salami salcedo salerno sall salohov salvadori salvucci samandarov sambe samkova samolov samuel sanchez sanda sandic
  sando sandor sane sansone santarossa santinelli santori sapienza sarabia sarbu sari sarpong sarvari sasek satner
  saucedo sauer sava savoca savoia sayginer scalzo scarpellini schaefer schaffer scharer schejbal scherbarth scherz
  scheurer schiavon schillaci schindzielorz schlachter schlicht schmid schmidt schmitt schmitz schneider
  schniedermeier schnyder schoen schonberg schonlebe schouren schreiter schroder schuldt schultz schulz schumacher
  schuppel schuster schwab schwartz schwarz schweisfurth schweizer schwuchow scott scutaru sebesta seck sedivy
  sedlarova segavcic sehnal seidlova sejeja seme sen senk senkova sepetci serena serpa serra serzants sethi sever
  sevilla sforza shahriyorov shamsiddinova sherzodova shohibov shukrulloha sibiya sidlova sielemann sietniece
  signorini sikora sikorova silhavy silva silvestrini sima simak simanjuntak simcikova simeoni simin simoes simon
  simoni simonovic simova simsek simurdic sindelarova sinnhuber sipos sirait sirojiddinov sirova siska sithuli
  sivakova skacel skalski skibinski skoczylas skopalova skowron skriniar skrzypek skuterud sladek sladkova slama
  slastan slatinac slavkovic slijepac slobodanovic slota slovak slovakova slowinski smajda smejkalova smetanova
  smiljanec smits smoljanec smrcka smuge snajdrova soares sobitov sobotka sochirca soderberg sokol sokolicmihalak
  sokolowski solc solinas solmaz soltanov soltys somayaji sommer somssich sonnabend sorensen sorgic sorsa sostarko
  souare sousa sow spacil spadoni spano spasenovic spasojevic spelmeyer spiegelburg spinka splichal sporri sprunger
  srb stachura stajhofer stancu stanek stanijanovic stanivukovic stara stascik stastna stastny stauss stefan stefancic
  stefanova stefanski stefl steidl steiner steinerova stejskal stengl stepankova stepanov sterbova stevilovic stief
  stockert stokanovic stoll storl stracke straka strakova stratmann strautins streese streller strmota strogies
  strouhal strzelczyk studena stupka suartini sucevic suchy suffa sukalo sulaymonov sulc sulcova sultonova superina
  surma susak sutakovic suter sutter suvajac suwarno svab svarc svec svehla svehlova svendsen svensson svet svoboda
  svobodova svrbikova swierczynski sykora sykorova sylvester szabo szalai szczerba szekely szekeres szilagyi szwed
  szyszka tacconi tagliaferri takacs talavanic talpa tamas tamba tamez tan tandon tang tanurdzic tar tas tassinari
  tatarkaova taufratshofer tcacenco teicane tekand tekin tellez teovanovic tepper terheiden terry terzi tesar tevdenic
  thiam thiomas thomas thommen thoyana thyssen tidow tikas tiltins tinguely tirri tkaczyk tofan tojic tolomeo toma
  tomankova tomas tomasevicrigo tomazovic tomecek tomei tomko tomkova tomys tonkovac topalovic topolovac tormas torp
  torres torrez toscano toth toto toyipova tran trandafir trautmann travnickova tremmel trevino trikic triskova trojan
  tromp truben truter trzcinski tschirch tubanski tucholke tudose tulla tunaboylu turan turcokova turek turk turkdogan
  tuschmo tvrdik ubavic ubiparip uchqunov udovicki ugarak ugrcic uhrig uliczka ullrich uluhan umidyev unger uram urban
  urbanek urbaniak urbano urblik uribe usai utjesanovic uzelac vaccaro vackova vaculikova vagnerova vaivads vajzenbach
  valachovic valdez valenta valente valentova valenzuela valkova valle vallone valuskova van vancurova vanecek vanek
  vanickova varela varga varma varsava vasakova vasile vasiliu vass vavrikov vecchio veen veinberga vejvodova
  velasquez velioglu venezia venter venturini verdugo veres verme versfeld vesely veum vezzoli vicente vicol
  vidosavljevic vieru vilimek villa villalobos villarreal viluma vincze vinters virag visani viskova visser vitali
  vitina vitolina vitums vlach vlachova vlah vlckova vodak vogel vogelgsang vojacek vojtek vojtisek vokuhl volkman
  volny von vondrackova voracek vorlova vos votavova vracar vracarevic vrbas vrzal vucevac vuckovic vukadin vukelic
  vuksanicpuljek vuletin vunjak vydareny vyskocilova wachtel wagenaar wagner waibel walkowiak walter walton wang
  waschbusch waskita waters weber wegmann weibel weimer weiss weller weniger wershansky wessinghage wezel wicaksono
  widmer wiechmann wierzbicki wikstrom wilk will williams wilts winkelmann winkler wirz wit wittl wojciechowski
  wojtowicz wolf wolff wollenberg wolters wouters wronski wunsch wyman xacon xenia yago yanes yawson yesilkaya
  yildirim yildiz yilmaz yin yoqubov young yuen yung yusufyev zaborowski zaccaro zach zadravec zago zahradka zajac
  zajacova zak zakova zalewski zambrana zamora zanella zanon zapletal zappacosta zaremba zarzycki zavala zaydova
  zboril zdravcevic zec zeidmane zelena zelenka zeltins zemlicka zeravica zgela zhu ziegler ziemelis zika zima zimka
  zimmerman zimova zinajic ziolkowski ziramov zivaljevic zizanovic zmegac zollinger zondi zoubek zubak zubrikova
  zulauf zuma zumsande zungu zurek zurkova zverinova zwane zyla
`
