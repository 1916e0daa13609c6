import { isSecretName, NOTES, REDACTED, withoutSecretsInText, type Place } from '#contract/values/secrets.ts'
import { isZero, multiply, type Decimal, isPositive, shareCount } from '#domain/money/decimal.ts'
import { mayMoveOpen, nominalPosition } from '#domain/signal/moves.ts'
import { isOpening, type Target, isFailed, type SignalStatus, FIRST_STATUS } from '#domain/signal/signal.ts'
import type { SignalRequest } from '#contract/signal/request.ts'
import { createHash, randomUUID } from 'node:crypto'
import { inKeyOrder } from '../http/paging.ts'
import type { Signal } from '#db/entities/index.ts'
import type { Recipient } from '../temporal/calls.ts'
import { termsOf } from '#db/signal/terms.ts'
import { entryOrder } from '#domain/order/entry-order.ts'
import { priceOf } from '#domain/risk/risk.ts'
import { usesDemo } from '../access/denied-requests.ts'
import { isOwnOf, requireWithinBounds, type BoundsPolicy } from '../access/policy.ts'
import type { Principal } from '../http/principal.ts'
import { belongsToAnother } from '#domain/signal/source-id.ts'
import type { Existing, SignalSummary } from '../intake/request.ts'
import type { NewSignal, WholeNewSignal } from '#db/signal/storing.ts'
import { beforeResolution } from '#domain/signal/target.ts'
import type { TimelineEntry } from '#domain/signal/timeline.ts'
import { describeEntry } from '#workflows/steps/describe.ts'

const MOST_BLANKS = 256
/** Smaller characters occur only within strings. */
const SPACE = 0x20
const SHORTEST_NAME = 'pw'.length
const SHORTEST_TEXT = 'pw=1'.length
const HARMLESS: ReadonlySet<string> = new Set(['null', 'true', 'false'])

const BEFORE_VALUE = /[ \t\n\r]*:[ \t\n\r]*/y
const PLAIN_VALUE = /[^,\]} \t\n\r]*/y

/**
 * Removes credentials that senders put into bodies: values of fields with secret names, except null and truth values,
 * and secrets within texts and names, also escaped. All else stays verbatim, except blanks beyond 256 in a row. Linear
 * time.
 * @param text valid JSON
 */
export function withoutSecrets(text: string): string {
  let kept = ''
  let copied = 0
  const replace = (start: number, end: number, by: string): void => {
    kept += text.slice(copied, start) + by
    copied = end
  }
  const dropPadding = (start: number, end: number): void => {
    if (end - start <= MOST_BLANKS) return
    for (let at = start, blanks = 0; at <= end; at++) {
      if (at < end && text.charCodeAt(at) <= SPACE) blanks += 1
      else {
        if (blanks > MOST_BLANKS) replace(at - blanks + MOST_BLANKS, at, '')
        blanks = 0
      }
    }
  }
  let over = 0
  let endOfNotes = 0
  const known = { message: new Map<string, boolean>(), notes: new Map<string, boolean>() }
  const isSecret = (name: string, place: Place): boolean => {
    const answer = known[place].get(name) ?? isSecretName(name, place)
    known[place].set(name, answer)
    return answer
  }
  for (let quote = text.indexOf('"'); quote >= 0; quote = text.indexOf('"', over)) {
    dropPadding(over, quote)
    const end = endOfString(text, quote)
    over = end
    const value = endOf(BEFORE_VALUE, text, end)
    const isName = value > end
    // Shorter texts hold no secret.
    if (end - quote > (isName ? SHORTEST_NAME : SHORTEST_TEXT)) {
      const place = quote < endOfNotes ? 'notes' : 'message'
      const { safe, meaning } = readString(text.slice(quote, end), place)
      if (safe !== null) replace(quote, end, safe)
      if (isName && meaning === NOTES && place === 'message') endOfNotes = endOfValue(text, value)
      if (isName && isSecret(meaning, place)) {
        over = endOfValue(text, value)
        dropPadding(end, value)
        if (!HARMLESS.has(text.slice(value, over))) replace(value, over, JSON.stringify(REDACTED))
      }
    }
  }
  dropPadding(over, text.length)
  return kept + text.slice(copied)
}

