import { setTimeout as pause } from 'node:timers/promises'
import type { Broker, BrokerConnectionSettings } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import * as decided from '#db/signals/decision-ledger.ts'
import { freeze, readFrozen } from '#db/orders/decisions.ts'
import * as byHand from '#db/orders/manual-order-ledger.ts'
import { applyOrderReport, mergeOrderReport } from '#db/orders/reports.ts'
import * as ledger from '#db/signals/ledger.ts'
import { readGivingWay } from '#db/orders/giving-way.ts'
import { reopenSignal } from '#db/signals/reopening.ts'
import { decideInTurn } from '#db/orders/symbol-book.ts'
import type { EncryptionKeys } from '#db/brokers/secret-box.ts'
import { ORDER_CAPS, type OrderCaps } from '#domain/order-caps.ts'
import type { OrderRequest } from '#domain/order.ts'
import type { LiveOrder } from '#domain/symbol-book.ts'
import type { CarriedState } from '#workflows/signal/contract.ts'
import { admission } from './throttle.ts'
import { beginWaiting } from './start-waiting.ts'
import { BrokerDirectory } from './broker-directory.ts'
import { cancelOrder } from './cancel-order.ts'
import type { Activities } from './contract.ts'
import { planExitTime, SessionCalendar } from './plan-exit.ts'
import { prepareEntry } from './prepare-entry.ts'
import { prepareHandOrder } from './prepare-manual-order.ts'
import { makeWay } from './make-way.ts'
import { sizeExit, type SizeExitDependencies } from './size-exit.ts'
import { submitOrder } from './submit-order.ts'
import { supersede } from './replace.ts'

export interface ActivityDependencies {
  em: EntityManager
  /** For the credentials of brokers. */
  secretKeys: EncryptionKeys
  connectBroker(settings: BrokerConnectionSettings): Broker
  /** Bound on one broker request, in milliseconds. */
  requestTimeoutMs: number
  /** The operator lets real money be traded; off unless given. */
  liveTrading?: boolean
  /** The most orders that may leave; {@link ORDER_CAPS} unless given. */
  orderCaps?: OrderCaps
  /** Milliseconds since the epoch. */
  now?(): number
}

/** The activities, wired to a database and the brokers of its accounts. */
export function createActivities({
  em,
  secretKeys,
  connectBroker,
  requestTimeoutMs,
  liveTrading = false,
  orderCaps = ORDER_CAPS,
  now = Date.now,
}: ActivityDependencies): Activities {
  const directory = new BrokerDirectory(em, secretKeys, connectBroker, requestTimeoutMs)
  const brokerFor = (accountId: string): Promise<Broker> => directory.forAccount(accountId)
  const giveWay = (accountId: string, closer: string, orders: readonly LiveOrder[]) =>
    makeWay({ em, brokerFor, now }, accountId, closer, orders)
  const sizing: Pick<SizeExitDependencies, 'recall' | 'decideInTurn' | 'makeWay'> = {
    recall: (signalId, key) => readFrozen(em, signalId, key),
    decideInTurn: (accountId, symbol, decide) =>
      decideInTurn(em, accountId, symbol, (book, inner) =>
        decide(book, (signalId, key, sized) => freeze(inner, signalId, key, sized)),
      ),
    makeWay: giveWay,
  }
  const planning = {
    calendar: new SessionCalendar(brokerFor, now),
    zoneOf: async (accountId: string) => (await directory.typeOf(accountId)).capabilities.calendarZone,
  }
  const keysRefused = (accountId: string): void => directory.forget(accountId)
  const preparing = {
    em,
    brokerFor,
    liveTrading,
    keysRefused,
    ...planning,
    makeWay: giveWay,
    now,
  }
  const submitting = {
    brokerFor,
    keysRefused,
    admit: (accountId: string, request: OrderRequest) =>
      admission({ em, caps: orderCaps, now }, accountId, request),
    requestTimeoutMs,
    now,
    pause,
  }
  return {
    prepareEntry: (terms) => prepareEntry(preparing, terms),
    async cancelOrder(input) {
      const result = await cancelOrder({ brokerFor }, input)
      // The workflow goes on with this report, so the books must hold it even if the feed never brings it.
      if (result.report) await applyOrderReport(em, input.accountId, result.report)
      return result
    },
    submitOrder: (input) => submitOrder(submitting, input),
    async sizeExit(input) {
      const sized = await sizeExit({ ...planning, ...sizing, brokerFor, now }, input)
      if (sized.notBefore !== null) await ledger.postponeExit(em, input.signalId, sized.notBefore)
      return sized
    },
    async planExit(input) {
      const plan = await planExitTime(planning, input)
      const { signalId, entryEndedAt, entry, generation } = input
      await ledger.recordExitPlanned(em, signalId, entryEndedAt, { entry, plan, generation })
      return plan
    },
    async recordEntryAccepted({ signalId, report, advisories }) {
      return { orderId: await ledger.recordEntryAccepted(em, signalId, report, advisories) }
    },
    recordTransmitted: ({ signalId, at, cause }) => ledger.recordTransmitted(em, signalId, at, cause),
    recordNotPlaced: ({ signalId, at, ...outcome }) => ledger.recordNotPlaced(em, signalId, at, outcome),
    recordExitAccepted: async ({ signalId, report, settles }) => ({
      orderId: await ledger.recordExitAccepted(em, signalId, report, settles),
    }),
    recordExitTrouble: ({ signalId, at, ...trouble }) => ledger.recordExitTrouble(em, signalId, at, trouble),
    recordWaiting: (input) => beginWaiting({ em, brokerFor, pause }, input),
    recordDue: ({ signalId, at, approval }) => decided.recordDue(em, signalId, at, approval),
    recordDeclined: ({ signalId, at, ...decline }) => decided.recordDeclined(em, signalId, at, decline),
    recordCancelled: ({ signalId, at, ...cancel }) => decided.recordCancelled(em, signalId, at, cancel),
    recordSuperseded: (input) => supersede({ em, brokerFor }, input),
    recordExitCancelled: ({ signalId, at, ...cancel }) =>
      decided.recordExitCancelled(em, signalId, at, cancel),
    recordCancelAsked: ({ signalId, at, ...ask }) => ledger.recordCancelAsked(em, signalId, at, ask),
    readGivingWay: ({ clientOrderId }) => readGivingWay(em, clientOrderId),
    recordNoted: ({ signalId, settles }) => ledger.recordNoted(em, signalId, settles),
    recordClosed: ({ signalId, at, ...end }) => ledger.recordClosed(em, signalId, at, end),
    reopenSignal: ({ signalId, at, by }) => reopenSignal<CarriedState>(em, signalId, at, by),

    prepareHandOrder: (terms) => prepareHandOrder(preparing, terms),
    async recordHandAccepted({ accountId, report }) {
      if (!(await mergeOrderReport(em, accountId, report)))
        throw new Error(`order ${report.clientOrderId} is not in the books`)
    },
    recordHandTransmitted: ({ orderId, at, cause }) => byHand.recordHandTransmitted(em, orderId, at, cause),
    recordHandNotPlaced: ({ orderId, at, ...outcome }) =>
      byHand.recordHandNotPlaced(em, orderId, at, outcome),
    recordHandCancelled: ({ orderId, at, by }) => byHand.recordHandCancelled(em, orderId, at, by),
    recordHandCancelAsked: ({ orderId, at, ...ask }) => byHand.recordHandCancelAsked(em, orderId, at, ask),
    recordHandClosed: ({ orderId, at, ...end }) => byHand.recordHandClosed(em, orderId, at, end),
  }
}
