#compdef wimax ./wimax wimax-acquisition wimax-channeld wimax-iq wimax-link wimax-macd wimax-pdu wimax-phyd wimax-radio wimax-sim wimax-speed wimax-stationd
# SPDX-License-Identifier: GPL-3.0-or-later
# Completion for zsh: that of bash, by zsh's own layer for such. In a source tree, after compinit: . cmake/completion.zsh
autoload -U +X bashcompinit && bashcompinit
_wimax_folder=${${(%):-%x}:A:h}
for _wimax_file in $_wimax_folder/completion.bash $_wimax_folder/../../bash-completion/completions/wimax; do
  if [[ -f $_wimax_file ]]; then source $_wimax_file; break; fi
done
unset _wimax_folder _wimax_file
# Loaded by name at the first completion: this one is still to be answered.
if [[ -n ${funcstack[(r)_wimax]} ]]; then _bash_complete -o default -F _wimax_complete; fi
