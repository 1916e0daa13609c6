import type { EntityManager } from '#db/engine/database.ts'
import type { Account } from '#db/entities/index.ts'
import { summarisePortfolio } from '#db/account/dashboard.ts'
import { changesSince, readNews, startReading } from '#db/live/events.ts'
import { readEntryFacts } from '#db/order/entry-facts.ts'
import { listOrders } from '#db/order/queries.ts'
import { readSymbolState } from '#db/position/symbol-state.ts'
import { checkThrottle, noteConfirmed, noteUnconfirmed } from '#db/order/throttle.ts'
import { endUnfilledExits, exitsBesideFills, exitsToFill } from '#db/exit/unfilled-exits.ts'
import { raiseAlert, raiseAlertOf } from '#db/alert/alerts.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import { recordProtectionChanged } from '#db/exit/protection-change.ts'
import {
  accountsWithExits,
  listProtections,
  noteFees,
  protectionsOf,
  trackFilling,
  trackProtection,
} from '#db/exit/protections.ts'
import { amendFill } from '#db/position/fill-amendments.ts'
import { recordFills } from '#db/position/fills.ts'
import { readPerformanceRecords } from '#db/position/performance-records.ts'
import { readTradeStatistics } from '#db/position/statistics.ts'
import { countOverdue, findOverdueWork, raiseOverdue, resolveDoneWork } from '#db/watch/overdue-work.ts'
import { listStarted } from '#db/watch/open-work.ts'
import { ORDER_CAPS } from '#domain/risk/buying-power.ts'
import { createAccount, createSignal, orderReport } from '#test/support/factories.ts'
import { aFill, second } from '#test/support/fills.ts'
import { step, type ComposedStep } from './step.ts'

const AT = '2026-03-02T15:00:02.000Z'
const NOTICE = { kind: 'fill_after_end', message: 'late', data: { at: AT } } as const

const account = (em: EntityManager): Promise<Account> => createAccount(em)
const signal = (em: EntityManager) => createSignal(em)
const ownerOf = ({ id, userId }: Account) => ({ accountId: id, userId })
const ownFill = aFill({ quantity: '4' })
const storeFill = (em: EntityManager, owner: Account) =>
  recordFills(em, ownerOf(owner), {
    fills: [ownFill],
    fees: [
      { feeId: 'fee', executionId: ownFill.executionId, day: '2026-03-02', amount: '1', kind: 'trades' },
    ],
    until: second(5),
  })

/** What the ledger reads before an order may leave. */
const BEFORE_AN_ORDER: ComposedStep[] = [
  step('entry-facts', readEntryFacts, signal, (em, { id }) => readEntryFacts(em, id)),
  step('symbol-book', readSymbolState, account, (em, { id }) => readSymbolState(em, id, 'AAPL')),
  step('throttle-opening-order', checkThrottle, signal, (em, { id, accountId }) =>
    checkThrottle(em, { accountId, clientOrderId: `${id}-e1`, quantity: '10', reducing: false }, ORDER_CAPS),
  ),
  step('throttle-closing-order', checkThrottle, signal, (em, { id, accountId }) =>
    checkThrottle(em, { accountId, clientOrderId: `${id}-x1`, quantity: '10', reducing: true }, ORDER_CAPS),
  ),
]

const FILLS: ComposedStep[] = [
  step('fills-listed', recordFills, account, storeFill),
  step(
    'fill-amended',
    amendFill,
    async (em) => {
      const stored = await signal(em)
      const report = orderReport(stored)
      await recordAccepted(em, report)
      return { owner: { accountId: stored.accountId, userId: stored.userId }, report }
    },
    (em, { owner, report }) =>
      amendFill(em, owner, report, { executionId: ownFill.executionId, corrected: null }),
  ),
]

const ALERTS: ComposedStep[] = [
  step('alert-raised', raiseAlert, account, (em, { id }) =>
    raiseAlert(em, { accountId: id, signalId: null }, NOTICE),
  ),
  step('alert-raised-by-history', raiseAlertOf, signal, (em, { id }) => raiseAlertOf(em, id, NOTICE)),
]

