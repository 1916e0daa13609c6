import type { RefusedApproval } from '../signal/approval.ts'
import { isDeniedAt, mayCloseToday, permissionVerdict } from './permission-verdict.ts'
import type { KnownPermissions } from './permissions.ts'
import { EQUITY_MOVED, PRICE_FROM_QUOTE, UNSETTLED_CASH } from '../signal/advisory.ts'
import { auctionFault, exitFault, formFault } from '../order/broker-rules.ts'
import { isByHand } from '../signal/by-hand.ts'
import { decimalPlaces, type Decimal, shareCount } from '../money/decimal.ts'
import type { DenialCode } from './denial.ts'
import type { EntryMarket, EntryRule, EntryTerms, EntryVerdict } from './entry-verdict.ts'
import { entryOrder } from '../order/entry-order.ts'
import { obstaclesOf, type WorkingOrder } from '../exit/obstacles.ts'
import { isJudgedByCalendar } from '../exit/schedule.ts'
import { binding, flatVerdict, type FlatSettings } from '../exit/flat-by-close.ts'
import {
  assetClassVerdict,
  atMarket,
  brokerVerdicts,
  buyingPowerOf,
  equityAt,
  equityVerdict,
  priceVerdict,
  symbolVerdict,
  verdict,
} from './broker-data-checks.ts'
import { judgePrice, USUAL_COLLAR } from './market-price.ts'
import { waitsForSession } from '../time/session.ts'
import type { OrderTerms } from '../order/order.ts'
import { protectionAdvice, protectionVerdict } from '../exit/protection-check.ts'
import { RISK_LIMIT_DESCRIPTIONS, type RiskLimits } from './limits.ts'
import {
  checkRisk,
  firstDenial,
  holdOf,
  needsLastPrice,
  needsMarketPhase,
  priceOf,
  type RiskContext,
  type RuleVerdict,
} from './risk.ts'
import { dependence } from '../signal/sequence.ts'
import { senderDenial, type SenderDenial } from '../signal/sender.ts'
import {
  type SignalStatus,
  type Action,
  type SignalTerms,
  type Target,
  isByEquity,
  isByPrice,
  isOpening,
} from '../signal/signal.ts'
import { sizeEntry, type Sized } from './sizing.ts'
import { exitsInTheWay, stepAside } from '../order/opposite-orders.ts'
import type { TokenBounds } from './token-bounds.ts'
import { boundsVerdict } from './bounds-check.ts'

export type { EntryMarket, EntryRule, EntryTerms, EntryVerdict } from './entry-verdict.ts'

export interface EarlierSignal extends Pick<OrderTerms, 'orderType' | 'timeInForce'> {
  id: string
  action: Action
  status: SignalStatus
  target?: Target | null
}

export interface LedgerFacts {
  accountIsActive: boolean
  accountIsDemo: boolean
  accountPermissions: KnownPermissions | null
  tradingMode: 'PAPER' | 'LIVE'
  sender: SenderDenial | null
  bounds: TokenBounds
  strategyStatus: 'active' | 'paused' | null
  flatByClose: FlatSettings
  earlier: EarlierSignal[]
  working: WorkingOrder[]
  limits: RiskLimits
  risk: Omit<RiskContext, 'lastPrice' | 'marketPhase'>
}

export interface EntryContext extends LedgerFacts {
  liveTrading: boolean
}

export interface MarketNeeds {
  account: boolean
  lastPrice: boolean
  quote: boolean
  openOrders: boolean
  asset: boolean
  assetClass: boolean
  borrow: boolean
  marketPhase: boolean
  sessions: boolean
}

export type EntryDecision =
  | { outcome: 'ready'; quantity: Decimal; advisories: { code: string; message: string }[] }
  | { outcome: 'denied'; code: DenialCode; detail: string }

export interface EntryForApproval {
  outcome: 'held'
  detail: string
  /** An approved entry that would be denied: it waits on. */
  refused?: RefusedApproval
}

/** An order by hand cannot wait for approval. A closing order never requires it. */
export const deniedIfHeld = (decision: EntryDecision | EntryForApproval): EntryDecision =>
  decision.outcome === 'held'
    ? {
        outcome: 'denied',
        code: 'APPROVAL_REQUIRED',
        detail: `${decision.detail}. Send it as a pending signal, which a person approves`,
      }
    : decision

