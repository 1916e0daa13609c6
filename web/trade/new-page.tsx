import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { isWorking } from '#domain/order/order.ts'
import { ask } from '../connection/ask.ts'
import type { NewOrderSearch } from '../order/search.ts'
import { Loaded } from '../parts/loaded.tsx'
import { Notice } from '../parts/notice.tsx'
import { BackLink, PageHead } from '../parts/page-head.tsx'
import { useAccounts } from '../records/accounts.ts'
import { useSignal } from '../signal/story-data.ts'
import { isRealMoney } from '../words/signal.ts'
import { emptyDraft, ofOrder, ofSearch, ofSignal } from './draft.ts'
import { TradeForm } from './form.tsx'

const ordering = getRouteApi('/gate/shell/orders/new')
const writing = getRouteApi('/gate/shell/signals/new')

export function NewOrderPage() {
  const search: NewOrderSearch = ordering.useSearch()
  const { plan, symbol = '' } = search
  const [cancelled, setCancelled] = useState<string>()
  // A cancelled order is changed no more: the form is for a new one.
  const change = search.change === cancelled ? undefined : search.change
  const isOfPosition = plan !== undefined
  const name =
    change === undefined
      ? { new: 'New order', exit: `Plan an exit of ${symbol}`, extended: `Close ${symbol} at a limit` }[
          plan ?? 'new'
        ]
      : 'Change an order'
  return (
    <div className="max-w-270">
      <BackLink to={isOfPosition ? '/positions' : '/orders'} name={isOfPosition ? 'Positions' : 'Orders'} />
      <PageHead name={name} note={change === undefined ? undefined : 'Cancels it, then places the new one'} />
      {search.change === undefined ? (
        <TradeForm key={JSON.stringify(search)} name={name} initial={ofSearch(search)} />
      ) : (
        <Changed
          key={search.change}
          name={name}
          id={search.change}
          isCancelled={change === undefined}
          onCancelled={() => setCancelled(search.change)}
        />
      )}
    </div>
  )
}

interface ChangedProps {
  name: string
  id: string
  isCancelled: boolean
  onCancelled: () => void
}

function Changed({ name, id, isCancelled, onCancelled }: ChangedProps) {
  const order = useQuery({
    queryKey: ['order to change', id],
    queryFn: async () => (await ask('GET /api/v1/orders/{orderId}', { path: { orderId: id } })).body,
    // The order as it was when opened: later fills are reported before a placement.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  return (
    <Loaded query={order} name="The order">
      {(it) =>
        isWorking(it.status) && it.role === 'manual' ? (
          <TradeForm {...{ name, onCancelled }} initial={ofOrder(it)} changes={isCancelled ? null : it} />
        ) : (
          <Notice kind="info" title="The order has ended">
            There is nothing left to change.
          </Notice>
        )
      }
    </Loaded>
  )
}

/** The parameter `from` in the address names a signal to send again. */
export function NewSignalPage() {
  const { from } = writing.useSearch()
  return (
    <div className="max-w-270">
      <PageHead
        name="New signal"
        note="Nothing is sent until you confirm it"
        offline="Checking and sending need a connection; nothing is sent later by itself."
      />
      {from === undefined ? <NewSignal /> : <SentAgain key={from} id={from} />}
    </div>
  )
}

const NewSignal = () => <TradeForm name="New signal" initial={emptyDraft({ isSignal: true })} />

function SentAgain({ id }: { id: string }) {
  const { data, isError } = useSignal(id)
  const accounts = useAccounts()
  if (!isError && (!data || accounts.size === 0)) return <p className="text-muted">One moment…</p>
  // Real money is never preselected: only the person chooses it.
  const own = data && accounts.get(data.accountId)
  const paper =
    own && !isRealMoney(own) ? own : Array.from(accounts.values()).find((each) => !isRealMoney(each))
  const note = !data
    ? 'That signal could not be read: the form is empty.'
    : paper
      ? `Filled in from an earlier signal, for ${paper.name}. Past times were left out.`
      : 'There is no paper account: choose one.'
  return (
    <>
      <div className="mb-4">
        <Notice kind="info" title={note} />
      </div>
      {data ? (
        <TradeForm name="New signal" initial={ofSignal(data, paper?.id ?? '')} hasDefault={false} />
      ) : (
        <NewSignal />
      )}
    </>
  )
}
