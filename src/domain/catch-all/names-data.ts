/** A sample of first and last names that are common in Europe, the Americas and South Asia, and in mail addresses. */
export const COMMON_NAMES: ReadonlySet<string> = new Set(
  `adam adrian ahmed aisha alan albert alejandro alessandro alex alexander alexandra ali alice alicia amanda amy ana anders
  andre andrea andreas andrew andy angela anil anita anja anna anne anthony antonio arjun arthur barbara ben benjamin bernd
  bill bob brian bruno camille carla carlos carmen carol caroline cecile charles charlotte chen chris christian christina
  christine christoph christopher claire claudia daniel daniela dave david deepak denis diana diego dirk dmitry dominik
  eduardo elena elizabeth emily emma eric erik eva fatima felix fernando florian francesco francois frank gabriel george
  georg gerd giovanni giulia grace greg guillaume hannah hans harry heidi helen helena henrik henry ian igor ingrid irina
  isabel ivan jack jacob jakob jakub james jan jana jane janine jason javier jean jennifer jens jessica jim joachim joan
  joao joe joel johan johannes john jonas jonathan jorge jose joseph josh juan julia julian julie julien jurgen karen karin
  karl karsten kate katharina kathrin katja keith kevin kim klaus kumar lars laura lea lena leo linda lisa louis luca lucas
  lucia lucy luis lukas maria marc marco marcus marek margaret marie mario mark markus marta martin martina mary mateo
  matthew matthias max maximilian mehmet melanie michael michaela michal michel miguel mike mohamed mohammed monica monika
  nadia nancy natalia natalie nathan neil nicholas nick nicola nicolas nicole nina olaf oleg olga oliver olivier omar oscar
  pablo paolo patricia patrick paul paula pawel pedro peter petra phil philip philipp pierre piotr priya rachel rafael rahul
  raj ralf raphael rebecca ricardo richard rob robert roberto robin roland roman ron rosa ruth ryan sabine sam samantha
  samuel sandra sara sarah scott sean sebastian sergio sharon silvia simon simone sofia sonja sophia sophie stefan
  stefanie stephan stephanie stephen steve steven susan susanne sven svetlana tanja tatiana teresa thomas tim timo tina tobias
  tom tomas tony ulrich ulrike ursula ute valentin valentina vera veronica victor victoria vijay vincent vladimir volker
  walter wei werner will william wolfgang yang yusuf yuki zoe smith jones brown taylor wilson johnson williams davies evans
  miller davis garcia martinez lopez gonzalez rodriguez hernandez perez sanchez muller mueller schmidt schneider fischer
  weber meyer wagner becker schulz hoffmann koch bauer richter klein wolf schroeder neumann schwarz zimmermann bernard dubois
  petit durand leroy moreau rossi russo ferrari esposito bianchi romano silva santos oliveira souza pereira costa jansen
  devries bakker visser nielsen jensen hansen andersen larsen johansson andersson karlsson nilsson novak kowalski nowak
  ivanov petrov kim lee park nguyen tran singh sharma patel gupta khan wang li zhang liu chen yang huang tanaka suzuki sato`
    .trim()
    .split(/\s+/),
)
