import { setTimeout } from 'node:timers/promises'
import type { Broker, BrokerConnectionSettings, BrokerRejection } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import * as decided from '#db/signal/decision-ledger.ts'
import { decideOnce, readDecision } from '#db/order/decisions.ts'
import { reportHidden } from '#db/order/changed-orders.ts'
import { applyOrderReport, recordedOrder } from '#db/order/reports.ts'
import { readEntryByLedger, readCancelMarks, recordCancelledFor, readExitSizeFacts } from '#db/exit/exits.ts'
import * as ledger from '#db/signal/ledger.ts'
import { recordDecisionLapsed } from '#db/signal/denied-approval.ts'
import { recordDifference } from '#db/position/position-acceptance.ts'
import { recordCrossed } from '#db/signal/reversal.ts'
import { recordProtectionChanged } from '#db/exit/protection-change.ts'
import { endProtection, noteResting } from '#db/exit/protections.ts'
import { decideUnderLock } from '#db/position/symbol-state.ts'
import { currentHalt } from '#db/risk/halts.ts'
import { judgeEntry } from '#domain/risk/entry-check.ts'
import { NoSessionForExit } from '#domain/exit/schedule.ts'
import type { EncryptionKeys } from '#db/broker/secret-box.ts'
import type { ShownPosition } from '#domain/position/closing.ts'
import { ORDER_CAPS, type OrderCaps } from '#domain/risk/buying-power.ts'
import { isTerminal, parseClientOrderId, type OrderRequest } from '#domain/order/order.ts'
import type { LiveOrder } from '#domain/position/symbol-state.ts'
import { createThrottle, type Permitted } from './order/throttle.ts'
import { askMarket, BrokerDirectory, BrokerClocks, SessionCalendar } from './brokers.ts'
import { beginWaiting } from './signal/waiting.ts'
import { explainRefusal } from './order/refusal.ts'
import { cancelOrder, cancelBlockingOrders, givingWayTo, isStillCovered } from './order/cancel.ts'
import { orderAttempts, type AttemptedSteps } from './attempt.ts'
import type { Activities, OrderAttempts, SubmitOrderInput } from './contract.ts'
import { heedingTheWait } from './failures.ts'
import { findExitTime, sizeExit, type SizeExitDependencies } from './exit/size.ts'
import { decideEntry } from './signal/decide.ts'
import type { DecideEntryDependencies } from './signal/deciding.ts'
import { keyOf } from './exit/decide-size.ts'
import { loadSignal } from './load.ts'
import { adjustProtection } from './exit/adjust.ts'
import { lookAtExit } from './exit/look.ts'
import { submitOrder } from './order/submit.ts'
import type { HeardFills } from './order/heard-fills.ts'
import { acceptSent } from './signal/opening.ts'
import { replaceSignal } from './signal/replace.ts'

export interface ActivityDependencies {
  em: EntityManager
  secretKeys: EncryptionKeys
  connectBroker(settings: BrokerConnectionSettings): Broker
  requestTimeoutMs: number
  heardFills?: HeardFills
  liveTrading?: boolean
  maxWaiting?: number
  orderCaps?: OrderCaps
  now?(): number
  pause?(milliseconds: number): Promise<unknown>
  /** Milliseconds until an exit that its broker does not show is given up. */
  hiddenPatience?: number
  /** Milliseconds that an opening waits for the close of an opposite position. */
  closePatience?: number
}

export function createActivities(given: ActivityDependencies): Activities {
  const deps = {
    liveTrading: false,
    maxWaiting: Number.POSITIVE_INFINITY,
    orderCaps: ORDER_CAPS,
    now: Date.now,
    pause: setTimeout,
    ...given,
  }
  const access = accessToBrokers(deps)
  const steps = {
    ...decisions(deps, access),
    ...orders(deps, access),
    ...exits(deps, access),
    ...records(deps, access),
  }
  return heedingTheWait({ ...steps, ...orderAttempts(steps, deps) })
}

type Steps = Omit<Activities, keyof OrderAttempts> & AttemptedSteps
type Given = ActivityDependencies &
  Required<Pick<ActivityDependencies, 'liveTrading' | 'maxWaiting' | 'orderCaps' | 'now' | 'pause'>>
