#!/usr/bin/python3
"""Writes a manual page for each command: man.py DIRECTORY VERSION DATE < help.json.

The input is what `subledger --experimental-dump-help` prints.
"""

import json
import sys


def roff(text):
    """Text as roff shows it literally; JSON may be broken after its commas."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace(',"', ',\\:"')
    return "\n".join("\\&" + line if line[:1] in ".'" else line for line in text.split("\n"))


def spelled(name):
    return ("--" if name["kind"] == "long" else "-") + name["name"]


def usage(argument):
    """An argument as in a synopsis."""
    value = f"\\fI{roff(argument['valueName'])}\\fR"
    if argument["kind"] == "positional":
        text = value
    else:
        text = f"\\fB{roff(spelled(argument['preferredName']))}\\fR"
        if argument["kind"] == "option":
            text += " " + value
    if argument["isRepeating"]:
        text += " ..."
    return f"[{text}]" if argument["isOptional"] else text


def term(argument):
    """An argument as the head of its description."""
    value = f"\\fI{roff(argument['valueName'])}\\fR"
    if argument["kind"] == "positional":
        return value
    names = ", ".join(f"\\fB{roff(spelled(name))}\\fR" for name in argument["names"])
    return f"{names} {value}" if argument["kind"] == "option" else names


def displayed(values):
    return [value for value in values or [] if value["shouldDisplay"]]


def arguments_of(command):
    """Each argument once: a command of a command repeats --version and --help."""
    found = {}
    for argument in displayed(command.get("arguments")):
        names = tuple(spelled(name) for name in argument.get("names", []))
        found.setdefault(names or argument["valueName"], argument)
    return list(found.values())


def page(command, parents, children, version, date):
    path = parents + [command["commandName"]]
    name = "-".join(path)
    arguments = arguments_of(command)
    lines = [f'.TH {roff(name.upper())} 1 {date} "subledger {version}" "Subledger"']
    lines += [".ad l", ".nh", ".SH NAME"]
    abstract = command.get("abstract", "")
    lines += [f"{roff(name)} \\- {roff(abstract.rstrip('.'))}", ".SH SYNOPSIS"]
    rest = ["\\fIcommand\\fR"] if children else []
    lines += [" ".join([f"\\fB{roff(' '.join(path))}\\fR"] + rest + list(map(usage, arguments)))]
    lines += [".SH DESCRIPTION", roff(abstract)]
    if command.get("discussion"):
        lines += [".PP", roff(command["discussion"]).replace("\n\n", "\n.PP\n")]
    if arguments:
        lines.append(".SH OPTIONS")
    for argument in arguments:
        lines += [".TP", term(argument), roff(argument.get("abstract", "")) or "\\&"]
        if "defaultValue" in argument:
            lines.append(f"(default: {roff(argument['defaultValue'])})")
    if children:
        lines.append(".SH COMMANDS")
    for child in children:
        lines += [".TP", f"\\fB{roff(name + '-' + child['commandName'])}\\fR(1)"]
        lines.append(roff(child.get("abstract", "")))
    see = [f"\\fB{roff('-'.join(parents))}\\fR(1)"] if parents else []
    lines += [".SH SEE ALSO", ", ".join(see + ["/usr/share/doc/subledger/Docs/Commands.md"])]
    return name, "\n".join(lines) + "\n"


def write(directory, command, parents, version, date):
    children = [c for c in displayed(command.get("subcommands")) if c["commandName"] != "help"]
    name, text = page(command, parents, children, version, date)
    with open(f"{directory}/{name}.1", "w", encoding="utf-8") as file:
        file.write(text)
    for child in children:
        write(directory, child, parents + [command["commandName"]], version, date)


write(sys.argv[1], json.load(sys.stdin)["command"], [], sys.argv[2], sys.argv[3])
