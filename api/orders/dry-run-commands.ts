import { findAccountConnection } from '#db/accounts/sync.ts'
import { actAs } from '#db/engine/row-security.ts'
import { lastClosing, readProspectiveManualFacts } from '#db/orders/manual-order-decisions.ts'
import { readSymbolBook } from '#db/orders/symbol-book.ts'
import { describeBrokerType } from '#brokers/registry.ts'
import { negate, type Decimal } from '#domain/decimal.ts'
import { deniedIfHeld, type EntryContext, type EntryVerdict } from '#domain/entry-check.ts'
import { entryOrder } from '#domain/entry-order.ts'
import { buyingPowerOf } from '#domain/fact-verdicts.ts'
import { awaitedPosition, repetitionDenial } from '#domain/manual-order-guards.ts'
import { actionOfManualOrder, entryTermsOf, manualClientOrderId } from '#domain/manual-order.ts'
import type { Market } from '#domain/order-cost.ts'
import type { Shown } from '#domain/shown-position.ts'
import { isOpening } from '#domain/signal.ts'
import { askBroker, connectTo } from '../brokers/access.ts'
import { requireWithinBounds } from '../access/token-bounds.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '../http/errors.ts'
import { runBounded } from '../http/work-bounds.ts'
import { judge, observe, type BoundedDryRunDeps } from '../signals/dry-run-commands.ts'
import type { DryRun } from '../signals/prospect.ts'
import { permission, termsOf } from './commands.ts'
import type { OrderWish } from './schema.ts'

export interface OrderDryRun {
  run: DryRun
  held: Decimal
  market: Market | null
}

/**
 * By the functions that take an order and that decide right before it is sent, on the ledger and the market of this moment.
 * Throws {@link ApiError} TOKEN_BOUNDS_EXCEEDED for an account, ACCOUNT_NOT_FOUND, BROKER_CREDENTIALS_INVALID, BROKER_SHARE_SPENT,
 * BROKER_ERROR, TOO_MANY_AT_ONCE, TOO_BUSY.
 */
export function dryRunOrder(
  deps: BoundedDryRunDeps,
  caller: Caller,
  wish: OrderWish,
  isKeyed: boolean,
): Promise<OrderDryRun> {
  requireWithinBounds(caller.principal, { accountId: wish.accountId })
  const { userId } = caller.principal
  const em = deps.ordinaryDatabase.em.fork()
  actAs(em, userId)
  return runBounded(deps.work, 'broker', userId, caller, () =>
    playThrough(deps, { ...caller, em }, wish, isKeyed),
  )
}

async function playThrough(
  deps: BoundedDryRunDeps,
  caller: Caller,
  wish: OrderWish,
  isKeyed: boolean,
): Promise<OrderDryRun> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const { permitted, denial } = await permission(caller, wish)
  if (denial?.code === 'ACCOUNT_NOT_FOUND') throw denial
  const terms = termsOf(permitted, principal.userId, deps)
  const connection = await inTime(findAccountConnection(em, terms.accountId))
  if (!connection) throw new ApiError('ACCOUNT_NOT_FOUND')
  const broker = connectTo(deps, connection)
  const { capabilities, orderCosts } = describeBrokerType(connection.brokerType)
  const now = new Date().toISOString()

  const told = await askBroker(() => broker.getPosition(terms.symbol))
  const book = await inTime(readSymbolBook(em, terms.accountId, terms.symbol))
  const opens = isOpening(actionOfManualOrder(terms, told?.side ?? null))
  // Such an order waits until its broker shows the position.
  const position: Shown =
    opens && awaitedPosition(book, terms, told) !== null
      ? book.shares.side && { side: book.shares.side, quantity: book.shares.quantity }
      : told
  const action = actionOfManualOrder(terms, position?.side ?? null)
  const sender = { tokenId: principal.tokenId, isKeyed }
  const ledgerFacts = await inTime(readProspectiveManualFacts(em, terms, action, sender))
  if (!ledgerFacts) throw new ApiError('ACCOUNT_NOT_FOUND')
  const context: EntryContext = { ...ledgerFacts, liveTrading: deps.liveTrading }
  const closedAt =
    isOpening(action) && position === null ? await inTime(lastClosing(em, terms, action, isKeyed)) : null
  const repetition = repetitionDenial(book, terms, action, closedAt)

  const entry = entryTermsOf(terms, action)
  const { observed, judged } = await askBroker(async () => {
    const { calendarZone: zone, protects: keeping } = capabilities
    const moment = { now, at: now, zone, orderCosts, keeping }
    const seen = await observe(broker, entry, context, moment)
    const closed = { book: isOpening(action) ? null : book, closer: 'person' } as const
    return { observed: seen, judged: await judge(broker, entry, context, seen, closed) }
  })
  // A person proves who they are when they place it.
  const refused = denial === null || denial.code === 'VERIFICATION_REQUIRED' ? null : denial
  const prospect =
    repetition ??
    (refused && ({ outcome: 'denied', code: refused.code, detail: refused.message } as const)) ??
    deniedIfHeld(judged.decision)
  return {
    run: {
      order:
        judged.quantity === null
          ? null
          : {
              clientOrderId: manualClientOrderId('<order id>'),
              ...entryOrder(entry, judged.quantity),
            },
      follows: null,
      prospect,
      verdicts: repetition === null ? judged.verdicts : repeated(judged.verdicts, repetition),
      waitsFor: [],
      scheduledAt: null,
      session: observed.session,
      exit: null,
      buyingPower: buyingPowerOf(observed.facts),
      orderCosts,
      advisories: prospect.outcome === 'ready' ? prospect.advisories : [],
    },
    held: position === null ? '0' : position.side === 'LONG' ? position.quantity : negate(position.quantity),
    market: observed.facts.quote,
  }
}

const repeated = (
  verdicts: readonly EntryVerdict[],
  { code, detail }: NonNullable<ReturnType<typeof repetitionDenial>>,
): EntryVerdict[] => [
  { rule: 'position', outcome: 'denied', code, message: detail },
  ...verdicts.filter(({ rule }) => rule !== 'position'),
]
