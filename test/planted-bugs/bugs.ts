import { randomUUID } from 'node:crypto'
import type { Activities } from '#activities/contract.ts'
import { BrokerOutcomeUnknown, BrokerRejection, type Broker } from '#brokers/port.ts'
import { parseClientOrderId, type OrderReport } from '#domain/order/order.ts'
import type { SignalTerms } from '#domain/signal/signal.ts'
import type { Announcer } from '#worker/feed/order-reconciler.ts'

/** A mistake that a service like this one could have in its code. */
export interface Bug {
  /** Calls of the broker as the service would make them. */
  broker?(real: Broker): Partial<Pick<Broker, 'submitOrder' | 'findOrder'>>
  /** A report of the order stream as the service would read it. */
  report?(report: OrderReport): OrderReport
  activities?(real: Activities): Partial<Activities>
  announcer?(real: Announcer): Partial<Announcer>
  /** What was decided is not kept, so that each try decides anew. */
  forgetsDecisions?: true
  /** Orders that are decided or work count towards no limit. */
  forgetsWorkingOrders?: true
  /** What the feed has told of an order is not asked for. */
  looksNothingUp?: true
}

/** Each time for all that the entry has filled, whatever others have closed since. */
const asFilled: Activities['sizeExit'] = async ({ filledQuantity }) => ({
  quantity: filledQuantity,
  coversQuantity: filledQuantity,
  notBefore: null,
})

const ofTheWhole = ({ manages: _, ...terms }: SignalTerms): SignalTerms => terms

/** Each is planted into the worker for one symbol; `scenes.ts` has what brings it out, and who has to find it. */
export const BUGS = {
  'another client order id for each try': {
    broker(real) {
      let tries = 1
      return {
        submitOrder: (request) => {
          tries += 1
          return real.submitOrder({
            ...request,
            clientOrderId: request.clientOrderId.replace(/\d+$/, String(tries)),
          })
        },
      }
    },
  },
  'a client order id that identifies no signal': {
    broker: (real) => ({
      submitOrder: async (request) => ({
        ...(await real.submitOrder({ ...request, clientOrderId: randomUUID() })),
        clientOrderId: request.clientOrderId,
      }),
    }),
  },
  'no look-up after an answer was lost': {
    broker: () => ({ findOrder: async () => null }),
    looksNothingUp: true,
  },
  'a lost answer that is taken for a refusal': {
    broker: (real) => ({
      findOrder: async () => null,
      async submitOrder(request) {
        try {
          return await real.submitOrder(request)
        } catch (error) {
          if (!(error instanceof BrokerOutcomeUnknown)) throw error
          throw new BrokerRejection('BROKER_ERROR', error.message, 422)
        }
      },
    }),
    looksNothingUp: true,
  },
  'an acceptance that is not written down': {
    activities: (real) => ({
      recordAccepted: async (input) =>
        parseClientOrderId(input.report.clientOrderId)?.role === 'entry'
          ? { orderId: randomUUID(), report: input.report }
          : real.recordAccepted(input),
    }),
  },
  'an exit as large as the order, not as its fill': {
    activities: () => ({
      sizeExit: async ({ filledQuantity }) => ({
        quantity: '10',
        coversQuantity: filledQuantity,
        notBefore: null,
      }),
    }),
  },
  'a part that is taken for the end': {
    report: (report) => (report.status === 'PARTIALLY_FILLED' ? { ...report, status: 'CANCELLED' } : report),
  },
  'an exit that does not wait for its time': {
    activities: () => ({
      scheduleExit: async ({ entryEndedAt }) => ({ submitAt: entryEndedAt, reason: null }),
    }),
  },
  'an exit that is sized again by each try': { forgetsDecisions: true },
  'a fill after the end without a follower': {
    announcer: () => ({ ensureRunning: async () => {} }),
  },
  'a cancel that is taken for done': {
    activities: (real) => ({
      async cancelOrder(input) {
        const { report } = await real.cancelOrder(input)
        return { report: report && { ...report, status: 'CANCELLED', filledQuantity: '0' } }
      },
    }),
  },
  'an exit that sells all that is held': {
    activities: () => ({
      sizeExit: async ({ filledQuantity }) => ({
        quantity: '20',
        coversQuantity: filledQuantity,
        notBefore: null,
      }),
    }),
  },
  'an exit that does not know what a close has taken': { activities: () => ({ sizeExit: asFilled }) },
  'an exit that opens a position on the other side': {
    activities: () => ({ sizeExit: asFilled }),
    broker: (real) => ({
      submitOrder: (request) =>
        real.submitOrder(
          parseClientOrderId(request.clientOrderId)?.role === 'exit'
            ? { ...request, side: 'SELL_SHORT' }
            : request,
        ),
    }),
  },
  'a strategy that closes the shares of others': {
    activities: (real) => ({
      prepareEntry: (terms) => real.prepareEntry(ofTheWhole(terms)),
      attemptEntry: (terms) => real.attemptEntry(ofTheWhole(terms)),
    }),
  },
  'a limit of the position that counts only what is held': { forgetsWorkingOrders: true },
  'an exit that is planned for another day': {
    activities: (real) => ({
      scheduleExit: (input) =>
        real.scheduleExit({
          ...input,
          rule: { ...input.rule, trigger: 'minutesAfterEntry', minutes: 1_440 },
        }),
    }),
  },
} satisfies Record<string, Bug>
export type BugName = keyof typeof BUGS
