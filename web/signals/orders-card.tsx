import type { Order } from '#client/types.ts'
import { Direction } from '../parts/direction.tsx'
import { Panel } from '../parts/panel.tsx'
import { money, number } from '../words/figures.ts'
import { isBuying, sideWord } from '../words/order.ts'

const ROLES = { entry: 'Entry', exit: 'Exit', manual: 'Manual' } as const
const TYPES = { MARKET: 'market', LIMIT: 'limit', STOP: 'stop', STOP_LIMIT: 'stop limit' } as const

/** The orders that a signal has sent. */
export const OrdersCard = ({ orders }: { orders: readonly Order[] }) => (
  <Panel title="Orders">
    {orders.length === 0 ? (
      <p className="p-4 text-muted">No order has been sent.</p>
    ) : (
      <table className="w-full text-left max-desk:block">
        <thead className="border-b border-line text-xs text-muted max-desk:sr-only">
          <tr>
            {['Role', 'Side', 'Filled', 'Type', 'Price', 'Status'].map((name) => (
              <th
                key={name}
                scope="col"
                className={`px-4 py-2 font-medium ${NUMBERS.has(name) ? 'text-right' : ''}`}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="max-desk:block">
          {orders.map((order) => (
            <Row key={order.id} order={order} />
          ))}
        </tbody>
      </table>
    )}
  </Panel>
)

const NUMBERS: ReadonlySet<string> = new Set(['Filled', 'Price'])
const CELL = 'px-4 py-2 max-desk:p-0'

const Row = ({ order }: { order: Order }) => (
  <tr className="border-line not-last:border-b max-desk:grid max-desk:grid-cols-2 max-desk:gap-x-3 max-desk:px-4 max-desk:py-3">
    <td className={CELL}>{ROLES[order.role]}</td>
    <td className={CELL}>
      <span className="inline-flex items-center gap-2 font-medium max-desk:float-right">
        <Direction isBuy={isBuying(order)} /> {sideWord(order)}
      </span>
    </td>
    <td className={`${CELL} desk:text-right`}>
      {number(order.filledQuantity)} / {number(order.quantity)}
    </td>
    <td className={`${CELL} max-desk:text-right`}>
      {TYPES[order.orderType]} · {order.timeInForce.toLowerCase()}
    </td>
    <td className={`${CELL} desk:text-right`}>
      {order.avgFillPrice === null ? '–' : money(order.avgFillPrice)}
      {order.limitPrice !== null && (
        <span className="block text-xs text-muted">limit {money(order.limitPrice)}</span>
      )}
    </td>
    <td className={`${CELL} max-desk:text-right`}>{order.status.toLowerCase().replace('_', ' ')}</td>
  </tr>
)