export function marketNeeds(
  terms: EntryTerms,
  {
    limits,
    risk,
    bounds,
    flatByClose,
    accountPermissions,
    working,
  }: Pick<LedgerFacts, 'limits' | 'bounds' | 'flatByClose' | 'accountPermissions' | 'working'> & {
    risk: Pick<RiskContext, 'priceBeforeApproval' | 'isApproved' | 'isManual'>
  },
): MarketNeeds {
  const byAmount = isByPrice(terms.quantityType)
  const opens = isOpening(terms.action)
  const hasProtection = opens && terms.protection !== undefined
  // The needs do not depend on the quantity.
  const order = entryOrder(terms, '0')
  // A person with a manual order reads the broker's answer.
  const isApproval = opens && risk.isApproved && !risk.isManual
  const hasNoPrice = opens && priceOf(order, null) === null
  // A known answer may be outdated: requested again before a denial.
  const isForbidden = isDeniedAt(terms, accountPermissions)
  const mayBeUnsettled =
    terms.action === 'openLong' &&
    accountPermissions?.settledCash != null &&
    (terms.exit !== null || mayCloseToday(terms, flatByClose, risk.isManual))
  return {
    // The broker checks fixed quantities, except for an approval.
    account: isByEquity(terms.quantityType) || (byAmount && opens) || isApproval || isForbidden,
    lastPrice:
      needsLastPrice(order, limits, risk) ||
      (bounds.maxOrderValue !== undefined && hasNoPrice) ||
      (byAmount && terms.limitPrice === null && terms.stopPrice === null),
    quote:
      hasProtection ||
      (byAmount && (terms.limitPrice === null || terms.action === 'openShort')) ||
      (hasNoPrice && decimalPlaces(terms.quantity) > 0) ||
      (mayBeUnsettled && hasNoPrice) ||
      (isApproval && (hasNoPrice || terms.action === 'openShort')),
    openOrders: false,
    asset: byAmount || (terms.quantityType === 'fixed' && decimalPlaces(terms.quantity) > 0),
    assetClass: opens,
    borrow: terms.action === 'openShort',
    marketPhase: needsMarketPhase(order, limits) || exitsInTheWay(terms, working).length > 0,
    sessions:
      isForAuction(terms) ||
      (terms.exit !== null && isJudgedByCalendar(terms.exit)) ||
      mayBeUnsettled ||
      (opens && binding(flatByClose, risk.isManual).length > 0),
  }
}

const isForAuction = ({ timeInForce }: Pick<EntryTerms, 'timeInForce'>): boolean =>
  timeInForce === 'opg' || timeInForce === 'cls'

export function predecessors(terms: SignalTerms, { earlier }: Pick<LedgerFacts, 'earlier'>): string[] {
  if (isByHand(terms)) return []
  return earlier
    .filter((signal) => {
      const what = dependence(signal, terms)
      return what === 'ended' || (what === 'sent' && signal.status !== 'executed')
    })
    .map((signal) => signal.id)
}

export function checkEligibility(
  { action }: Pick<EntryTerms, 'action'>,
  context: EntryContext,
): EntryVerdict[] {
  const { accountIsDemo, tradingMode, liveTrading } = context
  const kind = accountIsDemo ? 'a demo' : 'a live'
  return [
    verdict('accountActive', context.accountIsActive, 'ACCOUNT_INACTIVE', {
      kept: 'The account is active',
      broken: 'The account is no longer active',
    }),
    !isOpening(action)
      ? {
          rule: 'tradingMode',
          outcome: 'skipped',
          message: 'Positions may be closed in every mode',
        }
      : verdict(
          'tradingMode',
          accountIsDemo === (tradingMode === 'PAPER') && (accountIsDemo || liveTrading),
          'MODE_MISMATCH',
          {
            kept: `The mode is ${tradingMode} and the account is ${kind} one`,
            broken:
              accountIsDemo || liveTrading
                ? `The mode is ${tradingMode} and the account is ${kind} one`
                : 'The account is a live one, and live trading is switched off on this server (LIVE_TRADING)',
          },
        ),
    senderVerdict(action, context),
    !isOpening(action)
      ? {
          rule: 'strategyActive',
          outcome: 'skipped',
          message: 'A paused strategy opens no positions; its positions may be closed',
        }
      : context.strategyStatus === null
        ? { rule: 'strategyActive', outcome: 'skipped', message: 'The signal belongs to no strategy' }
        : verdict('strategyActive', context.strategyStatus === 'active', 'STRATEGY_PAUSED', {
            kept: 'The strategy of the signal is active',
            broken: 'The strategy of the signal is paused',
          }),
  ]
}

function senderVerdict(action: Action, { sender }: EntryContext): EntryVerdict {
  if (!isOpening(action))
    return {
      rule: 'sender',
      outcome: 'skipped',
      message: 'Closing needs no right to open positions',
    }
  if (sender === null) return { rule: 'sender', outcome: 'passed', message: 'Its sender may open positions' }
  const { code, detail } = senderDenial(sender)
  return { rule: 'sender', outcome: 'denied', code, message: detail }
}

