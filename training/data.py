"""Seed → (keys, input, answer): the four worked systems and a generic one, as endless streams of sentences.

Each stream is split by what it says, not by chance per line: a held-out combination (a cart, a path, a pairing of issue
and circumstances, a subject with a verb and an object) never occurs in training, in any wording.
"""

from __future__ import annotations

import json
import random
import sys
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from frisket.models.prompt import property_names, render

SCHEMAS = Path(__file__).resolve().parent.parent / "src" / "frisket" / "examples"
HELD_OUT = 12  # one combination in so many


class Sample(NamedTuple):
    task: str
    keys: tuple[str, ...]
    text: str
    answer: Any
    held_out: bool


@cache
def schema(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    return loaded


@cache
def keys(name: str) -> tuple[str, ...]:
    return tuple(property_names(schema(name)))


def words(text: str) -> list[str]:
    """The parts of a list that is written as one text."""
    return text.split(", ")


def held_out(*parts: object) -> bool:
    """Whether a combination belongs to the evaluation; the same in every process."""
    return zlib.crc32(json.dumps(parts, sort_keys=True).encode()) % HELD_OUT == 0


# -- triage --------------------------------------------------------------------------------------------------------

PRODUCTS = words(
    "app, website, dashboard, portal, phone app, desktop client, tablet, scanner, printer, router, camera, headset"
)
FILES = words("invoice, report, spreadsheet, photo, video, contract, backup, calendar, playlist, newsletter")
GOODS = words(
    "order, parcel, package, jacket, lamp, keyboard, shoes, coffee machine, desk, mattress, phone case, book, "
    "backpack, blender, watch, bicycle, helmet, tent, monitor, guitar"
)
SUMS = words("$5, $12, $19.99, $30, $49, $80, $120, $250, 9 euros, 15 euros, 40 pounds, 99 dollars, 200 dollars")
TIMES = words(
    "yesterday, this morning, last week, on Monday, on Friday, two days ago, last night, since the update, today"
)

# category, severity (0 low, 1 medium, 2 high), paraphrases
ISSUES: list[tuple[str, int, list[str]]] = [
    (
        "billing",
        2,
        [
            "My card was charged twice",
            "I was charged twice for the {good}",
            "You billed me two times {time}",
            "There is a double charge of {sum} on my card",
            "I have been billed twice {time}",
            "The same payment of {sum} was taken twice",
            "I see two charges of {sum} on my statement",
        ],
    ),
    (
        "billing",
        2,
        [
            "I paid {sum} and the payment disappeared",
            "The payment of {sum} went through but you say it is unpaid",
            "You took {sum} from my account without permission",
            "There is a charge of {sum} I never authorized",
            "I do not recognize the charge of {sum} {time}",
            "Someone used my card for {sum} on your {product}",
        ],
    ),
    (
        "billing",
        1,
        [
            "Where is my refund of {sum}",
            "I am still waiting for the refund for the {good}",
            "You promised to refund {sum} {time}",
            "I want my money back for the {good}",
            "Please refund the {good}",
            "I would like a refund of {sum}",
        ],
    ),
    (
        "billing",
        1,
        [
            "The invoice shows the wrong amount",
            "My invoice says {sum} but it should be less",
            "The discount code was not applied to my {good}",
            "I was overcharged by {sum}",
            "The price of the {good} on the bill is wrong",
        ],
    ),
    (
        "billing",
        0,
        [
            "Can I get a copy of my invoice",
            "Please send me the receipt for the {good}",
            "I need an invoice for the {good}",
            "How can I change my billing address",
            "Can I pay by bank transfer",
            "Which cards do you accept",
            "How do I pay yearly instead of monthly",
        ],
    ),
    (
        "technical",
        2,
        [
            "The {product} is down for everyone",
            "Nobody in our company can use the {product}",
            "The whole {product} has been offline {time}",
            "All our data in the {product} is gone",
            "The {product} deleted every {file} I had",
            "The {product} lost all my files {time}",
        ],
    ),
    (
        "technical",
        1,
        [
            "The {product} crashes when I open a {file}",
            "The {product} keeps crashing {time}",
            "I get an error when I upload a {file}",
            "The {product} freezes every time I save a {file}",
            "I cannot export my {file} from the {product}",
            "The {product} does not load {time}",
            "Printing a {file} from the {product} fails",
            "The {product} shows error 500 {time}",
        ],
    ),
    (
        "technical",
        0,
        [
            "The {product} is a bit slow {time}",
            "The colors in the {product} look strange",
            "There is a typo in the {product}",
            "The icon of the {product} is blurry",
            "The {file} preview is slightly cut off in the {product}",
            "A button in the {product} is misaligned",
        ],
    ),
    (
        "account",
        2,
        [
            "My account was hacked",
            "Someone logged into my account {time}",
            "Somebody changed my password {time}",
            "There is a stranger in my account",
            "My account has been stolen {time}",
        ],
    ),
    (
        "account",
        1,
        [
            "I cannot log in to the {product}",
            "I forgot my password",
            "The password reset mail never arrives",
            "I am locked out of the {product} {time}",
            "The login code does not arrive on my phone",
            "Your {product} says my password is wrong",
            "I can't sign in {time}",
        ],
    ),
    (
        "account",
        0,
        [
            "How do I change my email address",
            "I want to change my user name",
            "Please delete my account",
            "How can I update my profile picture",
            "How do I add a second user to my account",
            "Please close my account",
            "I would like to merge two accounts",
        ],
    ),
    (
        "shipping",
        2,
        [
            "The {good} arrived broken and cut my hand",
            "The {good} caught fire {time}",
            "The {good} you sent is dangerous",
            "The {good} gave me an electric shock",
        ],
    ),
    (
        "shipping",
        1,
        [
            "My {good} has not arrived",
            "The {good} was supposed to come {time}",
            "My {good} arrived damaged",
            "You sent me the wrong {good}",
            "The tracking number for my {good} does not work",
            "The courier lost my {good}",
            "Half of my {good} is missing from the box",
            "The {good} came broken",
        ],
    ),
    (
        "shipping",
        0,
        [
            "Where can I track my {good}",
            "How long does delivery of a {good} take",
            "Do you ship to Canada",
            "Can I change the delivery address for my {good}",
            "How much is shipping for a {good}",
            "Can the {good} be delivered to a neighbor",
            "Do you deliver on Saturdays",
        ],
    ),
    (
        "feature",
        0,
        [
            "It would be great if the {product} had a dark mode",
            "Please add a way to sort each {file}",
            "Could you add an export to PDF for a {file}",
            "I wish the {product} could remind me",
            "Can you build a widget for the {product}",
            "A search in the {product} would be nice",
            "Please support keyboard shortcuts in the {product}",
            "You should add a calendar to the {product}",
        ],
    ),
    (
        "feature",
        1,
        [
            "We need single sign-on in the {product} to keep using it",
            "Our team needs an audit log in the {product}",
            "Without an API for the {product} we will have to leave",
            "We need a bulk upload of each {file} for our work",
        ],
    ),
    (
        "other",
        0,
        [
            "I love your {product}",
            "Thank you for the {good}",
            "Just wanted to say the {product} is great",
            "Are you hiring",
            "What are your opening hours",
            "Where is your office",
            "Do you have a newsletter",
            "Great work on the {product}",
        ],
    ),
    (
        "other",
        1,
        [
            "Your colleague was rude to me {time}",
            "I want to complain about your service",
            "The chat agent hung up on me {time}",
            "I am a journalist and have a question about your company",
        ],
    ),
]

# text, change of severity
URGENCY = [("", 0)] * 5 + [
    ("This is urgent.", 1),
    ("I need this fixed today!", 1),
    ("Please hurry.", 1),
    ("ASAP!", 1),
    ("This is an emergency.", 1),
    ("It cannot wait.", 1),
    ("We are losing customers because of this.", 1),
    ("No rush.", -1),
    ("Take your time.", -1),
    ("It is not urgent.", -1),
    ("Whenever you have time.", -1),
    ("No hurry at all.", -1),
]
HUMAN = [("", False)] * 6 + [
    ("Let me talk to a person.", True),
    ("I want to speak to a human.", True),
    ("Please call me back.", True),
    ("Can someone call me?", True),
    ("I want to speak to a manager.", True),
    ("My lawyer will be in touch.", True),
    ("No bots please.", True),
    ("Thanks in advance.", False),
    ("An answer by mail is fine.", False),
]
HEDGES = [("", 0.95)] * 6 + [
    ("I am not sure, but ", 0.6),
    ("I think ", 0.6),
    ("Maybe I am wrong, but ", 0.6),
    ("It seems ", 0.6),
    ("If I remember well, ", 0.6),
]
GREETINGS = [
    "",
    "",
    "",
    "",
    "Hi, ",
    "Hello, ",
    "Hey there, ",
    "Good morning, ",
    "Dear team, ",
    "hi ",
    "Hello support, ",
]
CLOSINGS = ["", "", "", "", "Thanks!", "Thank you.", "Regards, {name}", "Best, {name}", "Cheers"]
NAMES = words(
    "Ada, Alan, Grace, Linus, Maria, John, Anna, Peter, Lena, Omar, Yuki, Chen, Priya, Carlos, Sofia, Ivan, "
    "Fatima, Noah, Emma, Lucas, Mia, Jonas, Clara, Hugo, Nina, Paul, Rosa, Tom, Zoe, Kofi, Amir, Elif, Sara, "
    "David, Laura, Marco, Ines, Oscar, Ruth, Sven"
)


def triage(rng: random.Random) -> Sample:
    index = rng.randrange(len(ISSUES))
    category, severity, wordings = ISSUES[index]
    wording = rng.randrange(len(wordings))
    urgency, change = rng.choice(URGENCY)
    human, wants_human = rng.choice(HUMAN)
    hedge, confidence = rng.choice(HEDGES)
    body = wordings[wording].format(
        good=rng.choice(GOODS),
        sum=rng.choice(SUMS),
        time=rng.choice(TIMES),
        product=rng.choice(PRODUCTS),
        file=rng.choice(FILES),
    )
    if hedge and not body.startswith(("I ", "I'")):
        body = body[0].lower() + body[1:]
    greeting = rng.choice(GREETINGS)
    start = greeting + hedge
    if start and not start[0].isupper():
        body = body.lower()
    extras = [part for part in (urgency, human) if part]
    rng.shuffle(extras)
    stop = rng.choice(
        [".", ".", "!", "", "?" if body.startswith(("Can", "How", "Where", "Do ", "Are", "Which", "What")) else "."]
    )
    closing = rng.choice(CLOSINGS).format(name=rng.choice(NAMES))
    if not stop and (extras or closing):
        stop = "."
    text = " ".join(part for part in [start + body + stop, *extras, closing] if part)
    priority = min(2, max(0, severity + change))
    answer = {
        "priority": ("low", "medium", "high")[priority],
        "category": category,
        "needs_human": wants_human or priority == 2,
        "confidence": confidence,
    }
    return Sample(
        "triage", keys("triage"), slip(rng, text), answer, held_out("triage", index, wording, urgency, human, hedge)
    )


# -- tutor ---------------------------------------------------------------------------------------------------------

# base: third person, past, participle, -ing, objects
VERBS: dict[str, tuple[str, str, str, str, str]] = {
    "break": ("breaks", "broke", "broken", "breaking", "a cup|the window|the rules|her promise|a plate|the record"),
    "bring": ("brings", "brought", "brought", "bringing", "a cake|the children|some flowers|the news|a friend|lunch"),
    "build": ("builds", "built", "built", "building", "a house|a boat|a wall|a robot|the bridge|a new shed"),
    "buy": ("buys", "bought", "bought", "buying", "a car|some bread|new shoes|the tickets|a present|milk"),
    "draw": ("draws", "drew", "drawn", "drawing", "a map|a horse|the castle|a circle|a picture|comics"),
    "drink": ("drinks", "drank", "drunk", "drinking", "water|a cup of tea|coffee|some juice|too much|milk"),
    "drive": ("drives", "drove", "driven", "driving", "a bus|to work|the old van|home|a truck|to the sea"),
    "eat": ("eats", "ate", "eaten", "eating", "an apple|breakfast|the soup|fish|a sandwich|with friends"),
    "fly": ("flies", "flew", "flown", "flying", "to Rome|a kite|a plane|home|a small drone|over the lake"),
    "give": ("gives", "gave", "given", "giving", "a speech|the dog a bone|some advice|a party|money away|an answer"),
    "go": ("goes", "went", "gone", "going", "home|to school|to the market|abroad|to the dentist|for a walk"),
    "make": ("makes", "made", "made", "making", "a cake|dinner|a mistake|some noise|a plan|the bed"),
    "see": ("sees", "saw", "seen", "seeing", "a film|the doctor|an owl|the problem|the mountains|a friend"),
    "sing": ("sings", "sang", "sung", "singing", "a song|in the choir|loudly|an old tune|in the shower|to the baby"),
    "speak": (
        "speaks",
        "spoke",
        "spoken",
        "speaking",
        "French|to the crowd|with the boss|slowly|three languages|on the radio",
    ),
    "swim": (
        "swims",
        "swam",
        "swum",
        "swimming",
        "in the lake|across the river|ten lengths|in the sea|with dolphins|fast",
    ),
    "take": ("takes", "took", "taken", "taking", "the train|a photo|a nap|notes|the first step|a shower"),
    "teach": ("teaches", "taught", "taught", "teaching", "math|a class|at a school|children|the piano|physics"),
    "wear": ("wears", "wore", "worn", "wearing", "a hat|a red coat|glasses|old boots|a uniform|a scarf"),
    "write": ("writes", "wrote", "written", "writing", "a book|a letter|poems|an email|the report|a song|a long novel"),
}
TENSES = ("present_simple", "present_continuous", "present_perfect", "past_simple", "future_simple")
THIRD = words(
    "She, He, It, The teacher, My brother, My sister, The old man, Our neighbor, The doctor, A friend of "
    "mine, The student, Her uncle, His mother, The girl next door, Nobody, Everyone"
)
WHEN = {
    "present_simple": ["every day", "on Sundays", "often", "in summer", "every week", "twice a year"],
    "present_continuous": ["right now", "at the moment", "today", "this week"],
    "present_perfect": ["already", "before", "recently", "many times", "since May"],
    "past_simple": ["yesterday", "last week", "two years ago", "in 2019", "last summer", "this morning"],
    "future_simple": ["tomorrow", "next week", "soon", "in a year", "one day", "tonight"],
}


def tutor(rng: random.Random) -> Sample:
    verb, tense, person = rng.choice(sorted(VERBS)), rng.choice(TENSES), rng.choice(("1sg", "2sg", "3sg"))
    thing = rng.choice(VERBS[verb][4].split("|"))
    subject = {
        "1sg": "I",
        "2sg": "You",
        "3sg": rng.choice([*THIRD, rng.choice(NAMES), rng.choice(NAMES), stranger(rng), "She", "He"]),
    }[person]
    form = rng.choice(["plain"] * 5 + ["short"] * 2 + ["not", "not short", "question"])
    clause = conjugate(rng, verb, tense, person, subject, form)
    when = rng.choice(WHEN[tense]) if rng.random() < 0.35 else ""
    text = f"{clause} {thing}"
    if when:
        text = (
            f"{when.capitalize()} {decapitalize(text)}"
            if form != "question" and rng.random() < 0.25
            else f"{text} {when}"
        )
    text += "?" if form == "question" else rng.choice(["", ".", ".", "!"])
    if rng.random() < 0.06:
        text = text.lower()
    answer = {"verb": verb, "tense": tense, "person": person}
    return Sample("tutor", keys("tutor"), text, answer, held_out("tutor", verb, tense, subject, thing))


def stranger(rng: random.Random) -> str:
    """A name that nobody bears, so that the model learns the place of a name and not only forty of them."""
    return "".join(
        rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(rng.randint(2, 3))
    ).capitalize() + rng.choice(["", "", "n", "s", "l", "ce"])


def decapitalize(text: str) -> str:
    first = text.split()[0]
    return (
        text
        if (first.startswith("I") and first in ("I", "I'm", "I've", "I'll")) or first.split("'")[0] in NAMES
        else text[0].lower() + text[1:]
    )


def conjugate(rng: random.Random, verb: str, tense: str, person: str, subject: str, form: str) -> str:
    third, past, participle, gerund, _ = VERBS[verb]
    singular = person == "3sg"
    be = {"1sg": "am", "2sg": "are", "3sg": "is"}[person]
    have = "has" if singular else "have"
    helper, main = {
        "present_simple": ("does" if singular else "do", verb),
        "present_continuous": (be, gerund),
        "present_perfect": (have, participle),
        "past_simple": ("did", verb),
        "future_simple": ("will", verb),
    }[tense]
    if form == "question":
        inner = subject if subject in ("I", *NAMES) else subject[0].lower() + subject[1:]
        return f"{helper.capitalize()} {inner} {main}"
    if form in ("not", "not short"):
        short = {"will": "won't", "am": "'m not"}.get(helper, f"{helper}n't")
        if form == "not short":
            return f"{subject}{short} {main}" if helper == "am" else f"{subject} {short} {main}"
        return f"{subject} {helper} not {main}"
    if tense == "present_simple":
        return f"{subject} {third if singular else verb}"
    if tense == "past_simple":
        return f"{subject} {past}"
    if form == "short":
        short = {"am": "'m", "are": "'re", "is": "'s", "has": "'s", "have": "'ve", "will": "'ll"}[helper]
        return f"{subject}{short} {main}"
    adverb = rng.choice(["just ", "never ", "now "]) if rng.random() < 0.1 else ""
    return f"{subject} {helper} {adverb}{main}"


# -- orders --------------------------------------------------------------------------------------------------------

MILKY = ("latte", "cappuccino", "flat white", "mocha", "hot chocolate", "chai latte", "macchiato")
BLACK = ("americano", "espresso", "black tea", "green tea", "lemonade")
FOOD = (
    "blueberry muffin",
    "croissant",
    "cheese sandwich",
    "bagel",
    "brownie",
    "chocolate cookie",
    "banana bread",
    "cinnamon roll",
)
NUMBERS = words("zero, one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve")
SIZES = {"S": ("small", "little", "small"), "M": ("medium", "regular", "normal"), "L": ("large", "big", "large")}
MILKS = {"skim": ("skim", "skimmed"), "oat": ("oat",), "soy": ("soy",), "almond": ("almond",), "whole": ("whole",)}
OPENINGS = [
    "",
    "",
    "",
    "I'd like ",
    "Can I get ",
    "Could I have ",
    "I'll have ",
    "We want ",
    "Hi, ",
    "uh ",
    "Um, ",
    "Give me ",
    "Hello, can I have ",
    "I want to order ",
    "For me ",
    "Let me get ",
    "Please bring us ",
    "just ",
    "We'd like ",
]
ENDINGS = [
    "",
    "",
    "",
    " please",
    ", please",
    " thanks",
    ", to go",
    " for here",
    ". That's all",
    ", thank you",
    " to take away",
]


def orders(rng: random.Random) -> Sample:
    count = rng.choice((1, 1, 1, 2, 2, 2, 2, 3, 3))
    lines, words = [], []
    for item in rng.sample(MILKY + BLACK + FOOD + MILKY, count):
        line, phrase = order_line(rng, item)
        lines.append(line)
        words.append(phrase)
    joint = rng.choice([" and ", " and ", ", and ", " and also ", " plus ", " and uh "])
    spoken = words[0] if count == 1 else rng.choice([", ", ", ", " and "]).join(words[:-1]) + joint + words[-1]
    opening = rng.choice(OPENINGS)
    text = opening + spoken + rng.choice(ENDINGS)
    if rng.random() < 0.3:
        text = text[0].upper() + text[1:]
    if opening.startswith(("Can", "Could", "Hello")):
        text += "?"
    elif rng.random() < 0.2:
        text += "."
    return Sample("orders", keys("orders"), text, {"items": lines}, held_out("orders", lines))


def order_line(rng: random.Random, item: str) -> tuple[dict[str, Any], str]:
    quantity = rng.choice((1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, rng.randint(1, 12)))
    line: dict[str, Any] = {"item": item, "quantity": quantity}
    before, after = [], ""
    if item not in FOOD:
        size = rng.choice(("", "", "S", "M", "L", "L"))
        if size:
            before.append(rng.choice(SIZES[size]))
        line["size"] = size or "M"
        milk = (
            rng.choice(("", "", "", "oat", "oat", "soy", "almond", "skim", "whole", "none"))
            if item in MILKY
            else rng.choice(("",) * 8 + ("oat", "soy", "none"))
        )
        if milk == "none":
            after = rng.choice((" without milk", " with no milk"))
        elif milk:
            word = rng.choice(MILKS[milk])
            if item in MILKY and rng.random() < 0.55:
                before.append(f"{word} milk" if rng.random() < 0.15 else word)
            else:
                after = f" with {word} milk"
        line["milk"] = milk or ("whole" if item in MILKY else "none")
    noun = " ".join([*before, item if quantity == 1 else plural(item)])
    if quantity == 1:
        number = rng.choice(["an" if noun[0] in "aeo" else "a"] * 3 + ["one", "1", "another"])
    else:
        number = rng.choice(
            [NUMBERS[quantity]] * 3 + [str(quantity), "a couple of" if quantity == 2 else NUMBERS[quantity]]
        )
    return line, f"{number} {noun}{after}"


def plural(item: str) -> str:
    if item == "banana bread":
        return "banana breads"
    return item + ("es" if item.endswith(("ch", "s")) else "s")


# -- agent ---------------------------------------------------------------------------------------------------------

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


# -- generic -------------------------------------------------------------------------------------------------------

CITIES = words(
    "Paris, Oslo, Rome, Tokyo, Lima, Cairo, Berlin, Madrid, Boston, Delhi, Seoul, Nairobi, Vienna, Prague, "
    "Dublin, Quito"
)
JOBS = words(
    "baker, nurse, pilot, teacher, farmer, painter, lawyer, driver, cook, engineer, singer, judge, waiter, "
    "actor, doctor"
)
COLORS = words("red, blue, green, yellow, black, white, pink, orange, purple, grey")
PETS = words("dog, cat, parrot, horse, hamster, snake, rabbit, goat")


def generic(rng: random.Random) -> Sample:
    """Facts about a person, asked for under any of their names in any order: what an unseen schema looks like."""
    name = rng.choice(NAMES)
    facts = {
        "name": (name, "{v}"),
        "age": (rng.randint(5, 95), rng.choice(["is {v} years old", "is {v}", "turned {v} {w}"])),
        "city": (rng.choice(CITIES), rng.choice(["lives in {v}", "comes from {v}", "moved to {v}"])),
        "job": (rng.choice(JOBS), rng.choice(["works as a {v}", "is a {v}", "wants to be a {v}"])),
        "color": (rng.choice(COLORS), rng.choice(["likes {v}", "loves the color {v}", "wears {v}"])),
        "pet": (rng.choice(PETS), rng.choice(["has a {v}", "owns a {v}"])),
        "email": (
            f"{name.lower()}{rng.choice(['', str(rng.randint(1, 99))])}@{rng.choice(STEMS)}."
            f"{rng.choice(['com', 'org', 'net'])}",
            rng.choice(["writes from {v}", "has the mail {v}", "can be reached at {v}"]),
        ),
        "married": (rng.random() < 0.5, ""),
    }
    told = rng.sample([key for key in facts if key != "name"], rng.randint(1, 4))
    parts = []
    for key in told:
        value, pattern = facts[key]
        pattern = ("is married" if value else "is single") if key == "married" else pattern
        parts.append(pattern.format(v=value, w=rng.choice(TIMES[:3])))
    text = (
        f"{name} "
        + (parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1])
        + rng.choice(["", "."])
    )
    wanted = rng.sample(["name", *told], rng.randint(1, len(told) + 1))
    return Sample(
        "generic", tuple(wanted), text, {key: facts[key][0] for key in wanted}, held_out("generic", name, told)
    )


