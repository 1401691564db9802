"""A support ticket → its priority, its category, whether a person must answer, and how sure that is."""

from __future__ import annotations

import random

from streams.sample import NAMES, Sample, held_out, keys, slip, words

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
