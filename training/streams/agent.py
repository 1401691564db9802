"""A wish about files → the action that fulfils it, with the discriminator first or last."""

from __future__ import annotations

import random
from typing import Any

from streams.sample import NAMES, Sample, held_out, keys, words

DIRS = words(
    "src, docs, tests, notes, data, config, build, assets, images, logs, scripts, lib, backup, reports, "
    "music, photos, drafts, archive, public, templates, home, work, tmp, projects, invoices, letters, "
    "recipes, models, plans, old"
)
STEMS = words(
    "todo, readme, main, index, notes, report, budget, letter, config, settings, users, list, draft, summary, "
    "data, test, app, server, client, recipe, plan, ideas, log, error, output, results, invoice, contact, "
    "diary, shopping, agenda, minutes, resume, story, poem, schedule, password, secret, backup, changes, "
    "license, setup, install, helper, parser, model, view, table, query, schema, token, garden, holiday, "
    "menu, guest, birthday, wedding, school, homework, essay, thesis, chapter, lyrics, map, route, address"
)
EXTENSIONS = words("txt, md, py, json, csv, log, yaml, html, rs, toml, xml, js")
CONTENTS = words(
    "hello world, buy milk, call mom, meeting at noon, the end, done, print(1), see you soon, happy birthday, "
    "x = 5, ok, draft one, feed the cat, pay the rent, version 2, pick up the kids, water the plants, nothing "
    "to see here, good morning, thank you all, dinner at eight, fix the bug, ship it, learn rust, train "
    "leaves at 7, eggs and flour, keep calm, to be continued, hi there, all tests pass, remember the keys, "
    "lunch with {name}, call {name}, dear {name}, {name} was here, ask {name} about the {stem}, write the "
    "{stem}, the {stem} is ready, new {stem}, {stem} for {name}"
)
READ = [
    "show me {p}",
    "open {p}",
    "what does {p} say?",
    "print the contents of {p}",
    "cat {p}",
    "read {p}",
    "please read {p}",
    "what is in the file {p}?",
    "let me see {p}",
    "display {p}",
    "I want to read {p}",
    "can you open {p} for me?",
    "tell me what {p} contains",
]
LIST = [
    "list {d}",
    "what is in the folder {d}?",
    "which files are in {d}?",
    "show me the files in {d}",
    "ls {d}",
    "list the directory {d}",
    "show the contents of the {d} folder",
    "what files does {d} have?",
    "look inside the {d} directory",
    "list all files in {d}",
]
DEEP = [
    "list everything under {d}",
    "list {d} and all its subfolders",
    "show all files below {d}, subfolders too",
    "ls -R {d}",
    "list {d} recursively",
    "walk through the whole {d} folder",
    "show me the files in {d} including subfolders",
]
DELETE = [
    "delete {p}",
    "remove {p}",
    "get rid of {p}",
    "please delete the file {p}",
    "rm {p}",
    "throw away {p}",
    "erase {p}",
    "I don't need {p} anymore",
    "trash {p}",
    "can you remove {p}?",
]
WRITE = [
    "write {q}{c}{q} to {p}",
    "save {q}{c}{q} in {p}",
    "create {p} with the text {q}{c}{q}",
    "put {q}{c}{q} into {p}",
    "make a file {p} that says {q}{c}{q}",
    "store {q}{c}{q} as {p}",
    "please write {q}{c}{q} into the file {p}",
    "echo {q}{c}{q} > {p}",
    "overwrite {p} with {q}{c}{q}",
]
POLITE = ["", "", "", "", "please ", "could you ", "hey, ", "now ", "next, "]


def agent(rng: random.Random) -> Sample:
    folder = "/".join(rng.choice(DIRS) for _ in range(rng.choice((0, 1, 1, 1, 2, 2, 3))))
    stem = rng.choice(STEMS)
    if rng.random() < 0.3:
        stem += rng.choice(["_", "-", ""]) + rng.choice(
            [str(rng.randint(1, 99)), str(rng.randint(2015, 2026)), rng.choice(STEMS), "v2", "old"]
        )
    path = "/".join(part for part in (folder, f"{stem}.{rng.choice(EXTENSIONS)}") if part)
    action = rng.choice(("ReadFile", "WriteFile", "WriteFile", "ListDir", "DeleteFile"))
    body: dict[str, Any]
    if action == "ListDir":
        path = folder or rng.choice(DIRS)
        path = path if rng.random() < 0.8 else f"{path}/{rng.choice(STEMS)}"
        deep = rng.random() < 0.4
        text = rng.choice(DEEP if deep else LIST).format(d=path)
        body = {"path": path, "recursive": deep}
    elif action == "WriteFile":
        content = rng.choice(CONTENTS).format(name=rng.choice(NAMES), stem=rng.choice(STEMS))
        text = rng.choice(WRITE).format(p=path, c=content, q=rng.choice(["'", "'", '"', "", ""]))
        body = {"path": path, "content": content}
    else:
        text = rng.choice(READ if action == "ReadFile" else DELETE).format(p=path)
        body = {"path": path}
    text = rng.choice(POLITE) + text
    if rng.random() < 0.4:
        text = text[0].upper() + text[1:]
    if text[-1] != "?" and rng.random() < 0.15 and action != "ListDir":
        text += " please"
    last = rng.random() < 0.5
    answer = {**body, "action": action} if last else {"action": action, **body}
    name = "agent-last" if last else "agent"
    return Sample(name, keys(name), text, answer, held_out("agent", path, body.get("content")))
