# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of wimax and its programs for bash, with what their --help says: commands, subcommands, options, values of a choice.
# In a source tree: . cmake/completion.bash

# Words that a help text lists below a heading such as "Subcommands:"
_wimax_subcommands() {
  sed -n '/^\(Subcommands\|positional arguments\):/,/^$/s/^ \{2,4\}\([a-z][a-z-]*\)\( .*\|$\)/\1/p'
}

_wimax_options() { sed -n 's/^ *\(-[A-Za-z], *\)\?\(--[A-Za-z0-9][A-Za-z0-9._-]*\).*/\2/p'; }

# Values that a help text allows for the option $1, on its line or the next: {a,b} or "allowed: a, b;"
_wimax_values() {
  local several='[^; ]*\(, [^; ]*\)\{1,\}'
  sed -n -e "/^ *\(-[A-Za-z], *\)\?$1[ =,:]/{s/^[^{]*{\([^}]*\)}.*/\1/p;t;s/.*allowed: \($several\);.*/\1/p;t;N;s/.*\n.*allowed: \($several\);.*/\1/p}" |
    tr -s ', ' '\n'
}

_wimax() {
  local cur prev words cword split help word
  _init_completion -s -n : || return
  local -a command=("${words[0]}")
  if [[ ${words[0]##*/} == wimax ]]; then
    if ((cword == 1)); then
      COMPREPLY=($(compgen -W "down restart status logs $("${words[0]}" help | sed -n 's/^  \([a-z][a-z, -]*[a-z]\)   *.*/\1/p' | tr -d ,)" -- "$cur"))
      return
    fi
    command+=("${words[1]}")
  fi
  help=$("${command[@]}" --help 2>/dev/null </dev/null)
  for word in "${words[@]:${#command[@]}:cword-${#command[@]}}"; do
    if [[ $'\n'$(_wimax_subcommands <<<"$help")$'\n' == *$'\n'"$word"$'\n'* ]]; then
      command+=("$word")
      help=$("${command[@]}" --help 2>/dev/null </dev/null)
      break
    fi
  done
  case $cur in
    -*) COMPREPLY=($(compgen -W "$(_wimax_options <<<"$help")" -- "$cur")) ;;
    *)
      local values
      [[ $prev == -* ]] && values=$(_wimax_values "$prev" <<<"$help") || values=$(_wimax_subcommands <<<"$help")
      COMPREPLY=($(compgen -W "$values" -- "$cur"))
      [[ ${COMPREPLY[0]} ]] || _filedir ;;
  esac
}

complete -F _wimax wimax wimax-{acquisition,channeld,iq,link,macd,pdu,phyd,radio,sim,speed}
