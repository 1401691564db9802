-- What is sold, and for how much. A drink has a SKU for each size that it comes in; food has one.
CREATE TABLE product (sku TEXT PRIMARY KEY, item TEXT NOT NULL, size TEXT, cents INTEGER NOT NULL CHECK (cents > 0), UNIQUE (item, size));
CREATE TABLE milk (name TEXT PRIMARY KEY, cents INTEGER NOT NULL CHECK (cents >= 0));

INSERT INTO milk VALUES ('none', 0), ('whole', 0), ('skim', 0), ('oat', 50), ('soy', 40), ('almond', 60);

WITH drink (code, item, cents) AS (VALUES
    ('LAT', 'latte', 380), ('CAP', 'cappuccino', 370), ('FLW', 'flat white', 390), ('MOC', 'mocha', 420),
    ('HOC', 'hot chocolate', 360), ('CHA', 'chai latte', 400), ('MAC', 'macchiato', 320), ('AME', 'americano', 300),
    ('ESP', 'espresso', 250), ('BLT', 'black tea', 260), ('GRT', 'green tea', 270), ('LEM', 'lemonade', 310)
), size (name, cents) AS (VALUES ('S', -40), ('M', 0), ('L', 60))
INSERT INTO product SELECT code || '-' || name, item, name, drink.cents + size.cents FROM drink CROSS JOIN size;

INSERT INTO product VALUES
    ('MUF', 'blueberry muffin', NULL, 290), ('CRO', 'croissant', NULL, 240), ('SAN', 'cheese sandwich', NULL, 520),
    ('BAG', 'bagel', NULL, 310), ('BRO', 'brownie', NULL, 280), ('COO', 'chocolate cookie', NULL, 190),
    ('BAN', 'banana bread', NULL, 300), ('CIN', 'cinnamon roll', NULL, 330);

-- Orders that no machine could take, for a person.
CREATE TABLE waiting (id INTEGER PRIMARY KEY, said TEXT NOT NULL, reason TEXT NOT NULL);
