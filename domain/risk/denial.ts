interface Denial {
  /** broker: the broker said no, and its words are sorted into this. service: no order was sent. */
  by: 'broker' | 'service'
  /** Time, a person or the market may lift it: an approval denied for it is not taken, and the signal waits on. */
  canChange: boolean
  meaning: string
}

/** The closed list of codes of `statusReason` and error bodies; `docs/guide/denial-codes.md` is written from it. */
export const DENIALS = {
  INSUFFICIENT_FUNDS: { by: 'broker', canChange: true, meaning: 'The account has not enough buying power.' },
  INVALID_ORDER: {
    by: 'broker',
    canChange: false,
    meaning: 'The order is not one that the broker takes; also said by us where that is certain beforehand.',
  },
  BROKER_ERROR: {
    by: 'broker',
    canChange: false,
    meaning: 'The broker rejected for another reason, given in its own words.',
  },
  BROKER_CREDENTIALS_INVALID: {
    by: 'broker',
    canChange: true,
    meaning: "The keys of the account's connection are wrong, revoked or lack permission.",
  },
  TRADING_BLOCKED: {
    by: 'service',
    canChange: true,
    meaning:
      'The broker lets the account trade nothing at the moment: it has blocked the account, or its owner has suspended trading there.',
  },
  SHORTING_NOT_PERMITTED: {
    by: 'service',
    canChange: true,
    meaning: 'The broker lets the account sell nothing short.',
  },
  ASSET_NOT_TRADABLE: {
    by: 'service',
    canChange: true,
    meaning: 'The symbol is not traded at the broker at the moment.',
  },
  ASSET_NOT_SHORTABLE: {
    by: 'service',
    canChange: true,
    meaning: 'The symbol cannot be sold short at the broker, or is not easy to borrow at the moment.',
  },
  NO_POSITION_TO_CLOSE: {
    by: 'service',
    canChange: true,
    meaning: 'A closing action found nothing that it could close.',
  },
  POSITION_HELD: {
    by: 'service',
    canChange: true,
    meaning: 'Open orders, which are named, hold all shares of the position.',
  },
  OPPOSITE_ORDER: {
    by: 'broker',
    canChange: true,
    meaning:
      'An open order of the account stands on the other side, and the two could trade with each other.',
  },
  ORDER_TOO_SMALL: {
    by: 'broker',
    canChange: true,
    meaning:
      'The order is worth less than the broker takes; also said by us of a part of a share where that is certain beforehand.',
  },
  QUANTITY_ROUNDS_TO_ZERO: {
    by: 'service',
    canChange: true,
    meaning: 'The amount does not buy one share, or part of one.',
  },
  MODE_MISMATCH: {
    by: 'service',
    canChange: true,
    meaning: 'The account is none of the trading mode, or the server does not trade real money.',
  },
  STRATEGY_PAUSED: {
    by: 'service',
    canChange: true,
    meaning: 'The strategy of the signal is paused, and opens no positions.',
  },
  SENDER_REVOKED: {
    by: 'service',
    canChange: false,
    meaning:
      'The access token that sent the signal or order may not open positions any more, and no person has approved it.',
  },
  TOKEN_BOUNDS_EXCEEDED: {
    by: 'service',
    canChange: false,
    meaning: 'The order exceeds a bound of the access token that sent it, and no person has approved it.',
  },
  USER_DISABLED: { by: 'service', canChange: true, meaning: 'The user is disabled, and opens no positions.' },
  ACCOUNT_INACTIVE: { by: 'service', canChange: false, meaning: 'The account is switched off.' },
  DECLINED: { by: 'service', canChange: false, meaning: 'A person declined the signal.' },
  STALE: {
    by: 'service',
    canChange: false,
    meaning: 'The order could not be sent in time, and is too old to be sent now.',
  },
  EARLIER_SIGNALS_UNFINISHED: {
    by: 'service',
    canChange: true,
    meaning: 'Earlier signals of the account and symbol, which it had to wait for, did not end in time.',
  },
  OUTCOME_UNKNOWN: {
    by: 'service',
    canChange: false,
    meaning: 'Whether the broker has the order is not known yet.',
  },
  DUPLICATE_CLIENT_ORDER_ID: {
    by: 'service',
    canChange: false,
    meaning: 'The broker holds another order under the id of this one.',
  },
  ORDER_TOO_LARGE: {
    by: 'service',
    canChange: true,
    meaning: 'The order exceeds the largest order of the account.',
  },
  POSITION_TOO_LARGE: {
    by: 'service',
    canChange: true,
    meaning: 'With this order the position would exceed the largest position of the account.',
  },
  ORDER_RATE_EXCEEDED: {
    by: 'service',
    canChange: true,
    meaning: 'The account has opened as many orders this minute, or today, as its limits allow.',
  },
  DAILY_LOSS_REACHED: { by: 'service', canChange: true, meaning: "The account has lost its day's limit." },
  PRICE_OUTSIDE_COLLAR: {
    by: 'service',
    canChange: true,
    meaning: 'The limit or stop price lies too far from the last price.',
  },
  PRICE_DRIFTED: {
    by: 'service',
    canChange: true,
    meaning: 'The price has moved too far since the signal began to wait for its approval.',
  },
  APPROVAL_REQUIRED: {
    by: 'service',
    canChange: false,
    meaning:
      'The owner of the account lets a person approve orders of this value, and the order cannot wait for one: it is a manual order, which can be sent as a pending signal, or as many signals of the account wait as may.',
  },
  PROTECTION_SENSELESS: {
    by: 'service',
    canChange: true,
    meaning:
      'A level of the exit plan lies on the wrong side of the price at which the entry would be filled, or between bid and ask: it would close the position at once.',
  },
  PROTECTION_UNSUPPORTED: {
    by: 'service',
    canChange: true,
    meaning: 'The broker of the account cannot keep the stop with which the entry comes.',
  },
  PRICE_UNKNOWN: {
    by: 'service',
    canChange: true,
    meaning: 'A limit in dollars or of the price is set, and there is no last price to hold the order to it.',
  },
  EQUITY_IMPLAUSIBLE: {
    by: 'service',
    canChange: true,
    meaning:
      'The equity of the account moved by more than can be believed at once, and the broker showed no other within the time of the signal.',
  },
  PRICE_STALE: {
    by: 'service',
    canChange: true,
    meaning:
      'The last price is older than the last session, or far outside of bid and ask, and the market shows no other to go by.',
  },
  PRICE_UNAVAILABLE: {
    by: 'broker',
    canChange: true,
    meaning: 'The broker accepts the keys and gives them no prices: the data plan of the account lacks them.',
  },
  DUPLICATE_SUSPECTED: {
    by: 'service',
    canChange: true,
    meaning: 'The same order was asked for a moment ago, and no two sourceIds tell them apart.',
  },
  SYMBOL_NOT_ALLOWED: {
    by: 'service',
    canChange: true,
    meaning:
      'The account may not open positions in this symbol, or it is no share: shares and ETFs are traded here.',
  },
  SHORT_NOT_ALLOWED: {
    by: 'service',
    canChange: true,
    meaning:
      'Nothing is held that could be sold, and the message, or the hook it came by, opens no short position.',
  },
  HELD_BY_OTHERS: {
    by: 'service',
    canChange: true,
    meaning:
      'The order would close shares that another strategy, hook or person has opened, and its sender manages its own shares alone.',
  },
  HELD_OTHERWISE: {
    by: 'service',
    canChange: true,
    meaning:
      'The message, or the hook it came by, wants no such order for the position that is held or on order.',
  },
  OUTSIDE_MARKET_HOURS: {
    by: 'service',
    canChange: true,
    meaning: 'The account opens positions only within market hours, and this is outside them.',
  },
  FLAT_BY_CLOSE: {
    by: 'service',
    canChange: true,
    meaning:
      'The account, the strategy or the hook is flat by the close, and opens nothing from then on until the session has ended.',
  },
  TRADING_PAUSED: { by: 'service', canChange: true, meaning: 'The kill switch is set to pause entries.' },
  REDUCE_ONLY: { by: 'service', canChange: true, meaning: 'The kill switch is set to reduce only.' },
  TRADING_STOPPED: { by: 'service', canChange: true, meaning: 'The kill switch is set to full stop.' },
  RUNAWAY_STOPPED: {
    by: 'service',
    canChange: true,
    meaning: 'More orders were about to leave than signals account for, so the kill switch was set.',
  },
} as const satisfies Record<string, Denial>

export type DenialCode = keyof typeof DENIALS

export const canChange = (code: string): boolean =>
  Object.hasOwn(DENIALS, code) && DENIALS[code as DenialCode].canChange

/** By a person, by validUntil, by a newer signal with the sourceId, or because the target was held or superseded. */
const CANCEL_REASONS = ['WITHDRAWN', 'EXPIRED', 'SUPERSEDED', 'AT_TARGET', 'TARGET_SUPERSEDED'] as const
export type CancelReason = (typeof CANCEL_REASONS)[number]

export type StatusReason = DenialCode | CancelReason
export const STATUS_REASONS = [...(Object.keys(DENIALS) as DenialCode[]), ...CANCEL_REASONS]

export type UnsentReason = 'WITHDRAWN' | 'EXPIRED' | 'SUPERSEDED' | 'STALE'
