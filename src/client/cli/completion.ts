import { Argument, type Command, type Option } from "commander"
import type { Cli } from "./cli.ts"
import { print } from "./terminal.ts"

const SHELLS = ["bash", "zsh", "fish"] as const
type Shell = (typeof SHELLS)[number]

/** The answer for a place that takes a path. The shell then completes file names. */
const FILES = ":files"

/** A word that can follow, and what it does. */
interface Candidate {
  readonly word: string
  readonly help: string
}

export function addCompletionCommand(program: Command, cli: Cli): void {
  program
    .command("completion")
    .addArgument(new Argument("<shell>", "your shell").choices(SHELLS))
    .description("print a script that completes commands and flags with the Tab key")
    .addHelpText("after", EXAMPLES)
    .action((shell: Shell) => {
      print(cli.terminal, SCRIPTS[shell])
    })
  program
    .command("complete", { hidden: true })
    .argument("[words...]", "the words of the line, with the unfinished one last")
    .allowUnknownOption()
    .helpOption(false)
    .action((words: string[]) => {
      const found = completions(program, words)
      if (found === "files") print(cli.terminal, FILES)
      else for (const { word, help } of found) print(cli.terminal, help ? `${word}\t${help}` : word)
    })
}

const EXAMPLES = `
Add it to your shell:
  bash  echo 'source <(mailverdict completion bash)' >> ~/.bashrc
  zsh   echo 'source <(mailverdict completion zsh)' >> ~/.zshrc     # after compinit
  fish  mailverdict completion fish > ~/.config/fish/completions/mailverdict.fish`

/**
 * What can follow on a command line: commands, flags, the choices of a flag or argument, or a path.
 * @param words the words after the program's name, with the unfinished one last
 */
export function completions(program: Command, words: readonly string[]): readonly Candidate[] | "files" {
  const started = words.at(-1) ?? ""
  const { command, position, pending } = placeAfter(program, words.slice(0, -1))
  const fitting = (all: readonly Candidate[]) => all.filter(({ word }) => word.startsWith(started))
  if (pending) return valuesOf(pending.argChoices, pending.flags, fitting)
  if (started.startsWith("-"))
    return fitting(optionsOf(command).map(({ long, description }) => ({ word: long ?? "", help: description })))
  if (command.commands.length > 0 && position === 0)
    return fitting(commandsOf(command).map((one) => ({ word: one.name(), help: one.description() })))
  const args = command.registeredArguments
  const argument = args[position] ?? (args.at(-1)?.variadic ? args.at(-1) : undefined)
  return argument ? valuesOf(argument.argChoices, `<${argument.name()}>`, fitting) : []
}

/** Where a line stands after its finished words. */
interface Place {
  readonly command: Command
  /** Arguments of the command so far. */
  readonly position: number
  /** The flag that still needs its value. */
  readonly pending: Option | undefined
}

function placeAfter(program: Command, words: readonly string[]): Place {
  const step = ({ command, position, pending }: Place, word: string): Place => {
    if (pending) return { command, position, pending: undefined }
    if (word.startsWith("-") && word !== "-") {
      const option = optionsOf(command).find(({ long, short }) => word === long || word === short)
      return { command, position, pending: option && takesValue(option) ? option : undefined }
    }
    const next = position === 0 ? command.commands.find((one) => one.name() === word) : undefined
    return next ? { command: next, position, pending } : { command, position: position + 1, pending }
  }
  return words.reduce(step, { command: program, position: 0, pending: undefined })
}

function valuesOf(
  choices: readonly string[] | undefined,
  flags: string,
  fitting: (all: readonly Candidate[]) => Candidate[],
): readonly Candidate[] | "files" {
  if (choices) return fitting(choices.map((word) => ({ word, help: "" })))
  return flags.includes("<file>") ? "files" : []
}

const takesValue = ({ required, optional }: Option) => required || optional
const commandsOf = (command: Command) => command.createHelp().visibleCommands(command)

/** The command's flags, and those of every command. */
function optionsOf(command: Command): readonly Option[] {
  const help = command.createHelp()
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)]
}

const BASH = `# Completion of mailverdict for bash.
_mailverdict() {
  local line words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == ${FILES} ]]; then
      compopt -o filenames
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")
    else
      COMPREPLY+=("\${line%%$'\\t'*}")
    fi
  done < <(mailverdict complete -- "\${words[@]}" 2>/dev/null)
}
complete -F _mailverdict mailverdict`

const ZSH = `#compdef mailverdict
# Completion of mailverdict for zsh.
_mailverdict() {
  local line found=()
  while IFS= read -r line; do
    if [[ $line == ${FILES} ]]; then
      _files
      return
    fi
    line=\${line//:/\\\\:}
    found+=("\${line/$'\\t'/:}")
  done < <(mailverdict complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  _describe mailverdict found
}
compdef _mailverdict mailverdict`

const FISH = `# Completion of mailverdict for fish.
function __mailverdict_complete
  set -l found (mailverdict complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)
  if test "$found" = "${FILES}"
    __fish_complete_path (commandline -ct)
  else
    printf '%s\\n' $found
  end
end
complete -c mailverdict -f -a '(__mailverdict_complete)'`

const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH }
