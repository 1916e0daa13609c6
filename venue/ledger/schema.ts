/** A released version is never edited. Amounts are decimals as text, instants epoch milliseconds, flags 0 or 1. */
export const SCHEMA_VERSIONS: readonly string[] = [
  `
  CREATE TABLE accounts (
    id         TEXT PRIMARY KEY,
    keyId      TEXT NOT NULL UNIQUE,
    secretKey  TEXT NOT NULL,
    type       TEXT NOT NULL CHECK (type IN ('margin', 'cash')),
    cash       TEXT NOT NULL,
    openingCash TEXT NOT NULL,
    -- Equity when the last trading day ended, and the trading day that followed.
    lastEquity TEXT NOT NULL,
    tradingDay TEXT NOT NULL,
    createdAt  INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE orders (
    seq            INTEGER PRIMARY KEY AUTOINCREMENT,
    id             TEXT NOT NULL UNIQUE,
    accountId      TEXT NOT NULL REFERENCES accounts (id),
    clientOrderId  TEXT NOT NULL,
    symbol         TEXT NOT NULL,
    side           TEXT NOT NULL CHECK (side IN ('buy', 'sell')),
    positionIntent TEXT NOT NULL,
    type           TEXT NOT NULL,
    timeInForce    TEXT NOT NULL,
    qty            TEXT,
    notional       TEXT,
    limitPrice     TEXT,
    stopPrice      TEXT,
    extendedHours  INTEGER NOT NULL,
    status         TEXT NOT NULL,
    filledQty      TEXT NOT NULL DEFAULT '0',
    filledValue    TEXT NOT NULL DEFAULT '0',
    reservePrice   TEXT,
    createdAt      INTEGER NOT NULL,
    updatedAt      INTEGER NOT NULL,
    filledAt       INTEGER,
    expiredAt      INTEGER,
    canceledAt     INTEGER,
    failedAt       INTEGER,
    closedAt       INTEGER,
    activeAt       INTEGER NOT NULL,
    expiresAt      INTEGER NOT NULL,
    triggeredAt    INTEGER,
    rejectReason   TEXT,
    -- Conduct that a fault rule stamped on the order; all of it NULL in ordinary trading.
    lookupFrom     INTEGER,
    fillableFrom   INTEGER,
    firstFillQty   TEXT,
    heldUntil      INTEGER,
    rejectAt       INTEGER,
    cancelAt       INTEGER,
    forcedFillAt   INTEGER,
    -- For ever: an order that has ended keeps its client order id.
    UNIQUE (accountId, clientOrderId)
  ) STRICT;
  CREATE INDEX workingOrders ON orders (accountId, seq) WHERE closedAt IS NULL;
  CREATE INDEX lateFills ON orders (forcedFillAt) WHERE forcedFillAt IS NOT NULL;
  CREATE INDEX accountOrders ON orders (accountId, createdAt);

  CREATE TABLE fills (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    id          TEXT NOT NULL UNIQUE,
    orderId     TEXT NOT NULL REFERENCES orders (id),
    accountId   TEXT NOT NULL REFERENCES accounts (id),
    symbol      TEXT NOT NULL,
    side        TEXT NOT NULL,
    qty         TEXT NOT NULL,
    price       TEXT NOT NULL,
    -- The position after this fill, negative when short.
    positionQty TEXT NOT NULL,
    -- Dollars that the account paid for the fill, besides its price.
    fee         TEXT NOT NULL DEFAULT '0',
    at          INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX orderFills ON fills (orderId);
  CREATE INDEX accountFills ON fills (accountId, seq);
  CREATE INDEX accountFillTimes ON fills (accountId, at, seq);

  CREATE TABLE positions (
    accountId     TEXT NOT NULL REFERENCES accounts (id),
    symbol        TEXT NOT NULL,
    -- Negative when short, never zero.
    qty           TEXT NOT NULL,
    avgEntryPrice TEXT NOT NULL,
    PRIMARY KEY (accountId, symbol)
  ) STRICT, WITHOUT ROWID;

  -- Every attempt to place an order, with any outcome.
  CREATE TABLE submissions (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    accountId     TEXT NOT NULL REFERENCES accounts (id),
    clientOrderId TEXT,
    outcome       TEXT NOT NULL,
    message       TEXT,
    orderId       TEXT,
    at            INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX accountSubmissions ON submissions (accountId, seq);

  CREATE TABLE pinnedPrices (
    symbol TEXT PRIMARY KEY,
    price  TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE faultRules (
    seq   INTEGER PRIMARY KEY,
    rule  TEXT NOT NULL,
    -- How often the rule was considered, and how often it struck.
    drawn INTEGER NOT NULL DEFAULT 0,
    hit   INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE faultSeed (
    onlyRow INTEGER PRIMARY KEY CHECK (onlyRow = 1),
    seed    INTEGER NOT NULL
  ) STRICT;
  `,
  `
  -- '' is an order by itself; the orders of a bracket, oco or oto share a group.
  ALTER TABLE orders ADD COLUMN orderClass TEXT NOT NULL DEFAULT '';
  ALTER TABLE orders ADD COLUMN groupId TEXT;
  ALTER TABLE orders ADD COLUMN role TEXT CHECK (role IN ('entry', 'takeProfit', 'stopLoss'));
  -- Held until the entry has filled, or until the stop is reached.
  ALTER TABLE orders ADD COLUMN waitsFor TEXT CHECK (waitsFor IN ('entry', 'trigger'));
  ALTER TABLE orders ADD COLUMN trailPrice TEXT;
  ALTER TABLE orders ADD COLUMN trailPercent TEXT;
  ALTER TABLE orders ADD COLUMN hwm TEXT;
  ALTER TABLE orders ADD COLUMN replaces TEXT;
  ALTER TABLE orders ADD COLUMN replacedBy TEXT;
  ALTER TABLE orders ADD COLUMN replacedAt INTEGER;
  -- The client order id that its sender gave the first order of the group or chain.
  ALTER TABLE orders ADD COLUMN senderOrderId TEXT;
  CREATE INDEX groupOrders ON orders (groupId) WHERE groupId IS NOT NULL AND replacedBy IS NULL;

  -- Settings of the account, as JSON; those that are not there are as they always are.
  ALTER TABLE accounts ADD COLUMN configuration TEXT NOT NULL DEFAULT '{}';

  -- The worth of an account whenever it was another one than a minute before.
  CREATE TABLE equities (
    accountId TEXT NOT NULL REFERENCES accounts (id),
    at        INTEGER NOT NULL,
    -- The date in New York.
    day       TEXT NOT NULL,
    equity    TEXT NOT NULL,
    PRIMARY KEY (accountId, at)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE watchlists (
    id        TEXT PRIMARY KEY,
    accountId TEXT NOT NULL REFERENCES accounts (id),
    name      TEXT NOT NULL,
    -- A JSON list, in the order in which the client added them.
    symbols   TEXT NOT NULL,
    createdAt INTEGER NOT NULL,
    updatedAt INTEGER NOT NULL,
    UNIQUE (accountId, name)
  ) STRICT;
  `,
]
