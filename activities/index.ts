import type { Broker, BrokerConnectionSettings } from '#brokers/port.ts'
import type { EntityManager } from '#db/database.ts'
import * as ledger from '#db/ledger.ts'
import { BrokerDirectory } from './broker-directory.ts'
import type { Activities } from './contract.ts'
import { planExitTime, SessionCalendar } from './plan-exit.ts'
import { sizeExit } from './size-exit.ts'
import { submitOrder } from './submit-order.ts'

export interface ActivityDependencies {
  em: EntityManager
  connectBroker(settings: BrokerConnectionSettings): Broker
  /** Bound on one broker request, in milliseconds. */
  requestTimeoutMs: number
  failpoint?(name: string): void | Promise<void>
  /** Milliseconds since the epoch. */
  now?(): number
}

/** The activities, wired to a database and the brokers of its accounts. */
export function createActivities({
  em,
  connectBroker,
  requestTimeoutMs,
  failpoint = () => {},
  now = Date.now,
}: ActivityDependencies): Activities {
  const directory = new BrokerDirectory(em, connectBroker, requestTimeoutMs)
  const brokerFor = (accountId: string): Promise<Broker> => directory.forAccount(accountId)
  const planning = {
    calendar: new SessionCalendar(brokerFor, now),
    zoneOf: async (accountId: string) => (await directory.typeOf(accountId)).capabilities.calendarZone,
  }
  const submitting = {
    brokerFor,
    keysRefused: (accountId: string) => directory.forget(accountId),
    now,
    failpoint,
  }
  return {
    submitOrder: (input) => submitOrder(submitting, input),
    sizeExit: (input) => sizeExit({ brokerFor, now }, input),
    async planExit(input) {
      const plan = await planExitTime(planning, input)
      await ledger.recordExitPlanned(em, input.signalId, input.entryEndedAt, { entry: input.entry, plan })
      return plan
    },
    async recordEntryAccepted({ signalId, report }) {
      await failpoint('act.before_record')
      return { orderId: await ledger.recordEntryAccepted(em, signalId, report) }
    },
    recordTransmitted: ({ signalId, at, cause }) => ledger.recordTransmitted(em, signalId, at, cause),
    recordNotPlaced: ({ signalId, at, ...outcome }) => ledger.recordNotPlaced(em, signalId, at, outcome),
    recordExitAccepted: async ({ signalId, report }) => ({
      orderId: await ledger.recordExitAccepted(em, signalId, report),
    }),
    recordExitTrouble: ({ signalId, at, ...trouble }) => ledger.recordExitTrouble(em, signalId, at, trouble),
    recordClosed: ({ signalId, at, ...end }) => ledger.recordClosed(em, signalId, at, end),
  }
}
