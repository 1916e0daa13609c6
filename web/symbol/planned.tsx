import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ListChecks, TriangleAlert } from 'lucide-react'
import type { Order, Position } from '#client/types.ts'
import { number } from '../words/figures.ts'
import { orderHeadline, orderSentence, roleWords } from '../words/order.ts'
import { buttonClass } from '../parts/button.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { Item, Panel } from '../parts/panel.tsx'
import type { useCovers } from '../position/list.ts'
import { ProtectButton } from '../position/protect-button.tsx'
import { AgendaLine, useAgenda } from '../today/agenda-line.tsx'

interface Props {
  symbol: string
  positions: readonly Position[]
  coverOf: ReturnType<typeof useCovers>
  orders: UseQueryResult<Order[]>
  now: number
}

export function Planned({ symbol, positions, coverOf, orders, now }: Props) {
  const agenda = useAgenda(symbol)
  const open = positions.flatMap((position) => {
    const cover = coverOf?.(position)
    return cover ? [{ position, cover }] : []
  })
  const alarms = open.flatMap(({ cover }) => cover.alarms)
  const uncovered = open.filter(({ cover }) => cover.uncovered > 0)
  return (
    <Panel title="Working and planned">
      <Loaded query={agenda} name="What is planned" rows={2}>
        {({ items }) => (
          <ul>
            {alarms.map(({ id, message }) => (
              <Item
                key={id}
                icon={<TriangleAlert className="text-danger" />}
                title="Its exit failed"
                note={message}
              />
            ))}
            {uncovered.map(({ position, cover }) => (
              <Item
                key={position.id}
                icon={<TriangleAlert className="text-warn" />}
                title={`${number(cover.uncovered)} shares have no exit`}
                note="No open order or planned exit closes them: they stay open until you close them"
                end={<ProtectButton position={position} shares={cover.uncovered} className={buttonClass()} />}
              />
            ))}
            {items.map((item) => (
              <AgendaLine key={`${item.kind} ${item.signalId ?? item.orderId}`} item={item} now={now} />
            ))}
            {(orders.data ?? []).map((order) => (
              <Item
                key={order.id}
                icon={<ListChecks className="text-muted" />}
                title={orderSentence(order)}
                note={`${roleWords(order)}, working at the broker`}
                end={
                  <Link to="/orders/$order" params={{ order: order.id }} className={buttonClass()}>
                    Open<span className="sr-only"> {orderHeadline(order)}</span>
                  </Link>
                }
              />
            ))}
            {items.length + alarms.length + uncovered.length + (orders.data?.length ?? 0) === 0 && (
              <li>
                <Empty title="No open orders and no planned exits" />
              </li>
            )}
          </ul>
        )}
      </Loaded>
    </Panel>
  )
}
