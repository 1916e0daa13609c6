import { fixedValue, type HookKind, type HookTemplate } from './settings.ts'

export interface AlertChoices {
  /** indicator: also a price or drawing; one word per alert. */
  on: 'strategy' | 'indicator'
  word: 'buy' | 'sell' | 'close'
  /** limit: at the strategy's order price, or the last trade. */
  order: 'market' | 'limit'
  /** strategy: its size; for an indicator the hook's. fixed: shares. */
  size: 'strategy' | 'hook' | { fixed: string }
  /** Percent from the fill; see {@link takesExit}. */
  stop?: string
  target?: string
}

export const takesExit = (kind: HookKind, { on, word, size }: AlertChoices): boolean =>
  kind !== 'openalgo' &&
  kind !== 'template' &&
  !(on === 'indicator' && word === 'close') &&
  // Such a step may close.
  !(kind === 'json' && on === 'strategy' && size !== 'strategy')

export interface AlertMessage {
  text: string
  pine: string | null
}

/** TradingView repeats the same text, so its time identifies the alert. */
export function alertMessage(
  kind: HookKind,
  choices: AlertChoices,
  template: HookTemplate | null,
): AlertMessage {
  const plan = takesExit(kind, choices) ? levelFields(kind, choices) : {}
  const fields = { ...FIELDS[kind](choices, template), ...plan }
  const isByScript = kind === 'json' && choices.on === 'strategy' && choices.size !== 'strategy'
  return { text: JSON.stringify(fields, null, 2), pine: isByScript ? STEPS_IN_PINE : null }
}

type Fields = Record<string, unknown>

function levelFields(kind: HookKind, { stop, target }: AlertChoices): Fields {
  if (kind === 'json') {
    const protection = {
      ...(stop && { stop: { percent: stop } }),
      ...(target && { target: { percent: target } }),
    }
    return stop || target ? { protection } : {}
  }
  if (kind === 'traderspost')
    return {
      ...(stop && { stopLoss: { type: 'stop', percent: stop } }),
      ...(target && { takeProfit: { percent: target } }),
    }
  return { ...(stop && { stopLossPercent: stop }), ...(target && { takeProfitPercent: target }) }
}

const TICKER = '{{ticker}}'
const ACTION = '{{strategy.order.action}}'
const CONTRACTS = '{{strategy.order.contracts}}'
const NOW = '{{timenow}}'
const ORDER_NAME = '{{ticker}} {{strategy.order.id}} {{strategy.order.action}} {{timenow}}'

/** TradingView's placeholders do not distinguish entry and exit. */
const STEPS_IN_PINE = [
  'strategy.entry("Long", strategy.long, alert_message = "openLong")',
  'strategy.close("Long", alert_message = "closeLong")',
  'strategy.entry("Short", strategy.short, alert_message = "openShort")',
  'strategy.close("Short", alert_message = "closeShort")',
].join('\n')

const FIELDS: Record<HookKind, (choices: AlertChoices, template: HookTemplate | null) => Fields> = {
  json: (choices) => ({
    symbol: TICKER,
    ...ownStep(choices),
    ...limitOf(choices),
    sourceId: nameOf(choices),
  }),
  tradingview: (choices) => ({
    ticker: TICKER,
    ...(choices.on === 'strategy'
      ? strategyFields(choices)
      : { action: choices.word, ...sizeOf(choices, 'quantity') }),
    ...limitOf(choices),
    interval: '{{interval}}',
    time: '{{time}}',
    timenow: NOW,
  }),
  traderspost: (choices) => ({
    ticker: TICKER,
    action: choices.on === 'strategy' ? ACTION : choices.word === 'close' ? 'exit' : choices.word,
    ...(choices.on === 'strategy' && { sentiment: '{{strategy.market_position}}' }),
    ...sizeOf(choices, 'quantity'),
    ...limitOf(choices),
    price: '{{close}}',
    time: NOW,
    interval: '{{interval}}',
  }),
  'trade-relay': relayFields,
  signalstack: relayFields,
  openalgo: (choices) => ({
    strategy: 'TradingView',
    symbol: TICKER,
    action: choices.on === 'strategy' ? ACTION : choices.word === 'buy' ? 'BUY' : 'SELL',
    ...openAlgoSize(choices),
    ...(choices.order === 'limit' && { pricetype: 'LIMIT', price: priceOf(choices) }),
    timenow: NOW,
  }),
  template: (choices, template) => (template === null ? {} : fieldsAtPlaces(choices, template)),
}

