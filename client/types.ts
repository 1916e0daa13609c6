// Written by `npm run docs` from the description of the API, as it stands at /openapi.json.

export type AccessToken = {
  id: string
  kind: 'access' | 'legacy' | 'desktop'
  label: string
  /** The beginning of its text */
  prefix: string
  scopes: string[]
  /** What it is bound to; empty for a token without bounds */
  bounds: {
    pendingOnly?: true
    accountIds?: string[]
    symbols?: string[]
    /** Dollars */
    maxOrderValue?: number
    ownSignalsOnly?: true
  }
  /** Bodies of signals without sourceId that are equal to the letter, for one account within 30 seconds of the first, are one signal: the others are answered 200 with it and the advisory repeated_body */
  mergesRepeats: boolean
  createdAt: string
  expiresAt: string | null
  lastUsedAt: string | null
  /** The last request for a signal that was refused, other than a dry run; of many in a row it may be some seconds old */
  lastRefusal: { at: string; code: string; message: string } | null
  isExpired: boolean
  /** A desktop's token: it ends with its session */
  isReadOnly: boolean
  /** Signals that it has sent, that wait to be sent, and that no person has approved */
  waitingSignals: number
}

export type Account = {
  id: string
  /** The connection that the account belongs to */
  brokerId: string
  brokerAccountId: string
  name: string
  type: 'MARGIN' | 'CASH' | 'IRA'
  currency: string
  equity: number
  cashBalance: number
  buyingPower: number
  isActive: boolean
  /** Trades on paper */
  isDemo: boolean
  isPrimary: boolean
  flatByClose: {
    minutes: number
    /** What was bought by hand is closed too; of accounts alone */
    includeManual: boolean
  } | null
  /** What the broker said at the last sync that the account may not do, a sentence each, such as that trading is blocked; empty where it may do all */
  restrictions: string[]
  lastSyncedAt: string | null
}

export type AccountDetail = Account & {
  /** Null where the broker does not report it */
  dayTradingBuyingPower: number | null
  marketValue: number
  unrealisedPnl: number
  realisedPnl: number
  broker: { id: string; brokerType: string; status: 'connected' | 'error' }
}

export type AccountPosition = {
  id: string
  symbol: string
  /** Shares */
  quantity: number
  side: 'LONG' | 'SHORT'
  /** Dollars a share */
  avgCost: number
  /** Dollars a share */
  currentPrice: number
  marketValue: number
  unrealisedPnl: number
  unrealisedPnlPercent: number
  /** When the broker last told */
  lastUpdated: string
}

export type AdministeredUser = User & {
  isDisabled: boolean
  /** False until an invited user has chosen one */
  hasPassword: boolean
}

export type Advisory = {
  /** Stable, for programs */
  code: string
  message: string
}

export type AgendaItem = {
  /** exit: the exit of a signal is sent; schedule: its entry is; expiry: a signal that waits for a person lapses; orderExpiry: a good till date order ends */
  kind: 'exit' | 'schedule' | 'expiry' | 'orderExpiry'
  /** When; in the past for what is overdue */
  at: string
  signalId: string | null
  /** Of an order that expires */
  orderId: string | null
  accountId: string
  symbol: string
  /** Of a signal */
  action: 'openLong' | 'closeLong' | 'openShort' | 'closeShort' | null
  /** Of an order */
  side: 'BUY' | 'SELL' | 'BUY_TO_COVER' | 'SELL_SHORT' | null
  /** As quantityType says */
  quantity: number
  quantityType: 'fixed' | 'percentEquity' | 'dollarAmount' | 'riskPercent' | 'riskDollars' | 'percentPosition'
  /** The halt that stands against it now. If it still stands when the time comes, an exit or a closing entry waits until it is lifted, and an opening entry is refused */
  heldBy: HeldBy | null
}

export type Alert = {
  id: string
  /** `unprotected_position`: Shares that the signal was to close are still held and no exit order works for them. Ends when exit orders are placed for all of them, the position is closed, or a person cancels the exit.

`fill_after_end`: The broker reported a fill after the signal, or the manual order, had ended. A signal with an exit gets one for these shares, and the alert ends when that is placed for all of them; otherwise when somebody acknowledges it.

`order_unknown_at_broker`: The broker does not know an order any more that it once accepted: it protects nothing, and its levels are watched here. After a minute in which nothing says that it has filled, it counts as ended. Ends when the broker shows it again, when its owner or an operator lets it go, or when somebody acknowledges it.

`replaced_order_working`: The signal was replaced while the broker would not cancel its order, which may still fill. Ends with the order.

`fill_amended`: The broker has taken an execution back or corrected it: what the order has filled, and the position, are other than they were. Ends when somebody acknowledges it.

`order_changed_by_broker`: The broker has the order otherwise than it was sent: with another quantity or price, or under its name for another symbol or side. Ends when somebody acknowledges it.

`action_overdue`: An entry, exit, expiry, cancel or the end of an order was due and was not dealt with 15 seconds later; the alert names the cause. Ends when it is done.

`account_sync_overdue`: The account was to be synced with its broker and was not 15 seconds later; the alert names the cause. Ends a minute after it is synced again.

`snapshot_overdue`: The balances with which a day of the exchange ended were to be recorded and were not 15 seconds later; the alert names the cause. Ends when they are, or when it is too late for that.

`feed_overdue`: Nothing was heard in time of the worker that is to follow the account at its broker: fills go unnoticed, whatever the broker does. Ends a minute after the account is compared with its broker again.

`comparison_failing`: The orders of the account could not be compared with its broker for a minute: fills that the stream does not tell of go unnoticed. Ends when comparisons have succeeded for a minute.

`execution_unreadable`: The broker's list of executions holds some that cannot be read: they are left out, and the books of the account go on without them. Ends when somebody acknowledges it, or all can be read.

`position_differs`: For more than a minute the broker has shown another position than its executions add up to, in a symbol in which a signal or an order of yours holds shares or works, as after a split, a change of the symbol or a transfer of shares: exits may be for too few shares, or wait. Ends when both have said the same for a minute, or when its owner accepts the position that the broker shows.

`credentials`: The broker rejects the keys of the account's connection: no order can be placed, watched or cancelled. Ends when it has accepted them for a minute.

`notice_unreached`: A signal waits for a person, and the notice of it has reached none of their devices: their push services refuse it, have given them up, or have taken nothing for a minute. Ends when a device is reached, or the signal waits no longer.

`trading_blocked`: The broker says that the account trades nothing at the moment, while signals of it have exits to come: these may be refused. Entries are denied meanwhile. Ends when the broker has said for a minute that the account trades, or when no exit is to come any more.

`clock_differs`: The clock of the account's broker differs from that of this service by five seconds or more. Exits are planned by the difference, unless it is too large to be believed. Ends when both have said the same for a minute.

`set_back`: The ledger, Temporal or the broker was set back to an earlier state, as by restoring a copy, or the service stood still, and they said different things. The alert names each difference and what came of it. Ends when somebody acknowledges it.

`stream_refused`: The broker answers requests and refuses its stream of order events: fills are found by asking every few seconds, orders and exits go out as ever. Ends when the stream has been there for a minute.

`ended_unfilled`: A signal or an order ended, and nobody asked for that: it came to nothing, or to a part only. Ends when somebody acknowledges it, or a day later.

`exit_unfilled`: An exit at market is at the broker and has not filled within a minute of an open session, as in a halt of the symbol: the position is still open. Ends when the order fills or ends.

`not_flat`: Everything was to be closed, by a request or before the close of the exchange, and something is not, or an order from before may still open a position: after a minute, or when half of the time before the close is over, and again when nothing more is tried. Ends when all of it is closed, or when somebody acknowledges it.

`protection_blind`: No price of the symbol was younger than 30 seconds in an open session while levels of an exit plan are kept by this service: nothing is triggered by guess. The alert names what stands at the broker and what does not. Ends when prices have been fresh, or are not needed, for a minute.

`sold_elsewhere`: Shares of the signal were closed at the broker, and not by an order of this service: a liquidation, a buy-in, or an order at the broker's own site. The exit is for the shares that are left. Ends when somebody acknowledges it.

`source_id_reused`: A signal was not carried out, because its sourceId belongs to another trade: a living signal of another symbol, action or quantity. Its sender was told so with status 200. Ends when somebody acknowledges it.

`sender_position_differs`: The sender of a signal takes another position in its symbol for held than is held or on order: an alert before it was missed or refused, or somebody else traded. The signal was carried out by what is held. Ends when somebody acknowledges it, or a day later.

`signals_refused`: A request for a signal by an access token, or one to a hook, was refused, and none of it was accepted since: what sends with it may trade nothing. Ends with the next one that is accepted, or when somebody acknowledges it.

`hook_first_request`: The first request ever came to a hook: its sender reaches this service. Ends when somebody acknowledges it, or a day later.

`hook_secret_elsewhere`: A request to a hook had its secret, or its signature, and came from an address that its owner has not listed. It was refused, and used up nothing of the rate of the hook. Ends when somebody acknowledges it.

`sender_silent`: Nothing came by the time at which something was expected of a hook, or of a strategy. Ends when something comes, or nothing is expected any more.

`untrusted_message`: A message to the signal, or to the manual order, that was not made by this service for it, or cannot be read, was dropped. Nothing was done on its word. Somebody may have access to Temporal, or a key is missing. Ends when somebody acknowledges it. */
  kind:
    | 'unprotected_position'
    | 'fill_after_end'
    | 'order_unknown_at_broker'
    | 'replaced_order_working'
    | 'fill_amended'
    | 'order_changed_by_broker'
    | 'action_overdue'
    | 'account_sync_overdue'
    | 'snapshot_overdue'
    | 'feed_overdue'
    | 'comparison_failing'
    | 'execution_unreadable'
    | 'position_differs'
    | 'credentials'
    | 'notice_unreached'
    | 'trading_blocked'
    | 'clock_differs'
    | 'set_back'
    | 'stream_refused'
    | 'ended_unfilled'
    | 'exit_unfilled'
    | 'not_flat'
    | 'protection_blind'
    | 'sold_elsewhere'
    | 'source_id_reused'
    | 'sender_position_differs'
    | 'signals_refused'
    | 'hook_first_request'
    | 'hook_secret_elsewhere'
    | 'sender_silent'
    | 'untrusted_message'
  message: string
  /** The one thing that a person does about it, by what is held and whether trading is stopped when it is read; null once it is over */
  toDo: string | null
  /** Null for an alert about an access token, a hook or a strategy */
  accountId: string | null
  /** The access token, or the hook, that the alert is about */
  tokenId: string | null
  /** The strategy that the alert is about as a whole */
  strategyId: string | null
  signalId: string | null
  /** A manual order; with neither a signal, an order, a symbol, a token nor a strategy the alert is about the whole account */
  orderId: string | null
  /** The workflow of the signal or the order in Temporal; null where it is about neither */
  workflow: Workflow | null
  /** Of the signal or the order, or the one symbol of the account that the alert is about */
  symbol: string | null
  details: Record<string, unknown>
  raisedAt: string
  acknowledgedAt: string | null
  acknowledgedBy: string | null
  /** When its cause was gone; null while it is open */
  resolvedAt: string | null
}

export type AuditEvent = {
  id: string
  /** Such as `sign_in.failed` */
  kind: string
  at: string
  /** Who did it; null for the service itself or somebody unknown */
  actorId: string | null
  ip: string | null
  requestId: string | null
  data: Record<string, unknown>
}

export type BrokerConnection = {
  id: string
  /** One of GET /brokers/types */
  brokerType: string
  name: string
  /** error while the broker rejects the keys, or has given no answer for a minute */
  status: 'connected' | 'error'
  /** Why the status is error */
  statusDetail: string | null
  /** When the broker last answered */
  lastCheckedAt: string | null
  /** When the status became error; null while connected */
  failingSince: string | null
  /** Since when the broker has left what it is asked without an answer; null while it answers */
  unansweredSince: string | null
  accounts: {
    id: string
    brokerAccountId: string
    name: string
    /** Trades on paper */
    isDemo: boolean
    isPrimary: boolean
    /** What the broker said at the last sync that the account may not do, a sentence each, such as that trading is blocked; empty where it may do all */
    restrictions: string[]
    lastSyncedAt: string | null
  }[]
  createdAt: string
  updatedAt: string
}

export type BrokerType = {
  type: string
  name: string
  credentials: {
    /** Its name in `credentials` */
    key: string
    label: string
    /** What it looks like, and where its owner finds it */
    hint: string
    isSecret: boolean
  }[]
  offersDemo: boolean
  offersLive: boolean
  /** POST /brokers/paper-account opens one */
  opensAccounts: boolean
  capabilities: {
    /** Enforced by the broker; others are emulated */
    timesInForce: ('day' | 'gtc' | 'opg' | 'cls' | 'ioc' | 'fok' | 'gtd')[]
    fractionalShares: boolean
    assetLookup: boolean
    /** The orders of exit plans that it keeps: stops, a target with a stop, a stop that follows the price */
    protects: { stops: boolean; oco: boolean; trailing: boolean }
    /** The zone of its sessions */
    calendarZone: string
  }
}

export type Fault = {
  /** Stable, for programs; such as `required` */
  code: string
  /** For people, readable by itself */
  message: string
  /** Where it is, from the top of the body or query */
  path: (string | number)[]
  /** The path as one word, such as `metadata.note` */
  field: string
}

export type Flatten = {
  id: string
  /** done: nothing is held any more, and nothing from before can open a position */
  status: 'working' | 'done' | 'failed'
  /** request: somebody asked for it. close: it is flat by the close, by a setting */
  cause: 'request' | 'close'
  reason: string | null
  createdAt: string
  endedAt: string | null
  /** What may still open a position: entries that are being stopped, and orders that were not placed here, which are to be cancelled where they were placed */
  left: { accountId: string; symbol: string; detail: string }[]
  /** One for each position; none where nothing is held */
  lines: FlattenLine[]
}

export type FlattenLine = {
  accountId: string
  symbol: string
  side: 'LONG' | 'SHORT'
  /** Shares that were held when it was first looked at */
  quantity: number
  /** closing: an order is on its way, or waits for the session. held: something keeps it from being closed, and it is tried again. failed: it is not tried again, and there is an alert */
  status: 'closing' | 'closed' | 'failed' | 'held'
  /** The manual order that closes it, the last one where it was tried again */
  orderId: string | null
  /** What it waits for, or why it failed, in words */
  detail: string | null
}

export type Halt = {
  id: string
  scope: 'global' | 'operator' | 'user' | 'account'
  accountId: string | null
  level: 'pauseEntries' | 'reduceOnly' | 'fullStop'
  reason: string | null
  setBy: string
  setAt: string
  liftedBy: string | null
  /** Null while it stands */
  liftedAt: string | null
}

export type HeldBy = {
  level: 'pauseEntries' | 'reduceOnly' | 'fullStop'
  scope: 'global' | 'operator' | 'user' | 'account'
  since: string
  reason: string | null
}

export type Hook = {
  /** Signals that came by it have it as `tokenId` */
  id: string
  name: string
  kind: 'json' | 'tradingview' | 'traderspost' | 'trade-relay' | 'signalstack' | 'openalgo' | 'template'
  accounts: {
    accountId: string
    /** Times the quantity of a message; null for once */
    multiplier: number | null
    /** In the place of the quantity of a message; null for that one */
    quantity: number | null
  }[]
  executeMode: 'immediate' | 'pending'
  approvalMinutes: number | null
  strategyId: string | null
  quantity: number | null
  quantityType: 'fixed' | 'percentEquity' | 'dollarAmount' | 'riskPercent' | 'riskDollars'
  exit: Record<string, unknown> | null
  protection: 'refuse' | 'ignore'
  symbols: Record<string, string>
  manages: 'own' | 'position'
  mayShort: boolean
  whenSame: 'nothing' | 'add'
  whenOpposite: 'reverse' | 'close'
  template: {
    symbol: string
    word: string
    words: Record<string, 'buy' | 'sell' | 'close'>
    quantity: string | null
    orderType: string | null
    limitPrice: string | null
    id: string | null
  } | null
  requestsPerMinute: number
  addresses: string[]
  /** It may open positions on live accounts; otherwise on demo accounts alone */
  live: boolean
  /** A key is kept for a sender that signs its requests */
  signing: boolean
  expects: { everySession: string } | { atLeastEvery: 'day' } | null
  flatByClose: {
    minutes: number
    /** What was bought by hand is closed too; of accounts alone */
    includeManual: boolean
  } | null
  /** Those that are good, the newest first */
  secrets: HookSecret[]
  firstRequestAt: string | null
  lastRequestAt: string | null
  lastAcceptedAt: string | null
  /** The last request that was refused; of many in a row it may be some seconds old */
  lastRefusal: { at: string; code: string; message: string } | null
  /** Signals that came by it, that wait to be sent, and that no person has approved */
  waitingSignals: number
  /** Open shares that its signals have bought or sold short, or with a strategyId those of the strategy */
  owns: {
    accountId: string
    symbol: string
    side: 'LONG' | 'SHORT'
    /** Shares */
    quantity: number
  }[]
  createdAt: string
  updatedAt: string
}

export type HookAddress = {
  /** Begins the address of every hook; `HOOKS_URL`, or else `PUBLIC_URL`, of the service */
  hooksUrl: string
  /** Nothing in that address itself keeps TradingView from calling it */
  isPublic: boolean
  /** What stands against it; empty once a request has come in from outside */
  missing: {
    code:
      | 'this_machine'
      | 'private_network'
      | 'private_name'
      | 'ipv6'
      | 'not_https'
      | 'port'
      | 'no_request_yet'
      | 'no_request_from_outside'
    message: string
  }[]
  /** The newest request that a sender made of one of your hooks */
  last: {
    hookId: string
    hookName: string
    at: string
    ip: string
    /** Where that address is */
    from: 'this_machine' | 'private_network' | 'outside'
  } | null
  /** The newest one that came neither from the machine of the service nor from a private network */
  lastFromOutside: {
    hookId: string
    hookName: string
    at: string
    ip: string
    /** Where that address is */
    from: 'this_machine' | 'private_network' | 'outside'
  } | null
}

export type HookRequest = {
  id: string
  receivedAt: string
  /** sender: from outside; test, again: by a person */
  via: 'sender' | 'test' | 'again'
  /** The request that was sent again */
  again: string | null
  ip: string
  /** The first 200 characters of the body */
  excerpt: string
  bytes: number
  /** accepted: signals came of it, or what it asks for was done; nothing: what it asks for is so already; repeated: an alert that came before; refused; dry_run: nothing was to be sent; late: too old when it could be carried out. Null while it is not carried out */
  outcome: 'accepted' | 'nothing' | 'repeated' | 'refused' | 'dry_run' | 'late' | null
  /** Of a refusal; stable, for programs */
  code: string | null
  message: string | null
  /** HTTP status of the answer; null where the sender got none */
  status: number | null
  finishedAt: string | null
  /** The group of its signals */
  groupId: string | null
  signals: {
    id: string
    accountId: string
    symbol: string
    action: 'openLong' | 'closeLong' | 'openShort' | 'closeShort'
    status:
      'pending' | 'scheduled' | 'queued' | 'transmitted' | 'executed' | 'rejected' | 'cancelled' | 'error'
    /** Why it has ended without its order */
    statusReason: string | null
    /** The reason in words */
    statusDetail: string | null
    /** Of the entry order; null before there is one */
    orderId: string | null
    /** Shares of the entry that are filled */
    filledQuantity: number
  }[]
}

export type HookSecret = {
  id: string
  createdAt: string
  /** Until when it is good; null until another takes its place */
  endsAt: string | null
  lastUsedAt: string | null
}

export type ListedAsset = {
  symbol: string
  /** Empty where the broker tells none */
  name: string
  exchange: string
}

export type OpenTrade = Trade & {
  /** Dollars a share; null when the broker has told none yet */
  currentPrice: number | null
  /** What closing it at the current price would bring, after the fees paid so far */
  unrealisedPnl: number | null
  unrealisedPnlPercent: number | null
}

export type Order = {
  id: string
  accountId: string
  /** Null until the broker has accepted the order */
  brokerOrderId: string | null
  symbol: string
  /** BUY opens a long position and SELL closes it, SELL_SHORT opens a short one and BUY_TO_COVER closes it */
  side: 'BUY' | 'SELL' | 'BUY_TO_COVER' | 'SELL_SHORT'
  orderType: 'MARKET' | 'LIMIT' | 'STOP' | 'STOP_LIMIT' | 'OCO' | 'TRAILING_STOP'
  /** Shares */
  quantity: number
  /** Shares */
  filledQuantity: number
  /** Dollars a share */
  limitPrice: number | null
  /** Dollars a share */
  stopPrice: number | null
  /** Limit of the stop of an OCO, in dollars a share; null where it trades at market */
  stopLimitPrice: number | null
  /** How far a TRAILING_STOP follows behind the price */
  trail: {
    /** Percent of the price */
    percent?: number
    /** Dollars a share */
    amount?: number
  } | null
  /** Dollars a share */
  avgFillPrice: number | null
  status: 'PENDING' | 'OPEN' | 'PARTIALLY_FILLED' | 'FILLED' | 'CANCELLED' | 'REJECTED' | 'EXPIRED'
  timeInForce: 'DAY' | 'GTC' | 'OPG' | 'CLS' | 'IOC' | 'FOK' | 'GTD'
  /** Until when it is good (GTD) */
  expiresAt: string | null
  createdAt: string
  filledAt: string | null
  signalId: string | null
  /** What part of its signal it plays; `manual` for a manual order */
  role: 'entry' | 'exit' | 'manual'
}

export type OrderDetail = Order & {
  /** The time in force under its other name */
  duration: 'DAY' | 'GTC' | 'OPG' | 'CLS' | 'IOC' | 'FOK' | 'GTD'
  updatedAt: string
  /** Our name of it at the broker */
  clientOrderId: string
  extendedHours: boolean
  /** The broker's words for a rejection, expiry or cancel; ours with a code where we refused it */
  reason: string | null
  account: { id: string; name: string }
  /** What carries it through in Temporal; null for an order that was not placed by this service */
  workflow: Workflow | null
}

export type PhasePercentiles = {
  phase: 'checked' | 'sent' | 'acknowledged' | 'total' | 'filled' | 'exit_sent' | 'closed'
  /** Signals that have been through the phase */
  count: number
  /** Milliseconds that half of them took at most */
  p50Ms: number
  p95Ms: number
  p99Ms: number
}

export type PlacedOrder = {
  id: string
  /** Null until the broker has accepted the order */
  brokerOrderId: string | null
  status: 'PENDING' | 'OPEN' | 'PARTIALLY_FILLED' | 'FILLED' | 'CANCELLED' | 'REJECTED' | 'EXPIRED'
  /** What has become of it so far, for people */
  message: string
}

export type Position = AccountPosition & {
  accountId: string
  /** Change of the price today; null where the broker does not report it */
  dayChange: number | null
  dayChangePercent: number | null
  /** What protects it; left out of the records of a companion */
  protection?: PositionProtection
}

