// What a shell needs in order to ask ralph itself what a word may be: a few lines each. The words come from ralph.

export const COMPLETION_SCRIPTS = {
  bash: `# ralph completion for bash
_ralph() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = ":files" ]; then
      compopt -o default 2>/dev/null
      return
    fi
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(ralph complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _ralph ralph
`,
  zsh: `#compdef ralph
# ralph completion for zsh
_ralph() {
  local line
  local -a found
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      _files
      return
    fi
    found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done < <(ralph complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#found )) && _describe 'ralph' found
}
if [[ $funcstack[1] == _ralph ]]; then
  _ralph "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -u }
  compdef _ralph ralph
fi
`,
  fish: `# ralph completion for fish
function __ralph_complete
  set -l words (commandline -opc)
  set -l last (commandline -ct)
  for line in (ralph complete -- $words[2..-1] "$last" 2>/dev/null)
    if test "$line" = ":files"
      __fish_complete_path "$last"
    else
      printf '%s\\n' $line
    end
  end
end
complete -c ralph -f -a '(__ralph_complete)'
`,
} as const;
