import type { Signal } from '#db/entities/index.ts'
import { readProtection } from '#db/exit/protections.ts'
import { decimal, type Decimal, compare, divideDown, multiply, figure } from '#domain/money/decimal.ts'
import { type Protection, levelsPassed, LEVEL_NAMES, type LevelFault } from '#domain/exit/protection.ts'
import { findAccountConnection, type AccountConnection } from '#db/account/sync.ts'
import { endedAmong } from '#db/signal/record.ts'
import { describeBrokerType } from '#domain/account/broker-types.ts'
import type { DenialCode } from '#domain/risk/denial.ts'
import { sideOpenedBy, freshQuote, judgePrice, USUAL_COLLAR, within } from '#domain/risk/market-price.ts'
import {
  whyUnkept,
  changedLevels,
  faultsOfChange,
  type ChangedSignal,
  type ExitChange,
  type RuleFault,
} from '#domain/exit/protection-check.ts'
import { PRICE_COUNTS_FOR_MS } from '#domain/exit/acting-price.ts'
import { isOpening, isFailed, mayBeDecided } from '#domain/signal/signal.ts'
import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Caller } from '../http/caller.ts'
import { ApiError, fault, validationError, type Fault } from '#contract/errors.ts'
import type { MarketData } from '../market/market-data.ts'
import { timeLeft, UpdateRejected, GatewayUnavailable, WorkflowOver } from '../temporal/calls.ts'
import { decide, describeState, type Decided } from '../signal/decide.ts'
import type { SignalDeps } from '../signal/own-signal.ts'
import { chooseExitSize, findExitQuestion } from '#db/exit/exits.ts'
import { findSignal } from '#db/signal/signals.ts'
import type { ShownBeyond } from '#domain/exit/exit.ts'

export type ExitDeps = SignalDeps & { market: MarketData }

/**
 * Throws PROTECTION_NOT_CHANGEABLE, VALIDATION_ERROR, TEMPORAL_UNAVAILABLE, and WOULD_BE_REFUSED without a known price.
 */
export async function changeProtection(
  deps: ExitDeps,
  caller: Caller,
  signal: Signal,
  change: ExitChange,
): Promise<Decided> {
  if (!isOpen(signal))
    throw new ApiError('PROTECTION_NOT_CHANGEABLE', {
      message: isOpening(signal.action)
        ? describeState(signal)
        : `The signal closes a position: ${describeState(signal)}`,
    })
  // The approver must have seen the levels.
  if (mayBeDecided(signal.status) && caller.principal.tokenId !== null)
    throw new ApiError('PROTECTION_NOT_CHANGEABLE', {
      message:
        'The signal needs approval by a person, who sees its levels: send another signal in its place (replaceExisting)',
    })
  const { em, beforeDatabaseDeadline: inTime } = caller
  // After the end the levels are new ones.
  const hasEnded = (await inTime(endedAmong(em, [signal.id]))).has(signal.id)
  await requireSoundChange(deps, caller, hasEnded ? { ...signal, protection: null } : signal, change)
  return decide(deps, caller, signal, {
    isOpen,
    beyond: 'PROTECTION_NOT_CHANGEABLE',
    isTaken: (now) =>
      !hasEnded && isDeepStrictEqual(changedLevels(levelsOfSignal(now), change), levelsOfSignal(now)),
    ask: (to, by, milliseconds) =>
      deps.gateway.changeProtection(to, { by, change }, milliseconds).catch((error: unknown) => {
        // Another change came first.
        const isFaulty = error instanceof UpdateRejected && error.faults.length > 0
        throw isFaulty ? validationError(error.faults.map(asFault)) : error
      }),
  })
}

type Planned = ChangedSignal & Pick<Signal, 'id' | 'accountId' | 'symbol'>

/** Throws VALIDATION_ERROR, and WOULD_BE_REFUSED without a known price. */
export async function requireSoundChange(
  deps: ExitDeps,
  caller: Caller,
  signal: Planned,
  change: ExitChange,
): Promise<void> {
  const faults = await faultsOf(deps, caller, signal, change)
  if (faults.length > 0) throw validationError(faults)
}

/** Only the workflow knows whether the position is closed. */
const isOpen = ({ status, action }: Signal): boolean => !isFailed(status) && isOpening(action)

const levelsOfSignal = ({ protection }: Pick<ChangedSignal, 'protection'>): Protection | null =>
  protection ?? null

async function faultsOf(
  deps: ExitDeps,
  caller: Caller,
  signal: Planned,
  change: ExitChange,
): Promise<Fault[]> {
  const faults = faultsOfChange(signal, change).map(asFault)
  const protection = changedLevels(levelsOfSignal(signal), change)
  if (protection === null) return faults
  const connection = await caller.beforeDatabaseDeadline(findAccountConnection(caller.em, signal.accountId))
  const { protects } = describeBrokerType(connection?.brokerType ?? 'paper').capabilities
  const unkept = whyUnkept(protection, protects)
  if (unkept !== null) faults.push(fault(['stop'], 'unsupported', unkept))
  const given = LEVEL_NAMES.filter((part) => change[part] != null)
  const { avgFillPrice: average } = signal
  if (faults.length > 0 || connection === null || average == null || given.length === 0) return faults
  const passed = await passedLevels(caller, signal, protection, decimal(average), () =>
    priceNow(deps, caller, signal, connection),
  )
  if (passed !== null)
    return passed
      .filter(({ part }) => given.includes(part))
      .map(({ part, message }) => fault([part], 'wrong_side', `${message}${WOULD_CLOSE}`))
  // Distances lie on their own sides; a mistyped price may close the position.
  const unheld = given.filter((part) => protection[part] !== null && 'price' in protection[part])
  if (unheld.length === 0) return []
  const message = `No price of ${signal.symbol} is known at this moment to hold the level to, and one on the wrong side of it would close the position at once. Try again, or give it as a distance`
  throw new ApiError('WOULD_BE_REFUSED', {
    message,
    details: unheld.map((part) => fault([part], 'PRICE_UNKNOWN' satisfies DenialCode, message)),
  })
}

