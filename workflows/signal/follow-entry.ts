import { condition } from '@temporalio/workflow'
import { isPositive, isZero } from '#domain/decimal.ts'
import { isByHand } from '#domain/by-hand.ts'
import { endedUnfilledMessage, filledMessage, orderEndedMessage } from '#domain/entry-end.ts'
import { figure } from '#domain/figures.ts'
import type { OrderReport } from '#domain/order.ts'
import { goesAcross } from '#domain/signal.ts'
import { followOrder } from '../order/follow.ts'
import { close } from './close.ts'
import { tellNotCancelled } from './exit-trouble.ts'
import { lookOnce } from './look-at-exit.ts'
import type { SignalRun } from './run.ts'
import type { Deadline } from '../steps/waits.ts'
import { decideReplacement } from './replace.ts'

export async function followEntryOrder(run: SignalRun): Promise<void> {
  await followOrder(run, run.entryId, {
    name: 'entry order',
    expiry: gtdExpiry(run),
    // A fill that comes all the same makes a position, which gets its exit like any other.
    isReplaced: () => run.status === 'cancelled',
    // A reached level closes the filled shares, and the broker takes no exit beside a working entry.
    givesWayTo: () => (run.exit.reached ? run.nextExitId(run.exit.reached) : null),
    hangs: () => tellNotCancelled(run, run.entryId, run.exit.reached!),
    messages: {
      areDue: () => isAsked(run) || hasLevelNews(run),
      async answer() {
        if (hasLevelNews(run)) await lookOnce(run)
        if (isAsked(run)) await decideReplacement(run)
      },
    },
  })
  // A caller who asked in the same moment, or meanwhile, has an answer before the workflow goes on.
  while (isAsked(run) || run.isDeciding)
    await (isAsked(run) ? decideReplacement(run) : condition(() => isAsked(run) || !run.isDeciding))
  const entry = run.entry
  const hasExit = run.terms.exit !== null || run.terms.protection !== undefined
  if (hasExit && run.exit.cancelledBy === null && isPositive(entry.filledQuantity)) {
    run.phase = 'exiting'
    return
  }
  await close(run, endOfEntry(run, entry))
}

const isAsked = (run: SignalRun): boolean =>
  run.pendingReplacement !== null && run.pendingReplacement.answer === null

/** A level may be reached, by a fill of which the feed has not told yet. */
const hasLevelNews = (run: SignalRun): boolean => run.terms.protection !== undefined && run.hasNews

function gtdExpiry(run: SignalRun): Deadline | null {
  const { timeInForce, expiresAt, symbol } = run.terms
  return timeInForce === 'gtd' && expiresAt !== null
    ? { at: expiresAt, summary: `Cancel the ${symbol} entry, good till ${expiresAt}` }
    : null
}

function endOfEntry(run: SignalRun, entry: OrderReport) {
  const nothing = isZero(entry.filledQuantity)
  const message = isByHand(run.terms)
    ? orderEndedMessage(entry)
    : `${nothing ? endedUnfilledMessage(entry) : filledMessage(entry)}${ofTarget(run, entry)}`
  const asked = run.terms.exit !== null && run.exit.cancelledBy === null
  return {
    message,
    exit: asked ? ({ status: 'cancelled', reason: 'ENTRY_NOT_FILLED' } as const) : null,
    // A replaced signal stays cancelled, whatever its order came to.
    rejected: nothing && entry.status === 'REJECTED' && run.status === 'executed',
    unprotected: null,
    // A signal that was replaced, or ended otherwise before, goes on to no other side.
    ...(isFilled(entry) &&
      run.status === 'executed' &&
      goesAcross(run.terms) && { isCrossed: true as const }),
  }
}

const isFilled = ({ status }: OrderReport): boolean => status === 'FILLED'

function ofTarget(run: SignalRun, entry: OrderReport): string {
  const { symbol, target } = run.terms
  if (target === undefined || isFilled(entry)) return ''
  if (target.move !== undefined)
    return goesAcross(run.terms) ? `. The other side of ${symbol} was not opened` : ''
  return `. ${symbol} was not brought to its target of ${figure(target.position)}`
}
