import { command } from '../flags/command.ts'
import { commonFlags } from '../flags/options.ts'
import { printText } from '../terminal/output.ts'

/** zsh runs it through its emulation of bash completion. */
const script = `# Completion of chainlake for bash and zsh: source <(chainlake completion)
if [ -n "\${ZSH_VERSION-}" ]; then
  autoload -U +X compinit bashcompinit && compinit && bashcompinit
fi
_chainlake() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    [ -n "$word" ] && COMPREPLY+=("$word")
  done < <(chainlake --complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _chainlake chainlake
`

export const completionCommand = command({
  name: 'completion',
  usage: 'completion',
  comment: 'Print a completion script for bash and zsh',
  examples: [{ line: 'source <(chainlake completion)', says: 'complete commands, flags and names with Tab' }],
  options: commonFlags,
  run: async () => {
    await printText(script)
    return 0
  },
})
