#include "ctl/completion.h"

#include "ctl/command_line.h"

namespace qdiscsim::ctl {
namespace {

std::string option_words(const CLI::App& app) {
  std::string out;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) out += "--" + name + ' ';
    for (const std::string& name : option->get_snames()) out += '-' + name + ' ';
  }
  return out;
}

// Behind the words of a command: $1 the command, $2 how many words follow it already, $3 the last.
constexpr const char* kWords = R"bash(
_qdiscsimctl_words() {
  case "$1:$2:$3" in
    qdisc:0:* | pagepool:0:*) echo show dev ;;
    qdisc:*:show | pagepool:*:show) echo dev ;;
    qdisc:*:dev | pagepool:*:dev) _qdiscsimctl_names devices ;;
    pktgen:0:* | pktgen:1:show) _qdiscsimctl_names generators ;;
    pktgen:1:*) echo start stop ;;
    set:0:*) echo generator device ;;
    set:1:generator) _qdiscsimctl_names generators ;;
    set:1:device) _qdiscsimctl_names devices ;;
    device:0:*) _qdiscsimctl_names devices ;;
    device:1:*) echo down up stall ;;
    completion:0:*) echo bash ;;
  esac
}

_qdiscsimctl_names() { "${_qdiscsimctl_call[@]}" names "$1" 2>/dev/null; }

_qdiscsimctl() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command='' last='' i
  local -i count=0
  local -a _qdiscsimctl_call=("${COMP_WORDS[0]}")
  COMPREPLY=()
  case $before in
    --socket)
      mapfile -t COMPREPLY < <(compgen -f -- "$word")
      return
      ;;
    --url | -n | --count | -i | --interval) return ;;
  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      --socket | --url)
        _qdiscsimctl_call+=("${COMP_WORDS[i]}" "${COMP_WORDS[i + 1]}")
        i=$((i + 1))
        # bash takes a URL apart at its colons
        while [[ ${COMP_WORDS[i + 1]} == : ]] && ((i + 2 < COMP_CWORD)); do
          _qdiscsimctl_call[-1]+=${COMP_WORDS[i + 1]}${COMP_WORDS[i + 2]}
          i=$((i + 2))
        done
        ;;
      -n | --count | -i | --interval) i=$((i + 1)) ;;
      -*) ;;
      *)
        if [[ -z $command ]]; then
          command=${COMP_WORDS[i]}
        else
          count+=1
          last=${COMP_WORDS[i]}
        fi
        ;;
    esac
  done
  local words
  if [[ $word == -* ]]; then
    words=$(_qdiscsimctl_options "$command")
  elif [[ -z $command ]]; then
    words=$_qdiscsimctl_commands
  else
    words=$(_qdiscsimctl_words "$command" "$count" "$last")
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -F _qdiscsimctl qdiscsimctl
)bash";

}  // namespace

std::string bash_completion() {
  Parsed unused;
  const auto app = make_command_line(unused);
  std::string commands;
  std::string cases;
  for (const CLI::App* sub : app->get_subcommands([](CLI::App*) { return true; })) {
    if (sub->get_group().empty()) continue;
    commands += (commands.empty() ? "" : " ") + sub->get_name();
    cases += "    " + sub->get_name() + ") echo \"" + option_words(*sub) + "\" ;;\n";
  }
  return "# bash completion for qdiscsimctl; written by `qdiscsimctl completion bash`\n\n"
         "_qdiscsimctl_commands='" +
         commands +
         "'\n\n"
         "_qdiscsimctl_options() {\n"
         "  echo \"" +
         option_words(*app) +
         "\"\n"
         "  case $1 in\n" +
         cases +
         "  esac\n"
         "}\n" +
         kWords;
}

}  // namespace qdiscsim::ctl