export type PositionProtection = {
  /** Exit plans of signals */
  protectedBy: {
    signalId: string
    side: 'LONG' | 'SHORT'
    /** Shares of the entry that its exits have not closed */
    quantity: number
    /** Dollars a share */
    average: number
    /** The best price since the entry */
    best: number
    /** Where the stop is now, and by which part of the plan; null where none counts yet */
    stop: {
      /** Dollars a share */
      price: number
      by: 'stop' | 'trail' | 'breakEven'
    } | null
    target: number | null
    /** The stop follows the price by now */
    trailing: boolean
    /** The stop has moved to the entry by now */
    breakEven: boolean
    /** The order of the plan that works at the broker, whether this service runs or not */
    atBroker: {
      orderId: string
      orderType: 'limit' | 'stop' | 'stopLimit' | 'oco' | 'trailingStop'
      /** Shares that it may still fill */
      quantity: number
      stopPrice: number | null
      limitPrice: number | null
      timeInForce: 'day' | 'gtc'
    } | null
    /** Parts that the broker does not keep: they need this service, and fresh prices */
    keptHere: ('stop' | 'target' | 'trail' | 'breakEven')[]
    /** The last price that was believed; null before one was needed */
    price: {
      /** Dollars a share */
      price: number
      at: string
    } | null
    /** Dollars lost if the stop as it is now closes all; below 0 for a profit. Null without a stop */
    risk: number | null
    /** Stops work in regular sessions only */
    worksInExtendedHours: false
  }[]
  /** Exits that wait for their time, and orders that work, of signals without a plan */
  closing: {
    /** Null for an order placed by hand */
    signalId: string | null
    /** Null for an exit that waits */
    orderId: string | null
    /** Shares */
    quantity: number
    /** When the exit is sent, where that is known */
    at: string | null
  }[]
  /** Shares that none of these covers */
  unprotected: number
}

export type PositionSummary = {
  totalMarketValue: number
  totalUnrealisedPnl: number
  /** Gained today: since the last close, or since the purchase where that was later; null when that is not known of every position */
  totalDayChange: number | null
  positionCount: number
}

export type Protection = {
  stop: {
    /** Dollars a share */
    price?: number
    /** Percent of the price */
    percent?: number
    /** Dollars a share */
    amount?: number
    /** Dollars a share from the stop to its limit; without it, it sells at market */
    limitOffset?: number
  } | null
  target: {
    /** Dollars a share */
    price?: number
    /** Percent of the price */
    percent?: number
    /** Dollars a share */
    amount?: number
  } | null
  trail: {
    /** Percent of the price */
    percent?: number
    /** Dollars a share */
    amount?: number
    /** The profit from which on the stop follows */
    after?: {
      /** Percent of the price */
      percent?: number
      /** Dollars a share */
      amount?: number
    }
  } | null
  /** The profit at which the stop moves to the entry */
  breakEven: {
    /** Percent of the price */
    percent?: number
    /** Dollars a share */
    amount?: number
  } | null
  until: 'session' | 'closed'
}

export type ProtectionPlan = {
  side: 'LONG' | 'SHORT'
  /** Shares of the entry that its exits have not closed */
  quantity: number
  /** Dollars a share */
  average: number
  /** The best price since the entry */
  best: number
  /** Where the stop is now, and by which part of the plan; null where none counts yet */
  stop: {
    /** Dollars a share */
    price: number
    by: 'stop' | 'trail' | 'breakEven'
  } | null
  target: number | null
  /** The stop follows the price by now */
  trailing: boolean
  /** The stop has moved to the entry by now */
  breakEven: boolean
  /** The order of the plan that works at the broker, whether this service runs or not */
  atBroker: {
    orderId: string
    orderType: 'limit' | 'stop' | 'stopLimit' | 'oco' | 'trailingStop'
    /** Shares that it may still fill */
    quantity: number
    stopPrice: number | null
    limitPrice: number | null
    timeInForce: 'day' | 'gtc'
  } | null
  /** Parts that the broker does not keep: they need this service, and fresh prices */
  keptHere: ('stop' | 'target' | 'trail' | 'breakEven')[]
  /** The last price that was believed; null before one was needed */
  price: {
    /** Dollars a share */
    price: number
    at: string
  } | null
  /** Dollars lost if the stop as it is now closes all; below 0 for a profit. Null without a stop */
  risk: number | null
  /** Stops work in regular sessions only */
  worksInExtendedHours: false
}

export type Quote = {
  symbol: string
  bid: number | null
  ask: number | null
  /** The last trade */
  last: number | null
  /** When the last trade was */
  at: string | null
  /** Of the session before */
  previousClose: number | null
  /** Dollars a share from the previous close to the last trade */
  dayChange: number | null
  dayChangePercent: number | null
}

export type RateLimited = {
  error: 'rate_limited'
  message: string
  code: 'RATE_LIMIT_EXCEEDED'
  /** Seconds to wait */
  retryAfter: number
  /** What support and the log know the request by */
  requestId: string
}

export type RejectedOrder = {
  /** The code of the refusal: one of the denial codes */
  error: string
  message: string
  order: PlacedOrder
  requestId: string
}

export type RiskSettings = {
  accountId: string
  /** What holds for the next order */
  limits: {
    /** Shares of one order; null means no limit */
    maxOrderShares: number | null
    /** Dollars of one order; null means no limit */
    maxOrderValue: number | null
    /** Shares of one symbol, with the orders that still work; null means no limit */
    maxPositionShares: number | null
    /** Dollars of one symbol, with the orders that still work; null means no limit */
    maxPositionValue: number | null
    /** Opening orders in one minute of the clock; null means no limit */
    maxOrdersPerMinute: number | null
    /** Opening orders in one day of the exchange; null means no limit */
    maxOrdersPerDay: number | null
    /** Dollars of equity lost since the day began; null means no limit */
    maxDailyLoss: number | null
    /** Percent of equity lost since the day began; null means no limit */
    maxDailyLossPercent: number | null
    /** Percent between a limit or stop price and the last price; null means no limit */
    priceCollarPercent: number | null
    /** Percent that the price has moved when a waiting signal is approved; null means no limit */
    maxApprovalDriftPercent: number | null
    /** Dollars of one opening order above which it waits for a person to approve it, whoever sent it; 0 for every one; null means no limit */
    approvalAboveValue: number | null
    /** Seconds within which an equal order is taken for a repetition; null means no limit */
    duplicateWindowSeconds: number | null
    duplicatePolicy: 'warn' | 'deny'
    allowedSymbols: string[] | null
    forbiddenSymbols: string[]
    marketHours: 'any' | 'extended' | 'regular'
  }
  /** What was set; the others have their defaults */
  set: {
    /** Shares of one order; null means no limit */
    maxOrderShares?: number | null
    /** Dollars of one order; null means no limit */
    maxOrderValue?: number | null
    /** Shares of one symbol, with the orders that still work; null means no limit */
    maxPositionShares?: number | null
    /** Dollars of one symbol, with the orders that still work; null means no limit */
    maxPositionValue?: number | null
    /** Opening orders in one minute of the clock; null means no limit */
    maxOrdersPerMinute?: number | null
    /** Opening orders in one day of the exchange; null means no limit */
    maxOrdersPerDay?: number | null
    /** Dollars of equity lost since the day began; null means no limit */
    maxDailyLoss?: number | null
    /** Percent of equity lost since the day began; null means no limit */
    maxDailyLossPercent?: number | null
    /** Percent between a limit or stop price and the last price; null means no limit */
    priceCollarPercent?: number | null
    /** Percent that the price has moved when a waiting signal is approved; null means no limit */
    maxApprovalDriftPercent?: number | null
    /** Dollars of one opening order above which it waits for a person to approve it, whoever sent it; 0 for every one; null means no limit */
    approvalAboveValue?: number | null
    /** Seconds within which an equal order is taken for a repetition; null means no limit */
    duplicateWindowSeconds?: number | null
    duplicatePolicy?: 'warn' | 'deny'
    allowedSymbols?: string[] | null
    forbiddenSymbols?: string[]
    marketHours?: 'any' | 'extended' | 'regular'
  }
}

export type Session = {
  id: string
  kind: 'web' | 'desktop'
  /** The browser's or device's name, as it gave it */
  name: string
  ip: string
  createdAt: string
  lastUsedAt: string
  expiresAt: string
  /** The session that asks */
  isCurrent: boolean
}

export type Signal = {
  id: string
  accountId: string
  strategyId: string | null
  sourceId: string | null
  symbol: string
  action: 'openLong' | 'closeLong' | 'openShort' | 'closeShort'
  /** Shares, percent or dollars, as quantityType says */
  quantity: number
  quantityType: 'fixed' | 'percentEquity' | 'dollarAmount' | 'riskPercent' | 'riskDollars' | 'percentPosition'
  executeMode: 'immediate' | 'scheduled' | 'pending'
  orderType: 'market' | 'limit' | 'stop' | 'stopLimit'
  limitPrice: number | null
  stopPrice: number | null
  timeInForce: 'day' | 'gtc' | 'opg' | 'cls' | 'ioc' | 'fok' | 'gtd'
  /** When the order ends (gtd) */
  expiresAt: string | null
  extendedHours: boolean
  /** When the order is sent */
  scheduledAt: string | null
  /** When the signal expires */
  validUntil: string | null
  timezone: string | null
  /** The exit that was asked for */
  exitRule: {
    triggerType: 'minutesAfterEntry' | 'minutesBeforeClose' | 'atClockTime' | 'immediate'
    triggerMinutes: number | null
    /** HH:MM in the broker's zone */
    triggerTime: string | null
    orderType: 'market' | 'limit' | 'stop' | 'stopLimit' | 'moc'
    limitPrice: number | null
    stopPrice: number | null
    timeInForce: 'day' | 'cls'
  } | null
  metadata: Record<string, unknown> | null
  /** The position that it wants, in shares; action and quantity are then those of its order, once that is decided */
  targetPosition: number | null
  /** When its sender meant that; null where its arrival counts */
  targetAt: string | null
  /** What it asks for, in words, where a message of a hook said that: its order depends on what is held when it is sent */
  wish: string | null
  /** Who asks: a program, a hook, a person by a ticket, a close, a flattening; adopted: nobody, for shares that were held already */
  origin: 'sender' | 'hook' | 'person' | 'close' | 'flatten' | 'adopted'
  /** Which shares a target or a closing action is about; null for an opening action */
  manages: 'own' | 'position' | null
  /** The signal that closed the other side first, of one that goes on with its target */
  continues: string | null
  /** The signal that opens the other side once the order of this one has filled; null for none */
  continuedBy: string | null
  /** The group of signals that came with it for other accounts; null for one that came alone */
  groupId: string | null
  advisories: Advisory[]
  status: SignalStatus
  /** Why it has ended without its order */
  statusReason: StatusReason | null
  /** The reason in words */
  statusDetail: string | null
  /** The entry order, once the broker has accepted it */
  orderId: string | null
  /** Shares of the entry */
  filledQuantity: number
  avgFillPrice: number | null
  /** How the exit stands; null for a signal without one */
  exit: {
    /** waiting for the entry to end, scheduled for its time, submitted to the broker; the others are ends */
    status: 'waiting' | 'scheduled' | 'submitted' | 'filled' | 'partially_filled' | 'cancelled' | 'failed'
    /** When it is sent */
    submitAt: string | null
    orderId: string | null
    /** Why it is not out, not filled, or sent at another time than asked for */
    reason: string | null
  } | null
  /** The exit plan; null for a signal without one */
  protection: Protection | null
  /** Where the exit plan stands; null where nothing is held by it, and left out of answers to decisions */
  plan?: ProtectionPlan | null
  /** Why the last of its shares were closed, and what all have brought; null while some are open, and left out of answers to decisions */
  closed?: {
    /** The level of its exit that was reached, or TIME; CLOSE where they were not closed by its exit */
    reason: 'STOP_LOSS' | 'TAKE_PROFIT' | 'TRAILING_STOP' | 'BREAK_EVEN' | 'TIME' | 'CLOSE'
    /** Dollars after fees */
    realisedPnl: number
  } | null
  /** Dollars a share of the last trade when the signal began to wait for a person; null when it did not, or none was known */
  heldPrice: number | null
  /** The access token that sent it; null for a person who was signed in */
  tokenId: string | null
  /** Who sent it, as named then: a user by their address, a program by the label of its token */
  sentBy: string | null
  /** Who approved or declined it */
  decidedBy: string | null
  decidedAt: string | null
  /** The last approval that was not taken, because the order would have been refused */
  approvalRefused: { code: StatusReason; message: string; at: string } | null
  createdAt: string
  updatedAt: string
}

export type SignalDetail = Signal & {
  /** What carries the signal through, in Temporal */
  workflow: Workflow
  /** When each step was; null for what has not happened, or was not written down */
  timings: {
    receivedAt: string
    /** It was judged, right before its order was sent, whether it may be */
    checkedAt: string | null
    /** The entry order was let out to the broker */
    sentAt: string | null
    /** The answer was known that the broker has the order */
    acknowledgedAt: string | null
    /** The last fill of the entry, by the broker's clock */
    filledAt: string | null
    /** The first exit order was to be sent, or is; as planned */
    exitDueAt: string | null
    /** The first exit order was let out to the broker */
    exitSentAt: string | null
    /** The last fill of the exit, by the broker's clock */
    exitFilledAt: string | null
  }
  /** The sum of its closed trades, from executions that are listed so far */
  result: {
    /** Shares of its entry that are closed, by whomever */
    closedQuantity: number
    /** Dollars after fees, of the shares that are closed */
    realisedPnl: number
    /** Dollars paid for opening and closing these shares */
    fees: number
    /** By which orders its shares were closed, the earliest first */
    closes: {
      at: string
      /** Shares */
      quantity: number
      /** Dollars a share, on average */
      price: number
      /** Dollars after fees */
      realisedPnl: number
      /** exit: its own exit; signal: another signal; person: an order placed here by hand; elsewhere: no order of this service */
      by: 'exit' | 'signal' | 'person' | 'elsewhere'
      /** The level of its exit that was reached, or TIME; CLOSE where they were not closed by its exit */
      reason: 'STOP_LOSS' | 'TAKE_PROFIT' | 'TRAILING_STOP' | 'BREAK_EVEN' | 'TIME' | 'CLOSE'
      /** Of the order that closed them; null for no order of this service */
      clientOrderId: string | null
      /** The signal whose order closed them */
      signalId: string | null
      /** Who placed the order by hand, as named then */
      person: string | null
    }[]
  }
}

export type SignalEvent = {
  kind:
    | 'received'
    | 'placed'
    | 'waiting'
    | 'held'
    | 'approval_refused'
    | 'due'
    | 'declined'
    | 'cancelled'
    | 'transmitted'
    | 'acknowledged'
    | 'rejected'
    | 'not_placed'
    | 'order_progress'
    | 'order_changed_by_broker'
    | 'exit_planned'
    | 'exit_delayed'
    | 'exit_cancelled'
    | 'protection_changed'
    | 'protection_moved'
    | 'cancel_requested'
    | 'closed'
    | 'reopened'
  at: string
  /** What happened and why, for people */
  message: string
  /** The same for programs, by kind */
  data: Record<string, unknown> | null
}

export type SignalGroup = {
  id: string
  /** What was asked for, in one line */
  summary: string
  symbol: string
  /** The access token or hook that sent it; null for a person */
  tokenId: string | null
  /** How many accounts it asked for */
  accounts: number
  /** How many of its signals are in each status; those without a signal are left out */
  signals: Record<string, number>
  /** Accounts without a signal of their own */
  refused: number
  /** When it was received */
  createdAt: string
}

export type SignalOfGroup = {
  accountId: string
  /** Its signal; null where the account has none */
  id: string | null
  status: SignalStatus | null
  executeMode: 'immediate' | 'scheduled' | 'pending' | null
  /** The entry order, once the broker has accepted it */
  orderId: string | null
  /** When its order is sent */
  scheduledAt: string | null
  /** Why there is no signal, or why it came to nothing; null for one that stands */
  code: string | null
  /** What happened, or happens next */
  message: string
}

export type SignalPhase = {
  phase: 'received' | 'checked' | 'sent' | 'acknowledged' | 'filled' | 'exit_due' | 'exit_sent' | 'closed'
  /** When it ended; of an exit that is planned, when it is due */
  at: string | null
  /** Milliseconds since it could begin; null where it has not ended, or takes no time */
  tookMs: number | null
}

export type SignalStatus =
  'pending' | 'scheduled' | 'queued' | 'transmitted' | 'executed' | 'rejected' | 'cancelled' | 'error'

export type SignalTiming = {
  signalId: string
  executeMode: 'immediate' | 'scheduled' | 'pending'
  /** When the service began to work on it: its receipt, its approval, or the time that it was scheduled for */
  startedAt: string | null
  /** Milliseconds from there until the broker's acceptance of the entry was known */
  totalMs: number | null
  phases: SignalPhase[]
}

export type SignedIn = {
  /** A JWT */
  accessToken: string
  /** Seconds */
  expiresIn: number
  /** Absent where it is kept in a cookie */
  refreshToken?: string
  /** The second half of a session in a cookie, for the header `Renewal-Key` of its renewals and its end; shown once, by the sign-in */
  renewalKey?: string
  /** Absent after a refresh */
  user?: User
}

export type StatusReason =
  | 'INSUFFICIENT_FUNDS'
  | 'INVALID_ORDER'
  | 'BROKER_ERROR'
  | 'BROKER_CREDENTIALS_INVALID'
  | 'TRADING_BLOCKED'
  | 'SHORTING_NOT_PERMITTED'
  | 'ASSET_NOT_TRADABLE'
  | 'ASSET_NOT_SHORTABLE'
  | 'NO_POSITION_TO_CLOSE'
  | 'POSITION_HELD'
  | 'OPPOSITE_ORDER'
  | 'ORDER_TOO_SMALL'
  | 'QUANTITY_ROUNDS_TO_ZERO'
  | 'MODE_MISMATCH'
  | 'STRATEGY_PAUSED'
  | 'SENDER_REVOKED'
  | 'TOKEN_BOUNDS_EXCEEDED'
  | 'USER_DISABLED'
  | 'ACCOUNT_INACTIVE'
  | 'DECLINED'
  | 'STALE'
  | 'EARLIER_SIGNALS_UNFINISHED'
  | 'OUTCOME_UNKNOWN'
  | 'DUPLICATE_CLIENT_ORDER_ID'
  | 'ORDER_TOO_LARGE'
  | 'POSITION_TOO_LARGE'
  | 'ORDER_RATE_EXCEEDED'
  | 'DAILY_LOSS_REACHED'
  | 'PRICE_OUTSIDE_COLLAR'
  | 'PRICE_DRIFTED'
  | 'APPROVAL_REQUIRED'
  | 'PROTECTION_SENSELESS'
  | 'PROTECTION_UNSUPPORTED'
  | 'PRICE_UNKNOWN'
  | 'EQUITY_IMPLAUSIBLE'
  | 'PRICE_STALE'
  | 'PRICE_UNAVAILABLE'
  | 'DUPLICATE_SUSPECTED'
  | 'SYMBOL_NOT_ALLOWED'
  | 'SHORT_NOT_ALLOWED'
  | 'HELD_BY_OTHERS'
  | 'HELD_OTHERWISE'
  | 'OUTSIDE_MARKET_HOURS'
  | 'FLAT_BY_CLOSE'
  | 'TRADING_PAUSED'
  | 'REDUCE_ONLY'
  | 'TRADING_STOPPED'
  | 'RUNAWAY_STOPPED'
  | 'WITHDRAWN'
  | 'EXPIRED'
  | 'SUPERSEDED'
  | 'AT_TARGET'
  | 'TARGET_SUPERSEDED'

export type Strategy = {
  id: string
  name: string
  description: string | null
  status: 'active' | 'paused'
  /** The account that forms suggest; signals always name their own */
  defaultAccountId: string | null
  metadata: Record<string, unknown>
  expects: { everySession: string } | { atLeastEvery: 'day' } | null
  flatByClose: {
    minutes: number
    /** What was bought by hand is closed too; of accounts alone */
    includeManual: boolean
  } | null
  createdAt: string
  updatedAt: string
  /** When it was deleted; null while it is in use */
  archivedAt: string | null
  /** On the accounts of the trading mode that the user is in */
  stats: {
    /** All that were accepted, whatever became of them */
    signals: number
    /** Round trips that are closed */
    trades: number
    /** Percent of the trades with a profit; null without any trade */
    winRate: number | null
    /** Dollars, after fees */
    realisedPnl: number
  }
}

export type TimingPercentiles = {
  from: string
  to: string
  accountId: string | null
  days: { date: string; phases: PhasePercentiles[] }[]
}

export type Trade = {
  /** Stays the same when the trade is closed */
  id: string
  accountId: string
  symbol: string
  /** LONG was bought first, SHORT was sold first */
  side: 'LONG' | 'SHORT'
  status: 'OPEN' | 'CLOSED'
  /** Shares */
  quantity: number
  /** Dollars a share, on average */
  entryPrice: number
  /** Null while open */
  exitPrice: number | null
  /** When the first of its shares was opened */
  entryAt: string
  /** When the last of its shares was closed; null while open */
  exitAt: string | null
  /** After fees; null while open */
  realisedPnl: number | null
  /** Of what the entry was worth; null while open, and where it was worth nothing */
  realisedPnlPercent: number | null
  /** Paid so far for its part of all fills; a broker may book some a day later */
  fees: number
  strategyId: string | null
  /** The signal whose shares these are; null for shares of none */
  signalId: string | null
  /** Empty where the order was not placed through this service */
  entryOrderIds: string[]
  exitOrderIds: string[]
}

export type TradeFigures = {
  /** Closed trades */
  trades: number
  wins: number
  /** Trades that brought exactly nothing are neither */
  losses: number
  /** Percent of the trades with a profit; null without any trade */
  winRate: number | null
  /** Dollars, after fees */
  realisedPnl: number
  /** Dollars of an average trade; null without any */
  expectancy: number | null
  /** Dollars won for each dollar lost; null when nothing was lost */
  profitFactor: number | null
  /** Dollars */
  fees: number
  /** Dollars */
  bestTrade: number | null
  /** Dollars */
  worstTrade: number | null
  /** From the first entry to the last exit */
  averageHoldSeconds: number | null
}

export type User = {
  id: string
  email: string
  role: 'admin' | 'member'
  plan: 'FREE' | 'BASIC' | 'ADVANCED' | 'PRO'
  tradingMode: 'PAPER' | 'LIVE'
  /** Signs in by two steps */
  mfaEnabled: boolean
  createdAt: string
}

export type WholeHookRequest = HookRequest & {
  /** Without keys and secrets */
  body: string
  faults: { code: string; message: string; path: (string | number)[]; field: string }[]
  advisories: { code: string; message: string }[]
}

export type Workflow = {
  id: string
  /** Its page in Temporal’s UI: for administrators in person, where the operator has named the UI */
  url: string | null
}

