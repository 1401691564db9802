"""A sentence → its verb, tense and person."""

from __future__ import annotations

import random

from streams.sample import NAMES, Sample, held_out, keys, words

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
