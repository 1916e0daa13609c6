interface Denial {
  /** broker: its rejection is mapped to this code. service: no order was sent. */
  by: 'broker' | 'service'
  /** Time, a person or the market may lift it: the signal waits on despite approval. */
  canChange: boolean
  meaning: string
}

/** All codes of `statusReason` and error bodies; the source of `docs/guide/denial-codes.md`. */
export const DENIALS = {
  INSUFFICIENT_FUNDS: { by: 'broker', canChange: true, meaning: 'The account has not enough buying power.' },
  INVALID_ORDER: {
    by: 'broker',
    canChange: false,
    meaning: 'The broker does not accept such an order; also denied here if that is certain beforehand.',
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
      'The account cannot trade at the moment: the broker has blocked it, or its owner has suspended trading there.',
  },
  SHORTING_NOT_PERMITTED: {
    by: 'service',
    canChange: true,
    meaning: 'The account may not sell short at its broker.',
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
    meaning: 'There is no position that the closing action could close.',
  },
  POSITION_HELD: {
    by: 'service',
    canChange: true,
    meaning: 'Open orders hold all shares of the position; the message names them.',
  },
  OPPOSITE_ORDER: {
    by: 'broker',
    canChange: true,
    meaning:
      'The broker refuses an order that could trade with another open order of the account (wash trade).',
  },
  ORDER_TOO_SMALL: {
    by: 'broker',
    canChange: true,
    meaning:
      'The order is worth less than the broker accepts; for a part of a share also denied here if that is certain beforehand.',
  },
  QUANTITY_ROUNDS_TO_ZERO: {
    by: 'service',
    canChange: true,
    meaning: 'The amount does not buy one share, or part of one.',
  },
  MODE_MISMATCH: {
    by: 'service',
    canChange: true,
    meaning: 'The account does not belong to the trading mode, or the server does not trade real money.',
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
      'The access token that sent the signal or order may no longer open positions, and no person has approved it.',
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
    meaning: 'The earlier signals of the account and symbol did not end in time.',
  },
  OUTCOME_UNKNOWN: {
    by: 'service',
    canChange: false,
    meaning: 'It is unknown whether the broker has the order.',
  },
  DUPLICATE_CLIENT_ORDER_ID: {
    by: 'service',
    canChange: false,
    meaning: 'The broker holds another order under the id of this one.',
  },
  ORDER_TOO_LARGE: {
    by: 'service',
    canChange: true,
    meaning:
      'The order exceeds `maxOrderShares` or `maxOrderValue` of the account; `statusDetail` says which.',
  },
  POSITION_TOO_LARGE: {
    by: 'service',
    canChange: true,
    meaning: 'The position would exceed the largest position of the account.',
  },
  ORDER_RATE_EXCEEDED: {
    by: 'service',
    canChange: true,
    meaning: 'The account has reached its limit of opening orders for this minute or for today.',
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
      'Orders of this value need approval, and the order cannot wait for it: it is a manual order, which can be sent as a pending signal, or the account has the most waiting signals allowed.',
  },
  PROTECTION_SENSELESS: {
    by: 'service',
    canChange: true,
    meaning:
      'A stop or target is on the wrong side of the expected entry price, or between bid and ask: it would close the position at once.',
  },
  PROTECTION_UNSUPPORTED: {
    by: 'service',
    canChange: true,
    meaning: 'The broker of the account does not support the stop of the entry.',
  },
  PRICE_UNKNOWN: {
    by: 'service',
    canChange: true,
    meaning: 'A limit in dollars or of the price is set, and there is no last price to check it.',
  },
  EQUITY_IMPLAUSIBLE: {
    by: 'service',
    canChange: true,
    meaning:
      'The equity of the account moved implausibly far at once, and the broker showed no other within the time of the signal.',
  },
  PRICE_STALE: {
    by: 'service',
    canChange: true,
    meaning:
      'The last price is older than the last session, or far outside bid and ask, and there is no other price.',
  },
  PRICE_UNAVAILABLE: {
    by: 'broker',
    canChange: true,
    meaning:
      'The broker accepts the keys but returns no prices: the data plan of the account does not include them.',
  },
  DUPLICATE_SUSPECTED: {
    by: 'service',
    canChange: true,
    meaning: 'The same order was requested a moment ago, without different sourceIds.',
  },
  SYMBOL_NOT_ALLOWED: {
    by: 'service',
    canChange: true,
    meaning: 'The account may not open positions in this symbol, or it is no share or ETF.',
  },
  SHORT_NOT_ALLOWED: {
    by: 'service',
    canChange: true,
    meaning: 'There is no position to sell, and the message or its hook may not open a short position.',
  },
  HELD_BY_OTHERS: {
    by: 'service',
    canChange: true,
    meaning:
      'The order would close shares of another strategy, hook or person, and its sender manages only its own shares.',
  },
  HELD_OTHERWISE: {
    by: 'service',
    canChange: true,
    meaning: 'The message or its hook permits no such order for the position that is held or on order.',
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
      'The account, strategy or hook is flat by the close, and opens no position until the session has ended.',
  },
  TRADING_PAUSED: { by: 'service', canChange: true, meaning: 'The kill switch is set to pause entries.' },
  REDUCE_ONLY: { by: 'service', canChange: true, meaning: 'The kill switch is set to reduce only.' },
  TRADING_STOPPED: { by: 'service', canChange: true, meaning: 'The kill switch is set to full stop.' },
  RUNAWAY_STOPPED: {
    by: 'service',
    canChange: true,
    meaning: 'More orders were about to be sent than signals explain, so the kill switch was set.',
  },
} as const satisfies Record<string, Denial>

export type DenialCode = keyof typeof DENIALS

export const canChange = (code: string): boolean =>
  Object.hasOwn(DENIALS, code) && DENIALS[code as DenialCode].canChange

const CANCEL_REASONS = ['WITHDRAWN', 'EXPIRED', 'SUPERSEDED', 'AT_TARGET', 'TARGET_SUPERSEDED'] as const
export type CancelReason = (typeof CANCEL_REASONS)[number]

export type StatusReason = DenialCode | CancelReason
export const STATUS_REASONS = [...(Object.keys(DENIALS) as DenialCode[]), ...CANCEL_REASONS]

export type UnsentReason = 'WITHDRAWN' | 'EXPIRED' | 'SUPERSEDED' | 'STALE'