type Access = ReturnType<typeof accessToBrokers>

function accessToBrokers({ em, secretKeys, connectBroker, requestTimeoutMs, now }: Given) {
  const directory = new BrokerDirectory(em, secretKeys, connectBroker, requestTimeoutMs, 'orders')
  const brokerFor = (accountId: string): Promise<Broker> => directory.forAccount(accountId)
  return {
    em,
    brokerFor,
    now,
    keysRejected: (accountId: string): void => directory.forget(accountId),
    calendar: new SessionCalendar(brokerFor, now),
    clocks: new BrokerClocks(brokerFor, now),
    zoneOf: async (accountId: string) => (await directory.typeOf(accountId)).capabilities.calendarZone,
    abilitiesOf: async (accountId: string) => (await directory.typeOf(accountId)).capabilities.protects,
    orderCostsOf: async (accountId: string) => (await directory.typeOf(accountId)).orderCosts,
    keepingOf: async (accountId: string) => (await directory.typeOf(accountId)).capabilities.protects,
    cancelBlockingOrders: (accountId: string, closer: string, blocking: readonly LiveOrder[]) =>
      cancelBlockingOrders({ em, brokerFor, now }, accountId, closer, blocking),
  }
}

function decisions({ liveTrading, maxWaiting, orderCaps }: Given, access: Access) {
  const deciding: DecideEntryDependencies = {
    ...access,
    liveTrading,
    maxWaiting,
    askMarket: (...asked) => askMarket(access, ...asked),
    judge: judgeEntry,
  }
  return {
    prepareEntry: async (terms) => (await decideEntry(deciding, terms, null)).prepared,
    decideEntry: (terms, until) => decideEntry(deciding, terms, { caps: orderCaps, until }),
  } satisfies Partial<Steps>
}

function orders(
  { em, requestTimeoutMs, orderCaps: caps, now, pause, hiddenPatience, closePatience, heardFills }: Given,
  access: Access,
) {
  const { brokerFor, keysRejected } = access
  const submitting = {
    brokerFor,
    keysRejected,
    feedReportOf: async (accountId: string, clientOrderId: string) =>
      (await recordedOrder(em, accountId, clientOrderId))?.report ?? null,
    throttle: createThrottle({ em, caps, now }),
    explain: (
      accountId: string,
      request: OrderRequest,
      refusal: BrokerRejection,
      position: ShownPosition | null,
    ) => explainRefusal(access, accountId, request, refusal, position),
    isStillCovered: (accountId: string, request: OrderRequest) => isStillCovered(access, accountId, request),
    reportHidden: ({ clientOrderId }: OrderRequest, detail: string) =>
      reportHidden(em, clientOrderId, detail),
    ...(hiddenPatience !== undefined && { hiddenPatience }),
    ...(closePatience !== undefined && { closePatience }),
    requestTimeoutMs,
    now,
    pause,
  }
  return {
    async cancelOrder(input) {
      const { cancelledFor } = input
      // The reason must be known before the order ends.
      if (cancelledFor) await recordCancelledFor(em, cancelledFor, cancelledFor.to, cancelledFor.at)
      const result = await cancelOrder({ brokerFor }, input)
      // The feed may never bring this report.
      const applied = result.report && (await applyOrderReport(em, input.accountId, result.report))
      // Only the ledger knows the fills of all links.
      return applied && result.report?.links ? { report: applied.report } : result
    },
    async submitOrder(input: SubmitOrderInput, beganAt?: number, permitted?: Permitted) {
      const fill = heardFills?.expect(input.accountId, input.request)
      try {
        const result = await acceptSent(em, input, await submitOrder(submitting, input, beganAt, permitted))
        if (result.outcome === 'accepted' && !isTerminal(result.report.status)) await fill?.comes()
        return result
      } finally {
        fill?.end()
      }
    },
  } satisfies Partial<Steps>
}