const WOULD_CLOSE = ', and would close it at once. To close it now, send a closing signal'

const asFault = ({ path, code, message }: RuleFault): Fault => fault(path, code, message)

/** Null without a known price. */
async function passedLevels(
  { em, beforeDatabaseDeadline: inTime }: Caller,
  { id, action }: Planned,
  protection: Protection,
  average: Decimal,
  ask: () => Promise<Decimal | null>,
): Promise<LevelFault[] | null> {
  const tracked = await inTime(readProtection(em, id))
  const seen = tracked?.price ?? null
  const isOfThisMoment = seen !== null && Date.now() - Date.parse(seen.at) <= PRICE_COUNTS_FOR_MS
  const price = isOfThisMoment ? seen.price : await ask()
  const { position = { side: sideOpenedBy(action), average, fees: '0' }, best = average } = tracked ?? {}
  return price && levelsPassed(protection, position, best, price)
}

/** The current or last session's price; null after half of the remaining time. */
async function priceNow(
  { market, ...deps }: ExitDeps,
  caller: Caller,
  { symbol, action }: Planned,
  connection: AccountConnection,
): Promise<Decimal | null> {
  const isTooLate = setTimeout(timeLeft(caller, deps) / 2, null, { ref: false })
  // Without a price the level is not checked.
  const told = await Promise.race([market.told(connection, [symbol]).catch(() => null), isTooLate])
  const quoted = told?.quotes.find((quote) => quote.symbol === symbol)
  if (!quoted || quoted.last === null) return null
  const askedAt = Date.now()
  const quote = { bid: quoted.bid, ask: quoted.ask, at: quoted.quotedAt }
  const facts = {
    last: { price: quoted.last, at: quoted.at },
    quote,
    askedAt,
    sessions: [],
    unavailable: null,
  }
  const closes = sideOpenedBy(action) === 'LONG' ? 'closeLong' : 'closeShort'
  const { price } = judgePrice(closes, symbol, facts, USUAL_COLLAR)
  const around = freshQuote(quote, askedAt, USUAL_COLLAR)
  return price && around ? within(price, around) : price
}

export interface ExitSizeRequest {
  quantity: Decimal
  limitPrice?: Decimal | undefined
  stopPrice?: Decimal | undefined
}

/** For an exit stopped because the broker shows other shares. Throws EXIT_NOT_ASKED, VALIDATION_ERROR. */
export async function chooseSize(
  deps: SignalDeps,
  caller: Caller,
  signal: Signal,
  { quantity, limitPrice, stopPrice }: ExitSizeRequest,
): Promise<Signal> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const { id, userId, symbol, exitRule } = signal
  const question = await inTime(findExitQuestion(em, principal.userId, id))
  if (question === null || exitRule == null) throw new ApiError('EXIT_NOT_ASKED')
  const prices = { limitPrice, stopPrice }
  const faults = (['limitPrice', 'stopPrice'] as const).flatMap((name) => {
    const own = exitRule[name]
    prices[name] ??= afterSplit(own, question)
    if ((own === null) === (prices[name] === undefined)) return []
    const [code, why] =
      own === null
        ? ['not_allowed', `not allowed for an exit of type ${exitRule.orderType}`]
        : ['required', `required: that of the exit, ${figure(own)}, was named before its shares changed`]
    return [fault([name], code, `${name} is ${why}`)]
  })
  if (compare(quantity, question.shown) > 0)
    faults.push(
      fault(
        ['quantity'],
        'too_large',
        `quantity must be at most ${figure(question.shown)}, which the broker shows`,
      ),
    )
  if (faults.length > 0) throw validationError(faults)
  const by = await caller.actorName()
  const choice = {
    quantity,
    shown: question.shown,
    limitPrice: prices.limitPrice ?? null,
    stopPrice: prices.stopPrice ?? null,
    by,
  }
  if (!(await inTime(chooseExitSize(em, { userId, signalId: id, symbol }, choice))))
    throw new ApiError('EXIT_NOT_ASKED')
  try {
    await deps.gateway.retryExit(id, timeLeft(caller, deps))
  } catch (error) {
    if (!(error instanceof GatewayUnavailable) && !(error instanceof WorkflowOver)) throw error
    deps.logger.warn(
      { signalId: id, err: error },
      'an exit whose size was chosen is tried at its next time only',
    )
  }
  return (await inTime(findSignal(em, userId, id))) ?? signal
}

/** Dollars a share, cut to brokers' decimals; undefined without a known split. */
function afterSplit(price: Decimal | null, { own, split }: ShownBeyond): Decimal | undefined {
  if (price === null || split === undefined) return undefined
  const exact = divideDown(multiply(price, own), split.own, 9)
  return divideDown(exact, '1', compare(exact, '1') >= 0 ? 2 : 4)
}
