import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Check, Clock } from 'lucide-react'
import type { Order, Position, Routes } from '#client/types.ts'
import { ask } from '../connection/ask.ts'
import { Gain } from '../parts/gain.tsx'
import { Notice } from '../parts/notice.tsx'
import { money, number } from '../words/figures.ts'
import { gainOf } from './closing.ts'

export type Closing = Routes['POST /api/v1/positions/{accountId}/{symbol}/close']['answers'][200]
type Line = Closing['orders'][number]

const FILLED_WORDS = {
  SELL: 'sold',
  BUY_TO_COVER: 'bought to cover',
  BUY: 'bought',
  SELL_SHORT: 'sold short',
} as const

export function CloseOutcome({ result, position }: { result: Closing; position: Position }) {
  const orders = useOrdersOf(result)
  return (
    <>
      <ul className="grid gap-2">
        {result.orders.map((line) => (
          <OutcomeLine
            key={line.order.id}
            line={line}
            order={orders.get(line.order.id)}
            position={position}
          />
        ))}
      </ul>
      {!result.success && (
        <Notice kind="warn" title="Some positions are not closed">
          The rest stays in the list of positions.
        </Notice>
      )}
    </>
  )
}

/** Reads all orders of the closing in one request. */
function useOrdersOf({ accountId }: Closing): ReadonlyMap<string, Order> {
  const { data } = useQuery({
    queryKey: ['orders', 'closing', accountId],
    queryFn: async () =>
      (await ask('GET /api/v1/orders', { query: { accountId, source: 'manual', limit: 200 } })).body.orders,
  })
  return new Map((data ?? []).map((order) => [order.id, order]))
}

function OutcomeLine({
  line: { symbol, order: placed },
  order,
  position,
}: {
  line: Line
  order: Order | undefined
  position: Position
}) {
  const isFilled = order !== undefined && order.filledQuantity > 0
  const gained = order === undefined ? null : gainOf(position, order)
  return (
    <li className="flex gap-2">
      {isFilled || placed.brokerOrderId !== null ? (
        <Check aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-buy" />
      ) : (
        <Clock aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-warn" />
      )}
      <span className="min-w-0 wrap-anywhere">
        <b className="font-bold">{symbol}</b>:{' '}
        {isFilled ? (
          <>
            {FILLED_WORDS[order.side]} {number(order.filledQuantity)}
            {order.filledQuantity < order.quantity && ` of ${number(order.quantity)}`}
            {order.avgFillPrice !== null && ` at ${money(order.avgFillPrice)}`}
            {gained !== null && (
              <>
                , <Gain amount={gained} />
              </>
            )}
          </>
        ) : (
          placed.message
        )}
        <Link to="/orders/$order" params={{ order: placed.id }} className="text-sm underline">
          details
        </Link>
      </span>
    </li>
  )
}
