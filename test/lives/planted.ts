import type { Activities } from '#activities/contract.ts'
import type { Broker } from '#brokers/port.ts'
import type { OrderRequest } from '#domain/order/order.ts'
import { first, life, opening } from './known-lives.ts'
import type { LifePlan, LifeEvent, PlannedSignal } from './plan.ts'

/** What a service with a mistake in it would do otherwise. */
export interface Plant {
  activities?(real: Activities): Partial<Activities>
  broker?(real: Broker): Partial<Broker>
}

/** A mistake that is planted into one life, and the words in which the life has to tell of it. */
interface Planted {
  title: string
  plant: Plant
  life: Omit<LifePlan, 'side'>
  fault: RegExp
}

const planned = (
  { plan, exit = 'none' }: Pick<PlannedSignal, 'plan'> & Partial<Pick<PlannedSignal, 'exit'>>,
  ...events: LifeEvent[]
): Omit<LifePlan, 'side'> => life([{ ...opening, exit, plan }], [first('arrives'), ...events.map(first)])

/** The orders that reach the broker are others than were decided. */
const sending = (others: (request: OrderRequest) => OrderRequest[]): Plant => ({
  broker: (real) => ({
    async submitOrder(request) {
      const [first, ...more] = others(request)
      const report = await real.submitOrder(first!)
      for (const one of more) await real.submitOrder(one).catch(() => null)
      return report
    },
  }),
})
const isFirstOfPlan = ({ clientOrderId }: OrderRequest): boolean => clientOrderId.endsWith('-p1')

/** Each breaks a promise of exit plans. */
export const PLANTED: readonly Planted[] = [
  {
    title: 'more is for sale than is owned',
    plant: sending((request) => [isFirstOfPlan(request) ? { ...request, quantity: '7' } : request]),
    life: planned({ plan: 'stop' }, 'entry fills 3', 'entry is cancelled', 'a moment passes'),
    fault: /-p1 is for 7, and its signal has 3 at most/,
  },
  {
    title: 'two orders of a plan work at once, and both may fill',
    plant: sending((request) => [
      request,
      ...(isFirstOfPlan(request)
        ? [{ ...request, clientOrderId: request.clientOrderId.replace(/p1$/, 't2') }]
        : []),
    ]),
    life: planned({ plan: 'stop' }, 'entry fills all', 'a moment passes'),
    fault: /-t2 beside .*-p1, which works/,
  },
  {
    title: 'a position is neither flat nor is its owner alerted',
    plant: {
      activities: () => ({
        sizeExit: async ({ filledQuantity: coversQuantity }) => ({
          quantity: '0',
          coversQuantity,
          notBefore: null,
        }),
      }),
    },
    life: planned({ plan: 'stop' }, 'entry fills all', 'a moment passes'),
    fault: /10 shares of signal 0 are left without an exit/,
  },
  {
    title: 'a level that the market has crossed comes to nothing',
    plant: {
      activities: ({ lookAtExit }) => ({
        async lookAtExit({ exit: { reached: _, ...exit }, ...input }) {
          const look = await lookAtExit({ ...input, exit })
          return { ...look, isServed: true, reached: null }
        },
      }),
    },
    life: planned({ plan: 'stop and target' }, 'entry fills 2.5', 'entry is cancelled', 'a moment passes'),
    fault:
      /2\.5 shares of signal 0 \(stop at 95, target at 110, .*\) are held, whose target was reached at 130/,
  },
]
