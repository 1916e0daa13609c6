import type { TradeRequest } from '#test/support/evidence.ts'
import { ANOTHER_PLAN, exitFor, type ExitCircumstances } from './exits.ts'
import { KINDS, PLANS, restsFirst, type Kind } from './kinds.ts'
import type { Random } from './random.ts'
import type { Timing } from './timing.ts'
import { lettersOf } from '#test/support/letters.ts'

/** What a person or a program does about a signal that is stored. */
export type Decision = 'approve' | 'decline' | 'withdraw' | 'withdraw exit'

/** What follows once a signal is accepted; milliseconds count from then. Decisions are all taken at once. */
export type Sequel =
  | { kind: 'decide'; afterMs: number; decisions: readonly Decision[] }
  | { kind: 'replace'; afterMs: number; body: object }
  /** A person sells so many shares of the symbol, or buys them back, whoever owns them. */
  | { kind: 'close manually'; afterMs: number; quantity: number }
  /** A person gives it another exit plan. */
  | { kind: 'change the plan'; afterMs: number; protection: object }

/** A wish, the body that asks for it, and what the market and people do about it. */
export interface ResolvedRequest {
  wish: TradeRequest
  /** All of the body but its times, which are counted from the moment of sending. */
  body: object
  timing: Timing
  /**
   * The prices that make a limit order rest first and fill later, so many milliseconds after its acceptance or, for
   * null, never; null where the market needs no help.
   */
  market: {
    symbol: string
    restsAt: number
    fillsAt: number
    movesAfterMs: number | null
    /** The price another few seconds later; absent or null for no other. */
    goesOn?: number | null
  } | null
  sequel: Sequel | null
  /** Another wish that is sent right after this one, before that is answered. */
  next?: ResolvedRequest
}

const weightsOf = (kinds: Record<Kind, number>) =>
  Object.entries(kinds).map(([item, weight]) => ({ item: item as Kind, weight }))

/**
 * Shared by many signals at once, by closes and by manual sales, so that nobody may take what is another's. Longs and
 * shorts never meet.
 */
const SYMBOLS = { openLong: ['AAPL', 'MSFT', 'NVDA'], openShort: ['TSLA', 'META'] } as const
/** All symbols that are shared, long or short. */
export const SHARED: readonly string[] = Object.values(SYMBOLS).flat()
const CLOSING = { openLong: 'closeLong', openShort: 'closeShort' } as const
/** Shared by reversals alone, so that longs and shorts follow one another. */
const REVERSED = ['ZTTURNA', 'ZTTURNB'] as const
const OPPOSITE = { openLong: 'openShort', openShort: 'openLong' } as const
/** More than is ever held: a reversal closes all there is. */
const ALL = 1_000
const EXITLESS: ReadonlySet<Kind> = new Set(['market without exit', 'close', 'sold manually'])
const REFUSED = ['XXNONE', 'HALTED'] as const
/** Of no account: signals for it are refused, and hold up no other of their group. */
const NOBODYS_ACCOUNT = '00000000-0000-4000-8000-000000000000'
/** Before anybody has approved it no order is due. */
const NOT_YET = '9999-12-31T23:59:59.999Z'
/** A signal that waits for nothing that comes must end all the same, well within the time to settle. */
const MAX_WAIT_MS = 25_000

/** What is the same for every wish of a run, and how far the run is. */
interface Circumstances extends ExitCircumstances {
  accountId: string
  /** Three of four signals have an exit plan. */
  isOfPlans: boolean
}

