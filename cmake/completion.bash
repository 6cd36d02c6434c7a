# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of wimax and its programs for bash, and by completion.zsh for zsh. Commands, subcommands, options and values come from
# --help; running programs, stations, experiments and words of `explain` from where they are. In a source tree: . cmake/completion.bash

# Without an owner that a shell can ask; test_setup compares them with the Python tools.
_wimax_channels="awgn sui1 sui2 sui3 sui4 sui5 sui6 pedestrian-a pedestrian-b vehicular-a vehicular-b"
_wimax_profiles="1.75MHz-10ms 3.5MHz-10ms 5MHz-5ms 5MHz-10ms 5MHz-20ms 7MHz-10ms 10MHz-10ms"

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

# Programs that run here, by their control sockets.
_wimax_running() {
  local folder socket
  for folder in "${WIMAX_RUN:-/run/wimax}" "${XDG_RUNTIME_DIR:-/run/user/$UID}/wimax"; do
    [ -d "$folder" ] || continue
    for socket in $(compgen -G "$folder/*.ctl"); do socket=${socket##*/}; echo "${socket%.ctl}"; done
    [ -z "${WIMAX_RUN:-}" ] || return 0
  done
}

_wimax_stations() { ip netns list 2>/dev/null | sed -n 's/^\(wimax\|wmx[0-9]*\)-\([^ ]*\).*/\2/p'; }

# Files of the working folder, of config/ and of flowgraphs/ there, whose names match $1.
_wimax_files() { { compgen -f -- "$2"; compgen -G 'config/*.yml'; compgen -G 'flowgraphs/*.grc'; compgen -d -S / -- "$2"; } | grep -E "($1|/)\$" | sort -u; }

# Values of the option $3 or of the first word after the command $2; $1 is the launcher.
_wimax_choices() {
  case $3 in
    --channel) echo "$_wimax_channels" ;;
    --profile) echo "$_wimax_profiles" ;;
    --experiment) "$1" bench --help 2>/dev/null | grep -o '\<[A-D][0-9]\>'; echo all ;;
    --personality) echo b210 n210-sbx x310-ubx n310 ideal ;;
    --only) "$1" results --list 2>/dev/null | sed -n 's/^\([a-z][^ ]*\)  .*/\1/p' ;;
    --phy) _wimax_running ;;
    "$2") case $2 in
        explain) "$1" explain 2>/dev/null | sed 's/^[^:]*: //; s/, /\n/g' | sed 's/^-$//; y/ /-/' | sort -u ;;
        ctl|logs|restart) _wimax_running ;;
        shell) _wimax_stations ;;
        setup) echo run build test fpga all bench grc package ;;
        grc) _wimax_files '\.grc' "$4" ;;
        campaign) _wimax_files '\.ya?ml' "$4" ;;
        up) _wimax_files '(macd|phyd|channeld)\.ya?ml' "$4" ;;
        sap) echo replay ;;
      esac ;;
    *) [ "$2" != up ] || _wimax_files '(macd|phyd|channeld)\.ya?ml' "$4" ;;
  esac
}

# Those of the words that begin with $cur.
_wimax_reply() {
  local word
  for word in $1; do case $word in "$cur"*) COMPREPLY+=("$word") ;; esac; done
}

_wimax_complete() {
  local i cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} help word name='' values='' IFS=$' \t\n'
  if [ "$cur" = = ]; then cur=''; elif [ "$prev" = = ]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
  local command
  command=("${COMP_WORDS[0]}")
  COMPREPLY=()
  if [ "${COMP_WORDS[0]##*/}" = wimax ]; then
    if [ "$COMP_CWORD" = 1 ]; then
      _wimax_reply "$("${COMP_WORDS[0]}" help | sed -n 's/^  \([a-z][a-z, -]*[a-z]\)   *.*/\1/p' | tr -d ,)"
      return
    fi
    name=${COMP_WORDS[1]}
    command+=("$name")
    case $cur in -*) ;; *) values=$(_wimax_choices "${COMP_WORDS[0]}" "$name" "$prev" "$cur") ;; esac
  elif [ "$prev" = --channel ]; then
    values=$_wimax_channels
  fi
  if [ ! "$values" ]; then
    help=$("${command[@]}" --help 2>/dev/null </dev/null)
    for ((i = ${#command[@]}; i < COMP_CWORD; i++)); do
      word=${COMP_WORDS[i]}
      if [ "$word" ] && _wimax_subcommands <<<"$help" | grep -qxF -e "$word"; then
        command+=("$word")
        help=$("${command[@]}" --help 2>/dev/null </dev/null)
        break
      fi
    done
    case $cur in
      -*) values=$(_wimax_options <<<"$help") ;;
      *) case $prev in -*) values=$(_wimax_values "$prev" <<<"$help") ;; *) values=$(_wimax_subcommands <<<"$help") ;; esac ;;
    esac
  fi
  _wimax_reply "$values"
}

complete -o default -F _wimax_complete wimax ./wimax wimax-{acquisition,channeld,iq,link,macd,pdu,phyd,radio,sim,speed,stationd}