/** `safe` is null for an unchanged string. */
function readString(written: string, place: Place): { safe: string | null; meaning: string } {
  const isEscaped = written.includes('\\')
  const meaning = isEscaped ? (JSON.parse(written) as string) : written.slice(1, -1)
  const safe = withoutSecretsInText(meaning, place)
  return { safe: safe === meaning ? null : JSON.stringify(safe), meaning }
}

function endOfValue(text: string, start: number): number {
  if (text[start] === '"') return endOfString(text, start)
  if (text[start] !== '{' && text[start] !== '[') return endOf(PLAIN_VALUE, text, start)
  let open = 0
  for (let at = start; at < text.length;) {
    const character = text[at]
    if (character === '{' || character === '[') open += 1
    if (character === '}' || character === ']') open -= 1
    at = character === '"' ? endOfString(text, at) : at + 1
    if (open === 0) return at
  }
  return text.length
}

function endOfString(text: string, quote: number): number {
  let at = quote + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

/** Returns `start` without a match. */
function endOf(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start
  return pattern.test(text) ? pattern.lastIndex : start
}

type TradeRequest = Pick<SignalRequest, 'action' | 'targetPosition' | 'move'>

/** Known only when sent, by holdings then. */
export const isByHoldings = ({ targetPosition, move }: Omit<TradeRequest, 'action'>): boolean =>
  targetPosition !== null || move !== null

export const alwaysOpens = (tradeRequest: TradeRequest): boolean =>
  !isByHoldings(tradeRequest) && isOpening(tradeRequest.action)

export function mayOpen({ action, targetPosition, move }: TradeRequest): boolean {
  if (targetPosition !== null) return !isZero(targetPosition)
  return move === null ? isOpening(action) : mayMoveOpen(move)
}

/** Spellings of one request (10 and "10") hash alike; replaceExisting does not count. */
export function payloadHashOf(request: SignalRequest): string {
  const {
    replaceExisting: _,
    dryRun: __,
    advisories: ___,
    overdue: ____,
    groupId: _____,
    ...tradeRequest
  } = request
  return createHash('sha256')
    .update(JSON.stringify(inKeyOrder(tradeRequest)))
    .digest('hex')
}

export const recipientOf = (signal: Signal): Recipient => ({
  signalId: signal.id,
  terms: termsOf(signal),
  status: signal.status,
})

export const JUDGED: BoundsPolicy = {
  pendingOnly: 'judged',
  accountIds: 'judged',
  symbols: 'judged',
  maxOrderValue: 'judged',
  ownSignalsOnly: 'judged',
  demoOnly: 'judged',
}

/**
 * An unknown value is checked right before sending. The trading mode says whether an opening signal's account is demo.
 * Throws TOKEN_BOUNDS_EXCEEDED.
 */
export function requireSignalWithinBounds(principal: Principal, request: SignalRequest): void {
  const { accountId, symbol, executeMode } = request
  const awaitsApproval = executeMode === 'pending'
  const value = valueOf(request)
  requireWithinBounds(principal, {
    accountId,
    ...(alwaysOpens(request) && {
      opening: { symbol, awaitsApproval, value, isDemo: usesDemo(principal.tradingMode) },
    }),
  })
}

export const requireChangeWithinBounds = (principal: Principal, { accountId, tokenId }: Signal): void =>
  requireWithinBounds(principal, { accountId, isOwn: isOwnOf(principal, tokenId) })

/**
 * Without an exit the position stays open: a token removes only exits of its own signals. Throws TOKEN_BOUNDS_EXCEEDED.
 */
export const requireExitWithinBounds = (principal: Principal, signal: Signal): void =>
  requireChangeWithinBounds({ ...principal, bounds: { ...principal.bounds, ownSignalsOnly: true } }, signal)

/** Dollars; null where unknown before sending. */
function valueOf(request: SignalRequest): Decimal | null {
  const { quantity, quantityType } = request
  if (quantityType === 'dollarAmount') return quantity
  if (quantityType !== 'fixed') return null
  const price = priceOf(entryOrder(request, quantity), null)
  return price === null ? null : multiply(quantity, price)
}

const STANDING: Record<SignalStatus, string> = {
  pending: 'it needs approval',
  scheduled: 'it waits for its time',
  queued: 'its order has not been sent yet',
  transmitted: "its order was sent, and the broker's answer is unknown",
  executed: 'the broker accepted its order, and it has not filled',
  rejected: 'it ended, and one of its orders may still work at the broker',
  cancelled: 'it ended, and one of its orders may still work at the broker',
  error: 'it ended, and one of its orders may still work at the broker',
}

export function alreadyThere({ signal, asked }: Pick<Existing, 'signal' | 'asked'>): string {
  const { sourceId, status, acceptedAt, filledQuantity } = signal
  const sentences = [
    ...(asked === null ? [] : [belongsToAnother(signal, asked)]),
    sourceId === null
      ? `A signal by the same body exists already, with status ${status}`
      : `A signal with sourceId ${JSON.stringify(sourceId)} exists already, with status ${status}; send replaceExisting=true to supersede it`,
    `The signal is of ${acceptedAt.toISOString()}: ${standingOf(signal)}. Nothing was sent for this request`,
  ]
  if (sourceId === null) return sentences.join('. ')
  if (isPositive(filledQuantity) || isFailed(status))
    sentences.push('It cannot be superseded any more: send a new sourceId for a new trade')
  else if (asked !== null) sentences.push('Send a new sourceId if both trades are wanted')
  return sentences.join('. ')
}

const standingOf = ({ status, filledQuantity }: Pick<Signal, 'status' | 'filledQuantity'>): string =>
  isPositive(filledQuantity) ? `${shareCount(filledQuantity)} of its order filled` : STANDING[status]

/** A request field that no signal stores does not compile. */
type Stored<TradeRequest> = { [Field in keyof TradeRequest]: Field extends keyof NewSignal ? unknown : never }

/**
 * @param acceptedAt by PostgreSQL's clock
 * @param signalTtl milliseconds after acceptance or scheduled time
 */
export function newSignal(
  { userId, credential }: Pick<Principal, 'userId' | 'credential'>,
  request: SignalRequest,
  acceptedAt: Date,
  signalTtl: number,
): WholeNewSignal {
  const {
    replaceExisting: _,
    dryRun: __,
    overdue: ___,
    exit,
    protection,
    targetPosition: ____,
    targetAt: _____,
    move: ______,
    senderHolds: _______,
    ...tradeRequest
  } = request
  const target = targetOf(request)
  const opensNothing = target !== null && isZero(target.position)
  const validUntil = dateOrNull(request.validUntil)
  const scheduledAt = dateOrNull(request.scheduledAt)
  return {
    ...(tradeRequest satisfies Stored<typeof tradeRequest>),
    ...(target && beforeResolution(target, tradeRequest)),
    target,
    manages:
      target === null && isOpening(tradeRequest.action)
        ? null
        : (request.manages ?? (target === null ? 'position' : 'own')),
    id: randomUUID(),
    userId,
    origin: credential === 'hook' ? 'hook' : 'sender',
    payloadHash: payloadHashOf(request),
    exitRule: opensNothing ? null : exit,
    protection: opensNothing ? null : protection,
    expiresAt: dateOrNull(request.expiresAt),
    scheduledAt,
    validUntil,
    status: FIRST_STATUS[request.executeMode],
    acceptedAt,
    // The approval sets the limit of a pending signal.
    sendBefore:
      validUntil ??
      (request.executeMode === 'pending'
        ? null
        : new Date((scheduledAt ?? acceptedAt).getTime() + signalTtl)),
  }
}

function targetOf({
  targetPosition,
  targetAt,
  move,
  senderHolds,
  exit,
  protection,
  ...size
}: SignalRequest): Target | null {
  const claim = senderHolds === null ? {} : { senderHolds }
  const exits = { exit, ...(protection !== null && { protection }) }
  if (targetPosition !== null) return { position: targetPosition, ...exits, at: targetAt, ...claim }
  if (move === null) return null
  const { quantity, quantityType } = size
  const sized = move.kind === 'trade' ? { ...move, quantity, quantityType } : move
  return { position: nominalPosition(move), ...exits, at: null, move: sized, ...claim }
}

const dateOrNull = (instant: string | null): Date | null => (instant === null ? null : new Date(instant))

export const receivedEntry = (
  signal: NewSignal,
  { principal, requestId }: { principal: Principal; requestId: string },
): TimelineEntry => ({
  key: 'received',
  kind: 'received',
  at: signal.acceptedAt.toISOString(),
  message: `The signal was received: ${describeEntry(termsOf(signal))}`,
  data: { requestId, tokenId: principal.tokenId },
})

export const freshState = (signal: NewSignal): SignalSummary => ({
  ...signal,
  orderId: null,
  statusReason: null,
  statusDetail: null,
})
