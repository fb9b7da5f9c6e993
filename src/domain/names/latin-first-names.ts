/** First names in Latin script, folded to ASCII. Merged from the name lists of many languages in @faker-js/faker (MIT). */
export const LATIN_FIRST_NAMES = `
  aadi aaliyah aaron aaryan aba abayomi abby abdon abdul abdulhafiz abdullah abdussamad abe abel abelard abelardo
  abigail abigale abimbola abraham absar achil achille ada adalardo adalbert adalberta adalberto adam adan adar
  addison ade adedayo adel adela adelaida adelaide adelajda adele adelin adelina adeline adem adheesh adi adil adina
  aditeya aditya adolf adolfo adonis adrastee adriaan adrian adriana adriano adrien adrienne adrijana affan afra
  agamennone agata agaton aglae agnane agnes agnesa agustin agustina ahalya ahmad ahmed ahmet aida aiden aileen aimee
  aisha aissa ajlin akca akkunlu akos aksel aktimur al ala alade alain alambana alan alana alba alban albert alberta
  alberte albertina alberto albin albina albino alcibiade alcide alda aldo aldric alea alec alejandra alejandro aleksa
  aleksander aleksandra alena alenka ales alessa alessandra alessandro alessia alessio alex alexa alexander alexandr
  alexandra alexandre alexandrea alexandrine alexanne alexej alexia alexis aleyna alfons alfonsa alfonso alfred
  alfreda alfredo ali alia alica alice alicia alida alima alina aline aliou alisa alisha alissa aliya aliyah alize
  alka alkis allegra allen alma alois alojz alojzije alparslan alpertunga alptutuk altintamgan alva alvin alvina alya
  alyce alyssa alzbeta amalia amalie amalija amalthee amanda amar amara amata amath amaya amber ambra ambroz amelia
  amelie ameline ami amie amin amina aminu amir amira amos amrak amy ana anabel anabela anais anamarija anamika anar
  anastasia anastasija anastazija anatol anatoli anatolie anda andel andela andelin andelina anders andjelina andras
  andre andrea andreas andrej andreja andres andrew andrija andrina andy aneta anezka angel angela angelica angelina
  angeline angelique angelo anghelina angie ani anica anika anil anish anita anja anka ann anna annabel annabell
  annabelle annamaria anne anneli annelie annette anni annie annika anouk ansberte antea antero anthony antide
  antigone antoine antoinette anton antonella antoni antonia antonie antonin antonina antonio antwon apollinaire
  apollo ara araceli arademir aram arcadie archibald archimede arda argo ari ariadna arian ariana ariane arianna ariel
  arielle arikdoruk arin aris aristide arjun armand armando armida armide armin arnaldo arne arno arnold aron arpad
  arrigo arsenie artanto artemisa arthur artur arturo arun arvid arwen arya asa asel ashley asia asimodeo asja assunta
  astalogul astrid astrida asya ataleo atif atila atmaja atreyi attila audra audrey august augusta augustin augustina
  augustine aura aurel aurelia aurelian aurelie aurelio auriane aurora aurore ava avdal axel axelle axinte ayan ayana
  ayaz ayden aygirak ayinde ayla aylin ayman aymardine aynur ayten azgan aziz azra babawale baga bahadir bakhtiyor
  bala baladitya balgopal bancar baran barbala barbara barbora bardomiano baris barnabas barno bart bartolomej barton
  basilisse battal batuhan baydar bayruk beata beatrice beatriz beau beaulah begdemir behram behruz bek bela belina
  belinda bella ben benedikt benedita beniamin benito benjamin bennett bennie benny bent bente berat berend berenice
  berit berkay bernadette bernard bernarda bernardo bernhard bernice berta bertolfo bertram bertrand betina bettie
  betty bhagirathi bhekumbuso biagio bianca bianka bibiana bilal bilgeisbara billy bilol birino bjorn blahoslav blaise
  blanca blanche blandine blanka blazej blazena bo bob bobbie bobby bogdan bogdana bogde bohdan bohdana bohumil
  bohumila bohumir bohus bohuslav bohuslava bojan bojana bolen boleslav bongulboga bonifac bora boris borka boroka
  boyankulu bozena bozica bozidar bozidara bradley braeden brando brandon branimir branimira branislav branislava
  branka brankica branko branson brayan brenda brent bret bria brian brice bridgette brigita brigitta brigitte britt
  bronislav bronislava bruce bruna bruno bryan buchi bucur budimir buge bulan burak bure butak cabus cahid caio
  caitlin caleb calista calvin camelia cameron camila camilla camille camren can candida candido cannur cara carina
  carl carla carleton carlo carlos carlota carlotta carmela carmelo carmen carmine carol carolina caroline caronte
  casandra caslav casper cassandra cassandre cassidy cataleya catalina caterina catharina catherine catrinel cecil
  cecile cecilia cecilie cecyliusz cedric cedrik celeste celestin celestine celia celina celine cem cemali cesar
  cestmir ceyda ceyla ceylin cezar chaim chandra chandraayan chantal chapala charlene charles charlie charlotte chase
  chaturaanan chelsea chelsey chetan cheyenne chiara chinyere chloe chris christa christelle christer christian
  christiane christin christina christine christophe christopher chyna cihan cimen cindy cistoslav claire clara
  clarence clarissa claude claudia claudine claudio claus clemens clement clemente clementina clementine cleo
  cleopatra cleveland clotilde clovis cocukboru colin colleen collin colombano concepcion conner connor conrad
  constanca constance constantin cora coralie cordelia corentine corinna corinne cornelia corvin cosima coskuner craig
  crescente cristian cristiana cristiano cristina cristobal crystel ctibor cupido curt cyprian cyril cyrus dabiziv
  dado dagmar dagmara dahlia daiana daisy dale dalia dalibor dalibora daliborka dalida dalila dallas damaris damian
  damiana damien damilola damir damjan damla damon dan dana danica daniel daniela daniele danielle danijel danijela
  danilo daniswara danka danny dante danu daphne dara daria darian dariana darie darija darina darinka dario darius
  darja darko darren darrick dasa dave daver davi david davide davin davor dax dayaananda de dea dean deanna debbie
  debora deborah deepan defne dejan dejuan delfina delia delphine demarcus deneval denis denisa denise deniz dennis
  derek derrick desdemona destiny devi devin devonte dewi dezider dhanu diana diane diarra dicle didier diego digdaya
  dilan dilara dildar dilmurod dimitri dina dinkar dino dion dionyz dipesh divna diyor dobromila dobroslav dobroslava
  doda dolores domenic domenica domenico dominic dominik dominika dominique domnica don donald donat donata donato
  donna donny dora dorian dorica dorina doris dorota dorotea doroteja dorothea doug draga dragutin drahomir drahomira
  drahoslav drahoslava drazen druina dua dubravka dulce dulcinea dunja durgeshwari dusan dusana dustin dwaipayana
  dylan earl ebba ebiowei eda eddie eddy eden edgar edgardo edison edita edith edmond edmund edna eduard eduarda
  eduardo edvard edvin edvins edward edwin efe efrain efrem egona eileen ekim ela elaine elda eldridge elea eleanor
  eleazar elena eleni eleonora eleonore elfrida eli elia eliah elian eliana eliane eliano elias elif eligio elijah
  elin elina eline elio elisa elisabeth elise eliseo eliska eliza elizabeta elizabeth ella ellen elli ellie elliot
  ellis elmira elmo elnare elnur elodie eloisa eloise elsa else elvera elvira elvis elza ema emanoil emanuel emanuela
  emelie emely emidio emil emile emilia emilian emiliano emilie emilija emilio emily emin emir emma emmanuel
  emmanuelle emmy emory emre ena enea enes eniola ennio enrico enrique ensar enya enzo eralp eray erdal erel eren
  eriberto eric erica erich erick erik erika erkki erna ernest ernestine ernesto ernst eron ervin erwin eshana esma
  esmeralda esperanza esra esteban estefania estela estella estelle ester estera esther esupofo etela ethan ethel
  etienne eufebio eugen eugene eugenia eugenie eulalia eulalie eusebia eusebie eusebio eusebius eva evan evangeline
  evariste eve evelin evelina eveline evelyn evelyne everardo evie evin evremondo eymen ezequiel ezra fabian fabiana
  fabiano fabien fabienne fabio fabiola fabrice fahrunissa fanny farah fardau fatima fatma faustina fausto fay faye
  febe federico fedor fedora felicia feliciano felicie felicita felina felipe felix femke ferdinand ferdinanda
  fernanda fernando ferruccio fidan fidel fien fikret filemon filiberto filip filipa filippa filippo filomena finia
  finja finley finn finnley fiona flaminia flavia flavie flavio fleur flora flore florence florencia florentin
  florentina florian floriana florina florine flurin flynn foster franc francesca francesco francis francisca
  francisco franco francois francoise frank frankie franklin frantisek frantiska franz frederic frederick frederik
  frederique fredrik fredy freya frida fridolin frieda friedrich fritz frontiniano fureyya furkan fynn gabin gabino
  gabriel gabriela gabriele gabriella gabrielle gabrijela gael gaetano gagan gaia galdino galina gandewa garett gaspar
  gaspare gaston gautami geanina gedeon gejza gemma general genevieve gennaro georg george georges georgette georgia
  georgiana georgije gerald geraldine gerard gerardo gerda gerhard gerharda germaine german gerrit gertruda gertrude
  ghanashyam ghita gia giacomo giada gian gianluca gianni giap gideon gilbert gilberto gilda gilles gina ginevra gino
  gioele gioia giorgia giorgio giovanna giovanni giovanny gisela gisella gita giulia giuliana giuliano giulio giuseppe
  gizela gleb glen glenda glenn glennie gloria golda gonzalo gopal goran gordan gordana gordon goutam grace gracie
  graciela grant graziana gregor gregorio greta grgur grimaldo griselda guadalupe gudrun guher guido guillermo
  gulbahar gulcin gulegen guler gulumser gun gunay gunnar gunseli gust gustav gustave gustavo guvenalp guy gwen habib
  hadi hafid hailey hakan halie halil halim halima hamza han hana hani hanna hannah hanne hannes hans haralamb harald
  hari harold harrison harry harvey hasan hasim hassan hattab hayley hazar hazel hector heidi heinz helen helena
  helene helga helin helmut heloise hendrik henri henrieta henriette henrik henrike henry herbert herman hermann
  hermina hermine herta heval hilbert hilda hildegard hira hiranya homer homero horacio hortense horymira huan hubert
  hugo hulya huner husrev iacopone ian ibra ibrahim ida idris idrissa ignac ignacio ignacy ignazio igor ihsan ila
  ilaria ilarie ilarion ilay ilayda ileana ilenia ilia iliana ilias ilie ilija ilja ilona ilsa ilyas ilyos imani
  imelda imke immanuel imran ina inara incoronata indira indra ines inesa inez inga ingrid ingrida inka innocenty
  iolanda ionica ira irem irena irene irfan iride irina iris irma irvin isa isaac isabeau isabel isabela isabell
  isabella isabelle isac isadora isaiah isaias isak isidora isioma ismael ismail israel italia iva ivan ivana ivanka
  ivanna ivano ivar iveta ivica ivo ivona ivy iza izabela izabella izidor izolda jace jacek jacinthe jack jackie
  jackson jacky jacob jacobus jacqueline jacques jada jade jaden jadranka jadranko jaeden jaga jailyn jaime jairo jake
  jakob jakov jakub jale jamal jamar james jamie jamil jamila jan jana jane janet janica janina janine janis janka
  janko janna janne jannik jannis janosch jara jared jari jarmil jarmila jarne jarolim jaromir jaron jaroslav
  jaroslava jasen jasmijn jasmin jasmina jasmine jasna jason jasper javier jay jaya jayce jayda jayde jayden jaylen
  jayson jazmin jean jeanette jeanie jeanne jela jelena jelica jelita jenna jennifer jenny jens jeppe jerel jeremiah
  jeremias jeremie jeremy jermaine jerome jesper jess jesse jessica jessie jesslyn jessy jesus jette jil jill jim
  jimmy jinawi jindra joachim joah joakim joana joanna joanny joaquim joaquin job jocelyn joe joel joelle joey johan
  johann johanna johannes john johnny joko jolana jolanda jolie jolien joline jon jona jonah jonas jonatan jonathan
  joost jordan jordi jordy jorge jorgen jorin joris jose josef josefa josefin josefina josefine joseph josephine josh
  joshua josiane josie jost josue jovan jovana joy joyce joze jozef jozefina jozue juan juana juanita juda jude judita
  judith judson judy jule jules julia julian juliana julie julien julieta juliette julija julio julita julius juna
  june juri justice justin justina justine justus justyn justyna kaan kade kadir kai kaia kaj kaja kajen kalpana kamil
  kamila kamoliddin kamran karaca karen kari karin karina karl karla karley karmela karol karolina karoline kartik
  kasim kasper kassandra katarina kate katelynn katharina katja katrin katrina katrine kattie kay kaya kayden kayla
  kaylee kayleigh kayun kazimir keano keanu kehinde kemal kemi kenan kenneth kenny kent kenza kerem kerim kerry kevin
  keyshawn khethiwe kian kiana kiara kiel kilian kim kimberly kincso kira kirsten kiyan kjell klaas klara klaudia
  klemens klement klementyna kleopatra kobe koby koloman komila konrad konstantin konstantyn koray korinna kornel
  kornelia krishna krista kristian kristie kristijan kristin kristina kristine kristof kristoffer kruno krystal kubra
  kujoe kurt kvetoslav kvetoslava kyan kylie kyra lada ladislau ladislav lai laila lakshmi lala lale lalita lamar
  lambert lana landry lara larisa larissa lars lasmanto lasse latif laura laure lauren laurence laurens laurent
  laurentino lauri lauriane laurie laurin laurine lavinia lavinio layla lazar lea leah lean leana leander leandra
  leandro leann leanna leda lee leif leila lela lelia leman lemide len lena lene leni lenia lenka lenn lennart lennert
  lennie lennox lenny lenya leo leon leona leonard leonardo leone leonel leoni leonid leonida leonidas leonie leonne
  leonor leonora leontina leopold leopoldina leopoldo leroy lesley leticia letitia letizia lev levent levi levin lewis
  lex lexi lexie leyla lia liam lian liana lias liboria lidia lidija lien lieu lili lilia lilian liliana liliane lilla
  lillian lilly lily liman lina linda lindsay line linn linnea lino linus lio lion lionel lisa lisandro lisanne
  lisbeth liselotte litzy liv liva livia livio liya liyana liz liza lize ljiljana ljuba ljubica ljubisa logan lois
  lola lon lora loredana lorena lorenz lorenza lorenzo loretta lori lorin loris lorna lorraine lotta lotte lou louie
  louis louisa louise lourdes lourenco luan luana lubomir lubomira lubor lubos luboslav luboslava luc luca lucas lucia
  lucian luciana luciano lucie lucien lucienne lucija lucile lucille lucio lucius lucy ludmila ludomir ludovic
  ludovica ludwig luena luigi luis luisa luise luiza lujza luka lukas lukasz luke luna lungelo lurhur lutfi luz ly lya
  lydia lydie lynda lynette lynn mabel mable macy madalyn madeleine madleen mads mae maeve mafalda magali magda
  magdalena magnus mahdi mahir mahmud mai maia maida mailo maira maja majda maksim makuta malena malia malik malika
  malin malina malou malti malvina mandakini mandy manfred manon mansour mansur manuel manuela mara marc marcel
  marcela marcelina marcella marcellus marcelo marcia marco marcos marcus mare marek maren margaret margareta
  margarita margaux margers margita margot marguerite mari maria mariam marian mariana marianna marianne mariano
  marica marie mariella marieta marija marika marilena marilyn marin marina marino mario marion marisa marisol marit
  marita marite marius mark marko markus marlen marlena marlene marley marlin marlo marlon marta martha marthe martial
  martim martin martina martine marvin mary maryam marzia masa mason massimo mate matej mateja mateo mateus mathias
  mathilda mathilde mathis matias matilda matilde matis mats matteo matthew matthias matti mattia mattis matyas
  matylda maud maudie maureen maurice mauricio mauro max maxfuza maxim maxima maxime maximilian maxine maya maynard
  mayra medard medardo medina megan megane meghan mehmet meike melani melania melanie melany melek melike melina
  melinda melis melisa melissa melita melodi melody melvin mercedes mercia merle merlin mert merve mervin meryem mete
  metod metra mette mia micaela micah micha michael michaela michal micheal michel michele michelle mick miguel miha
  mija mika mikael mikail mike mikkel mikolaj mikulas mila milada milan milana mile milena miles milic milica milivoj
  milla millie milo milorad milos miloslav miloslava milota milutin mina minerva minervino mira mirabela mirac miran
  miranda miray mirco mireille mirela mirella miriam mirjam mirjana mirka mirko mirna miro miron miroslav miroslava
  mirza mislav mitra mladen moa modest modesto mohamed mohammad mohammed moira moises mojisola mojmir mona monica
  monika monique monserrat moradeke morgan morgana moric moritz morris morten mose mouhamed moussa muammer muhammad
  muhammed muhsin mujdat munif murat muriel musa mustafa mutahhar mylene myra myriam myrl myrna myron nada nadezda
  nadia nadine nadir nadja nafisa nahid namik nana nancy naomi napoleon narcis narcisa narciso narendra nasrullah
  natalia natalie natalija natan natanael natasa natasha nate nathalie nathan nathanael nazan nazif necib neda neil
  nejc nela neli nelli nelson nena neo neonila nerea nestor neva neven nevena nevenka nevin nevio newroz nhlakanipho
  nia nick nickolas nico nicola nicolai nicolas nicole nicuta niels nigar nika nike nikita nikki niklas niko nikodem
  nikol nikola nikolai nikolas nikolina nila nils nina nine nino nio nisa nkosinhle noa noah noam noe noel noelia
  noelle noemi noemie nola nolan nona nonjabulo nora norbert norberto norina norma norman nouri nova novella novi
  nugraha nur nuria nurlan nurul obrad oceane octavia oda odile odin odon ofelia oke oksan ola olaf olavi oldrich ole
  oleg olga olimpia olin oliva olive oliver olivia olivier oliwia oliwier olusola olympe omar omer omolara omotara
  ondrej onorio onur ophelia orchidea orland orlando osbaldo oscar oskar osman osvaldo otilia otis otmar oto otto owen
  oxana oya ozlem pablo padma palatino palmira pamela panji pankrac pantaleon paola paolo paris parman pascal pascale
  pasquale patrice patricia patricija patrick patrik patrizia patrycy paul paula paulette paulina pauline pavel pavlin
  pavlina pedro pelagia pelagie pelle penelopa penelope per peri perkasa perla pero petar peter petra petrica
  petronela phil phila philip philipp philippe phillip phoebe phyllis pia pierre pieter pietro pilar pio piotr pippa
  pius platon polly porziano prasetyo pravoslav prema priscilla priska priya prokop prosper prudence puji qizilgul
  queen quentin quieta quinn quinten quintino rachel raci radislav radit radmila radomir rados radoslav radovan raducu
  raduz rafael rafaela rafid rahel rahim rahime rahmi raif raina rainer raisa rajana rajko ralph rama ramazan ramiro
  ramon ramona rana randolf ranko ranolfo raoul raphael raphaelle raquel rasmus rastislav ratna rauf raul raven ravi
  rayan raymond rebeca rebecca rebeka redmond regina reginald rehorka reina remington remo remus renat renata renate
  renato rene renee resid resul reza rhea rhiannon rhonda ria riana ricardo riccardo richard rick rico rifat riley
  rina rino rita river roan robert roberta roberto robin robyn rocco roch rocio roderyk rodolfo rodrigo roger rohan
  roksana roland rolande rolando rolf roman romana romeo romina romuald romulus romy ron rona ronald ronja rosa
  rosalia rosalie rosalinda rosamunda rosana rosanna rosario rose roseline rosemarie rosemary rosie rosina rostislav
  rowan rowena roxana roy roza rozalia rozina ruben ruby rubye rudolf rudolph rudy rufina rufus rumena rupert ruslan
  russell rustam ruta ruth ruya ruza ruzena ruzica ryan saba sabina sabine sabir sabri sabrina sadullah safa safira
  safiya sagar sahap said salih salim sally salome salomea salomon salvador salvatore sam samandar samanta samantha
  samara sami samir samira sammie sammy samson samuel samuele sanda sander sandor sandra sandrine sandro sandy sanja
  sanne santiago santina santino sao sara sarah sari sarina sartika sasa sasha saskia saul sava savas savina scot
  scott scottie sean sebastian secondiano sehrazat selena selim selin selina selma semih semiramide sena seppe serafin
  serafina serena serge sergej sergey sergio serhat servac seth settimio severin sevki shahobiddin shane shania shanny
  shaun shawn sheldon shivakari siara sidney sidonia sidonio sienna sigurd sihab silas silje silvan silvana silvia
  silvija silvio silvius simeon simisola simon simona simone sina sinan sindre siria siro siyanda skye slava slavek
  slavica slavka slavko slavoj slavomir soave sofia sofie sofija solange soledad som soma sona sonia sonja sophia
  sophie soraya soren sotira srecko stan stana stanislav stanislava stanko stasa stef stefan stefana stefania stefanie
  stela stella stepan stepana stephan stephane stephanie stephen steve steven stig stiriaco stojan su sude sue summer
  suncica surya susan susana susanna susanne suyuna suzana suzanne svatopluk sven svetlana svetomir svetozar sydney
  sylva sylvia sylvie tabea taceddin tadeas tahir talha talia tamara tami tamia taner tania tanja tanya tara taras
  tari tarik tarja tarun tasha tatiana tatjana tayler taylor tea ted teddy teja tekla tellervo temitope teo teodor
  teodora teodoro teofil teona terenc teresa tereza tesauro tess tessa thai thalia thea theo theodor theodora theodore
  theofila theresa therese thiago thijn thomas thuc tia tiago tiana tiara tibor tiburzio tichomir tihomir til till tim
  timea timo timon timotej timoteo timothy timur tina tine tino titi titilayo tito titus toan tobias tobin toby tom
  toma tomas tomaska tome tomislav tommie tommy toni tony tonya tra tremayne tri triloki trine tristan trycia tuana
  tullia turker tycho tyler ubaldo uchqun ulderico ulker ulrich ulrika ultimo uma umar umit umut una urban urbano
  uriel ursula uttam vaclav vadim vaijayanti vala valdemar valentin valentina valentine valentino valeria valeriano
  valerie valerija valter van vanda vanesa vanessa vania vanja vanya vasco vasil vasilisa vavrinec veaceslav veit
  velimir venanzio vendelin venera venusta vera verda verena verica verner vernon vero verona veronica veronika
  veronique vesna vica vicente vickie vicky victor victoria vida vien viggo viktor viktoria vilemina vilma vince
  vincenc vincencie vincent vincenza vincenzo viola violet violeta violette viorica virgil virginia virginie vit vita
  vitalico vito vittoria vivi vivian viviana viviane vivien vivienne vladana vladimir vladimira vladislav vladislava
  vlasta vlastimil vlastimir vlastimira vojtech vok vratislav vsevolod vujica vuk waldo walter wanda waqila wayne
  welat werner wesley wessel wilbert wilbur wilhelm wilhelmina willem william willie willy wilma winda wulandari
  xander xaver xavier xenia xuan yago yahya yanis yannick yannik yara yasin yasmin yasmine yazmin yekta yilmaz yolanda
  yolande younes yousef youssef yuna yunus yuri yusuf yves yvette yvonne zabina zachary zafir zahar zahra zaira zamira
  zana zaneta zara zayd zayniddin zdenka zdenko zdeslava zdislava zdravko zehra zelda zelma zelmira zena zeno zenobia
  zetta zeyd zeynep zina zinaida zion zita zitomir ziva zlata zlatica zlatka zlatko zoe zoey zofia zofija zoja zoltan
  zora zoran zorka zselyke zulfikar zuzana zuzanna zvonimir zygmunt
`