/** The decision on an entry by every rule: the first denial decides; the broker checks the rest. */
export function judgeEntry(
  terms: EntryTerms,
  context: EntryContext,
  market: EntryMarket,
): { verdicts: EntryVerdict[]; decision: EntryDecision | EntryForApproval; quantity: Decimal | null } {
  const collar = context.limits.priceCollarPercent ?? USUAL_COLLAR
  const price = market.price && judgePrice(terms.action, terms.symbol, market.price, collar)
  const lastPrice = price?.price ?? null
  const equityRecord = equityAt(terms, market, context.risk.equityRecord)
  const factVerdicts = [priceVerdict(terms, price), equityVerdict(terms, market, equityRecord)]
  const beforeSize = [
    ...checkEligibility(terms, context),
    flatVerdict(terms, context.flatByClose, context.risk.isManual, market),
    symbolVerdict(terms, market),
    assetClassVerdict(terms, market),
    ...factVerdicts,
  ]
  const prices = atMarket(market, lastPrice, collar)
  const { buyAt } = prices
  const sized = sizeEntry(terms, { ...market, ...prices, lastPrice, buyingPower: buyingPowerOf(market) })
  const ofLevels = protectionVerdict(terms, prices, market.keeping)
  // Before the size, which follows from the levels.
  const verdicts = [...beforeSize, ofLevels, sizeVerdict(sized), ...formVerdicts(terms, market)]
  if ('denied' in sized) return { verdicts, decision: denialOf(verdicts)!, quantity: null }
  const { marketPhase } = market
  const order = entryOrder(terms, sized.quantity)
  // The same target twice trades once: an equal order is no mistake.
  const twin = terms.target === undefined ? {} : { secondsSinceTwin: null }
  const facts = { ...context.risk, ...twin, equityRecord, lastPrice, marketPhase }
  const risk = checkRisk(order, facts, context.limits)
  const permission = permissionVerdict(terms, { ...context, isManual: context.risk.isManual }, market, {
    quantity: sized.quantity,
    buyAt,
  })
  const aside = stepAside(terms, context.working, marketPhase)
  const ofBroker = [permission, ...brokerVerdicts(order, market, buyAt, aside)]
  const judged = [...verdicts, boundsVerdict(terms, order, context, lastPrice), ...risk, ...ofBroker]
  const wait = waitsForSession(order, market.at, market.sessions)
  const advisories = [
    ...sized.advisories,
    ...adviceOn([...factVerdicts, permission]),
    ...warningsOf(risk),
    ...obstaclesOf(terms, context),
    ...protectionAdvice(terms, sized.quantity, prices, market.keeping),
    ...(wait === null ? [] : [wait]),
  ]
  const why = holdOf(judged)
  return {
    verdicts: judged,
    decision:
      denialOf(judged) ??
      (why === null
        ? { outcome: 'ready', quantity: sized.quantity, advisories }
        : { outcome: 'held', detail: why }),
    quantity: sized.quantity,
  }
}

const ADVICE: Partial<Record<EntryRule, string>> = {
  price: PRICE_FROM_QUOTE,
  equity: EQUITY_MOVED,
  accountMay: UNSETTLED_CASH,
}

const adviceOn = (verdicts: readonly EntryVerdict[]): { code: string; message: string }[] =>
  verdicts.flatMap(({ rule, outcome, message }) => {
    const code = ADVICE[rule]
    return outcome === 'warned' && code !== undefined ? [{ code, message }] : []
  })

export function denialOf(
  verdicts: readonly EntryVerdict[],
): Extract<EntryDecision, { outcome: 'denied' }> | null {
  const denial = firstDenial(verdicts)
  return denial && { outcome: 'denied', ...denial }
}

function formVerdicts(terms: EntryTerms, { at, sessions, zone }: EntryMarket): EntryVerdict[] {
  const fault = formFault(entryOrder(terms, '0')) ?? auctionFault(terms, at, sessions, zone)
  const ofExit = terms.exit && exitFault(terms.exit, sessions, zone)
  return [
    verdict('orderForm', fault === null, 'INVALID_ORDER', {
      kept: 'Order type, prices and time in force fit together',
      broken: fault ?? '',
    }),
    terms.exit === null
      ? { rule: 'exitForm', outcome: 'skipped', message: 'The signal has no exit' }
      : verdict('exitForm', ofExit === null, 'INVALID_ORDER', {
          kept: 'Order type and time of the exit fit together',
          broken: ofExit ?? '',
        }),
  ]
}

function sizeVerdict(sized: Sized): EntryVerdict {
  if ('denied' in sized) return { rule: 'size', outcome: 'denied', code: sized.denied, message: sized.detail }
  const [reduced] = sized.advisories
  return reduced
    ? { rule: 'size', outcome: 'warned', message: reduced.message }
    : { rule: 'size', outcome: 'passed', message: `The order is for ${shareCount(sized.quantity)}` }
}

function warningsOf(verdicts: readonly RuleVerdict[]): { code: string; message: string }[] {
  return verdicts.flatMap(({ rule, outcome, message }) => {
    const code = rule === 'tradingHalt' ? null : RISK_LIMIT_DESCRIPTIONS[rule].code
    return outcome === 'warned' && code !== null ? [{ code: code.toLowerCase(), message }] : []
  })
}