/** The wish number `number` of a run; the random source decides what it is. */
export function resolveRequest(
  number: number,
  circumstances: Circumstances,
  random: Random,
): ResolvedRequest {
  const kind = random.weighted(weightsOf(circumstances.isOfPlans ? PLANS : KINDS))
  if (kind === 'reversal') return planReversal(number, circumstances, random)
  const isLong = random.fraction() < 0.75 || kind === 'resting beside others'
  const action: keyof typeof SYMBOLS = isLong ? 'openLong' : 'openShort'
  const whole = random.between(1, 20)
  // Of parts of a share no broker keeps a target beside the stop.
  const quantity = kind === 'exit by a plan' && isLong && random.fraction() < 0.2 ? whole + 0.5 : whole
  const key = `chaos-${number}`
  const symbol = symbolFor(kind, number, action, random)
  const exit = EXITLESS.has(kind) ? null : exitFor(kind, action, circumstances, random)
  const base = {
    symbol,
    action,
    accountId: circumstances.accountId,
    quantity,
    sourceId: key,
    ...(exit && exit.fields),
  }
  // Nothing replaces a signal of a group.
  if (kind === 'market' && random.fraction() < 0.5)
    Object.assign(base, { accountId: undefined, accountIds: [base.accountId, NOBODYS_ACCOUNT] })
  const isPending = modeOf(kind, random) === 'pending'
  const wish: TradeRequest = {
    key,
    symbol,
    action: kind === 'close' ? CLOSING[action] : action,
    quantity: `${quantity}`,
    wantsExit: exit !== null,
    notBefore: isPending ? NOT_YET : null,
    sendBefore: null,
    exitNotBefore: null,
    exitAfterMs: exit?.afterMs ?? 0,
    ...(exit?.levels && { levels: exit.levels }),
    ...(exit?.waitsForPrice && { exitWaitsForPrice: true }),
  }
  const course = courseOf(kind, isPending, base, random)
  return { wish, ...course, ...(exit?.clocked && { timing: { ...course.timing, exit: exit.clocked } }) }
}

/** Closes one direction and opens the other, in two signals that a strategy sends in the same moment. */
function planReversal(number: number, { accountId }: Circumstances, random: Random): ResolvedRequest {
  const from = random.pick(['openLong', 'openShort'] as const)
  const symbol = random.pick(REVERSED)
  const quantity = random.between(1, 20)
  const wantsExit = random.fraction() < 0.3
  const send = (
    key: string,
    action: TradeRequest['action'],
    shares: number,
    more: object = {},
  ): ResolvedRequest => ({
    wish: {
      key,
      symbol,
      action,
      quantity: `${shares}`,
      wantsExit: 'exitTriggerType' in more,
      notBefore: null,
      sendBefore: null,
      exitNotBefore: null,
      exitAfterMs: 0,
    },
    body: {
      symbol,
      action,
      accountId,
      quantity: shares,
      sourceId: key,
      executeMode: 'immediate',
      ...more,
    },
    timing: {},
    market: null,
    sequel: null,
  })
  const opens = send(
    `chaos-${number}-turn`,
    OPPOSITE[from],
    quantity,
    wantsExit ? { exitTriggerType: 'immediate' } : {},
  )
  return { ...send(`chaos-${number}`, CLOSING[from], ALL), next: opens }
}

type Course = Omit<ResolvedRequest, 'wish'>
interface Base {
  symbol: string
  action: keyof typeof SYMBOLS
}