function exits({ em, now, pause }: Given, access: Access) {
  const sizing = {
    ...access,
    haltOf: (accountId) => currentHalt(em, accountId),
    readDecision: (signalId, key) => readDecision(em, signalId, key),
    decideUnderLock: (accountId, symbol, decide) =>
      decideUnderLock(em, accountId, symbol, (book, inner) =>
        decide(book, async (input, sized, books) => {
          if (books !== undefined) await recordDifference(inner, accountId, symbol, books)
          return decideOnce(inner, input.signalId, keyOf(input), sized, input.progress)
        }),
      ),
    standingOf: (signalId) => readExitSizeFacts(em, signalId),
    assertCancelledFor: async (accountId, symbol, clientOrderId) =>
      void (await givingWayTo(em, { accountId, symbol }, clientOrderId)),
  } satisfies SizeExitDependencies
  return {
    sizeExit: (input) => sizeExit(sizing, input),
    async scheduleExit(input) {
      const entryByLedger = (signalId: string) => readEntryByLedger(em, signalId)
      const plan = await findExitTime({ ...access, entryByLedger, now, pause }, input)
      const { signalId, entryEndedAt, entry, progress, plannedAt = entryEndedAt } = input
      const time = { ...progress.time, at: plan.submitAt }
      await ledger.recordExitScheduled(em, signalId, plannedAt, {
        entry,
        plan,
        progress: { ...progress, time },
      })
      return { submitAt: plan.submitAt, reason: plan.reason }
    },
    lookAtExit: (input) => lookAtExit(access, input),
    async sessionEnd({ accountId, at, isAfter }) {
      const sessions = await access.calendar.sessionsFrom(accountId, at)
      const session = isAfter
        ? sessions.findLast(({ opensAt }) => opensAt < at)
        : sessions.find(({ closesAt }) => closesAt > at)
      if (session === undefined) throw new NoSessionForExit(`no session of ${at} is known`)
      return { endsAt: session.closesAt }
    },
    adjustProtection: (input) => adjustProtection(access, input),
  } satisfies Partial<Steps>
}

function records({ em, now }: Given, { brokerFor, calendar }: Access) {
  return {
    async recordAccepted({ report, resting, ...rest }) {
      const accepted = await ledger.recordAccepted(em, report, rest)
      const signalId = parseClientOrderId(report.clientOrderId)?.signalId
      if (resting && signalId !== undefined) await noteResting(em, signalId, resting.order, resting.revision)
      return accepted
    },
    recordProtectionChanged: (input) => recordProtectionChanged(em, input),
    recordTransmitted: ({ signalId, at, cause }) => ledger.recordTransmitted(em, signalId, at, cause),
    recordNotPlaced: ({ signalId, at, ...why }) => ledger.recordNotPlaced(em, signalId, at, why),
    recordDecisionLapsed: ({ signalId, at, ...why }) => recordDecisionLapsed(em, signalId, at, why),
    recordCancelled: ({ signalId, at, ...why }) => decided.recordCancelled(em, signalId, at, why),
    recordCancelRequested: ({ signalId, at, ...cancel }) =>
      ledger.recordCancelRequested(em, signalId, at, cancel),
    async recordClosed({ signalId, at, isCrossed, hasLevels, ...end }) {
      if (hasLevels) await endProtection(em, signalId)
      return isCrossed ? recordCrossed(em, signalId, at, end) : ledger.recordClosed(em, signalId, at, end)
    },
    recordExitTrouble: ({ signalId, at, ...trouble }) => ledger.recordExitTrouble(em, signalId, at, trouble),
    recordWaiting: (input) => beginWaiting({ em, brokerFor, pause: setTimeout, calendar, now }, input),
    recordDue: ({ signalId, at, approval }) => decided.recordDue(em, signalId, at, approval),
    recordDeclined: ({ signalId, at, ...decline }) => decided.recordDeclined(em, signalId, at, decline),
    recordReplaced: (input) => replaceSignal({ em, brokerFor }, input),
    recordExitCancelled: ({ signalId, at, ...cancel }) =>
      decided.recordExitCancelled(em, signalId, at, cancel),
    readCancelMarks: ({ clientOrderId }) => readCancelMarks(em, clientOrderId),
    acknowledgeEnds: ({ signalId, acknowledges }) => ledger.acknowledgeEnds(em, signalId, acknowledges),
    loadSignal: ({ signalId, at }) => loadSignal(em, signalId, at),
  } satisfies Partial<Steps>
}
