import type { EntryRule } from '#domain/entry-check.ts'
import { hasLimitPrice, hasStopPrice } from '#domain/order.ts'
import { isOpening } from '#domain/signal.ts'
import type { LevelDraft } from '../protection/draft.ts'
import type { Draft } from './draft.ts'
import { askedOfExit } from './exit.ts'
import { figureFault } from './figure.ts'
import type { QuantityType } from './requests.ts'
import { actionOf } from './scene.ts'

/** What is wrong, by the name of the field. */
export type Faults = Readonly<Record<string, string>>

/** The fields that depend on another one. */
const ASKED: Readonly<Partial<Record<keyof Draft, (draft: Draft) => boolean>>> = {
  limitPrice: ({ orderType }) => hasLimitPrice(orderType),
  stopPrice: ({ orderType }) => hasStopPrice(orderType),
  scheduledProcessAt: ({ executeMode }) => executeMode === 'scheduled',
  expiresAt: ({ timeInForce }) => timeInForce === 'gtd',
  timezone: ({ executeMode, timeInForce, validUntil }) =>
    executeMode === 'scheduled' || timeInForce === 'gtd' || validUntil !== '',
}

/** Whether a field is shown, and sent. */
export const isAsked = (name: keyof Draft, draft: Draft): boolean => ASKED[name]?.(draft) ?? true

/** The sizes of an order that opens a position, and of one that closes. */
export const SIZES = {
  open: {
    fixed: 'Shares',
    dollarAmount: 'Dollars',
    percentEquity: '% of equity',
    riskPercent: '% at risk',
    riskDollars: '$ at risk',
  },
  close: {
    fixed: 'Shares',
    dollarAmount: 'Dollars',
    percentEquity: '% of equity',
    percentPosition: '% of position',
  },
} as const satisfies Record<'open' | 'close', Partial<Record<QuantityType, string>>>

const ASKED_FOR: Readonly<Record<QuantityType, string>> = {
  fixed: 'How many shares?',
  dollarAmount: 'How many dollars?',
  percentEquity: 'How many percent of the equity?',
  riskPercent: 'How many percent of the equity may be lost at the stop?',
  riskDollars: 'How many dollars may be lost at the stop?',
  percentPosition: 'How many percent of the position?',
}

/** Whether the size is what the stop loses. */
const isByRisk = ({ quantityType }: Draft): boolean =>
  quantityType === 'riskPercent' || quantityType === 'riskDollars'

const levelFault = ({ by, value }: LevelDraft) => (by === '' ? undefined : figureFault(value, by === 'price'))

function exitFaults({ exit, protection }: Draft) {
  const { stop, limitOffset, target, trail, trailAfter, breakEven } = protection
  const asked = askedOfExit(exit)
  return {
    exitLimitPrice: asked.limitPrice && figureFault(exit.exitLimitPrice, true),
    exitStopPrice: asked.stopPrice && figureFault(exit.exitStopPrice, true),
    'protection.stop': levelFault(stop),
    'protection.stop.limitOffset': stop.by !== '' && figureFault(limitOffset, false),
    'protection.target': levelFault(target),
    'protection.trail': levelFault(trail),
    'protection.trail.after': trail.by !== '' && levelFault(trailAfter),
    'protection.breakEven': levelFault(breakEven),
  }
}

/**
 * What is wrong with the figures that are shown, whatever the service says; it goes as soon as a figure is mended.
 *
 * @param held as in {@link missingIn}
 */
export function faultsOf(draft: Draft, held: number | null): Faults {
  const faults = {
    quantity: figureFault(draft.quantity, false),
    targetPosition: figureFault(draft.targetPosition, false),
    limitPrice: isAsked('limitPrice', draft) && figureFault(draft.limitPrice, true),
    stopPrice: isAsked('stopPrice', draft) && figureFault(draft.stopPrice, true),
    ...(isOpening(actionOf(draft, held)) && exitFaults(draft)),
    sourceId: draft.sourceId.trim() === '' && 'Without a name it could be sent twice',
  }
  return Object.fromEntries(
    Object.entries(faults).filter((fault): fault is [string, string] => typeof fault[1] === 'string'),
  )
}

/** A field that is still to be filled in, and the question for it; the field is empty where it is not for the person to do. */
export interface Missing {
  field: string
  message: string
}

/**
 * What there is to fill in before the service can be asked, in the order of the form.
 *
 * @param held shares of the symbol, below 0 for a short position; null while that is not known
 */
export function missingIn(draft: Draft, held: number | null): Missing[] {
  const { accountId, symbol, quantity, quantityType, protection, effect } = draft
  const isOpened = isOpening(actionOf(draft, held))
  const { stop, trail, trailAfter } = protection
  const hasStop = stop.by !== '' || (trail.by !== '' && trailAfter.by === '')
  const isEmpty = (text: string): boolean => text.trim() === ''
  const questions: [isMissing: boolean, field: string, message: string][] = [
    [isEmpty(symbol), 'symbol', 'Name a symbol.'],
    [accountId === '', 'accountId', 'Choose an account; connect a broker where there is none.'],
    [isEmpty(quantity), 'quantity', ASKED_FOR[quantityType]],
    [
      !(quantityType in SIZES[isOpened ? 'open' : 'close']),
      'quantity',
      isOpened ? 'It opens a position: say another size.' : 'It closes a position: say another size.',
    ],
    [isAsked('stopPrice', draft) && isEmpty(draft.stopPrice), 'stopPrice', 'Name the stop price.'],
    [isAsked('limitPrice', draft) && isEmpty(draft.limitPrice), 'limitPrice', 'Name the limit price.'],
    [
      isOpened && isByRisk(draft) && !hasStop,
      'protection.stop',
      'Set the stop loss that the size counts to.',
    ],
    [
      held === null && effect === '',
      '',
      'The positions are not read yet: what it does to them is not known.',
    ],
  ]
  return questions.flatMap(([isMissing, field, message]) => (isMissing ? [{ field, message }] : []))
}

/** The fields that the rules of the service judge, by the names of the rules. */
export const JUDGED: Readonly<Record<string, readonly EntryRule[]>> = {
  quantity: [
    'size',
    'maxOrderShares',
    'maxOrderValue',
    'maxPositionShares',
    'maxPositionValue',
    'buyingPower',
  ],
  symbol: ['symbol', 'assetClass', 'price', 'asset', 'forbiddenSymbols', 'allowedSymbols'],
  limitPrice: ['priceCollarPercent'],
  exitOrderType: ['exitForm'],
  strategyId: ['strategyActive'],
  accountId: ['accountActive', 'tradingMode'],
}