# -- mixing --------------------------------------------------------------------------------------------------------

STREAMS = {"triage": triage, "tutor": tutor, "orders": orders, "agent": agent, "generic": generic}
WEIGHTS = {"triage": 0.2, "tutor": 0.16, "orders": 0.24, "agent": 0.32, "generic": 0.08}
CORRUPT = 0.06
REPAIR = 0.04


def slip(rng: random.Random, text: str) -> str:
    """Now and then a typing mistake: two letters swapped, one dropped, or everything in lower case."""
    roll = rng.random()
    if roll > 0.12:
        return text
    if roll > 0.06:
        return text.lower()
    place = rng.randrange(len(text) - 1)
    if not (text[place].isalpha() and text[place + 1].isalpha()):
        return text
    return (
        text[:place] + text[place + 1] + text[place] + text[place + 2 :]
        if roll > 0.03
        else text[:place] + text[place + 1 :]
    )


def sample(rng: random.Random) -> Sample:
    """One training sample of any stream; never a held-out one."""
    names = list(STREAMS)
    stream = STREAMS[rng.choices(names, [WEIGHTS[name] for name in names])[0]]
    while (found := stream(rng)).held_out:
        pass
    if found.task in ("triage", "tutor") and rng.random() < 0.12:
        wanted = tuple(rng.sample(found.keys, rng.randint(1, len(found.keys))))
        found = found._replace(keys=wanted, answer={key: found.answer[key] for key in wanted})
    return found