const WATCH: ComposedStep[] = [
  step('overdue-work', findOverdueWork, account, (em) => findOverdueWork(em, 100)),
  step('overdue-work-counted', countOverdue, account, (em) => countOverdue(em)),
  step('overdue-work-alerts-raised', raiseOverdue, signal, (em, { id, accountId }) =>
    raiseOverdue(em, [
      {
        accountId,
        signalId: id,
        kind: 'action_overdue',
        what: 'exit',
        dueAt: AT,
        cause: 'no_worker',
        detail: '',
      },
    ]),
  ),
  step('overdue-work-alerts-resolved', resolveDoneWork, account, (em) => resolveDoneWork(em)),
  step('unfinished-workflows', listStarted, account, (em, { id }) =>
    listStarted(em, AT, 1_000, { startedAt: AT, id }),
  ),
]

const LISTS: ComposedStep[] = [
  step('list-first-page', listOrders, account, (em, { id, userId }) =>
    listOrders(em, userId, { accountId: id, statuses: ['OPEN'], from: AT }, { limit: 20, offset: 0 }),
  ),
  step('list-page-behind-a-place', listOrders, account, (em, { id, userId }) =>
    listOrders(
      em,
      userId,
      {},
      { limit: 20, offset: 0, after: { key: ['1', id], offset: 20, total: 30, totalIsExact: true } },
    ),
  ),
  step('portfolio', summarisePortfolio, account, (em, { userId }) => summarisePortfolio(em, userId, 'PAPER')),
  step('performance', readPerformanceRecords, account, (em, { userId }) =>
    readPerformanceRecords(em, userId, 'PAPER', '2026-03-01'),
  ),
  step('trade-statistics', readTradeStatistics, account, (em, { userId }) =>
    readTradeStatistics(em, userId, { accounts: { mode: 'PAPER' }, from: '2026-03-01', to: null }),
  ),
  step('live-news', readNews, account, async (em, { userId }) =>
    readNews(em, [userId], { snapshot: '1:1:', position: '1' }, 10),
  ),
  step('live-news-since-a-place', changesSince, startReading, (em, { position }) =>
    changesSince(em, '7f1b2c34-0000-4000-8000-000000000001', position, 10),
  ),
]

/** Positions with an exit plan, which each change of a price asks for. */
const EXIT_PLANS: ComposedStep[] = [
  step('exit-plans-of-an-account', listProtections, account, (em, { id }) => listProtections(em, id)),
  step('exit-plans-of-signals', protectionsOf, signal, (em, { id, userId }) =>
    protectionsOf(em, userId, [id]),
  ),
  step('exit-plans-begun', trackFilling, account, (em, { id }) => trackFilling(em, id)),
  step('exit-plan-fees', noteFees, account, (em, { id }) => noteFees(em, id)),
  step('exit-plan-begun', trackProtection, signal, (em, { id }) => trackProtection(em, id)),
  step('exit-plan-accounts', accountsWithExits, account, (em) => accountsWithExits(em)),
  step('exit-plan-changed', recordProtectionChanged, signal, (em, { id: signalId }) =>
    recordProtectionChanged(em, { signalId, at: AT, by: 'ann', change: { stop: { price: '95' } } }),
  ),
]

/** Exits at the broker, which each comparison with it asks for. */
const EXITS: ComposedStep[] = [
  step('exits-to-fill', exitsToFill, account, (em, { id }) => exitsToFill(em, id)),
  step('exits-unfilled-resolved', endUnfilledExits, account, (em, { id }) => endUnfilledExits(em, id)),
  step('exits-beside-fills', exitsBesideFills, account, (em, { id }) => exitsBesideFills(em, id, ['AAPL'])),
  step('order-unconfirmed', noteUnconfirmed, signal, (em, { id }) => noteUnconfirmed(em, id)),
  step('order-confirmed', noteConfirmed, signal, (em, { id }) =>
    noteConfirmed(em, { id, status: 'OPEN', revision: 1, unconfirmed_since: AT }, orderReport({ id })),
  ),
]

export const SHARED_STEPS: ComposedStep[] = [
  ...BEFORE_AN_ORDER,
  ...FILLS,
  ...ALERTS,
  ...WATCH,
  ...LISTS,
  ...EXIT_PLANS,
  ...EXITS,
]