/** The answer of a route. */
export interface Answer<Data> {
  data: Data
  /** What support and the log know the request by */
  requestId: string
}

/** The figures of a list beside its rows. */
export type Page = {
  /** How many rows there are; as counted on the first page, where a cursor was sent */
  total: number
  /** False when there are more rows than are counted, which is 10,000 */
  totalIsExact: boolean
  limit: number
  /** Rows before the first one shown */
  offset: number
  /** Send it as `cursor` for the next page; null on the last one */
  nextCursor: string | null
}

/** An error, by the codes that it may have. */
export interface SignalError<Code> {
  success: false
  /** For people */
  error: string
  code: Code
  details: Fault[]
  /** What support and the log know the request by */
  requestId: string
}

/** An error, by the codes that it may have. */
export interface ApiError<Code> {
  /** For people */
  error: string
  code: Code
  details: Fault[]
  /** What support and the log know the request by */
  requestId: string
}

/** An error, by the codes that it may have. */
export interface BareError<Code> {
  error: Code
  /** For people */
  message: string
  details?: Fault[]
  /** What support and the log know the request by */
  requestId: string
}

/** What each route takes and how it answers, by method and path. */
export interface Routes {
  /** Send a signal */
  'POST /api/v1/signals': {
    request: [
      request: {
        body: {
          /** The share, such as AAPL: 1 to 20 characters, upper-cased. BRK-B, BRK/B and NYSE:BRK.B are BRK.B, with an advisory */
          symbol: string
          /** openLong buys, closeLong sells what is held, openShort sells short, closeShort buys back. A closing action never turns a position around: its quantity is cut to what is held */
          action: 'openLong' | 'closeLong' | 'openShort' | 'closeShort'
          /** The account that trades. Required, unless accountIds names several */
          accountId?: string | null
          /** Shares, percent or dollars, as quantityType says */
          quantity: number | string
          /** immediate sends the order now, scheduled at scheduledProcessAt, pending when a person lets it go */
          executeMode: 'immediate' | 'scheduled' | 'pending'
          /** When the order is sent: a local time in timezone, ahead of now. Required with scheduled, and only then */
          scheduledProcessAt?: string | null
          /** The IANA zone of scheduledProcessAt, validUntil and an expiresAt without Z. Required with the first two */
          timezone?: string | null
          /** The signal expires then, unless its order has been sent: with Z or an offset, or local in timezone; ahead of now and after scheduledProcessAt */
          validUntil?: string | null
          /** The strategy that it is counted under */
          strategyId?: string | null
          /** fixed: shares. percentEquity: percent of the account's equity when the order is sent. dollarAmount: dollars. The last two are divided by the limit price, or else the last price, and rounded down. riskPercent and riskDollars: what is lost if the stop of protection is reached, in percent of equity or dollars; divided by the distance to the stop, and bounded by the buying power. percentPosition: of closing actions, percent of what is held, in whole shares; 100 is all of it */
          quantityType?:
            | 'fixed'
            | 'percentEquity'
            | 'dollarAmount'
            | 'riskPercent'
            | 'riskDollars'
            | 'percentPosition'
            | null
          /** The position that is wanted: shares, below 0 for a short one, 0 for none. It overrules action and quantity: what is missing is bought or sold when the order is sent, so the same target twice trades once. From one side to the other the position is closed first, and another signal opens the new one. With quantityType fixed, orderType market or limit and timeInForce day, gtc, ioc or fok */
          targetPosition?: number | string | null
          /** Which shares targetPosition or a closing action is about. own: those that signals of the same strategyId have opened, without one those of the same hook, else those of senders with neither. position: all that the account holds of the symbol. own unless said otherwise with targetPosition, position with a closing action */
          manages?: 'own' | 'position' | null
          /** When you meant targetPosition: with Z or an offset, at most 5 minutes ahead. A target that comes after a newer one of the same account and symbol trades nothing and ends as TARGET_SUPERSEDED. Of equal instants, and without it, the last to come counts */
          targetAt?: string | null
          /** What kind of order the entry is */
          orderType?: 'market' | 'limit' | 'stop' | 'stopLimit' | null
          /** Dollars a share. Required with limit and stopLimit, refused otherwise */
          limitPrice?: number | string | null
          /** Dollars a share. Required with stop and stopLimit, refused otherwise */
          stopPrice?: number | string | null
          /** day and gtc rest, ioc and fok do not, opg and cls belong to the opening and the closing auction, gtd rests until expiresAt */
          timeInForce?: 'day' | 'gtc' | 'opg' | 'cls' | 'ioc' | 'fok' | 'gtd' | null
          /** When a gtd order ends, at most 90 days ahead: with Z or an offset, or local in timezone. Only with gtd */
          expiresAt?: string | null
          /** Trade before and after the session too */
          extendedHours?: boolean | null
          /** Your own name of the signal. On one account a living signal holds it: sent again, that signal is returned and nothing new happens. Rejected, cancelled and failed signals set it free */
          sourceId?: string | null
          /** Take the place of the signal that holds the sourceId, unless some of its order has filled */
          replaceExisting?: boolean | null
          /** Whatever you want to find again with the signal, at most 16 KiB of JSON. Values under names of secrets (password, token, apiKey) are not kept */
          metadata?: Record<string, unknown> | null
          /** Show what would happen, and do nothing */
          dryRun?: boolean | null
          /** When the exit is sent: minutes after the entry, minutes before the close, at a time of day, as soon as the entry has ended. Left out, there is no exit. Not for closing actions. timed is the earlier form */
          exitTriggerType?:
            'minutesAfterEntry' | 'minutesBeforeClose' | 'atClockTime' | 'immediate' | 'timed' | null
          /** Required with minutesAfterEntry and minutesBeforeClose; with minutesBeforeClose and moc at least 15 */
          exitTriggerMinutes?: number | string | null
          /** HH:MM in the broker's zone. Required with atClockTime */
          exitTriggerTime?: string | null
          /** The earlier form: minutes after the entry. Required with timed */
          exitTriggerValue?: number | string | null
          /** market unless said otherwise; moc is a market order for the closing auction. timed takes market and limit */
          exitOrderType?: 'market' | 'limit' | 'stop' | 'stopLimit' | 'moc' | null
          /** Dollars a share. Required with limit and stopLimit, refused otherwise */
          exitLimitPrice?: number | string | null
          /** Dollars a share. Required with stop and stopLimit, refused otherwise */
          exitStopPrice?: number | string | null
          /** day unless said otherwise; moc is always cls */
          exitTimeInForce?: 'day' | 'cls' | null
          /** How the position is protected for as long as it is open, from its average fill on: a stop and a target, a stop that follows the price, one that moves to the entry. What its broker can keep lies there. Beside an exit, whichever comes first closes. Not for closing actions */
          protection?: {
            /** Closes the position at a loss: at a price, or so far from the average fill */
            stop?: {
              /** Dollars a share */
              price?: number | string | null
              /** Percent of the price, below 100 */
              percent?: number | string | null
              /** Dollars a share */
              amount?: number | string | null
              /** Makes it a stop limit order, whose limit lies so many dollars a share behind the stop: it sells no lower, and may not fill */
              limitOffset?: number | string | null
            } | null
            /** Closes the position at a profit, by a limit: at a price, or so far from the average fill */
            target?: {
              /** Dollars a share */
              price?: number | string | null
              /** Percent of the price, below 100 */
              percent?: number | string | null
              /** Dollars a share */
              amount?: number | string | null
            } | null
            /** The stop follows the best price at this distance, and never goes back */
            trail?: {
              /** Percent of the price, below 100 */
              percent?: number | string | null
              /** Dollars a share */
              amount?: number | string | null
              /** Once the profit has been so much */
              after?: {
                /** Percent of the price, below 100 */
                percent?: number | string | null
                /** Dollars a share */
                amount?: number | string | null
              } | null
            } | null
            /** Once the profit has been so much, the stop moves to the average fill, plus fees */
            breakEven?: {
              /** Percent of the price, below 100 */
              percent?: number | string | null
              /** Dollars a share */
              amount?: number | string | null
            } | null
            /** closed: as long as the position is open, which is the default; session: until the end of the session of the fill, or of the last change */
            until?: 'session' | 'closed' | null
          } | null
          /** In the place of accountId: the accounts that trade, 2 to 50, each with a signal of its own. Each is an id, or an object with accountId and either a multiplier of quantity and targetPosition, or a quantity of its own. sourceId names all of them together then, for ever. Not with replaceExisting */
          accountIds?:
            | (
                | string
                | {
                    accountId: string
                    /** Times the quantity of a message */
                    multiplier?: number | string | null
                    /** In the place of the quantity of a message, in its quantityType */
                    quantity?: number | string | null
                  }
              )[]
            | null
        }
      },
    ]
    answers: {
      200:
        | {
            success: true
            /** What happened, or happens next */
            message: string
            signal: {
              id: string
              status: SignalStatus
              executeMode: 'immediate' | 'scheduled' | 'pending'
              /** The entry order, once the broker has accepted it */
              orderId?: string
              /** When its order is sent */
              scheduledAt?: string
            }
            advisories?: Advisory[]
            /** What support and the log know the request by */
            requestId: string
          }
        | {
            success: true
            /** What happened, or happens next */
            message: string
            /** That of the first account that has one */
            signal: {
              id: string
              status: SignalStatus
              executeMode: 'immediate' | 'scheduled' | 'pending'
              /** The entry order, once the broker has accepted it */
              orderId?: string
              /** When its order is sent */
              scheduledAt?: string
            }
            advisories?: Advisory[]
            /** What support and the log know the request by */
            requestId: string
            /** Under which the signals stand together; null where each of them was there before */
            groupId: string | null
            /** How it went for each account, in the order of accountIds */
            signals: SignalOfGroup[]
          }
        | {
            success: true
            message: string
            dryRun: {
              /** held: it would wait for a person to approve it; existing: a signal holds the sourceId, and would be answered instead; nothing: what it wants is held already, or it has nothing to do; waits: something has to come first, and it is decided then */
              outcome: 'ready' | 'held' | 'denied' | 'existing' | 'nothing' | 'waits'
              /** With which the signal would be refused; null where it would not be */
              code: string | null
              /** The signal that would be answered instead; null where there is none */
              signalId: string | null
              /** What would be sent; null when no size can be worked out */
              order: {
                clientOrderId: string
                symbol: string
                side: 'BUY' | 'SELL' | 'BUY_TO_COVER' | 'SELL_SHORT'
                /** Shares */
                quantity: number
                orderType: 'market' | 'limit' | 'stop' | 'stopLimit' | 'oco' | 'trailingStop'
                limitPrice: number | null
                stopPrice: number | null
                timeInForce: 'day' | 'gtc' | 'opg' | 'cls' | 'ioc' | 'fok' | 'gtd'
                extendedHours: boolean
              } | null
              /** Of a target on the other side: what another signal opens once this order has filled, with the exit and the protection; null for none */
              follows: {
                side: 'BUY' | 'SELL' | 'BUY_TO_COVER' | 'SELL_SHORT'
                /** Shares; null where it is sized when it is sent */
                quantity: number | null
                limitPrice: number | null
                stopPrice: number | null
              } | null
              /** When the order would be sent by its schedule; null where that is at once */
              scheduledAt: string | null
              /** At the moment at which the order would be sent */
              session: { isOpen: boolean; nextOpen: string; nextClose: string }
              /** When the exit would be sent if the entry were filled at once; null without an exit */
              exitAt: string | null
              exitReason: string | null
              /** Earlier signals whose turn comes first */
              waitsFor: string[]
              /** What every rule says */
              verdicts: {
                rule: string
                outcome: 'passed' | 'warned' | 'held' | 'skipped' | 'denied'
                /** In words, with figures */
                message: string
                /** The reason with which the signal would be refused */
                code?: string
              }[]
            }
            advisories?: Advisory[]
            /** What support and the log know the request by */
            requestId: string
          }
        | {
            success: true
            message: string
            /** That of the first account that could be asked */
            dryRun: {
              /** held: it would wait for a person to approve it; existing: a signal holds the sourceId, and would be answered instead; nothing: what it wants is held already, or it has nothing to do; waits: something has to come first, and it is decided then */
              outcome: 'ready' | 'held' | 'denied' | 'existing' | 'nothing' | 'waits'
              /** With which the signal would be refused; null where it would not be */
              code: string | null
              /** The signal that would be answered instead; null where there is none */
              signalId: string | null
              /** What would be sent; null when no size can be worked out */
              order: {
                clientOrderId: string
                symbol: string
                side: 'BUY' | 'SELL' | 'BUY_TO_COVER' | 'SELL_SHORT'
                /** Shares */
                quantity: number
                orderType: 'market' | 'limit' | 'stop' | 'stopLimit' | 'oco' | 'trailingStop'
                limitPrice: number | null
                stopPrice: number | null
                timeInForce: 'day' | 'gtc' | 'opg' | 'cls' | 'ioc' | 'fok' | 'gtd'
                extendedHours: boolean
              } | null
              /** Of a target on the other side: what another signal opens once this order has filled, with the exit and the protection; null for none */
              follows: {
                side: 'BUY' | 'SELL' | 'BUY_TO_COVER' | 'SELL_SHORT'
                /** Shares; null where it is sized when it is sent */
                quantity: number | null
                limitPrice: number | null
                stopPrice: number | null
              } | null
              /** When the order would be sent by its schedule; null where that is at once */
              scheduledAt: string | null
              /** At the moment at which the order would be sent */
              session: { isOpen: boolean; nextOpen: string; nextClose: string }
              /** When the exit would be sent if the entry were filled at once; null without an exit */
              exitAt: string | null
              exitReason: string | null
              /** Earlier signals whose turn comes first */
              waitsFor: string[]
              /** What every rule says */
              verdicts: {
                rule: string
                outcome: 'passed' | 'warned' | 'held' | 'skipped' | 'denied'
                /** In words, with figures */
                message: string
                /** The reason with which the signal would be refused */
                code?: string
              }[]
            }
            advisories?: Advisory[]
            /** What support and the log know the request by */
            requestId: string
            /** What would happen on each account */
            dryRuns: {
              accountId: string
              /** Null where the account could not be asked */
              dryRun: {
                /** held: it would wait for a person to approve it; existing: a signal holds the sourceId, and would be answered instead; nothing: what it wants is held already, or it has nothing to do; waits: something has to come first, and it is decided then */
                outcome: 'ready' | 'held' | 'denied' | 'existing' | 'nothing' | 'waits'
                /** With which the signal would be refused; null where it would not be */
                code: string | null
                /** The signal that would be answered instead; null where there is none */
                signalId: string | null
                /** What would be sent; null when no size can be worked out */
                order: {
                  clientOrderId: string
                  symbol: string
                  side: 'BUY' | 'SELL' | 'BUY_TO_COVER' | 'SELL_SHORT'
                  /** Shares */
                  quantity: number
                  orderType: 'market' | 'limit' | 'stop' | 'stopLimit' | 'oco' | 'trailingStop'
                  limitPrice: number | null
                  stopPrice: number | null
                  timeInForce: 'day' | 'gtc' | 'opg' | 'cls' | 'ioc' | 'fok' | 'gtd'
                  extendedHours: boolean
                } | null
                /** Of a target on the other side: what another signal opens once this order has filled, with the exit and the protection; null for none */
                follows: {
                  side: 'BUY' | 'SELL' | 'BUY_TO_COVER' | 'SELL_SHORT'
                  /** Shares; null where it is sized when it is sent */
                  quantity: number | null
                  limitPrice: number | null
                  stopPrice: number | null
                } | null
                /** When the order would be sent by its schedule; null where that is at once */
                scheduledAt: string | null
                /** At the moment at which the order would be sent */
                session: { isOpen: boolean; nextOpen: string; nextClose: string }
                /** When the exit would be sent if the entry were filled at once; null without an exit */
                exitAt: string | null
                exitReason: string | null
                /** Earlier signals whose turn comes first */
                waitsFor: string[]
                /** What every rule says */
                verdicts: {
                  rule: string
                  outcome: 'passed' | 'warned' | 'held' | 'skipped' | 'denied'
                  /** In words, with figures */
                  message: string
                  /** The reason with which the signal would be refused */
                  code?: string
                }[]
              } | null
              /** Why it could not */
              code: string | null
              message: string
            }[]
          }
      201:
        | {
            success: true
            /** What happened, or happens next */
            message: string
            signal: {
              id: string
              status: SignalStatus
              executeMode: 'immediate' | 'scheduled' | 'pending'
              /** The entry order, once the broker has accepted it */
              orderId?: string
              /** When its order is sent */
              scheduledAt?: string
            }
            advisories?: Advisory[]
            /** What support and the log know the request by */
            requestId: string
          }
        | {
            success: true
            /** What happened, or happens next */
            message: string
            /** That of the first account that has one */
            signal: {
              id: string
              status: SignalStatus
              executeMode: 'immediate' | 'scheduled' | 'pending'
              /** The entry order, once the broker has accepted it */
              orderId?: string
              /** When its order is sent */
              scheduledAt?: string
            }
            advisories?: Advisory[]
            /** What support and the log know the request by */
            requestId: string
            /** Under which the signals stand together; null where each of them was there before */
            groupId: string | null
            /** How it went for each account, in the order of accountIds */
            signals: SignalOfGroup[]
          }
      202:
        | {
            success: true
            /** What happened, or happens next */
            message: string
            signal: {
              id: string
              status: SignalStatus
              executeMode: 'immediate' | 'scheduled' | 'pending'
              /** The entry order, once the broker has accepted it */
              orderId?: string
              /** When its order is sent */
              scheduledAt?: string
            }
            advisories?: Advisory[]
            /** What support and the log know the request by */
            requestId: string
          }
        | {
            success: true
            /** What happened, or happens next */
            message: string
            /** That of the first account that has one */
            signal: {
              id: string
              status: SignalStatus
              executeMode: 'immediate' | 'scheduled' | 'pending'
              /** The entry order, once the broker has accepted it */
              orderId?: string
              /** When its order is sent */
              scheduledAt?: string
            }
            advisories?: Advisory[]
            /** What support and the log know the request by */
            requestId: string
            /** Under which the signals stand together; null where each of them was there before */
            groupId: string | null
            /** How it went for each account, in the order of accountIds */
            signals: SignalOfGroup[]
          }
      400:
        | {
            success: false
            /** Why, with figures */
            error: string
            /** A reason from the list of refusals */
            code: string
            details: {
              code: string
              message: string
              /** Where the signal is on record */
              signalId: string
              status: SignalStatus
            }[]
            /** What support and the log know the request by */
            requestId: string
          }
        | {
            success: false
            /** For people */
            error: string
            code: 'VALIDATION_ERROR' | 'STRATEGY_PAUSED' | 'REPLACE_REFUSED_FILLED'
            details: Fault[]
            /** What support and the log know the request by */
            requestId: string
          }
      401: SignalError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: SignalError<
        'INSUFFICIENT_SCOPES' | 'TOKEN_BOUNDS_EXCEEDED' | 'VERIFICATION_REQUIRED' | 'ORIGIN_REFUSED'
      >
      404: SignalError<'ACCOUNT_NOT_FOUND' | 'STRATEGY_NOT_FOUND'>
      409: SignalError<
        | 'MODE_MISMATCH'
        | 'SOURCE_ID_CONTENDED'
        | 'WAITING_SIGNAL_LIMIT_REACHED'
        | 'BROKER_CREDENTIALS_INVALID'
      >
      413: SignalError<'PAYLOAD_TOO_LARGE'>
      415: SignalError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: SignalError<'INTERNAL_ERROR'>
      502: SignalError<'BROKER_ERROR'>
      503: SignalError<
        | 'TOO_MANY_AT_ONCE'
        | 'BROKER_SHARE_SPENT'
        | 'SERVICE_DISABLED'
        | 'TOO_BUSY'
        | 'TEMPORAL_UNAVAILABLE'
        | 'DATABASE_UNAVAILABLE'
      >
    }
  }
  /** List signals, the newest first or the soonest to expire */
  'GET /api/v1/signals': {
    request: [
      request?: {
        query?: {
          accountId?: string
          strategyId?: string
          /** The access token that sent it */
          tokenId?: string
          /** The group of which it is a part */
          groupId?: string
          sourceId?: string
          /** Who asked for it: a program or a person by a signal (sender), a hook, or a person by an order, a close or a flattening */
          origin?: ('sender' | 'hook' | 'person' | 'close' | 'flatten' | 'adopted')[]
          status?: (
            | 'pending'
            | 'scheduled'
            | 'queued'
            | 'transmitted'
            | 'executed'
            | 'rejected'
            | 'cancelled'
            | 'error'
          )[]
          executeMode?: 'immediate' | 'scheduled' | 'pending'
          /** How its exit stands; finds signals with an exit alone */
          exitStatus?: (
            'waiting' | 'scheduled' | 'submitted' | 'filled' | 'partially_filled' | 'cancelled' | 'failed'
          )[]
          /** One symbol, or with a star behind it all that begin so: `NV*` */
          symbol?: string
          /** newest: the newest first. validUntil: the soonest to expire first, those that never do last */
          sort?: 'newest' | 'validUntil'
          from?: string
          to?: string
          limit?: number
          offset?: number
          cursor?: string
        }
      },
    ]
    answers: {
      200: Answer<Page & { signals: Signal[] }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Show how long the phases of signals took, by day */
  'GET /api/v1/signals/timing': {
    request: [
      request?: {
        query?: {
          /** The first day; six days before `to` when left out */
          from?: string
          /** The last day, included; today when left out */
          to?: string
          /** Signals of this account alone */
          accountId?: string
        }
      },
    ]
    answers: {
      200: Answer<TimingPercentiles>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'ACCOUNT_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Show when each phase of a signal was, and how long it took */
  'GET /api/v1/signals/{id}/timing': {
    request: [request: { path: { id: string } }]
    answers: {
      200: Answer<SignalTiming>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'SIGNAL_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Show a signal, how it stands, and its exit */
  'GET /api/v1/signals/{id}': {
    request: [request: { path: { id: string } }]
    answers: {
      200: Answer<SignalDetail>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'SIGNAL_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Withdraw a signal before its order is sent */
  'DELETE /api/v1/signals/{id}': {
    request: [request: { path: { id: string } }]
    answers: {
      200: Answer<{ signal: Signal; advisories?: Advisory[] }>
      202: Answer<{ signal: Signal; advisories?: Advisory[] }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'TOKEN_BOUNDS_EXCEEDED' | 'ORIGIN_REFUSED'>
      404: ApiError<'SIGNAL_NOT_FOUND'>
      409: ApiError<'SIGNAL_NOT_CANCELLABLE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'TEMPORAL_UNAVAILABLE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Show the body that a signal came with */
  'GET /api/v1/signals/{id}/source': {
    request: [request: { path: { id: string } }]
    answers: {
      200: Answer<{
        receivedAt: string
        /** The text as it came, but for secrets, in whose place stands [redacted], and blanks beyond 256 in a row; null where none was kept */
        body: string | null
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'SIGNAL_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Show a signal's timeline, from its beginning */
  'GET /api/v1/signals/{id}/events': {
    request: [request: { path: { id: string }; query?: { limit?: number; offset?: number; cursor?: string } }]
    answers: {
      200: Answer<Page & { events: SignalEvent[] }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'SIGNAL_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Show what approving a signal would do now */
  'GET /api/v1/signals/{id}/check': {
    request: [
      request: {
        path: { id: string }
        query?: {
          /** Shares, percent or dollars, as quantityType says */
          quantity?: number
          /** Dollars a share. Required with limit and stopLimit, refused otherwise */
          limitPrice?: number
        }
      },
    ]
    answers: {
      200: Answer<{
        dryRun: {
          /** held: it would wait for a person to approve it; existing: a signal holds the sourceId, and would be answered instead; nothing: what it wants is held already, or it has nothing to do; waits: something has to come first, and it is decided then */
          outcome: 'ready' | 'held' | 'denied' | 'existing' | 'nothing' | 'waits'
          /** With which the signal would be refused; null where it would not be */
          code: string | null
          /** The signal that would be answered instead; null where there is none */
          signalId: string | null
          /** What would be sent; null when no size can be worked out */
          order: {
            clientOrderId: string
            symbol: string
            side: 'BUY' | 'SELL' | 'BUY_TO_COVER' | 'SELL_SHORT'
            /** Shares */
            quantity: number
            orderType: 'market' | 'limit' | 'stop' | 'stopLimit' | 'oco' | 'trailingStop'
            limitPrice: number | null
            stopPrice: number | null
            timeInForce: 'day' | 'gtc' | 'opg' | 'cls' | 'ioc' | 'fok' | 'gtd'
            extendedHours: boolean
          } | null
          /** Of a target on the other side: what another signal opens once this order has filled, with the exit and the protection; null for none */
          follows: {
            side: 'BUY' | 'SELL' | 'BUY_TO_COVER' | 'SELL_SHORT'
            /** Shares; null where it is sized when it is sent */
            quantity: number | null
            limitPrice: number | null
            stopPrice: number | null
          } | null
          /** When the order would be sent by its schedule; null where that is at once */
          scheduledAt: string | null
          /** At the moment at which the order would be sent */
          session: { isOpen: boolean; nextOpen: string; nextClose: string }
          /** When the exit would be sent if the entry were filled at once; null without an exit */
          exitAt: string | null
          exitReason: string | null
          /** Earlier signals whose turn comes first */
          waitsFor: string[]
          /** What every rule says */
          verdicts: {
            rule: string
            outcome: 'passed' | 'warned' | 'held' | 'skipped' | 'denied'
            /** In words, with figures */
            message: string
            /** The reason with which the signal would be refused */
            code?: string
          }[]
        }
        message: string
        advisories: Advisory[]
        /** Dollars a share when the signal began to wait */
        heldPrice: number | null
        /** Null when the broker tells no price */
        quote: Quote | null
        /** The last trade from heldPrice; above 0 where it is dearer */
        driftPercent: number | null
        /** How far it may lie from there; null for no limit */
        driftLimitPercent: number | null
        /** The limit from the last trade; above 0 where it is dearer */
        limitDistancePercent: number | null
        /** Dollars that the whole order takes or brings, at its price or what the market gives */
        cost: number | null
        /** The same of the order that follows on the other side; null where none does, or its shares are not known */
        followingCost: number | null
        /** Of the account for this asset, as the broker tells it, without what open orders hold */
        buyingPower: number
        /** Shares, below 0 for a short position: as last synced, and once all has filled, what follows as well */
        position: { before: number; after: number | null }
        /** The notification that the signal waits; null where no device was to be told */
        notice: {
          /** Of its owner, that were to be told of the signal */
          devices: number
          /** Of which the push service has taken the message */
          reached: number
          /** Since when it is known that none was reached */
          unreachedSince: string | null
        } | null
        checkedAt: string
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'ACCOUNT_NOT_FOUND' | 'SIGNAL_NOT_FOUND'>
      409: ApiError<'SIGNAL_NOT_PENDING' | 'BROKER_CREDENTIALS_INVALID'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      502: ApiError<'BROKER_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'BROKER_SHARE_SPENT' | 'TOO_BUSY' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Approve a pending signal */
  'POST /api/v1/signals/{id}/process': {
    request: [
      request: {
        path: { id: string }
        body?: {
          /** Shares, percent or dollars, as quantityType says */
          quantity?: number | string | null
          /** Dollars a share. Required with limit and stopLimit, refused otherwise */
          limitPrice?: number | string | null
        }
      },
    ]
    answers: {
      200: Answer<{ signal: Signal; advisories?: Advisory[] }>
      202: Answer<{ signal: Signal; advisories?: Advisory[] }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'VERIFICATION_REQUIRED' | 'ORIGIN_REFUSED'>
      404: ApiError<'SIGNAL_NOT_FOUND'>
      409: ApiError<'SIGNAL_NOT_PENDING' | 'WOULD_BE_REFUSED'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      422: {
        /** Why, with figures */
        error: string
        /** A reason from the list of refusals */
        code: string
        details: {
          code: string
          message: string
          /** Where the signal is on record */
          signalId: string
          status: SignalStatus
        }[]
        /** What support and the log know the request by */
        requestId: string
      }
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'TEMPORAL_UNAVAILABLE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Decline a pending signal */
  'POST /api/v1/signals/{id}/reject': {
    request: [request: { path: { id: string }; body?: { reason?: string | null } }]
    answers: {
      200: Answer<{ signal: Signal; advisories?: Advisory[] }>
      202: Answer<{ signal: Signal; advisories?: Advisory[] }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'SIGNAL_NOT_FOUND'>
      409: ApiError<'SIGNAL_NOT_PENDING'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'TEMPORAL_UNAVAILABLE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Approve several pending signals */
  'POST /api/v1/signals/process': {
    request: [request: { body: { ids: string[] } }]
    answers: {
      200: Answer<{
        results: {
          id: string
          success: boolean
          /** Why not */
          code?: string
          error?: string
          signal?: Signal
        }[]
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Decline several pending signals */
  'POST /api/v1/signals/reject': {
    request: [request: { body: { ids: string[]; reason?: string | null } }]
    answers: {
      200: Answer<{
        results: {
          id: string
          success: boolean
          /** Why not */
          code?: string
          error?: string
          signal?: Signal
        }[]
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Cancel the exit of an executed signal before it is sent */
  'DELETE /api/v1/signals/{id}/exit': {
    request: [request: { path: { id: string } }]
    answers: {
      200: Answer<{ signal: Signal; advisories?: Advisory[] }>
      202: Answer<{ signal: Signal; advisories?: Advisory[] }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'TOKEN_BOUNDS_EXCEEDED' | 'ORIGIN_REFUSED'>
      404: ApiError<'SIGNAL_NOT_FOUND'>
      409: ApiError<'EXIT_NOT_CANCELLABLE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'TEMPORAL_UNAVAILABLE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Choose how many shares an exit sells that has stopped */
  'POST /api/v1/signals/{id}/exit/size': {
    request: [
      request: {
        path: { id: string }
        body: {
          /** Shares that the exit is to sell, or to buy back; no more than the broker shows */
          quantity: number | string
          /** Dollars a share. Required with limit and stopLimit, refused otherwise */
          limitPrice?: number | string | null
          /** Dollars a share. Required with stop and stopLimit, refused otherwise */
          stopPrice?: number | string | null
        }
      },
    ]
    answers: {
      202: Answer<{ signal: Signal; advisories?: Advisory[] }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'SIGNAL_NOT_FOUND'>
      409: ApiError<'EXIT_NOT_ASKED'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Change how a position is protected */
  'PATCH /api/v1/signals/{id}/protection': {
    request: [
      request: {
        path: { id: string }
        body: {
          /** Closes the position at a loss: at a price, or so far from the average fill */
          stop?: {
            /** Dollars a share */
            price?: number | string | null
            /** Percent of the price, below 100 */
            percent?: number | string | null
            /** Dollars a share */
            amount?: number | string | null
            /** Makes it a stop limit order, whose limit lies so many dollars a share behind the stop: it sells no lower, and may not fill */
            limitOffset?: number | string | null
          } | null
          /** Closes the position at a profit, by a limit: at a price, or so far from the average fill */
          target?: {
            /** Dollars a share */
            price?: number | string | null
            /** Percent of the price, below 100 */
            percent?: number | string | null
            /** Dollars a share */
            amount?: number | string | null
          } | null
          /** The stop follows the best price at this distance, and never goes back */
          trail?: {
            /** Percent of the price, below 100 */
            percent?: number | string | null
            /** Dollars a share */
            amount?: number | string | null
            /** Once the profit has been so much */
            after?: {
              /** Percent of the price, below 100 */
              percent?: number | string | null
              /** Dollars a share */
              amount?: number | string | null
            } | null
          } | null
          /** Once the profit has been so much, the stop moves to the average fill, plus fees */
          breakEven?: {
            /** Percent of the price, below 100 */
            percent?: number | string | null
            /** Dollars a share */
            amount?: number | string | null
          } | null
          /** closed: as long as the position is open, which is the default; session: until the end of the session of the fill, or of the last change */
          until?: 'session' | 'closed' | null
        }
      },
    ]
    answers: {
      200: Answer<{ signal: Signal; advisories?: Advisory[] }>
      202: Answer<{ signal: Signal; advisories?: Advisory[] }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'TOKEN_BOUNDS_EXCEEDED' | 'ORIGIN_REFUSED'>
      404: ApiError<'SIGNAL_NOT_FOUND'>
      409: ApiError<'WOULD_BE_REFUSED' | 'PROTECTION_NOT_CHANGEABLE'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'TEMPORAL_UNAVAILABLE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** List groups of signals, the newest first */
  'GET /api/v1/signal-groups': {
    request: [
      request?: {
        query?: {
          /** The access token or hook that sent it */
          tokenId?: string
          /** One symbol, or with a star behind it all that begin so: `NV*` */
          symbol?: string
          /** several: those for more than one account. all: those for one account too, as most messages of hooks are */
          accounts?: 'several' | 'all'
          from?: string
          to?: string
          limit?: number
          offset?: number
          cursor?: string
        }
      },
    ]
    answers: {
      200: Answer<Page & { groups: SignalGroup[] }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Show a group with its signals, and the accounts that have none */
  'GET /api/v1/signal-groups/{groupId}': {
    request: [request: { path: { groupId: string } }]
    answers: {
      200: Answer<{
        group: SignalGroup
        /** The oldest first; one that goes on with a target to its other side has `continues` */
        signals: Signal[]
        /** Accounts without a signal of their own, and why */
        refusals: {
          accountId: string
          /** Stable, for programs */
          code: string
          message: string
          /** The earlier signal that stands in its place, because it holds the sourceId or is repeated */
          signalId: string | null
        }[]
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'SIGNAL_GROUP_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Withdraw the signals of a group that wait, and cancel its entries that work */
  'DELETE /api/v1/signal-groups/{groupId}': {
    request: [request: { path: { groupId: string } }]
    answers: {
      200: Answer<{
        results: {
          id: string
          accountId: string
          /** withdrawn: no order is sent. cancelled: its entry was. asked: one of both, not confirmed yet. over: it had ended before. failed: `code` says why */
          outcome: 'withdrawn' | 'cancelled' | 'asked' | 'over' | 'failed'
          code: string | null
          message: string
          signal: Signal
        }[]
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'TOKEN_BOUNDS_EXCEEDED' | 'ORIGIN_REFUSED'>
      404: ApiError<'SIGNAL_GROUP_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Approve all signals of a group that wait for a person */
  'POST /api/v1/signal-groups/{groupId}/process': {
    request: [request: { path: { groupId: string } }]
    answers: {
      200: Answer<{
        results: {
          id: string
          success: boolean
          /** Why not */
          code?: string
          error?: string
          signal?: Signal
        }[]
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'SIGNAL_GROUP_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Decline all signals of a group that wait for a person */
  'POST /api/v1/signal-groups/{groupId}/reject': {
    request: [request: { path: { groupId: string }; body?: { reason?: string | null } }]
    answers: {
      200: Answer<{
        results: {
          id: string
          success: boolean
          /** Why not */
          code?: string
          error?: string
          signal?: Signal
        }[]
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'SIGNAL_GROUP_NOT_FOUND'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Cancel the exits of a group that wait */
  'DELETE /api/v1/signal-groups/{groupId}/exit': {
    request: [request: { path: { groupId: string } }]
    answers: {
      200: Answer<{
        results: {
          id: string
          success: boolean
          /** Why not */
          code?: string
          error?: string
          signal?: Signal
        }[]
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'TOKEN_BOUNDS_EXCEEDED' | 'ORIGIN_REFUSED'>
      404: ApiError<'SIGNAL_GROUP_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** List what happens next by the clock */
  'GET /api/v1/agenda': {
    request: [
      request?: {
        query?: { accountId?: string; symbol?: string; limit?: number; offset?: number; cursor?: string }
      },
    ]
    answers: {
      200: Answer<Page & { items: AgendaItem[] }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Send a message to a hook */
  'POST /hooks/{hookId}/{secret}': {
    request: [request: { path: { hookId: string; secret: string }; body: Record<string, unknown> }]
    answers: {
      200: Record<string, unknown>
      400:
        | Record<string, unknown>
        | {
            success: false
            /** For people */
            error: string
            code: 'VALIDATION_ERROR'
            details: Fault[]
            /** What support and the log know the request by */
            requestId: string
          }
      401: SignalError<'UNAUTHENTICATED' | 'HOOK_REFUSED' | 'INVALID_API_KEY'>
      403: SignalError<'INSUFFICIENT_SCOPES' | 'HOOK_ADDRESS_REFUSED' | 'ORIGIN_REFUSED'>
      413: SignalError<'PAYLOAD_TOO_LARGE'>
      415: SignalError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: SignalError<'INTERNAL_ERROR'>
      503: SignalError<
        'HOOK_RATE_EXCEEDED' | 'TOO_MANY_AT_ONCE' | 'SERVICE_DISABLED' | 'TOO_BUSY' | 'DATABASE_UNAVAILABLE'
      >
    }
  }
  /** Send a signed message to a hook */
  'POST /hooks/{hookId}': {
    request: [request: { path: { hookId: string }; body: Record<string, unknown> }]
    answers: {
      200: Record<string, unknown>
      400:
        | Record<string, unknown>
        | {
            success: false
            /** For people */
            error: string
            code: 'VALIDATION_ERROR'
            details: Fault[]
            /** What support and the log know the request by */
            requestId: string
          }
      401: SignalError<'UNAUTHENTICATED' | 'HOOK_REFUSED' | 'INVALID_API_KEY'>
      403: SignalError<'INSUFFICIENT_SCOPES' | 'HOOK_ADDRESS_REFUSED' | 'ORIGIN_REFUSED'>
      413: SignalError<'PAYLOAD_TOO_LARGE'>
      415: SignalError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: SignalError<'INTERNAL_ERROR'>
      503: SignalError<
        'HOOK_RATE_EXCEEDED' | 'TOO_MANY_AT_ONCE' | 'SERVICE_DISABLED' | 'TOO_BUSY' | 'DATABASE_UNAVAILABLE'
      >
    }
  }
  /** Tell whether senders on the Internet reach your hooks */
  'GET /api/v1/hooks/address': {
    request: []
    answers: {
      200: Answer<HookAddress>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** List your hooks, the newest first */
  'GET /api/v1/hooks': {
    request: [request?: { query?: { limit?: number; offset?: number; cursor?: string } }]
    answers: {
      200: Answer<Page & { hooks: Hook[] }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Make a hook */
  'POST /api/v1/hooks': {
    request: [
      request: {
        body: {
          name: string
          /** Whose messages it understands; it never changes */
          kind:
            'json' | 'tradingview' | 'traderspost' | 'trade-relay' | 'signalstack' | 'openalgo' | 'template'
          /** The accounts for which it trades, each by its id, or with a size of its own */
          accountIds: (
            | string
            | {
                accountId: string
                /** Times the quantity of a message */
                multiplier?: number | string | null
                /** In the place of the quantity of a message, in its quantityType */
                quantity?: number | string | null
              }
          )[]
          executeMode?: 'immediate' | 'pending' | null
          /** Minutes for which a signal waits for approval, after which it expires; a message with an earlier validUntil expires by that. Null for no end */
          approvalMinutes?: number | string | null
          strategyId?: string | null
          /** Of a message that says none; null to refuse such a message */
          quantity?: number | string | null
          quantityType?: 'fixed' | 'percentEquity' | 'dollarAmount' | 'riskPercent' | 'riskDollars' | null
          /** The exit of what it opens where a message says none: the fields of POST /signals that begin with exit */
          exit?: Record<string, unknown> | null
          /** What becomes of a stop or a profit target in a message that cannot be kept, such as one under a name that is not known */
          protection?: 'refuse' | 'ignore' | null
          /** Our symbols by the sender's names of them */
          symbols?: Record<string, string> | null
          /** Which shares its targets and closes are about. own: those that it has opened, or with a strategyId those of the strategy. position: all that the account holds of the symbol, also what others have opened */
          manages?: 'own' | 'position' | null
          /** A sale may open a short position */
          mayShort?: boolean | null
          /** A purchase while long, or a sale while short */
          whenSame?: 'nothing' | 'add' | null
          /** A purchase while short, or a sale while long */
          whenOpposite?: 'reverse' | 'close' | null
          template?: {
            symbol: string
            /** Where it says what is to be done */
            word: string
            /** Its words for ours, such as `{"long": "buy", "flat": "close"}` */
            words: Record<string, 'buy' | 'sell' | 'close'>
            quantity?: string | null
            orderType?: string | null
            limitPrice?: string | null
            /** Where its own name of an alert stands */
            id?: string | null
          } | null
          /** More are answered that they come later */
          requestsPerMinute?: number | string | null
          /** From which alone it is called: addresses, networks, or `tradingview` for those of it; empty for any */
          addresses?: string[] | null
          /** When something is expected of it, on days with a session: `everySession`, one of the day by that time in New York; `atLeastEvery` day, one from close to close. Its absence is told by the alert `sender_silent`; null for no such rule */
          expects?: { everySession: string } | { atLeastEvery: 'day' } | null
          /** From so many minutes before the close on nothing is held: entries that work are cancelled, positions closed at market, and nothing is opened until the session has ended (`FLAT_BY_CLOSE`); null for no such rule */
          flatByClose?: {
            /** Before the close, by the calendar of the broker */
            minutes: number | string
            includeManual?: false
          } | null
        }
      },
    ]
    answers: {
      201: Answer<{
        hook: Hook
        /** The whole address with its secret, shown this once */
        url: string
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'HOOK_LIMIT_REACHED' | 'VERIFICATION_REQUIRED' | 'ORIGIN_REFUSED'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Show a hook */
  'GET /api/v1/hooks/{hookId}': {
    request: [request: { path: { hookId: string } }]
    answers: {
      200: Answer<{ hook: Hook }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'HOOK_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Change a hook */
  'PATCH /api/v1/hooks/{hookId}': {
    request: [
      request: {
        path: { hookId: string }
        body: {
          name?: string
          /** The accounts for which it trades, each by its id, or with a size of its own */
          accountIds?: (
            | string
            | {
                accountId: string
                /** Times the quantity of a message */
                multiplier?: number | string | null
                /** In the place of the quantity of a message, in its quantityType */
                quantity?: number | string | null
              }
          )[]
          executeMode?: 'immediate' | 'pending'
          /** Minutes for which a signal waits for approval, after which it expires; a message with an earlier validUntil expires by that. Null for no end */
          approvalMinutes?: number | string | null
          strategyId?: string | null
          /** Of a message that says none; null to refuse such a message */
          quantity?: number | string | null
          quantityType?: 'fixed' | 'percentEquity' | 'dollarAmount' | 'riskPercent' | 'riskDollars'
          /** The exit of what it opens where a message says none: the fields of POST /signals that begin with exit */
          exit?: Record<string, unknown> | null
          /** What becomes of a stop or a profit target in a message that cannot be kept, such as one under a name that is not known */
          protection?: 'refuse' | 'ignore'
          /** Our symbols by the sender's names of them */
          symbols?: Record<string, string>
          /** Which shares its targets and closes are about. own: those that it has opened, or with a strategyId those of the strategy. position: all that the account holds of the symbol, also what others have opened */
          manages?: 'own' | 'position'
          /** A sale may open a short position */
          mayShort?: boolean
          /** A purchase while long, or a sale while short */
          whenSame?: 'nothing' | 'add'
          /** A purchase while short, or a sale while long */
          whenOpposite?: 'reverse' | 'close'
          template?: {
            symbol: string
            /** Where it says what is to be done */
            word: string
            /** Its words for ours, such as `{"long": "buy", "flat": "close"}` */
            words: Record<string, 'buy' | 'sell' | 'close'>
            quantity?: string | null
            orderType?: string | null
            limitPrice?: string | null
            /** Where its own name of an alert stands */
            id?: string | null
          } | null
          /** More are answered that they come later */
          requestsPerMinute?: number | string
          /** From which alone it is called: addresses, networks, or `tradingview` for those of it; empty for any */
          addresses?: string[]
          /** When something is expected of it, on days with a session: `everySession`, one of the day by that time in New York; `atLeastEvery` day, one from close to close. Its absence is told by the alert `sender_silent`; null for no such rule */
          expects?: { everySession: string } | { atLeastEvery: 'day' } | null
          /** From so many minutes before the close on nothing is held: entries that work are cancelled, positions closed at market, and nothing is opened until the session has ended (`FLAT_BY_CLOSE`); null for no such rule */
          flatByClose?: {
            /** Before the close, by the calendar of the broker */
            minutes: number | string
            includeManual?: false
          } | null
        }
      },
    ]
    answers: {
      200: Answer<{ hook: Hook }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'VERIFICATION_REQUIRED' | 'ORIGIN_REFUSED'>
      404: ApiError<'HOOK_NOT_FOUND'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Delete a hook */
  'DELETE /api/v1/hooks/{hookId}': {
    request: [
      request: {
        path: { hookId: string }
        query?: {
          /** What becomes of signals that came by it and that wait */
          signals?: 'withdraw' | 'keep'
        }
      },
    ]
    answers: {
      200: Answer<{
        message: string
        signals: {
          /** Signals of it that wait now: kept, or yet to be withdrawn */
          waiting: number
          /** Signals of it that were withdrawn */
          withdrawn: number
        }
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'HOOK_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Let a hook open positions on live accounts, or no more */
  'PUT /api/v1/hooks/{hookId}/live': {
    request: [request: { path: { hookId: string }; body: { live: boolean } }]
    answers: {
      200: Answer<{ hook: Hook }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<
        'INSUFFICIENT_SCOPES' | 'LIVE_TRADING_DISABLED' | 'VERIFICATION_REQUIRED' | 'ORIGIN_REFUSED'
      >
      404: ApiError<'HOOK_NOT_FOUND'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Make a new secret of a hook */
  'POST /api/v1/hooks/{hookId}/secrets': {
    request: [
      request: {
        path: { hookId: string }
        body?: {
          /** Minutes for which the secret before stays good; the ones before that end at once */
          endsOthersAfter?: number | string | null
        }
      },
    ]
    answers: {
      201: Answer<{
        /** The whole address with its secret, shown this once */
        url: string
        secret: HookSecret
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'VERIFICATION_REQUIRED' | 'ORIGIN_REFUSED'>
      404: ApiError<'HOOK_NOT_FOUND'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** End a secret of a hook at once */
  'DELETE /api/v1/hooks/{hookId}/secrets/{secretId}': {
    request: [request: { path: { hookId: string; secretId: string } }]
    answers: {
      200: Answer<{ message: string }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'HOOK_NOT_FOUND' | 'HOOK_SECRET_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Make the key of a sender that signs */
  'POST /api/v1/hooks/{hookId}/signing-key': {
    request: [request: { path: { hookId: string } }]
    answers: {
      201: Answer<{
        /** Of HMAC-SHA256, in hexadecimal digits; shown this once */
        key: string
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'VERIFICATION_REQUIRED' | 'ORIGIN_REFUSED'>
      404: ApiError<'HOOK_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Take requests with signatures no more */
  'DELETE /api/v1/hooks/{hookId}/signing-key': {
    request: [request: { path: { hookId: string } }]
    answers: {
      200: Answer<{ message: string }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'HOOK_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** List what came to a hook, the newest first */
  'GET /api/v1/hooks/{hookId}/requests': {
    request: [
      request: {
        path: { hookId: string }
        query?: {
          outcome?: ('accepted' | 'nothing' | 'repeated' | 'refused' | 'dry_run' | 'late')[]
          /** Text that stands in the body, in capitals or not; such as a symbol */
          q?: string
          from?: string
          to?: string
          limit?: number
          offset?: number
          cursor?: string
        }
      },
    ]
    answers: {
      200: Answer<Page & { requests: HookRequest[] }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'HOOK_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Show a request that came to a hook */
  'GET /api/v1/hooks/{hookId}/requests/{requestId}': {
    request: [request: { path: { hookId: string; requestId: string } }]
    answers: {
      200: Answer<{ request: WholeHookRequest }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'HOOK_NOT_FOUND' | 'HOOK_REQUEST_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Try a message on a hook */
  'POST /api/v1/hooks/{hookId}/try': {
    request: [
      request: {
        path: { hookId: string }
        body: {
          /** The message as its sender would send it */
          body: string
        }
      },
    ]
    answers: {
      200: Answer<{
        message: string
        /** Why it would be refused; each says the mend */
        faults: { code: string; message: string; path: (string | number)[]; field: string }[]
        advisories: { code: string; message: string }[]
        /** What it asks for, one after the other */
        instructions: {
          kind: 'trade' | 'cancel' | 'protect' | 'flatten' | 'halt'
          /** Such as `buy 10 AAPL` */
          summary: string
        }[]
        /** What would be sent for each */
        accounts: {
          accountId: string
          /** Null where the signal itself would be refused */
          dryRun: {
            /** held: it would wait for a person to approve it; existing: a signal holds the sourceId, and would be answered instead; nothing: what it wants is held already, or it has nothing to do; waits: something has to come first, and it is decided then */
            outcome: 'ready' | 'held' | 'denied' | 'existing' | 'nothing' | 'waits'
            /** With which the signal would be refused; null where it would not be */
            code: string | null
            /** The signal that would be answered instead; null where there is none */
            signalId: string | null
            /** What would be sent; null when no size can be worked out */
            order: {
              clientOrderId: string
              symbol: string
              side: 'BUY' | 'SELL' | 'BUY_TO_COVER' | 'SELL_SHORT'
              /** Shares */
              quantity: number
              orderType: 'market' | 'limit' | 'stop' | 'stopLimit' | 'oco' | 'trailingStop'
              limitPrice: number | null
              stopPrice: number | null
              timeInForce: 'day' | 'gtc' | 'opg' | 'cls' | 'ioc' | 'fok' | 'gtd'
              extendedHours: boolean
            } | null
            /** Of a target on the other side: what another signal opens once this order has filled, with the exit and the protection; null for none */
            follows: {
              side: 'BUY' | 'SELL' | 'BUY_TO_COVER' | 'SELL_SHORT'
              /** Shares; null where it is sized when it is sent */
              quantity: number | null
              limitPrice: number | null
              stopPrice: number | null
            } | null
            /** When the order would be sent by its schedule; null where that is at once */
            scheduledAt: string | null
            /** At the moment at which the order would be sent */
            session: { isOpen: boolean; nextOpen: string; nextClose: string }
            /** When the exit would be sent if the entry were filled at once; null without an exit */
            exitAt: string | null
            exitReason: string | null
            /** Earlier signals whose turn comes first */
            waitsFor: string[]
            /** What every rule says */
            verdicts: {
              rule: string
              outcome: 'passed' | 'warned' | 'held' | 'skipped' | 'denied'
              /** In words, with figures */
              message: string
              /** The reason with which the signal would be refused */
              code?: string
            }[]
          } | null
          code: string | null
          message: string | null
        }[]
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'HOOK_NOT_FOUND'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'SERVICE_DISABLED' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Make a test request to a hook */
  'POST /api/v1/hooks/{hookId}/test': {
    request: [request: { path: { hookId: string } }]
    answers: {
      201: Answer<{ request: WholeHookRequest }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'HOOK_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'SERVICE_DISABLED' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Send a request again */
  'POST /api/v1/hooks/{hookId}/requests/{requestId}/again': {
    request: [
      request: {
        path: { hookId: string; requestId: string }
        body?: {
          /** In the place of what was sent */
          body?: string | null
        }
      },
    ]
    answers: {
      201: Answer<{ request: WholeHookRequest }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'VERIFICATION_REQUIRED' | 'ORIGIN_REFUSED'>
      404: ApiError<'HOOK_NOT_FOUND' | 'HOOK_REQUEST_NOT_FOUND'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'SERVICE_DISABLED' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** List orders, the newest first */
  'GET /api/v1/orders': {
    request: [
      request?: {
        query?: {
          accountId?: string
          /** OPEN finds every order that still works: PENDING and PARTIALLY_FILLED ones too */
          status?: 'PENDING' | 'OPEN' | 'PARTIALLY_FILLED' | 'FILLED' | 'CANCELLED' | 'REJECTED' | 'EXPIRED'
          /** One symbol, or with a star behind it all that begin so: `NV*` */
          symbol?: string
          signalId?: string
          source?: 'signal' | 'manual'
          from?: string
          to?: string
          limit?: number
          offset?: number
          cursor?: string
        }
      },
    ]
    answers: {
      200: Page & { orders: Order[] }
      400: BareError<'VALIDATION_ERROR'>
      401: BareError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: BareError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: BareError<'INTERNAL_ERROR'>
      503: BareError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Place an order */
  'POST /api/v1/orders': {
    request: [
      request: {
        body: {
          accountId: string
          symbol: string
          /** BUY opens a long position or covers a short one, SELL closes a long position or opens a short one */
          side: string
          orderType: string
          /** Shares */
          quantity: number | string
          /** Dollars a share; for LIMIT and STOP_LIMIT */
          limitPrice?: number | string | null
          /** Dollars a share; for STOP and STOP_LIMIT */
          stopPrice?: number | string | null
          timeInForce?: string | null
          extendedHours?: boolean | null
          /** The order may close a position and never open one: with none left to close it is refused */
          reduceOnly?: boolean | null
          /** Answer what would be sent, and what every rule says of it; nothing is stored or sent */
          dryRun?: boolean | null
        }
      },
    ]
    answers: {
      200:
        | { success: true; order: PlacedOrder; requestId: string }
        | {
            success: true
            message: string
            dryRun: {
              /** held: it would wait for a person to approve it; existing: a signal holds the sourceId, and would be answered instead; nothing: what it wants is held already, or it has nothing to do; waits: something has to come first, and it is decided then */
              outcome: 'ready' | 'held' | 'denied' | 'existing' | 'nothing' | 'waits'
              /** With which the signal would be refused; null where it would not be */
              code: string | null
              /** The signal that would be answered instead; null where there is none */
              signalId: string | null
              /** What would be sent; null when no size can be worked out */
              order: {
                clientOrderId: string
                symbol: string
                side: 'BUY' | 'SELL' | 'BUY_TO_COVER' | 'SELL_SHORT'
                /** Shares */
                quantity: number
                orderType: 'market' | 'limit' | 'stop' | 'stopLimit' | 'oco' | 'trailingStop'
                limitPrice: number | null
                stopPrice: number | null
                timeInForce: 'day' | 'gtc' | 'opg' | 'cls' | 'ioc' | 'fok' | 'gtd'
                extendedHours: boolean
              } | null
              /** Of a target on the other side: what another signal opens once this order has filled, with the exit and the protection; null for none */
              follows: {
                side: 'BUY' | 'SELL' | 'BUY_TO_COVER' | 'SELL_SHORT'
                /** Shares; null where it is sized when it is sent */
                quantity: number | null
                limitPrice: number | null
                stopPrice: number | null
              } | null
              /** When the order would be sent by its schedule; null where that is at once */
              scheduledAt: string | null
              /** At the moment at which the order would be sent */
              session: { isOpen: boolean; nextOpen: string; nextClose: string }
              /** When the exit would be sent if the entry were filled at once; null without an exit */
              exitAt: string | null
              exitReason: string | null
              /** Earlier signals whose turn comes first */
              waitsFor: string[]
              /** What every rule says */
              verdicts: {
                rule: string
                outcome: 'passed' | 'warned' | 'held' | 'skipped' | 'denied'
                /** In words, with figures */
                message: string
                /** The reason with which the signal would be refused */
                code?: string
              }[]
            }
            advisories?: Advisory[]
            /** What support and the log know the request by */
            requestId: string
            /** Dollars that the whole order takes or brings, at its price or at the price that the market gives */
            cost: number | null
            /** Of the account for this asset, as the broker tells it; null when it tells none */
            buyingPower: number | null
            /** Shares, below 0 for a short position: now, and once all has filled */
            position: { before: number; after: number | null }
            checkedAt: string
          }
      201: { success: true; order: PlacedOrder; requestId: string }
      202: { success: true; order: PlacedOrder; requestId: string }
      400:
        | RejectedOrder
        | {
            error: 'VALIDATION_ERROR' | 'INVALID_ORDER'
            /** For people */
            message: string
            details?: Fault[]
            /** What support and the log know the request by */
            requestId: string
          }
      401: BareError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: BareError<
        'INSUFFICIENT_SCOPES' | 'TOKEN_BOUNDS_EXCEEDED' | 'VERIFICATION_REQUIRED' | 'ORIGIN_REFUSED'
      >
      404: BareError<'ACCOUNT_NOT_FOUND'>
      409:
        | RejectedOrder
        | {
            error: 'MODE_MISMATCH' | 'BROKER_CREDENTIALS_INVALID'
            /** For people */
            message: string
            details?: Fault[]
            /** What support and the log know the request by */
            requestId: string
          }
      413: BareError<'PAYLOAD_TOO_LARGE'>
      415: BareError<'UNSUPPORTED_MEDIA_TYPE'>
      422:
        | RejectedOrder
        | {
            error: 'IDEMPOTENCY_KEY_REUSED'
            /** For people */
            message: string
            details?: Fault[]
            /** What support and the log know the request by */
            requestId: string
          }
      429: RateLimited
      500: BareError<'INTERNAL_ERROR'>
      502:
        | RejectedOrder
        | {
            error: 'BROKER_ERROR'
            /** For people */
            message: string
            details?: Fault[]
            /** What support and the log know the request by */
            requestId: string
          }
      503: BareError<'TOO_MANY_AT_ONCE' | 'BROKER_SHARE_SPENT' | 'TOO_BUSY' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Show an order with all that is known of it */
  'GET /api/v1/orders/{orderId}': {
    request: [request: { path: { orderId: string } }]
    answers: {
      200: OrderDetail
      400: BareError<'VALIDATION_ERROR'>
      401: BareError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: BareError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: BareError<'ORDER_NOT_FOUND'>
      429: RateLimited
      500: BareError<'INTERNAL_ERROR'>
      503: BareError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Cancel an order that works */
  'DELETE /api/v1/orders/{orderId}': {
    request: [request: { path: { orderId: string } }]
    answers: {
      200: { success: true; message: string; orderId: string; requestId: string }
      202: { success: true; message: string; orderId: string; requestId: string }
      400: BareError<'VALIDATION_ERROR'>
      401: BareError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: BareError<'INSUFFICIENT_SCOPES' | 'TOKEN_BOUNDS_EXCEEDED' | 'ORIGIN_REFUSED'>
      404: BareError<'ORDER_NOT_FOUND'>
      409: BareError<'ORDER_NOT_CANCELLABLE'>
      429: RateLimited
      500: BareError<'INTERNAL_ERROR'>
      503: BareError<'TOO_MANY_AT_ONCE' | 'TEMPORAL_UNAVAILABLE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Show how far an order has come */
  'GET /api/v1/orders/{orderId}/status': {
    request: [request: { path: { orderId: string } }]
    answers: {
      200: {
        orderId: string
        status: 'PENDING' | 'OPEN' | 'PARTIALLY_FILLED' | 'FILLED' | 'CANCELLED' | 'REJECTED' | 'EXPIRED'
        /** Shares */
        filledQuantity: number
        /** Shares that may still fill; 0 when the order has ended */
        remainingQuantity: number
        /** Dollars a share */
        avgFillPrice: number | null
        updatedAt: string
        requestId: string
      }
      400: BareError<'VALIDATION_ERROR'>
      401: BareError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: BareError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: BareError<'ORDER_NOT_FOUND'>
      429: RateLimited
      500: BareError<'INTERNAL_ERROR'>
      503: BareError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Tell the life of an order, from its placement to its end */
  'GET /api/v1/orders/{orderId}/events': {
    request: [
      request: { path: { orderId: string }; query?: { limit?: number; offset?: number; cursor?: string } },
    ]
    answers: {
      200: Page & { events: SignalEvent[] }
      400: BareError<'VALIDATION_ERROR'>
      401: BareError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: BareError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: BareError<'ORDER_NOT_FOUND'>
      429: RateLimited
      500: BareError<'INTERNAL_ERROR'>
      503: BareError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Cancel all orders that work */
  'POST /api/v1/orders/cancel-all': {
    request: [
      request?: {
        body?: {
          accountId?: string | null
          symbol?: string | null
          /** Exits of signals go on working. Stop orders that a person has placed and closing signals are cancelled all the same */
          keepExits?: boolean | null
        }
      },
    ]
    answers: {
      200: {
        /** None failed, and none is left */
        success: boolean
        /** One for each order that worked, the newest first */
        orders: {
          orderId: string
          symbol: string
          /** cancelled: it has ended with that; asked: the broker has not confirmed it yet, and it may fill until it does; over: it had ended otherwise before; failed: the cancel is not known to have been taken up, so that it works on */
          outcome: 'cancelled' | 'asked' | 'over' | 'failed'
          /** The code where it is over or failed */
          error: string | null
          message: string
        }[]
        /** Working orders beyond those; ask again for them */
        left: number
        requestId: string
      }
      202: {
        /** None failed, and none is left */
        success: boolean
        /** One for each order that worked, the newest first */
        orders: {
          orderId: string
          symbol: string
          /** cancelled: it has ended with that; asked: the broker has not confirmed it yet, and it may fill until it does; over: it had ended otherwise before; failed: the cancel is not known to have been taken up, so that it works on */
          outcome: 'cancelled' | 'asked' | 'over' | 'failed'
          /** The code where it is over or failed */
          error: string | null
          message: string
        }[]
        /** Working orders beyond those; ask again for them */
        left: number
        requestId: string
      }
      400: BareError<'VALIDATION_ERROR'>
      401: BareError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: BareError<'INSUFFICIENT_SCOPES' | 'TOKEN_BOUNDS_EXCEEDED' | 'ORIGIN_REFUSED'>
      404: BareError<'ACCOUNT_NOT_FOUND'>
      413: BareError<'PAYLOAD_TOO_LARGE'>
      415: BareError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: BareError<'INTERNAL_ERROR'>
      503: BareError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Let an order go that its broker does not know */
  'POST /api/v1/orders/{orderId}/let-go': {
    request: [request: { path: { orderId: string } }]
    answers: {
      200: { success: true; message: string; orderId: string; requestId: string }
      400: BareError<'VALIDATION_ERROR'>
      401: BareError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: BareError<'INSUFFICIENT_SCOPES' | 'TOKEN_BOUNDS_EXCEEDED' | 'ORIGIN_REFUSED'>
      404: BareError<'ORDER_NOT_FOUND'>
      409: BareError<'ORDER_NOT_CANCELLABLE'>
      429: RateLimited
      500: BareError<'INTERNAL_ERROR'>
      503: BareError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** List trades, the one entered last first */
  'GET /api/v1/trades': {
    request: [
      request?: {
        query?: {
          accountId?: string
          /** One symbol, or with a star behind it all that begin so: `NV*` */
          symbol?: string
          status?: 'OPEN' | 'CLOSED'
          side?: 'LONG' | 'SHORT'
          strategyId?: string
          signalId?: string
          closedFrom?: string
          closedTo?: string
          from?: string
          to?: string
          sort?: 'entryAt' | 'exitAt' | 'realisedPnl' | 'realisedPnlPercent' | 'symbol'
          direction?: 'desc' | 'asc'
          limit?: number
          offset?: number
          cursor?: string
        }
      },
    ]
    answers: {
      200: Answer<Page & { trades: Trade[] }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Add up the trades that fit a filter */
  'GET /api/v1/trades/totals': {
    request: [
      request?: {
        query?: {
          accountId?: string
          /** One symbol, or with a star behind it all that begin so: `NV*` */
          symbol?: string
          status?: 'OPEN' | 'CLOSED'
          side?: 'LONG' | 'SHORT'
          strategyId?: string
          signalId?: string
          closedFrom?: string
          closedTo?: string
          from?: string
          to?: string
        }
      },
    ]
    answers: {
      200: Answer<{
        trades: number
        /** Trades that are not closed yet */
        open: number
        /** Closed trades with a profit */
        wins: number
        /** Dollars, after fees, of the closed ones */
        realisedPnl: number
        /** Dollars, of all of them so far */
        fees: number
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Show a trade */
  'GET /api/v1/trades/{tradeId}': {
    request: [request: { path: { tradeId: string } }]
    answers: {
      200: Answer<{ trade: Trade }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'TRADE_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** List open trades at current prices, the one entered last first */
  'GET /api/v1/orders/open-trades': {
    request: [
      request?: {
        query?: { accountId?: string; symbol?: string; limit?: number; offset?: number; cursor?: string }
      },
    ]
    answers: {
      200: Page & { trades: OpenTrade[] }
      400: BareError<'VALIDATION_ERROR'>
      401: BareError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: BareError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: BareError<'INTERNAL_ERROR'>
      503: BareError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Close everything */
  'POST /api/v1/positions/flatten': {
    request: [
      request?: {
        body?: {
          /** All accounts of the mode without it */
          accountId?: string | null
          /** Every symbol without it */
          symbols?: string[] | null
          reason?: string | null
        }
      },
    ]
    answers: {
      200: { flatten: Flatten; requestId: string }
      202: { flatten: Flatten; requestId: string }
      400: BareError<'VALIDATION_ERROR'>
      401: BareError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: BareError<'INSUFFICIENT_SCOPES' | 'TOKEN_BOUNDS_EXCEEDED' | 'ORIGIN_REFUSED'>
      404: BareError<'ACCOUNT_NOT_FOUND'>
      413: BareError<'PAYLOAD_TOO_LARGE'>
      415: BareError<'UNSUPPORTED_MEDIA_TYPE'>
      422: BareError<'IDEMPOTENCY_KEY_REUSED'>
      429: RateLimited
      500: BareError<'INTERNAL_ERROR'>
      503: BareError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** List what closed everything last */
  'GET /api/v1/positions/flatten': {
    request: [request?: { query?: { limit?: number } }]
    answers: {
      200: { flattens: Flatten[] }
      400: BareError<'VALIDATION_ERROR'>
      401: BareError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: BareError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: BareError<'INTERNAL_ERROR'>
      503: BareError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Show how far everything is closed */
  'GET /api/v1/positions/flatten/{flattenId}': {
    request: [request: { path: { flattenId: string } }]
    answers: {
      200: { flatten: Flatten; requestId: string }
      400: BareError<'VALIDATION_ERROR'>
      401: BareError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: BareError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: BareError<'FLATTEN_NOT_FOUND'>
      429: RateLimited
      500: BareError<'INTERNAL_ERROR'>
      503: BareError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** List the positions of all accounts */
  'GET /api/v1/positions': {
    request: [request?: { query?: { accountId?: string; symbol?: string } }]
    answers: {
      200: {
        positions: Position[]
        summary: PositionSummary
        /** By the id of a position, dollars a share, on average, from which its result of today counts: of shares that were opened today what they cost with fees, of others the last close; null where that is not known */
        dayReferences: Record<string, number | null>
      }
      400: BareError<'VALIDATION_ERROR'>
      401: BareError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: BareError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: BareError<'INTERNAL_ERROR'>
      503: BareError<'TOO_MANY_AT_ONCE' | 'POSITIONS_UNAVAILABLE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** List the positions of one account */
  'GET /api/v1/positions/{accountId}': {
    request: [request: { path: { accountId: string } }]
    answers: {
      200: { accountId: string; positions: AccountPosition[]; summary: PositionSummary }
      400: BareError<'VALIDATION_ERROR'>
      401: BareError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: BareError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: BareError<'ACCOUNT_NOT_FOUND'>
      429: RateLimited
      500: BareError<'INTERNAL_ERROR'>
      503: BareError<'TOO_MANY_AT_ONCE' | 'POSITIONS_UNAVAILABLE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Close a position, or a part of it */
  'POST /api/v1/positions/{accountId}/{symbol}/close': {
    request: [
      request: {
        path: { accountId: string; symbol: string }
        body?: {
          /** Shares; all that are held without it */
          quantity?: number | string | null
        }
      },
    ]
    answers: {
      200: {
        /** The order leaves no shares to orders that were not placed here, and does not wait for a position that the broker does not show */
        success: boolean
        accountId: string
        /** The order */
        orders: { symbol: string; order: PlacedOrder }[]
        requestId: string
      }
      201: {
        /** The order leaves no shares to orders that were not placed here, and does not wait for a position that the broker does not show */
        success: boolean
        accountId: string
        /** The order */
        orders: { symbol: string; order: PlacedOrder }[]
        requestId: string
      }
      202: {
        /** The order leaves no shares to orders that were not placed here, and does not wait for a position that the broker does not show */
        success: boolean
        accountId: string
        /** The order */
        orders: { symbol: string; order: PlacedOrder }[]
        requestId: string
      }
      400: BareError<'VALIDATION_ERROR'>
      401: BareError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: BareError<'INSUFFICIENT_SCOPES' | 'TOKEN_BOUNDS_EXCEEDED' | 'ORIGIN_REFUSED'>
      404: BareError<'ACCOUNT_NOT_FOUND' | 'POSITION_NOT_FOUND'>
      409: BareError<'POSITION_HELD' | 'BROKER_CREDENTIALS_INVALID'>
      413: BareError<'PAYLOAD_TOO_LARGE'>
      415: BareError<'UNSUPPORTED_MEDIA_TYPE'>
      422:
        | RejectedOrder
        | {
            error: 'IDEMPOTENCY_KEY_REUSED'
            /** For people */
            message: string
            details?: Fault[]
            /** What support and the log know the request by */
            requestId: string
          }
      429: RateLimited
      500: BareError<'INTERNAL_ERROR'>
      503: BareError<'TOO_MANY_AT_ONCE' | 'POSITIONS_UNAVAILABLE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Give shares that have no exit an exit plan */
  'POST /api/v1/positions/{accountId}/{symbol}/protection': {
    request: [
      request: {
        path: { accountId: string; symbol: string }
        body: {
          /** Closes the position at a loss: at a price, or so far from the average fill */
          stop?: {
            /** Dollars a share */
            price?: number | string | null
            /** Percent of the price, below 100 */
            percent?: number | string | null
            /** Dollars a share */
            amount?: number | string | null
            /** Makes it a stop limit order, whose limit lies so many dollars a share behind the stop: it sells no lower, and may not fill */
            limitOffset?: number | string | null
          } | null
          /** Closes the position at a profit, by a limit: at a price, or so far from the average fill */
          target?: {
            /** Dollars a share */
            price?: number | string | null
            /** Percent of the price, below 100 */
            percent?: number | string | null
            /** Dollars a share */
            amount?: number | string | null
          } | null
          /** The stop follows the best price at this distance, and never goes back */
          trail?: {
            /** Percent of the price, below 100 */
            percent?: number | string | null
            /** Dollars a share */
            amount?: number | string | null
            /** Once the profit has been so much */
            after?: {
              /** Percent of the price, below 100 */
              percent?: number | string | null
              /** Dollars a share */
              amount?: number | string | null
            } | null
          } | null
          /** Once the profit has been so much, the stop moves to the average fill, plus fees */
          breakEven?: {
            /** Percent of the price, below 100 */
            percent?: number | string | null
            /** Dollars a share */
            amount?: number | string | null
          } | null
          /** closed: as long as the position is open, which is the default; session: until the end of the session of the fill, or of the last change */
          until?: 'session' | 'closed' | null
        }
      },
    ]
    answers: {
      200: { signal: Signal; advisories?: Advisory[] }
      202: { signal: Signal; advisories?: Advisory[] }
      400: BareError<'VALIDATION_ERROR'>
      401: BareError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: BareError<'INSUFFICIENT_SCOPES' | 'TOKEN_BOUNDS_EXCEEDED' | 'ORIGIN_REFUSED'>
      404: BareError<'ACCOUNT_NOT_FOUND' | 'POSITION_NOT_FOUND'>
      409: BareError<'WOULD_BE_REFUSED' | 'NOTHING_TO_ADOPT' | 'PROTECTION_NOT_CHANGEABLE'>
      413: BareError<'PAYLOAD_TOO_LARGE'>
      415: BareError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: BareError<'INTERNAL_ERROR'>
      503: BareError<'TOO_MANY_AT_ONCE' | 'TEMPORAL_UNAVAILABLE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** List the connected accounts, the primary one first */
  'GET /api/v1/accounts': {
    request: [
      request?: {
        query?: {
          /** Lists removed accounts too, which are not active */
          include?: 'removed'
        }
      },
    ]
    answers: {
      200: { accounts: Account[] }
      400: BareError<'VALIDATION_ERROR'>
      401: BareError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: BareError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: BareError<'INTERNAL_ERROR'>
      503: BareError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Show an account with its balances and its connection */
  'GET /api/v1/accounts/{accountId}': {
    request: [request: { path: { accountId: string } }]
    answers: {
      200: AccountDetail
      400: BareError<'VALIDATION_ERROR'>
      401: BareError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: BareError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: BareError<'ACCOUNT_NOT_FOUND'>
      429: RateLimited
      500: BareError<'INTERNAL_ERROR'>
      503: BareError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Change the settings of an account */
  'PATCH /api/v1/accounts/{accountId}': {
    request: [
      request: {
        path: { accountId: string }
        body: {
          /** From so many minutes before the close on nothing is held: entries that work are cancelled, positions closed at market, and nothing is opened until the session has ended (`FLAT_BY_CLOSE`); null for no such rule */
          flatByClose?: {
            /** Before the close, by the calendar of the broker */
            minutes: number | string
            /** What was bought by hand, and by others at the broker, is closed too */
            includeManual?: boolean
          } | null
        }
      },
    ]
    answers: {
      200: Account
      400: BareError<'VALIDATION_ERROR'>
      401: BareError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: BareError<'INSUFFICIENT_SCOPES' | 'VERIFICATION_REQUIRED' | 'ORIGIN_REFUSED'>
      404: BareError<'ACCOUNT_NOT_FOUND'>
      413: BareError<'PAYLOAD_TOO_LARGE'>
      415: BareError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: BareError<'INTERNAL_ERROR'>
      503: BareError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Show an account at a glance */
  'GET /api/v1/accounts/{accountId}/summary': {
    request: [request: { path: { accountId: string } }]
    answers: {
      200: {
        accountId: string
        name: string
        currency: string
        /** Trades on paper */
        isDemo: boolean
        isActive: boolean
        isPrimary: boolean
        equity: number
        cashBalance: number
        buyingPower: number
        dayTradingBuyingPower: number | null
        marketValue: number
        /** Equity less the equity with which the exchange’s day began, deposits included; null when the service did not see it begin */
        dayPnl: number | null
        dayPnlPercent: number | null
        unrealisedPnl: number
        realisedPnl: number
        openPositions: number
        openOrders: number
        /** Market values of the open positions */
        exposure: {
          long: number
          /** As a positive amount */
          short: number
          /** Long and short together */
          gross: number
          /** Long less short */
          net: number
          /** Of the equity; null when there is none */
          grossPercent: number | null
        }
        broker: {
          id: string
          name: string
          brokerType: string
          status: 'connected' | 'error'
          /** Why the status is error */
          statusDetail: string | null
          lastCheckedAt: string | null
        }
        /** The most severe halt that binds the account; null when it may trade */
        halt: {
          level: 'pauseEntries' | 'reduceOnly' | 'fullStop'
          scope: 'global' | 'operator' | 'user' | 'account'
          reason: string | null
        } | null
        lastSyncedAt: string | null
      }
      400: BareError<'VALIDATION_ERROR'>
      401: BareError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: BareError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: BareError<'ACCOUNT_NOT_FOUND'>
      429: RateLimited
      500: BareError<'INTERNAL_ERROR'>
      503: BareError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Sync all accounts */
  'POST /api/v1/accounts/sync': {
    request: []
    answers: {
      200: {
        /** Nothing has gone wrong with any of them */
        success: boolean
        message: string
        accounts: {
          accountId: string
          success: boolean
          /** Null while the sync is still running, and when it failed */
          syncedAt: string | null
          /** An error code, when it failed */
          error?: string
          message?: string
        }[]
      }
      202: {
        /** Nothing has gone wrong with any of them */
        success: boolean
        message: string
        accounts: {
          accountId: string
          success: boolean
          /** Null while the sync is still running, and when it failed */
          syncedAt: string | null
          /** An error code, when it failed */
          error?: string
          message?: string
        }[]
      }
      400: BareError<'VALIDATION_ERROR'>
      401: BareError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: BareError<'INSUFFICIENT_SCOPES' | 'TOKEN_BOUNDS_EXCEEDED' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: BareError<'INTERNAL_ERROR'>
      503: BareError<'TOO_MANY_AT_ONCE' | 'TOO_BUSY' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Sync the accounts of a connection */
  'POST /api/v1/accounts/sync/{brokerId}': {
    request: [request: { path: { brokerId: string } }]
    answers: {
      200: {
        /** Nothing has gone wrong with any of them */
        success: boolean
        message: string
        accounts: {
          accountId: string
          success: boolean
          /** Null while the sync is still running, and when it failed */
          syncedAt: string | null
          /** An error code, when it failed */
          error?: string
          message?: string
        }[]
      }
      202: {
        /** Nothing has gone wrong with any of them */
        success: boolean
        message: string
        accounts: {
          accountId: string
          success: boolean
          /** Null while the sync is still running, and when it failed */
          syncedAt: string | null
          /** An error code, when it failed */
          error?: string
          message?: string
        }[]
      }
      400: BareError<'VALIDATION_ERROR'>
      401: BareError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: BareError<'INSUFFICIENT_SCOPES' | 'TOKEN_BOUNDS_EXCEEDED' | 'ORIGIN_REFUSED'>
      404: BareError<'BROKER_NOT_FOUND'>
      429: RateLimited
      500: BareError<'INTERNAL_ERROR'>
      503: BareError<'TOO_MANY_AT_ONCE' | 'TOO_BUSY' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Sync an account */
  'POST /api/v1/accounts/{accountId}/sync': {
    request: [request: { path: { accountId: string } }]
    answers: {
      200: {
        success: true
        message: string
        /** Null while the sync is still running */
        syncedAt: string | null
      }
      202: {
        success: true
        message: string
        /** Null while the sync is still running */
        syncedAt: string | null
      }
      400: BareError<'VALIDATION_ERROR'>
      401: BareError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: BareError<'INSUFFICIENT_SCOPES' | 'TOKEN_BOUNDS_EXCEEDED' | 'ORIGIN_REFUSED'>
      404: BareError<'ACCOUNT_NOT_FOUND'>
      409: BareError<'ACCOUNT_INACTIVE' | 'BROKER_CREDENTIALS_INVALID'>
      429: RateLimited
      500: BareError<'INTERNAL_ERROR'>
      502: BareError<'SYNC_FAILED'>
      503: BareError<'TOO_MANY_AT_ONCE' | 'TOO_BUSY' | 'TEMPORAL_UNAVAILABLE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Make an account the primary one */
  'PUT /api/v1/accounts/{accountId}/primary': {
    request: [request: { path: { accountId: string } }]
    answers: {
      200: Account
      400: BareError<'VALIDATION_ERROR'>
      401: BareError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: BareError<
        'INSUFFICIENT_SCOPES' | 'TOKEN_BOUNDS_EXCEEDED' | 'VERIFICATION_REQUIRED' | 'ORIGIN_REFUSED'
      >
      404: BareError<'ACCOUNT_NOT_FOUND'>
      409: BareError<'ACCOUNT_INACTIVE'>
      429: RateLimited
      500: BareError<'INTERNAL_ERROR'>
      503: BareError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Switch between paper and live trading */
  'POST /api/v1/accounts/mode': {
    request: [request: { body: { mode: 'PAPER' | 'LIVE'; password?: string | null; code?: string | null } }]
    answers: {
      200: { success: true; mode: 'PAPER' | 'LIVE'; message: string }
      400: BareError<'VALIDATION_ERROR' | 'WRONG_PASSWORD' | 'WRONG_CODE'>
      401: BareError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: BareError<
        | 'INSUFFICIENT_SCOPES'
        | 'TOKEN_BOUNDS_EXCEEDED'
        | 'LIVE_TRADING_DISABLED'
        | 'VERIFICATION_REQUIRED'
        | 'ORIGIN_REFUSED'
      >
      413: BareError<'PAYLOAD_TOO_LARGE'>
      415: BareError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: BareError<'INTERNAL_ERROR'>
      503: BareError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** List strategies, the newest first */
  'GET /api/v1/strategies': {
    request: [
      request?: {
        query?: {
          limit?: number
          offset?: number
          cursor?: string
          status?: 'active' | 'paused'
          archived?: 'true' | 'false'
        }
      },
    ]
    answers: {
      200: Answer<Page & { strategies: Strategy[] }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Make a strategy */
  'POST /api/v1/strategies': {
    request: [
      request: {
        body: {
          name: string
          description?: string | null
          status?: 'active' | 'paused' | null
          defaultAccountId?: string | null
          metadata?: Record<string, unknown> | null
          /** When something is expected of it, on days with a session: `everySession`, one of the day by that time in New York; `atLeastEvery` day, one from close to close. Its absence is told by the alert `sender_silent`; null for no such rule */
          expects?: { everySession: string } | { atLeastEvery: 'day' } | null
          /** From so many minutes before the close on nothing is held: entries that work are cancelled, positions closed at market, and nothing is opened until the session has ended (`FLAT_BY_CLOSE`); null for no such rule */
          flatByClose?: {
            /** Before the close, by the calendar of the broker */
            minutes: number | string
            includeManual?: false
          } | null
        }
      },
    ]
    answers: {
      201: Answer<Strategy>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'ACCOUNT_NOT_FOUND'>
      409: ApiError<'STRATEGY_NAME_TAKEN'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Show a strategy and what it has done */
  'GET /api/v1/strategies/{strategyId}': {
    request: [request: { path: { strategyId: string } }]
    answers: {
      200: Answer<Strategy>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'STRATEGY_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Change, pause or activate a strategy */
  'PATCH /api/v1/strategies/{strategyId}': {
    request: [
      request: {
        path: { strategyId: string }
        body: {
          name?: string
          description?: string | null
          status?: 'active' | 'paused'
          defaultAccountId?: string | null
          metadata?: Record<string, unknown>
          /** When something is expected of it, on days with a session: `everySession`, one of the day by that time in New York; `atLeastEvery` day, one from close to close. Its absence is told by the alert `sender_silent`; null for no such rule */
          expects?: { everySession: string } | { atLeastEvery: 'day' } | null
          /** From so many minutes before the close on nothing is held: entries that work are cancelled, positions closed at market, and nothing is opened until the session has ended (`FLAT_BY_CLOSE`); null for no such rule */
          flatByClose?: {
            /** Before the close, by the calendar of the broker */
            minutes: number | string
            includeManual?: false
          } | null
        }
      },
    ]
    answers: {
      200: Answer<Strategy>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'VERIFICATION_REQUIRED' | 'ORIGIN_REFUSED'>
      404: ApiError<'ACCOUNT_NOT_FOUND' | 'STRATEGY_NOT_FOUND'>
      409: ApiError<'STRATEGY_NAME_TAKEN'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Delete a strategy */
  'DELETE /api/v1/strategies/{strategyId}': {
    request: [request: { path: { strategyId: string } }]
    answers: {
      200: Answer<{ message: string; strategyId: string }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'STRATEGY_NOT_FOUND'>
      409: ApiError<'STRATEGY_IN_USE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Sum up the accounts of the trading mode */
  'GET /api/v1/dashboard/summary': {
    request: []
    answers: {
      200: Answer<{
        equity: number
        cashBalance: number
        buyingPower: number
        marketValue: number
        /** Change of the equity since the day of the exchange began, of the accounts that were seen to begin it; null without one */
        dayPnl: number | null
        /** In percent of the equity with which the day began */
        dayPnlPercent: number | null
        unrealisedPnl: number
        realisedPnl: number
        /** After fees, of the trades that were closed today: since the last close, or since the purchase where that was later or the close is not known */
        realisedToday: number
        /** Trades that count in it since a purchase before today, because the last close of their symbol is not known */
        wholeToday: number
        /** What is held has gained today: since the last close, or since the purchase where that was later; null when that is not known of every position */
        openToday: number | null
        accounts: number
        openPositions: number
        openOrders: number
        /** Signals that wait for a person */
        pendingSignals: number
        /** Signals that wait for their time */
        scheduledSignals: number
        /** Signals of this day of the exchange that were executed */
        executedToday: number
        /** Signals of this day of the exchange that a rule or the broker refused, or that were not placed; without those that a person declined */
        refusedToday: number
        /** The trading mode that the user is in */
        mode: 'PAPER' | 'LIVE'
        /** When the balances were copied from the broker, the oldest among them; null when none ever was */
        asOf: string | null
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** List the balances with which the days of the exchange ended */
  'GET /api/v1/dashboard/balance-history': {
    request: [request?: { query?: { accountId?: string; from?: string; to?: string } }]
    answers: {
      200: Answer<{
        /** Null for the accounts of the trading mode together */
        accountId: string | null
        /** The trading mode that the user is in */
        mode: 'PAPER' | 'LIVE'
        points: {
          /** Day of the exchange */
          date: string
          equity: number
          cashBalance: number
          /** Accounts in the sum with the balances of an earlier day, because those of this day are not known */
          carriedForward: number
        }[]
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'ACCOUNT_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** List the equity of this day of the exchange, every five minutes */
  'GET /api/v1/dashboard/equity-today': {
    request: [request?: { query?: { accountId?: string } }]
    answers: {
      200: Answer<{
        /** Null for the active accounts of the trading mode together */
        accountId: string | null
        /** The trading mode that the user is in */
        mode: 'PAPER' | 'LIVE'
        /** With which the day of the exchange began; null where that was not seen */
        dayStartEquity: number | null
        points: { at: string; equity: number }[]
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'ACCOUNT_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Show how each account of the trading mode has done in a period */
  'GET /api/v1/dashboard/account-performance': {
    request: [request?: { query?: { period?: '1W' | '1M' | '3M' | 'YTD' | '1Y' | 'ALL' } }]
    answers: {
      200: Answer<{
        period: '1W' | '1M' | '3M' | 'YTD' | '1Y' | 'ALL'
        /** Day of the exchange at whose end the period begins; null for as far as anything is known */
        from: string | null
        to: string
        /** The trading mode that the user is in */
        mode: 'PAPER' | 'LIVE'
        accounts: {
          accountId: string
          name: string
          /** The day whose closing equity the others are compared with */
          firstDay: string | null
          /** The last day whose closing equity is known */
          lastDay: string | null
          /** Null with fewer than two days */
          returnPercent: number | null
          /** Dollars, after fees, of the trades closed in the period */
          realisedPnl: number
          /** Deepest fall below an earlier high, in percent of it; null with fewer than two days */
          maxDrawdownPercent: number | null
          /** Of the daily returns, annualised by √252, risk-free rate 0; null with fewer than two returns */
          sharpe: number | null
          /** Round trips closed in the period */
          trades: number
          /** Percent of the trades with a profit; null without any trade */
          winRate: number | null
          /** Dollars won for each dollar lost; null when nothing was lost */
          profitFactor: number | null
          bestTrade: {
            tradeId: string
            symbol: string
            side: 'LONG' | 'SHORT'
            /** Dollars, after fees */
            realisedPnl: number
            exitAt: string
          } | null
          worstTrade: {
            tradeId: string
            symbol: string
            side: 'LONG' | 'SHORT'
            /** Dollars, after fees */
            realisedPnl: number
            exitAt: string
          } | null
        }[]
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Add up the trades that were closed in a period */
  'GET /api/v1/dashboard/trade-statistics': {
    request: [
      request?: {
        query?: {
          period?: '1W' | '1M' | '3M' | 'YTD' | '1Y' | 'ALL'
          from?: string
          to?: string
          accountId?: string
          strategyId?: string
          symbol?: string
        }
      },
    ]
    answers: {
      200: Answer<{
        /** The trading mode that the user is in */
        mode: 'PAPER' | 'LIVE'
        /** Null for the accounts of the trading mode together */
        accountId: string | null
        /** Null where days were asked for */
        period: '1W' | '1M' | '3M' | 'YTD' | '1Y' | 'ALL' | null
        /** First day; null for as far as anything is known */
        from: string | null
        /** Last day; null for until now */
        to: string | null
        all: TradeFigures
        /** Dollars by which the sum of the results fell below its highest point before, which is at least 0 */
        maxDrawdown: number
        /** Of the results of the days, annualised by √252, against 0; days of the exchange without a trade count as 0. Null without a day of loss */
        sortino: number | null
        /** After each trade; of many trades at most 497 points, with highs, lows and deepest falls among them */
        curve: {
          /** From 1, in the order in which they were closed */
          trade: number
          at: string
          /** Dollars that this trade and those before it brought */
          total: number
          /** Dollars by which that lies below its highest point before */
          drawdown: number
        }[]
        /** Days on which trades were closed */
        days: { date: string; trades: number; wins: number; realisedPnl: number }[]
        strategies: {
          /** Strategy; null for trades of none */
          key: string | null
          /** Closed trades */
          trades: number
          wins: number
          /** Trades that brought exactly nothing are neither */
          losses: number
          /** Percent of the trades with a profit; null without any trade */
          winRate: number | null
          /** Dollars, after fees */
          realisedPnl: number
          /** Dollars of an average trade; null without any */
          expectancy: number | null
          /** Dollars won for each dollar lost; null when nothing was lost */
          profitFactor: number | null
          /** Dollars */
          fees: number
          /** Dollars */
          bestTrade: number | null
          /** Dollars */
          worstTrade: number | null
          /** From the first entry to the last exit */
          averageHoldSeconds: number | null
        }[]
        symbols: {
          /** Symbol */
          key: string
          /** Closed trades */
          trades: number
          wins: number
          /** Trades that brought exactly nothing are neither */
          losses: number
          /** Percent of the trades with a profit; null without any trade */
          winRate: number | null
          /** Dollars, after fees */
          realisedPnl: number
          /** Dollars of an average trade; null without any */
          expectancy: number | null
          /** Dollars won for each dollar lost; null when nothing was lost */
          profitFactor: number | null
          /** Dollars */
          fees: number
          /** Dollars */
          bestTrade: number | null
          /** Dollars */
          worstTrade: number | null
          /** From the first entry to the last exit */
          averageHoldSeconds: number | null
        }[]
        hours: {
          /** Hour of the entry in New York, 0 to 23 */
          key: number
          /** Closed trades */
          trades: number
          wins: number
          /** Trades that brought exactly nothing are neither */
          losses: number
          /** Percent of the trades with a profit; null without any trade */
          winRate: number | null
          /** Dollars, after fees */
          realisedPnl: number
          /** Dollars of an average trade; null without any */
          expectancy: number | null
          /** Dollars won for each dollar lost; null when nothing was lost */
          profitFactor: number | null
          /** Dollars */
          fees: number
          /** Dollars */
          bestTrade: number | null
          /** Dollars */
          worstTrade: number | null
          /** From the first entry to the last exit */
          averageHoldSeconds: number | null
        }[]
        weekdays: {
          /** Day of the entry in New York, 1 for Monday to 7 */
          key: number
          /** Closed trades */
          trades: number
          wins: number
          /** Trades that brought exactly nothing are neither */
          losses: number
          /** Percent of the trades with a profit; null without any trade */
          winRate: number | null
          /** Dollars, after fees */
          realisedPnl: number
          /** Dollars of an average trade; null without any */
          expectancy: number | null
          /** Dollars won for each dollar lost; null when nothing was lost */
          profitFactor: number | null
          /** Dollars */
          fees: number
          /** Dollars */
          bestTrade: number | null
          /** Dollars */
          worstTrade: number | null
          /** From the first entry to the last exit */
          averageHoldSeconds: number | null
        }[]
        lengths: {
          /** Seconds held: from this many on, and fewer than the next of 0, 300, 1800, 7200, 86400, 432000 */
          key: number
          /** Closed trades */
          trades: number
          wins: number
          /** Trades that brought exactly nothing are neither */
          losses: number
          /** Percent of the trades with a profit; null without any trade */
          winRate: number | null
          /** Dollars, after fees */
          realisedPnl: number
          /** Dollars of an average trade; null without any */
          expectancy: number | null
          /** Dollars won for each dollar lost; null when nothing was lost */
          profitFactor: number | null
          /** Dollars */
          fees: number
          /** Dollars */
          bestTrade: number | null
          /** Dollars */
          worstTrade: number | null
          /** From the first entry to the last exit */
          averageHoldSeconds: number | null
        }[]
        /** Trades by how they ended */
        exits: {
          /** How they ended. `time`: by the exit of their signal, at any price. `limit`, `stop`, `stopLimit`: by that exit, at the price that the signal asked for. `person`: by an order placed here by hand. `signal`: by another signal. `elsewhere`: by no order that was placed here */
          key: 'time' | 'limit' | 'stop' | 'stopLimit' | 'person' | 'signal' | 'elsewhere'
          /** Closed trades */
          trades: number
          wins: number
          /** Trades that brought exactly nothing are neither */
          losses: number
          /** Percent of the trades with a profit; null without any trade */
          winRate: number | null
          /** Dollars, after fees */
          realisedPnl: number
          /** Dollars of an average trade; null without any */
          expectancy: number | null
          /** Dollars won for each dollar lost; null when nothing was lost */
          profitFactor: number | null
          /** Dollars */
          fees: number
          /** Dollars */
          bestTrade: number | null
          /** Dollars */
          worstTrade: number | null
          /** From the first entry to the last exit */
          averageHoldSeconds: number | null
          /** Dollars, the part of the fees that was charged for closing them */
          exitFees: number
          /** Dollars by which they were closed worse than at the stop, or, by an exit at market, at the price as it was sent; below 0 where better. Null where it is known of none */
          slippage: number | null
          /** Trades of which the slippage is known; it is not of the others */
          compared: number
        }[]
        /** The 20 senders with the most such signals */
        senders: {
          /** As timelines name it; null where that was not written down */
          sentBy: string | null
          /** Signals of the period whose order at market was filled */
          signals: number
          /** From when it was sent, due or approved, the last of these, until it was filled */
          medianSeconds: number
          /** 19 of 20 took no longer */
          slowSeconds: number
          /** Those that waited for a person, when the price was noted as they came */
          compared: number
          /** How much worse they were filled than at that price, on average; below 0 where better */
          slippagePercent: number | null
        }[]
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'ACCOUNT_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** List connections, the newest first */
  'GET /api/v1/brokers': {
    request: [request?: { query?: { limit?: number; offset?: number; cursor?: string } }]
    answers: {
      200: Answer<Page & { brokers: BrokerConnection[] }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Connect an account at a broker */
  'POST /api/v1/brokers': {
    request: [
      request: {
        body: {
          /** One of GET /brokers/types */
          brokerType: 'paper' | 'alpaca'
          /** The name of the broker without it */
          name?: string | null
          /** Which of the broker’s addresses the keys are for; needed where it has both */
          isDemo?: boolean | null
          /** The keys that GET /brokers/types lists for the type; never shown again */
          credentials: Record<string, string>
          /** Connect it although another user of this service follows the same account */
          mayShare?: boolean | null
        }
      },
    ]
    answers: {
      201: Answer<{ broker: BrokerConnection }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'TOKEN_BOUNDS_EXCEEDED' | 'ORIGIN_REFUSED'>
      409: ApiError<
        'ACCOUNT_ALREADY_CONNECTED' | 'ACCOUNT_SHARED' | 'BROKER_LIMIT_REACHED' | 'BROKER_CREDENTIALS_INVALID'
      >
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      502: ApiError<'BROKER_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'BROKER_SHARE_SPENT' | 'TOO_BUSY' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Open a paper account of your own */
  'POST /api/v1/brokers/paper-account': {
    request: [
      request?: {
        query?: {
          /** Which of your own paper accounts, counted from 1: the same number answers the same account */
          number?: number
        }
      },
    ]
    answers: {
      200: Answer<{ broker: BrokerConnection }>
      201: Answer<{ broker: BrokerConnection }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      409: ApiError<'PAPER_ACCOUNTS_NOT_OFFERED' | 'BROKER_LIMIT_REACHED' | 'BROKER_CREDENTIALS_INVALID'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      502: ApiError<'BROKER_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'BROKER_SHARE_SPENT' | 'TOO_BUSY' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** List the kinds of broker, and the keys that each needs */
  'GET /api/v1/brokers/types': {
    request: []
    answers: {
      200: Answer<{ types: BrokerType[] }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Show a connection */
  'GET /api/v1/brokers/{brokerId}': {
    request: [request: { path: { brokerId: string } }]
    answers: {
      200: Answer<{ broker: BrokerConnection }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'BROKER_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Rename a connection, or give it new keys */
  'PATCH /api/v1/brokers/{brokerId}': {
    request: [
      request: {
        path: { brokerId: string }
        body: {
          name?: string
          /** New keys of the same account */
          credentials?: Record<string, string>
        }
      },
    ]
    answers: {
      200: Answer<{ broker: BrokerConnection }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'TOKEN_BOUNDS_EXCEEDED' | 'ORIGIN_REFUSED'>
      404: ApiError<'BROKER_NOT_FOUND'>
      409: ApiError<'BROKER_ACCOUNT_CHANGED' | 'BROKER_CREDENTIALS_INVALID'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      502: ApiError<'BROKER_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'BROKER_SHARE_SPENT' | 'TOO_BUSY' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Remove a connection */
  'DELETE /api/v1/brokers/{brokerId}': {
    request: [request: { path: { brokerId: string } }]
    answers: {
      200: Answer<{ message: string }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'TOKEN_BOUNDS_EXCEEDED' | 'ORIGIN_REFUSED'>
      404: ApiError<'BROKER_NOT_FOUND'>
      409: ApiError<'BROKER_IN_USE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Try a connection */
  'POST /api/v1/brokers/{brokerId}/test': {
    request: [request: { path: { brokerId: string } }]
    answers: {
      200: Answer<{ broker: BrokerConnection }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'TOKEN_BOUNDS_EXCEEDED' | 'ORIGIN_REFUSED'>
      404: ApiError<'BROKER_NOT_FOUND'>
      409: ApiError<'BROKER_CREDENTIALS_INVALID'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      502: ApiError<'BROKER_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'BROKER_SHARE_SPENT' | 'TOO_BUSY' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Find symbols by their beginning or by the name of the company */
  'GET /api/v1/assets': {
    request: [
      request: {
        query: {
          /** The beginning of a symbol, or words of a name or their beginnings */
          search: string
          /** Whose broker is asked; without it the first one that offers a look-up */
          accountId?: string
          limit?: number
        }
      },
    ]
    answers: {
      200: Answer<{
        /** Best first */
        assets: ListedAsset[]
      }>
      400: ApiError<'VALIDATION_ERROR' | 'NO_ASSET_LOOKUP_ACCOUNT' | 'ASSET_LOOKUP_NOT_SUPPORTED'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'ACCOUNT_NOT_FOUND'>
      409: ApiError<'BROKER_CREDENTIALS_INVALID'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      502: ApiError<'BROKER_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'BROKER_SHARE_SPENT' | 'TOO_BUSY' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Look a symbol up at the broker */
  'GET /api/v1/assets/{symbol}': {
    request: [request: { path: { symbol: string }; query?: { accountId?: string } }]
    answers: {
      200: Answer<{
        asset: {
          symbol: string
          name: string
          exchange: string
          assetClass: string
          status: string
          tradable: boolean
          marginable: boolean
          shortable: boolean
          easyToBorrow: boolean
          /** May be traded in parts of a share */
          fractionable: boolean
          /** Margin to be maintained, in percent of the market value; null when the broker reports none, which is not 0 */
          maintenanceMarginRequirement: number | null
          /** Initial margin of a long position, in percent of the market value; null when the broker reports none, which is not 0 */
          marginRequirementLong: number | null
          /** Initial margin of a short position, in percent of the market value; null when the broker reports none, which is not 0 */
          marginRequirementShort: number | null
        }
        capabilities: { supportsAssetLookup: boolean }
      }>
      400: ApiError<'VALIDATION_ERROR' | 'NO_ASSET_LOOKUP_ACCOUNT' | 'ASSET_LOOKUP_NOT_SUPPORTED'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'ACCOUNT_NOT_FOUND' | 'ASSET_NOT_FOUND'>
      409: ApiError<'BROKER_CREDENTIALS_INVALID'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      502: ApiError<'BROKER_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'BROKER_SHARE_SPENT' | 'TOO_BUSY' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Show what the market pays and asks for symbols now */
  'GET /api/v1/market/quotes': {
    request: [
      request: {
        query: {
          /** Separated by commas */
          symbols: string
          /** Whose broker is asked; the first account without it */
          accountId?: string
        }
      },
    ]
    answers: {
      200: Answer<{
        /** Symbols that the broker does not know are absent */
        quotes: Quote[]
        /** Whose broker was asked */
        accountId: string
        /** When the broker was asked */
        asOf: string
      }>
      400: ApiError<'VALIDATION_ERROR' | 'NO_MARKET_DATA_ACCOUNT'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'ACCOUNT_NOT_FOUND'>
      409: ApiError<'BROKER_CREDENTIALS_INVALID'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      502: ApiError<'BROKER_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'BROKER_SHARE_SPENT' | 'TOO_BUSY' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Show when the market opens and closes */
  'GET /api/v1/market/sessions': {
    request: [
      request?: {
        query?: {
          /** Whose broker is asked; the first account without it */
          accountId?: string
        }
      },
    ]
    answers: {
      200: Answer<{
        /** Whose broker was asked */
        accountId: string
        /** Of the dates; an IANA name */
        timezone: string
        /** Of yesterday, today and two weeks ahead, in order; days without a session are absent */
        sessions: { date: string; opensAt: string; closesAt: string }[]
      }>
      400: ApiError<'VALIDATION_ERROR' | 'NO_MARKET_DATA_ACCOUNT'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'ACCOUNT_NOT_FOUND'>
      409: ApiError<'BROKER_CREDENTIALS_INVALID'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      502: ApiError<'BROKER_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'BROKER_SHARE_SPENT' | 'TOO_BUSY' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Show how a symbol has traded in a period */
  'GET /api/v1/market/bars': {
    request: [
      request: {
        query: {
          symbol: string
          timeframe: '1m' | '5m' | '15m' | '1h' | '1d'
          from: string
          /** Now without it */
          to?: string
          /** Whose broker is asked; the first account without it */
          accountId?: string
        }
      },
    ]
    answers: {
      200: Answer<{
        symbol: string
        timeframe: '1m' | '5m' | '15m' | '1h' | '1d'
        /** Whose broker was asked */
        accountId: string
        /** Oldest first */
        bars: {
          /** Where it begins */
          at: string
          open: number
          high: number
          low: number
          close: number
          /** Shares */
          volume: number
        }[]
        /** False when the period has older ones that are not shown */
        isComplete: boolean
      }>
      400: ApiError<'VALIDATION_ERROR' | 'NO_MARKET_DATA_ACCOUNT'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'ACCOUNT_NOT_FOUND'>
      409: ApiError<'BROKER_CREDENTIALS_INVALID'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      502: ApiError<'BROKER_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'BROKER_SHARE_SPENT' | 'TOO_BUSY' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** List the risk limits of all accounts */
  'GET /api/v1/settings/risk': {
    request: []
    answers: {
      200: Answer<{ accounts: RiskSettings[] }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Show how much of the risk limits of all accounts is used */
  'GET /api/v1/settings/risk-usage': {
    request: []
    answers: {
      200: Answer<{
        accounts: {
          accountId: string
          /** Opening orders of this minute of the clock */
          ordersThisMinute: number
          /** Opening orders of this day of the exchange */
          ordersToday: number
          /** Dollars of equity lost since the day began, 0 without a loss; null where its beginning is not known */
          lossToday: number | null
          /** Of the equity with which the day began */
          lossTodayPercent: number | null
          /** The position with the most shares, without orders that still work */
          mostShares: {
            symbol: string
            /** Shares */
            amount: number
          } | null
          /** The position that is worth most, without orders that still work */
          mostValue: {
            symbol: string
            /** Dollars */
            amount: number
          } | null
        }[]
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Show the risk limits of an account */
  'GET /api/v1/settings/risk/{accountId}': {
    request: [request: { path: { accountId: string } }]
    answers: {
      200: Answer<RiskSettings>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'ACCOUNT_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Replace the risk limits of an account */
  'PUT /api/v1/settings/risk/{accountId}': {
    request: [
      request: {
        path: { accountId: string }
        body: {
          maxOrderShares?: number | string | null
          maxOrderValue?: number | string | null
          maxPositionShares?: number | string | null
          maxPositionValue?: number | string | null
          maxOrdersPerMinute?: number | string | null
          maxOrdersPerDay?: number | string | null
          maxDailyLoss?: number | string | null
          maxDailyLossPercent?: number | string | null
          priceCollarPercent?: number | string | null
          maxApprovalDriftPercent?: number | string | null
          approvalAboveValue?: number | string | null
          duplicateWindowSeconds?: number | string | null
          duplicatePolicy?: 'warn' | 'deny' | null
          allowedSymbols?: string[] | null
          forbiddenSymbols?: string[] | null
          marketHours?: 'any' | 'extended' | 'regular' | null
        }
      },
    ]
    answers: {
      200: Answer<RiskSettings>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'VERIFICATION_REQUIRED' | 'ORIGIN_REFUSED'>
      404: ApiError<'ACCOUNT_NOT_FOUND'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Give every risk limit of an account its default again */
  'DELETE /api/v1/settings/risk/{accountId}': {
    request: [request: { path: { accountId: string } }]
    answers: {
      200: Answer<RiskSettings>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'VERIFICATION_REQUIRED' | 'ORIGIN_REFUSED'>
      404: ApiError<'ACCOUNT_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** List the halts that bind the caller, then those that were lifted */
  'GET /api/v1/settings/halts': {
    request: [request?: { query?: { limit?: number } }]
    answers: {
      200: Answer<{ halts: Halt[] }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Throw the kill switch for all accounts of the caller */
  'PUT /api/v1/settings/halt': {
    request: [
      request: {
        body: {
          level: 'pauseEntries' | 'reduceOnly' | 'fullStop'
          /** May be given later, with the same level */
          reason?: string | null
        }
      },
    ]
    answers: {
      200: Answer<{ halt: Halt }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<
        'INSUFFICIENT_SCOPES' | 'TOKEN_BOUNDS_EXCEEDED' | 'VERIFICATION_REQUIRED' | 'ORIGIN_REFUSED'
      >
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Lift the halt of all accounts of the caller */
  'DELETE /api/v1/settings/halt': {
    request: []
    answers: {
      200: Answer<{ halt: Halt }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'VERIFICATION_REQUIRED' | 'ORIGIN_REFUSED'>
      404: ApiError<'HALT_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Throw the kill switch for one account */
  'PUT /api/v1/settings/halt/{accountId}': {
    request: [
      request: {
        path: { accountId: string }
        body: {
          level: 'pauseEntries' | 'reduceOnly' | 'fullStop'
          /** May be given later, with the same level */
          reason?: string | null
        }
      },
    ]
    answers: {
      200: Answer<{ halt: Halt }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<
        'INSUFFICIENT_SCOPES' | 'TOKEN_BOUNDS_EXCEEDED' | 'VERIFICATION_REQUIRED' | 'ORIGIN_REFUSED'
      >
      404: ApiError<'ACCOUNT_NOT_FOUND'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Lift the halt of one account */
  'DELETE /api/v1/settings/halt/{accountId}': {
    request: [request: { path: { accountId: string } }]
    answers: {
      200: Answer<{ halt: Halt }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'VERIFICATION_REQUIRED' | 'ORIGIN_REFUSED'>
      404: ApiError<'ACCOUNT_NOT_FOUND' | 'HALT_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Throw the kill switch for everybody */
  'PUT /api/v1/admin/halt': {
    request: [
      request: {
        body: {
          level: 'pauseEntries' | 'reduceOnly' | 'fullStop'
          /** May be given later, with the same level */
          reason?: string | null
        }
      },
    ]
    answers: {
      200: Answer<{ halt: Halt }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<
        'INSUFFICIENT_SCOPES' | 'VERIFICATION_REQUIRED' | 'SECOND_FACTOR_REQUIRED' | 'ORIGIN_REFUSED'
      >
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Lift the halt of everybody */
  'DELETE /api/v1/admin/halt': {
    request: []
    answers: {
      200: Answer<{ halt: Halt }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<
        'INSUFFICIENT_SCOPES' | 'VERIFICATION_REQUIRED' | 'SECOND_FACTOR_REQUIRED' | 'ORIGIN_REFUSED'
      >
      404: ApiError<'HALT_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Throw the kill switch for one user */
  'PUT /api/v1/admin/users/{userId}/halt': {
    request: [
      request: {
        path: { userId: string }
        body: {
          level: 'pauseEntries' | 'reduceOnly' | 'fullStop'
          /** May be given later, with the same level */
          reason?: string | null
        }
      },
    ]
    answers: {
      200: Answer<{ halt: Halt }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<
        'INSUFFICIENT_SCOPES' | 'VERIFICATION_REQUIRED' | 'SECOND_FACTOR_REQUIRED' | 'ORIGIN_REFUSED'
      >
      404: ApiError<'USER_NOT_FOUND'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Lift the halt that an administrator has set for one user */
  'DELETE /api/v1/admin/users/{userId}/halt': {
    request: [request: { path: { userId: string } }]
    answers: {
      200: Answer<{ halt: Halt }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<
        'INSUFFICIENT_SCOPES' | 'VERIFICATION_REQUIRED' | 'SECOND_FACTOR_REQUIRED' | 'ORIGIN_REFUSED'
      >
      404: ApiError<'HALT_NOT_FOUND' | 'USER_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** List alerts, the newest first */
  'GET /api/v1/alerts': {
    request: [
      request?: {
        query?: {
          limit?: number
          offset?: number
          cursor?: string
          state?: 'open' | 'all'
          kind?:
            | 'unprotected_position'
            | 'fill_after_end'
            | 'order_unknown_at_broker'
            | 'replaced_order_working'
            | 'fill_amended'
            | 'order_changed_by_broker'
            | 'action_overdue'
            | 'account_sync_overdue'
            | 'snapshot_overdue'
            | 'feed_overdue'
            | 'comparison_failing'
            | 'execution_unreadable'
            | 'position_differs'
            | 'credentials'
            | 'notice_unreached'
            | 'trading_blocked'
            | 'clock_differs'
            | 'set_back'
            | 'stream_refused'
            | 'ended_unfilled'
            | 'exit_unfilled'
            | 'not_flat'
            | 'protection_blind'
            | 'sold_elsewhere'
            | 'source_id_reused'
            | 'sender_position_differs'
            | 'signals_refused'
            | 'hook_first_request'
            | 'hook_secret_elsewhere'
            | 'sender_silent'
            | 'untrusted_message'
          accountId?: string
          signalId?: string
        }
      },
    ]
    answers: {
      200: Answer<Page & { alerts: Alert[] }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Acknowledge an alert */
  'POST /api/v1/alerts/{id}/acknowledge': {
    request: [request: { path: { id: string } }]
    answers: {
      200: Answer<{ alert: Alert }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'ALERT_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Accept the position that the broker shows */
  'POST /api/v1/alerts/{id}/accept-position': {
    request: [request: { path: { id: string } }]
    answers: {
      200: Answer<{ alert: Alert }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'TOKEN_BOUNDS_EXCEEDED' | 'ORIGIN_REFUSED'>
      404: ApiError<'ALERT_NOT_FOUND' | 'POSITION_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'POSITIONS_UNAVAILABLE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** List the browsers that take your notifications, the newest first */
  'GET /api/v1/push/subscriptions': {
    request: []
    answers: {
      200: Answer<
        {
          id: string
          /** As its owner calls it */
          device: string
          /** The host of the push service of the browser */
          service: string
          createdAt: string
          /** When the push service took a message last; null before the first */
          lastDeliveredAt: string | null
          /** Since when the push service refuses every message for it; null while it takes them */
          refusedSince: string | null
          /** What the push service says then */
          refusal: string | null
        }[]
      >
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Let this browser take notifications */
  'POST /api/v1/push/subscriptions': {
    request: [request: { body: { endpoint: string; keys: { p256dh: string; auth: string }; device: string } }]
    answers: {
      200: Answer<{
        id: string
        /** As its owner calls it */
        device: string
        /** The host of the push service of the browser */
        service: string
        createdAt: string
        /** When the push service took a message last; null before the first */
        lastDeliveredAt: string | null
        /** Since when the push service refuses every message for it; null while it takes them */
        refusedSince: string | null
        /** What the push service says then */
        refusal: string | null
      }>
      201: Answer<{
        id: string
        /** As its owner calls it */
        device: string
        /** The host of the push service of the browser */
        service: string
        createdAt: string
        /** When the push service took a message last; null before the first */
        lastDeliveredAt: string | null
        /** Since when the push service refuses every message for it; null while it takes them */
        refusedSince: string | null
        /** What the push service says then */
        refusal: string | null
      }>
      400: ApiError<'VALIDATION_ERROR' | 'PUSH_SERVICE_UNKNOWN'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'PUSH_DISABLED' | 'ORIGIN_REFUSED'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Send no more notifications to a browser */
  'DELETE /api/v1/push/subscriptions/{subscriptionId}': {
    request: [request: { path: { subscriptionId: string } }]
    answers: {
      200: Answer<{ message: string }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'SUBSCRIPTION_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Send a test notification to every browser of yours */
  'POST /api/v1/push/test': {
    request: []
    answers: {
      200: Answer<{
        /** Subscriptions whose push services took the message */
        sent: number
        failed: number
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'PUSH_DISABLED' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Show what you are notified of */
  'GET /api/v1/settings/notifications': {
    request: []
    answers: {
      200: Answer<{
        /** Signals that wait for a decision */
        waitingSignals: boolean
        alerts: boolean
        /** Signals that were refused by a rule, or by the broker */
        refused: boolean
        /** Entries, and manual orders, that filled */
        filled: boolean
        /** What a signal opened is closed */
        closed: boolean
        /** How the day went, after the close of the exchange */
        daySummary: boolean
        /** Symbols, quantities, prices, results and the words of alerts stand in notifications */
        showFigures: boolean
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Choose what you are notified of */
  'PUT /api/v1/settings/notifications': {
    request: [
      request: {
        body: {
          waitingSignals: boolean
          alerts: boolean
          refused: boolean
          filled: boolean
          closed: boolean
          daySummary: boolean
          showFigures: boolean
        }
      },
    ]
    answers: {
      200: Answer<{
        /** Signals that wait for a decision */
        waitingSignals: boolean
        alerts: boolean
        /** Signals that were refused by a rule, or by the broker */
        refused: boolean
        /** Entries, and manual orders, that filled */
        filled: boolean
        /** What a signal opened is closed */
        closed: boolean
        /** How the day went, after the close of the exchange */
        daySummary: boolean
        /** Symbols, quantities, prices, results and the words of alerts stand in notifications */
        showFigures: boolean
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Follow signals, their groups, orders, positions, accounts, alerts, trades, halts and brokers as they change */
  'GET /api/v1/events': {
    request: [
      request?: {
        query?: {
          /** Which lists to follow, separated by commas: signals, groups, orders, positions, accounts, alerts, trades, halts, brokers, user, quotes, figures; all but quotes and figures without it */
          topics?: string
          /** With the topic quotes: whose prices to follow beside those of what is held and waits, separated by commas */
          symbols?: string
          /** Follow one account */
          accountId?: string
          /** As the header Last-Event-ID, for browsers, which cannot set it on a new stream */
          lastEventId?: string
        }
      },
    ]
    answers: {
      200: string
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'ACCOUNT_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Get a ticket for an event stream */
  'POST /api/v1/events/ticket': {
    request: []
    answers: {
      201: Answer<{
        /** Shown once; good for one stream */
        ticket: string
        expiresAt: string
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Register */
  'POST /api/v1/auth/register': {
    request: [request: { body: { email: string; password: string; setupSecret?: string | null } }]
    answers: {
      201: Answer<{ user: User }>
      202: Answer<{ message: string }>
      400: ApiError<'VALIDATION_ERROR'>
      403: ApiError<'SETUP_SECRET_WRONG' | 'REGISTRATION_CLOSED' | 'ORIGIN_REFUSED'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'TOO_BUSY' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Confirm a registration by the link that was sent */
  'POST /api/v1/auth/register/confirm': {
    request: [request: { body: { token: string; password: string } }]
    answers: {
      201: Answer<{ user: User }>
      400: ApiError<'VALIDATION_ERROR' | 'WRONG_PASSWORD' | 'LINK_INVALID'>
      403: ApiError<'ORIGIN_REFUSED'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'TOO_BUSY' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Sign in */
  'POST /api/v1/auth/login': {
    request: [request: { body: { email: string; password: string; session?: 'token' | 'cookie' | null } }]
    answers: {
      200: Answer<
        | SignedIn
        | {
            mfaRequired: true
            /** For `POST /api/v1/auth/mfa/verify`, within five minutes */
            mfaToken: string
          }
      >
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED'>
      403: ApiError<'ORIGIN_REFUSED'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'TOO_BUSY' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Renew a session */
  'POST /api/v1/auth/refresh': {
    request: [request: { body: { refreshToken?: string | null } }]
    answers: {
      200: Answer<SignedIn>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED'>
      403: ApiError<'ORIGIN_REFUSED'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Sign out */
  'POST /api/v1/auth/logout': {
    request: [request: { body: { refreshToken?: string | null } }]
    answers: {
      200: Answer<{ message: string }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED'>
      403: ApiError<'ORIGIN_REFUSED'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Prove again who you are */
  'POST /api/v1/auth/verify': {
    request: [request: { body: { password?: string | null; code?: string | null } }]
    answers: {
      200: Answer<{ message: string }>
      400: ApiError<'VALIDATION_ERROR' | 'WRONG_PASSWORD' | 'WRONG_CODE'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'TOO_BUSY' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Ask for a link to choose a new password */
  'POST /api/v1/auth/forgot-password': {
    request: [request: { body: { email: string } }]
    answers: {
      202: Answer<{ message: string }>
      400: ApiError<'VALIDATION_ERROR'>
      403: ApiError<'ORIGIN_REFUSED'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Choose a new password by the link that was sent */
  'POST /api/v1/auth/reset-password': {
    request: [request: { body: { token: string; password: string } }]
    answers: {
      200: Answer<{ message: string }>
      400: ApiError<'VALIDATION_ERROR' | 'LINK_INVALID'>
      403: ApiError<'ORIGIN_REFUSED'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'TOO_BUSY' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Change the password */
  'PUT /api/v1/auth/password': {
    request: [request: { body: { currentPassword: string; newPassword: string; code?: string | null } }]
    answers: {
      200: Answer<{ message: string }>
      400: ApiError<'VALIDATION_ERROR' | 'WRONG_PASSWORD' | 'WRONG_CODE'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'TOO_BUSY' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Begin to enrol an authenticator */
  'POST /api/v1/auth/mfa/setup': {
    request: []
    answers: {
      200: Answer<{
        secret: string
        /** The same as an address, for a QR code */
        uri: string
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'VERIFICATION_REQUIRED' | 'ORIGIN_REFUSED'>
      409: ApiError<'MFA_ALREADY_ENABLED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Finish a sign-in, or an enrolment, by a code */
  'POST /api/v1/auth/mfa/verify': {
    request: [
      request: { body: { mfaToken?: string | null; code: string; session?: 'token' | 'cookie' | null } },
    ]
    answers: {
      200: Answer<
        | SignedIn
        | {
            mfaEnabled: true
            /** Shown this once */
            backupCodes: string[]
          }
      >
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      409: ApiError<'MFA_ALREADY_ENABLED' | 'MFA_NOT_ENABLED'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Give up the second factor */
  'POST /api/v1/auth/mfa/disable': {
    request: [request: { body: { password: string; code: string } }]
    answers: {
      200: Answer<{ mfaEnabled: false }>
      400: ApiError<'VALIDATION_ERROR' | 'WRONG_PASSWORD' | 'WRONG_CODE'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      409: ApiError<'MFA_NOT_ENABLED'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'TOO_BUSY' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Make new backup codes */
  'POST /api/v1/auth/mfa/backup-codes/regenerate': {
    request: [request: { body: { password: string; code: string } }]
    answers: {
      200: Answer<{
        /** Shown this once */
        backupCodes: string[]
      }>
      400: ApiError<'VALIDATION_ERROR' | 'WRONG_PASSWORD' | 'WRONG_CODE'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      409: ApiError<'MFA_NOT_ENABLED'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'TOO_BUSY' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Sign a desktop in by password */
  'POST /api/v1/auth/desktop-login': {
    request: [
      request: { body: { email: string; password: string; code?: string | null; deviceName: string } },
    ]
    answers: {
      200: Answer<{
        /** Shown this once */
        token: string
        expiresAt: string
        user: User
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'MFA_REQUIRED'>
      403: ApiError<'ORIGIN_REFUSED'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'TOO_BUSY' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Begin to sign a device in that has no place to type a password */
  'POST /api/v1/auth/device-login': {
    request: [request: { body: { deviceName: string } }]
    answers: {
      200: Answer<{
        /** What the device asks with */
        deviceCode: string
        /** What the person types */
        userCode: string
        /** Seconds */
        expiresIn: number
        /** Seconds to wait between two questions */
        interval: number
        verificationUri: string
        verificationUriComplete: string
      }>
      400: ApiError<'VALIDATION_ERROR'>
      403: ApiError<'ORIGIN_REFUSED'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Ask whether the device has been confirmed */
  'POST /api/v1/auth/device-login/token': {
    request: [request: { body: { deviceCode: string } }]
    answers: {
      200: Answer<{
        /** Shown this once */
        token: string
        expiresAt: string
        user: User
      }>
      400: ApiError<
        'VALIDATION_ERROR' | 'AUTHORIZATION_PENDING' | 'SLOW_DOWN' | 'ACCESS_DENIED' | 'EXPIRED_TOKEN'
      >
      403: ApiError<'ORIGIN_REFUSED'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Show the device that waits for a code */
  'GET /api/v1/auth/device-login/{userCode}': {
    request: [
      request: {
        path: {
          /** The code that the device shows; case and dashes do not matter */
          userCode: string
        }
      },
    ]
    answers: {
      200: Answer<{ device: { userCode: string; deviceName: string; ip: string; createdAt: string } }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'DEVICE_CODE_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Confirm a device */
  'POST /api/v1/auth/device-login/{userCode}/approve': {
    request: [
      request: {
        path: {
          /** The code that the device shows; case and dashes do not matter */
          userCode: string
        }
      },
    ]
    answers: {
      200: Answer<{ message: string }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'VERIFICATION_REQUIRED' | 'ORIGIN_REFUSED'>
      404: ApiError<'DEVICE_CODE_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Refuse a device */
  'POST /api/v1/auth/device-login/{userCode}/deny': {
    request: [
      request: {
        path: {
          /** The code that the device shows; case and dashes do not matter */
          userCode: string
        }
      },
    ]
    answers: {
      200: Answer<{ message: string }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'DEVICE_CODE_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Show who you are */
  'GET /api/v1/me': {
    request: []
    answers: {
      200: Answer<{
        user: {
          id: string
          email: string
          role: 'admin' | 'member'
          plan: 'FREE' | 'BASIC' | 'ADVANCED' | 'PRO'
          tradingMode: 'PAPER' | 'LIVE'
          /** Signs in by two steps */
          mfaEnabled: boolean
          createdAt: string
          backupCodesLeft: number
        }
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** List what was done in your name, the newest first */
  'GET /api/v1/audit-log': {
    request: [request?: { query?: { limit?: number; offset?: number; cursor?: string } }]
    answers: {
      200: Answer<Page & { events: AuditEvent[] }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** List where you are signed in */
  'GET /api/v1/sessions': {
    request: []
    answers: {
      200: Answer<{ sessions: Session[]; total: number; limit: number; offset: number }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** End all your other sessions */
  'DELETE /api/v1/sessions': {
    request: []
    answers: {
      200: Answer<{
        /** How many */
        ended: number
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** End a session */
  'DELETE /api/v1/sessions/{sessionId}': {
    request: [request: { path: { sessionId: string } }]
    answers: {
      200: Answer<{
        /** How many */
        ended: number
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'SESSION_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** List your access tokens, the newest first */
  'GET /api/v1/tokens': {
    request: [request?: { query?: { limit?: number; offset?: number; cursor?: string } }]
    answers: {
      200: Answer<Page & { tokens: AccessToken[] }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Make an access token */
  'POST /api/v1/tokens': {
    request: [
      request: {
        body: {
          label: string
          scopes: ('trading:read' | 'accounts:read' | 'signals:write' | 'orders:write' | 'accounts:write')[]
          expiresAt?: string | null
          bounds?: {
            /** It opens positions by pending signals only, which a person approves */
            pendingOnly?: boolean
            /** It acts on these accounts only */
            accountIds?: string[]
            /** It opens positions in these symbols only */
            symbols?: string[]
            /** Dollars that an order which opens a position, and that no person approved, is worth at most */
            maxOrderValue?: number | string
            /** It withdraws, replaces and cancels only what it has sent itself */
            ownSignalsOnly?: boolean
          } | null
          /** Bodies of signals without sourceId that are equal to the letter, for one account within 30 seconds of the first, are one signal: the others are answered 200 with it and the advisory repeated_body */
          mergesRepeats?: boolean | null
        }
      },
    ]
    answers: {
      201: Answer<{
        id: string
        label: string
        scopes: ('trading:read' | 'accounts:read' | 'signals:write' | 'orders:write' | 'accounts:write')[]
        /** What it is bound to; empty for a token without bounds */
        bounds: {
          pendingOnly?: true
          accountIds?: string[]
          symbols?: string[]
          /** Dollars */
          maxOrderValue?: number
          ownSignalsOnly?: true
        }
        /** Bodies of signals without sourceId that are equal to the letter, for one account within 30 seconds of the first, are one signal: the others are answered 200 with it and the advisory repeated_body */
        mergesRepeats: boolean
        prefix: string
        createdAt: string
        expiresAt: string
        /** Shown this once */
        token: string
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<
        'INSUFFICIENT_SCOPES' | 'CONNECTED_APP_LIMIT_REACHED' | 'VERIFICATION_REQUIRED' | 'ORIGIN_REFUSED'
      >
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Change how signals of an access token are taken */
  'PATCH /api/v1/tokens/{tokenId}': {
    request: [
      request: {
        path: { tokenId: string }
        body: {
          /** Bodies of signals without sourceId that are equal to the letter, for one account within 30 seconds of the first, are one signal: the others are answered 200 with it and the advisory repeated_body */
          mergesRepeats: boolean
        }
      },
    ]
    answers: {
      200: Answer<{
        id: string
        /** Bodies of signals without sourceId that are equal to the letter, for one account within 30 seconds of the first, are one signal: the others are answered 200 with it and the advisory repeated_body */
        mergesRepeats: boolean
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'VERIFICATION_REQUIRED' | 'ORIGIN_REFUSED'>
      404: ApiError<'TOKEN_NOT_FOUND'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Revoke an access token */
  'DELETE /api/v1/tokens/{tokenId}': {
    request: [
      request: {
        path: { tokenId: string }
        query?: {
          /** What becomes of signals that it has sent and that wait */
          signals?: 'withdraw' | 'keep'
        }
      },
    ]
    answers: {
      200: Answer<{
        message: string
        signals: {
          /** Signals of it that wait now: kept, or yet to be withdrawn */
          waiting: number
          /** Signals of it that were withdrawn */
          withdrawn: number
        }
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      404: ApiError<'TOKEN_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Show everything as it stands */
  'GET /api/v1/desktop/sync/snapshot': {
    request: []
    answers: {
      200: Answer<{
        accounts: Account[]
        /** All positions of these accounts: one that is missing was closed */
        positions: Position[]
        orders: Order[]
        signals: Signal[]
        /** From where to ask for the next changes */
        cursor: string
        /** More has changed already: ask again at once */
        hasMore: boolean
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Show what has changed since a cursor */
  'GET /api/v1/desktop/sync/changes': {
    request: [request: { query: { since: string } }]
    answers: {
      200: Answer<{
        accounts: Account[]
        /** All positions of these accounts: one that is missing was closed */
        positions: Position[]
        orders: Order[]
        signals: Signal[]
        /** From where to ask for the next changes */
        cursor: string
        /** More has changed already: ask again at once */
        hasMore: boolean
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** List users, the oldest first */
  'GET /api/v1/admin/users': {
    request: [request?: { query?: { limit?: number; offset?: number; cursor?: string } }]
    answers: {
      200: Answer<Page & { users: AdministeredUser[] }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<
        'INSUFFICIENT_SCOPES' | 'VERIFICATION_REQUIRED' | 'SECOND_FACTOR_REQUIRED' | 'ORIGIN_REFUSED'
      >
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Invite a user */
  'POST /api/v1/admin/users': {
    request: [
      request: {
        body: {
          email: string
          role?: 'admin' | 'member' | null
          plan?: 'FREE' | 'BASIC' | 'ADVANCED' | 'PRO' | null
        }
      },
    ]
    answers: {
      201: Answer<{ user: AdministeredUser }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<
        'INSUFFICIENT_SCOPES' | 'VERIFICATION_REQUIRED' | 'SECOND_FACTOR_REQUIRED' | 'ORIGIN_REFUSED'
      >
      409: ApiError<'EMAIL_TAKEN'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Show a user */
  'GET /api/v1/admin/users/{userId}': {
    request: [request: { path: { userId: string } }]
    answers: {
      200: Answer<{
        user: AdministeredUser
        /** What an administrator has set for this user; null when nothing stands */
        halt: Halt | null
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<
        'INSUFFICIENT_SCOPES' | 'VERIFICATION_REQUIRED' | 'SECOND_FACTOR_REQUIRED' | 'ORIGIN_REFUSED'
      >
      404: ApiError<'USER_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Change plan or role of a user, or disable them */
  'PATCH /api/v1/admin/users/{userId}': {
    request: [
      request: {
        path: { userId: string }
        body: {
          plan?: 'FREE' | 'BASIC' | 'ADVANCED' | 'PRO'
          role?: 'admin' | 'member'
          isDisabled?: boolean
        }
      },
    ]
    answers: {
      200: Answer<{ user: AdministeredUser }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<
        'INSUFFICIENT_SCOPES' | 'VERIFICATION_REQUIRED' | 'SECOND_FACTOR_REQUIRED' | 'ORIGIN_REFUSED'
      >
      404: ApiError<'USER_NOT_FOUND'>
      409: ApiError<'OWN_ACCOUNT'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** List where a user is signed in */
  'GET /api/v1/admin/users/{userId}/sessions': {
    request: [request: { path: { userId: string } }]
    answers: {
      200: Answer<{ sessions: Session[]; total: number; limit: number; offset: number }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<
        'INSUFFICIENT_SCOPES' | 'VERIFICATION_REQUIRED' | 'SECOND_FACTOR_REQUIRED' | 'ORIGIN_REFUSED'
      >
      404: ApiError<'USER_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** End all sessions of a user */
  'DELETE /api/v1/admin/users/{userId}/sessions': {
    request: [request: { path: { userId: string } }]
    answers: {
      200: Answer<{
        /** How many */
        ended: number
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<
        'INSUFFICIENT_SCOPES' | 'VERIFICATION_REQUIRED' | 'SECOND_FACTOR_REQUIRED' | 'ORIGIN_REFUSED'
      >
      404: ApiError<'USER_NOT_FOUND'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Issue an API key of the older form */
  'POST /api/v1/admin/users/{userId}/legacy-keys': {
    request: [
      request: {
        path: { userId: string }
        body: {
          label: string
          scopes: ('trading:read' | 'accounts:read' | 'signals:write' | 'orders:write' | 'accounts:write')[]
          expiresAt?: string | null
        }
      },
    ]
    answers: {
      201: Answer<{
        id: string
        label: string
        scopes: ('trading:read' | 'accounts:read' | 'signals:write' | 'orders:write' | 'accounts:write')[]
        prefix: string
        expiresAt: string
        /** Shown this once */
        key: string
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<
        'INSUFFICIENT_SCOPES' | 'VERIFICATION_REQUIRED' | 'SECOND_FACTOR_REQUIRED' | 'ORIGIN_REFUSED'
      >
      404: ApiError<'USER_NOT_FOUND'>
      413: ApiError<'PAYLOAD_TOO_LARGE'>
      415: ApiError<'UNSUPPORTED_MEDIA_TYPE'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** List what was done in the name of all users or one, the newest first */
  'GET /api/v1/admin/audit-log': {
    request: [request?: { query?: { userId?: string; limit?: number; offset?: number; cursor?: string } }]
    answers: {
      200: Answer<
        Page & {
          events: {
            id: string
            /** Such as `sign_in.failed` */
            kind: string
            at: string
            /** Who did it; null for the service itself or somebody unknown */
            actorId: string | null
            ip: string | null
            requestId: string | null
            data: Record<string, unknown>
            /** Whom it concerns */
            userId: string | null
          }[]
        }
      >
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<
        'INSUFFICIENT_SCOPES' | 'VERIFICATION_REQUIRED' | 'SECOND_FACTOR_REQUIRED' | 'ORIGIN_REFUSED'
      >
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Show what this is and where to go */
  'GET /': {
    request: []
    answers: {
      200: {
        name: string
        version: string
        links: Record<string, string>
        /** What support and the log know the request by */
        requestId: string
      }
      400: ApiError<'VALIDATION_ERROR'>
      403: ApiError<'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Tell whether the process runs */
  'GET /healthz': {
    request: []
    answers: {
      200: { status: 'ok' }
      400: ApiError<'VALIDATION_ERROR'>
      403: ApiError<'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
    }
  }
  /** Tell whether a signal sent now would become an order */
  'GET /readyz': {
    request: []
    answers: {
      200: {
        status: 'ready' | 'not ready'
        /** Parts that are; `overdue` when something due is late by the fault of the service itself; `feed`, `build` and `workflows` when the number below that belongs to it is not 0; `disk` when the disk of the data folder is full */
        down: string[]
        parts: {
          database: 'up' | 'down'
          temporal: 'up' | 'down'
          worker: 'up' | 'down'
          venue: 'up' | 'down'
        }
        /** Exits, entries and other work that was due over 15 seconds ago and is not done; null when that cannot be told */
        overdue: number | null
        /** Accounts of whose feed nothing was heard in time; null when that cannot be told */
        unfollowedAccounts: number | null
        /** Workers that have run another build than the API for over a minute; null when that cannot be told */
        workersOfOtherBuild: number | null
        /** Workflows whose code fails again and again, as after a bad roll-out; null when that cannot be told */
        failingWorkflows: number | null
        /** What support and the log know the request by */
        requestId: string
      }
      400: ApiError<'VALIDATION_ERROR'>
      403: ApiError<'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: {
        status: 'ready' | 'not ready'
        /** Parts that are; `overdue` when something due is late by the fault of the service itself; `feed`, `build` and `workflows` when the number below that belongs to it is not 0; `disk` when the disk of the data folder is full */
        down: string[]
        parts: {
          database: 'up' | 'down'
          temporal: 'up' | 'down'
          worker: 'up' | 'down'
          venue: 'up' | 'down'
        }
        /** Exits, entries and other work that was due over 15 seconds ago and is not done; null when that cannot be told */
        overdue: number | null
        /** Accounts of whose feed nothing was heard in time; null when that cannot be told */
        unfollowedAccounts: number | null
        /** Workers that have run another build than the API for over a minute; null when that cannot be told */
        workersOfOtherBuild: number | null
        /** Workflows whose code fails again and again, as after a bad roll-out; null when that cannot be told */
        failingWorkflows: number | null
        /** What support and the log know the request by */
        requestId: string
      }
    }
  }
  /** Show what a web app has to know before anybody signs in */
  'GET /api/v1/app': {
    request: []
    answers: {
      200: Answer<{
        version: string
        /** firstUser: nobody has registered yet, and the first one needs the setupSecret of the installation */
        registration: 'open' | 'closed' | 'firstUser'
        /** The operator lets users trade real money */
        liveTrading: boolean
        /** Messages are not sent by mail: they are kept on the machine of the service */
        mailbox: boolean
        /** The key with which browsers subscribe to notifications, a point of P-256 in base64url; null where they are switched off */
        pushKey: string | null
        /** Between two heartbeats of an event stream */
        heartbeatSeconds: number
        /** The clock of the service, by which orders are sent */
        serverTime: string
        /** Where Temporal's UI shows the namespace of this service; for administrators, and where the operator has set it */
        temporalUiUrl: string | null
      }>
      400: ApiError<'VALIDATION_ERROR'>
      401: ApiError<'UNAUTHENTICATED' | 'INVALID_API_KEY'>
      403: ApiError<'INSUFFICIENT_SCOPES' | 'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
  /** Show this description */
  'GET /openapi.json': {
    request: []
    answers: {
      200: { openapi: string }
      400: ApiError<'VALIDATION_ERROR'>
      403: ApiError<'ORIGIN_REFUSED'>
      429: RateLimited
      500: ApiError<'INTERNAL_ERROR'>
      503: ApiError<'TOO_MANY_AT_ONCE' | 'DATABASE_UNAVAILABLE'>
    }
  }
}