def pair(rng: random.Random) -> tuple[str, str]:
    """(prompt, target) to train on: a few targets are broken on purpose, a few prompts ask for a repair."""
    found = sample(rng)
    prompt, target = render(found.text, found.keys), json.dumps(found.answer, ensure_ascii=False)
    roll = rng.random()
    if roll < CORRUPT:
        target = corrupt(rng, target)
    elif roll < CORRUPT + REPAIR:
        bad = corrupt(rng, target)
        prompt = f"{prompt}{bad}\nerror: {complaint(bad)}\noutput: "
    return prompt, target


def complaint(text: str) -> str:
    """What the repair loop says about a broken answer (the same words as in examples/evaluation.py)."""
    try:
        json.loads(text)
    except ValueError as error:
        return str(error)
    return "the answer does not match the schema"


def corrupt(rng: random.Random, target: str) -> str:
    """What a careless model writes: nearly JSON, or JSON that is nearly the schema."""
    kind = rng.randrange(8)
    if kind == 0:
        return target[:-1]
    if kind == 1:
        return target + rng.choice(
            [" Hope this helps!", " I think that is right.", " Let me know if you need more.", "}"]
        )
    if kind == 2:
        return target.replace('"', "'")
    if kind == 3:
        return "```json\n" + target + "\n```"
    if kind == 4:
        return (
            target.replace(": true", ": True").replace(": false", ": False")
            if ": true" in target or ": false" in target
            else target.replace('",', '"', 1)
        )
    if kind == 5:
        return target[:-1] + ",}"
    for old, new in [
        ('"high"', '"urgent"'),
        ('"low"', '"minor"'),
        ("_simple", ""),
        ('"S"', '"small"'),
        ('"L"', '"large"'),
        ('"ReadFile"', '"Read"'),
        ('"DeleteFile"', '"Delete"'),
        ('"ListDir"', '"List"'),
        ('"WriteFile"', '"Write"'),
    ]:
        if old in target:
            return target.replace(old, new, 1)
    return target.replace('"', "", 2)


def evaluation(name: str, count: int, seed: int) -> Iterator[Sample]:
    """`count` held-out samples of one stream, no input twice."""
    rng, seen = random.Random(f"{seed}-{name}"), set()
    while len(seen) < count:
        found = STREAMS[name](rng)
        if found.held_out and found.text not in seen:
            seen.add(found.text)
            yield found


if __name__ == "__main__":
    rng = random.Random(0)
    for _ in range(40):
        prompt, target = pair(rng)
        print(prompt + target, end="\n\n")