/** How the signal is sent, and what happens to it then. */
function courseOf(kind: Exclude<Kind, 'reversal'>, isPending: boolean, base: Base, random: Random): Course {
  const immediate = { ...base, executeMode: 'immediate' }
  const pending = { ...base, executeMode: 'pending' }
  const scheduled = { ...base, executeMode: 'scheduled' }
  const dueInMs = random.between(3_000, 7_000)
  const expiry = random.fraction() < 0.5 ? { validForMs: dueInMs + random.between(5_000, 15_000) } : {}
  const undecided = { validForMs: MAX_WAIT_MS }
  const afterMs = random.between(0, 2_500)
  const decide = (...decisions: Decision[]): Sequel => ({ kind: 'decide', afterMs, decisions })
  const course = (body: object, changes: Partial<Course> = {}): Course => ({
    body,
    timing: {},
    market: null,
    sequel: null,
    ...changes,
  })
  switch (kind) {
    case 'market':
    case 'market without exit':
    case 'rejected':
    case 'exit at a clock time':
    case 'exit before the close':
    case 'exit in the closing auction':
      return course(immediate)
    case 'limit that fills':
      return course(
        { ...immediate, ...limitFor(base, 5), timeInForce: random.pick(['day', 'gtc']) },
        { market: marketFor(base, 0) },
      )
    case 'limit good till a date':
      // Some never fill, some in the moment in which they are cancelled.
      return course(
        { ...immediate, ...limitFor(base, 5), timeInForce: 'gtd' },
        {
          timing: { expiresInMs: dueInMs },
          market: marketFor(base, random.fraction() < 0.4 ? null : dueInMs - 500 + random.between(0, 1_000)),
        },
      )
    case 'scheduled':
      return course(scheduled, { timing: { dueInMs, ...expiry } })
    case 'scheduled and withdrawn':
      // Before its time, and in the moment in which it comes.
      return course(scheduled, {
        timing: { dueInMs },
        sequel: { kind: 'decide', afterMs: random.between(0, dueInMs + 300), decisions: ['withdraw'] },
      })
    case 'approved':
      return course(pending, { timing: undecided, sequel: decide('approve', 'approve') })
    case 'approved and declined':
      return course(pending, { timing: undecided, sequel: decide('approve', 'decline') })
    case 'approved and withdrawn':
      return course(pending, { timing: undecided, sequel: decide('withdraw', 'approve') })
    case 'declined':
      return course(pending, { timing: undecided, sequel: decide('decline') })
    case 'undecided':
      return course(pending, { timing: { validForMs: dueInMs } })
    case 'replaced while it waits':
      return course(isPending ? pending : scheduled, {
        timing: isPending ? undecided : { dueInMs: MAX_WAIT_MS },
        sequel: { kind: 'replace', afterMs, body: { ...immediate, replaceExisting: true } },
      })
    case 'replaced while it works': {
      const resting = { ...immediate, timeInForce: 'gtc' }
      return course(
        { ...resting, ...limitFor(base, 5) },
        {
          // The market moves while the one takes the other's place, or well afterwards.
          market: marketFor(base, afterMs + random.pick([0, 100, 300, 3_000, 6_000])),
          sequel: {
            kind: 'replace',
            afterMs,
            body: { ...resting, ...limitFor(base, 4), replaceExisting: true },
          },
        },
      )
    }
    case 'exit at a stop':
      // The exit waits at the broker until the market comes to it.
      return course(immediate, { market: marketFor(base, random.between(1_000, 6_000)) })
    case 'exit by a plan': {
      // On to the target, or to the stop, whose orders have another price there than before the way.
      const goesOn = random.pick([null, 94, 106])
      const market = marketFor(base, random.between(1_000, 6_000))
      const sequel = random.weighted<Sequel | null>([
        { weight: 6, item: null },
        {
          weight: 2,
          item: { kind: 'close manually', afterMs: afterMs + 2_000, quantity: random.between(1, 10) },
        },
        { weight: 2, item: { kind: 'change the plan', afterMs: afterMs + 2_000, protection: ANOTHER_PLAN } },
      ])
      return course(immediate, {
        market: { ...market, fillsAt: random.pick([94, 102, 106]), goesOn },
        sequel,
      })
    }
    case 'close':
      return course({ ...immediate, action: CLOSING[base.action] })
    case 'sold manually':
      return course(immediate, {
        sequel: { kind: 'close manually', afterMs, quantity: random.between(1, 20) },
      })
    case 'resting beside others':
      // Far below the price, so that exits have to go round it until it expires.
      return course(
        { ...immediate, orderType: 'limit', limitPrice: 60, timeInForce: 'gtd' },
        { timing: { expiresInMs: dueInMs }, market: marketFor(base, null) },
      )
    case 'exit withdrawn':
      return course(immediate, { sequel: decide('withdraw exit') })
  }
}

function modeOf(kind: Kind, random: Random): 'pending' | 'other' {
  if (kind === 'replaced while it waits') return random.pick(['pending', 'other'])
  return ['approved', 'approved and declined', 'approved and withdrawn', 'declined', 'undecided'].includes(
    kind,
  )
    ? 'pending'
    : 'other'
}

/** A limit so many dollars on the far side of 100, where an order rests. */
const limitFor = ({ action }: Base, distance: number) => ({
  orderType: 'limit',
  limitPrice: action === 'openLong' ? 100 - distance : 100 + distance,
})

const marketFor = ({ symbol, action }: Base, movesAfterMs: number | null) => ({
  symbol,
  restsAt: 100,
  fillsAt: action === 'openLong' ? 94 : 106,
  movesAfterMs,
})

/** An order that rests has a symbol of its own: the exit of another would be refused as a wash trade. */
function symbolFor(kind: Kind, number: number, action: keyof typeof SYMBOLS, random: Random): string {
  if (kind === 'rejected') return random.pick(REFUSED)
  return restsFirst(kind) || kind === 'exit at a stop' || kind === 'exit by a plan'
    ? `ZTL${lettersOf(number)}`
    : random.pick(SYMBOLS[action])
}
