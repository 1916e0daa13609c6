import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { isWorking } from '#domain/order.ts'
import { ask } from '../connection/ask.ts'
import { Loaded } from '../parts/loaded.tsx'
import { Notice } from '../parts/notice.tsx'
import { BackLink, PageHead } from '../parts/page-head.tsx'
import type { NewOrderSearch } from './search.ts'
import { TicketForm } from './ticket/form.tsx'
import { emptyTicket, ticketOf, type Ticket } from './ticket/ticket.ts'

const route = getRouteApi('/gate/shell/orders/new')

/** An order by hand: a new one, a change of one that works, or the exit of shares that have none. */
export function NewOrderPage() {
  const search: NewOrderSearch = route.useSearch()
  const { plan, symbol = '' } = search
  const [cancelled, setCancelled] = useState<string>()
  // An order that is cancelled is changed no more: its ticket is for a new one.
  const change = search.change === cancelled ? undefined : search.change
  const name =
    change !== undefined
      ? 'Change an order'
      : plan === undefined
        ? 'New order'
        : plan === 'exit'
          ? `Plan an exit of ${symbol}`
          : `Close ${symbol} at a limit`
  return (
    <div className="max-w-270">
      <BackLink
        to={plan === undefined ? '/orders' : '/positions'}
        name={plan === undefined ? 'Orders' : 'Positions'}
      />
      <PageHead name={name} note={change === undefined ? undefined : 'Cancels it, then places the new one'} />
      {search.change === undefined ? (
        <TicketForm key={JSON.stringify(search)} initial={begun(search)} changes={null} />
      ) : (
        <Changed
          key={search.change}
          id={search.change}
          isCancelled={change === undefined}
          onCancelled={() => setCancelled(search.change)}
        />
      )}
    </div>
  )
}

/** A ticket that the address has begun to fill in. */
function begun({ symbol = '', account = '', side, shares, plan }: NewOrderSearch): Ticket {
  const empty = emptyTicket({ symbol, accountId: account })
  return {
    ...empty,
    side: side ?? empty.side,
    amount: shares ?? '',
    draft: {
      ...empty.draft,
      // An exit that waits in the market, until it is cancelled.
      ...(plan === 'exit' && { orderType: 'stop', timeInForce: 'gtc' }),
      // A limit order is the only one that trades outside the session.
      ...(plan === 'extended' && { orderType: 'limit', extendedHours: true }),
    },
  }
}

interface ChangedProps {
  id: string
  isCancelled: boolean
  onCancelled: () => void
}

function Changed({ id, isCancelled, onCancelled }: ChangedProps) {
  const order = useQuery({
    queryKey: ['order to change', id],
    queryFn: async () => (await ask('GET /api/v1/orders/{orderId}', { path: { orderId: id } })).body,
    // As it stood when it was opened: what has filled since is told before anything is placed.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  return (
    <Loaded query={order} name="The order">
      {(it) =>
        isWorking(it.status) && it.role === 'manual' ? (
          <TicketForm initial={ticketOf(it)} changes={isCancelled ? null : it} onCancelled={onCancelled} />
        ) : (
          <Notice kind="info" title="It does not work any more">
            There is nothing left to change.
          </Notice>
        )
      }
    </Loaded>
  )
}
