# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Part of the launcher: its help, and what it answers to a command that it does not know.

usage() {
  local heading='' plain=''
  if may_colour 1; then heading=$'\033[1m' plain=$'\033[0m'; fi
  cat <<T
usage: ./wimax COMMAND [options]; ./wimax COMMAND --help explains one

${heading}Start here${plain}
  bench      a cell on this machine: network entry, ping, iperf3, a table of goodput (first run: minutes; root or sudo)
  demo       three stations, a fade and rate adaptation, explained as they happen; the live page in the browser
  up         a cell that keeps running in the background; then: status, watch, shell, logs, down
  doctor     check GNU Radio, UHD, the Python module, TUN rights and the CPU; prints the line to type for each fault
  explain    meaning of a word of the consoles or of the standard

${heading}A running cell${plain}
  status     programs of this host, and how they are
  logs       log of one program
  restart    end one program and start it again with its configuration as it is now
  down       end all programs that \`up\` started
  shell      shell or command in the network namespace of a station
  watch      the cell in the browser, live, and its administration (docs/watch.md)
  ctl        read the values of a running program, and change those that may change while it works
  stations   stations of a running base station: list, deregister, reset, silence, suspend, resume, reload
  flows      service flows of a running station: list, add, change, delete
  keys       certificates of a laboratory's stations: ca, station, list, revoke (docs/security.md)
  managed    addresses, time and configuration files for the managed stations of a laboratory (docs/operating.md)
  metrics    figures of the programs of this host for Prometheus, a Grafana dashboard, alerts (docs/metrics.md)
  macd, phyd, stationd, channeld   one program in the foreground (docs/running.md)

${heading}Signals, simulation, measurements${plain}
  iq         signal generator and analyser
  link       error-rate curves of transmitter, channel and receiver
  sim        many stations over a model of the PHY, in virtual time (docs/simulator.md)
  policy     try your scheduler, in Python or C++, in simulated cells (docs/policies.md)
  pdu        MAC PDUs and messages to JSON and back
  python     Python with the package wimax: python SCRIPT [options] (docs/python.md)
  grc        GNU Radio Companion with this project's blocks; grc FILE opens a flowgraph of flowgraphs/
  radio      one radio: probe, selftest, loopback, spectrum, calibrate, capture (docs/lab.md)
  acquisition  how reliably a receiver finds a base station, and its false alarms
  speed      throughput of the signal processing on one core
  sap        replay what a PHY sent to a MAC, as recorded by the key sap.record: sap replay FILE [options of macd]
  campaign   sweeps of link curves, simulations and experiments over many cores or machines (docs/campaigns.md)
  repeat     run the command behind a result again, and compare the figures (docs/repeating.md)
  endurance  days of all services in the simulator, or an hour of the programs: losses, latencies, memory (docs/testing.md)
  curves     draw and tabulate docs/error-rates.md; --from reads the results of a campaign

${heading}Source tree${plain}
  setup      install packages: setup [run|build|test|fpga|all]; the other commands install what they need themselves
  build      configure and build everything into build/
  test       build everything and run all tests, fuzzers included; prints how long each part takes
  package    Debian packages of all this, gr-wimax and wimax (docs/installing.md)
  wheel      the Python package wimax-ofdm for pip: wheel [PYTHON...] (docs/python.md)
  reference  pages with every name of the Python package (docs/python.md)
  mutation   insert a sample of faults, one at a time, and count those that the tests notice
  results    measure the tables of README.md and docs/performance.md, and write them (docs/performance.md)
  clean-up   remove what a killed bench left: programs, network namespaces, folders
  version    version of the project, and the commit it was built from

${heading}Examples${plain}
  ./wimax bench --stations 3 --snr-db 20 --dl-rate auto
  ./wimax up && ./wimax shell ss1 ping 10.1.0.1
  ./wimax sim --scenario config/scenarios/voice.yml --seconds 5
  ./wimax grc flowgraphs/loopback.grc
T
}

# Help of the commands that the launcher carries out itself.
help_of() {
  case $1 in
    setup) cat <<'T'
usage: ./wimax setup [GROUP...]

Installs packages of this system as root or through sudo. It prints number, size and disk space first, and installs nothing twice.
The names come from cmake/packages.txt. docs/systems.md lists the systems.

  run      to run everything that is built: Python modules, iperf3, pictures, UHD's programs
  build    what ./wimax build needs (the default)
  test     what ./wimax test needs
  fpga     Verilator, for `bench --fpga`
  all      everything
  bench    what ./wimax bench installs itself: the smallest set
  grc      GNU Radio Companion
  package  what ./wimax package needs

example: ./wimax setup bench && ./wimax bench
T
      ;;
    build) cat <<'T'
usage: ./wimax build

Configures and builds everything into build/: programs, modules, tests, manual pages. $WIMAX_BUILD_DIR names another folder.
It installs missing packages first. FPGA cores are part of it where Verilator is found; the environment variable WIMAX_FPGA=ON or OFF
decides otherwise. WIMAX_WERROR=ON makes warnings of the compiler errors, as continuous integration does.
T
      ;;
    test) cat <<'T'
usage: ./wimax test [options of ctest]

Installs what the tests need, builds everything, runs all tests as root or through sudo, and prints the time of each part: build,
Python environments, unit tests, tests of the whole stack, fuzzers. Exit status 1: a part failed; the other parts ran, too.

example: ./wimax test -R stack_traffic
T
      ;;
    package) printf 'usage: ./wimax package\n\nBuilds the Debian packages gr-wimax and wimax into build-package/ (docs/installing.md).\n' ;;
    wheel) cat <<'T'
usage: ./wimax wheel [PYTHON...]

Builds the Python package wimax-ofdm for pip into build-wheel/dist/: a manylinux wheel for each interpreter, and the source distribution.
Without an interpreter: for the system's Python. Interpreters of other versions (3.10 to 3.13) come from pyenv, uv or the system.

example: ./wimax wheel python3.10 python3.12
T
      ;;
    reference) printf 'usage: ./wimax reference\n\nBuilds the reference of the Python package wimax from its docstrings into build/reference/html/, without a network (docs/python.md).\n' ;;
    grc) printf 'usage: ./wimax grc [FILE.grc...]\n\nStarts GNU Radio Companion with the blocks of this project.\n\nexample: ./wimax grc flowgraphs/loopback.grc\n' ;;
    sap) printf 'usage: ./wimax sap replay FILE [options of wimax-macd]\n\nReplays what a PHY sent to a MAC, as recorded by the key sap.record, and reports how many messages differ (docs/running.md).\n\nexample: ./wimax sap replay bs.sap.rec --config config/bs.macd.yml\n' ;;
    shell) cat <<'T'
usage: ./wimax shell STATION [COMMAND...]

A shell, or one command, in the network namespace of a station that runs on this machine: of `up` (bs, ss1, ...) or of a bench that runs.

examples: ./wimax shell ss1
          ./wimax shell bs ping 10.1.0.2
T
      ;;
    python) printf 'usage: ./wimax python SCRIPT [options of the script]\n\nStarts Python so that the packages wimax and gnuradio.wimax are found (docs/python.md). Without a script: interactive.\n\nexample: ./wimax python apps/tools/python/wimax/examples/decode_recording.py --help\n' ;;
    version) printf 'usage: ./wimax version\n\nPrints the version of the project and the commit it was built from.\n' ;;
    *) return 1 ;;
  esac
}

known_commands() { usage | sed -n 's/^  \([a-z][a-z, -]*[a-z]\)   *.*/\1/p' | tr -d , | tr ' ' '\n'; }

# distance A B - how many letters have to be inserted, removed or changed to make one word of the other; sets `steps`
distance() {
  local a=$1 b=$2 i j cost left row=()
  for ((j = 0; j <= ${#b}; j++)); do row[j]=$j; done
  for ((i = 1; i <= ${#a}; i++)); do
    left=${row[0]} row[0]=$i
    for ((j = 1; j <= ${#b}; j++)); do
      cost=$left left=${row[j]}
      [ "${a:i-1:1}" = "${b:j-1:1}" ] || cost=$((1 + (cost < left ? cost : left)))
      row[j]=$((cost < row[j-1] + 1 ? cost : row[j-1] + 1))
    done
  done
  steps=${row[${#b}]}
}

unknown_command() {
  local known near='' best=3 steps
  for known in help $(known_commands); do
    distance "$1" "$known"
    if [ "$steps" -lt "$best" ] && [ $((steps * 2)) -le ${#1} ]; then best=$steps near=$known; fi
  done
  refuse "unknown command '$1';${near:+ did you mean '$near'?} ./wimax help lists the commands"
}