const priceOf = ({ on }: AlertChoices): string =>
  on === 'strategy' ? '{{strategy.order.price}}' : '{{close}}'

const limitOf = (choices: AlertChoices): Fields =>
  choices.order === 'limit' ? { orderType: 'limit', limitPrice: priceOf(choices) } : {}

function sizeOf({ on, size }: AlertChoices, field: string): Fields {
  if (typeof size === 'object') return { [field]: size.fixed }
  return size === 'strategy' && on === 'strategy' ? { [field]: CONTRACTS } : {}
}

/** The strategy's position survives reversals, missed alerts and repetitions. */
const strategyFields = ({ size }: AlertChoices): Fields => ({
  action: ACTION,
  ...(typeof size === 'object' && { fixed_quantity: size.fixed }),
  ...(size === 'strategy' && { contracts: CONTRACTS }),
  market_position: '{{strategy.market_position}}',
  ...(size === 'strategy' && {
    market_position_size: '{{strategy.market_position_size}}',
    prev_market_position: '{{strategy.prev_market_position}}',
    prev_market_position_size: '{{strategy.prev_market_position_size}}',
  }),
  order_id: '{{strategy.order.id}}',
})

function ownStep({ on, word, size }: AlertChoices): Fields {
  if (on === 'strategy' && size === 'strategy')
    return { targetPosition: '{{strategy.position_size}}', targetAt: NOW }
  const action = on === 'strategy' ? '{{strategy.order.alert_message}}' : OWN_ACTIONS[word]
  return { action, ...(typeof size === 'object' && { quantity: size.fixed }) }
}

const OWN_ACTIONS = { buy: 'openLong', sell: 'openShort', close: 'closeLong' } as const

const nameOf = ({ on }: AlertChoices): string =>
  on === 'strategy' ? `${ORDER_NAME} {{strategy.position_size}}` : '{{ticker}} {{interval}} {{timenow}}'

function relayFields(choices: AlertChoices): Fields {
  return {
    action: choices.on === 'strategy' ? ACTION : choices.word,
    symbol: TICKER,
    ...sizeOf(choices, 'quantity'),
    ...limitOf(choices),
    signalId: nameOf(choices),
  }
}

function openAlgoSize({ on, word, size }: AlertChoices): Fields {
  if (on === 'strategy' && size === 'strategy')
    return { quantity: CONTRACTS, position_size: '{{strategy.position_size}}' }
  if (on === 'indicator' && word === 'close') return { quantity: '0', position_size: '0' }
  return typeof size === 'object' ? { quantity: size.fixed } : {}
}

/** A strategy says buy and sell, which the table must contain. */
function fieldsAtPlaces(choices: AlertChoices, template: HookTemplate): Fields {
  const fields: Fields = {}
  const own = Object.entries(template.words).find(([, meaning]) => meaning === choices.word)?.[0]
  put(fields, template.symbol, TICKER)
  put(fields, template.word, choices.on === 'strategy' ? ACTION : (own ?? choices.word))
  const { size } = sizeOf(choices, 'size')
  if (template.quantity !== null && size !== undefined) put(fields, template.quantity, size)
  if (template.orderType !== null) put(fields, template.orderType, choices.order)
  if (template.limitPrice !== null && choices.order === 'limit')
    put(fields, template.limitPrice, priceOf(choices))
  if (template.id !== null) put(fields, template.id, nameOf(choices))
  else put(fields, 'timenow', NOW)
  return fields
}

function put(fields: Fields, path: string, value: unknown): void {
  if (fixedValue(path) !== null) return
  const steps = path.split('.')
  let at: Record<string, unknown> = fields
  steps.forEach((step, index) => {
    const next = steps[index + 1]
    if (next === undefined) at[step] = value
    else at = (at[step] ??= /^\d+$/.test(next) ? [] : {}) as Record<string, unknown>
  })
}
