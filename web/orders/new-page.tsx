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
    change !== undefined ? 'Change an order' : plan === undefined ? 'New order' : `Plan an exit of ${symbol}`
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
    // An exit that waits in the market, until it is cancelled.
    draft: { ...empty.draft, ...(plan === 'exit' && { orderType: 'stop', timeInForce: 'gtc' }) },
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

interface FieldsProps {
  form: Form
  set: (change: Partial<Form>) => void
  account: Account | undefined
  faultOf: (field: string) => string | undefined
}

/** What is to be placed, and what the market says of it. */
const Fields = ({ form, set, account, faultOf }: FieldsProps) => (
  <>
    <div className="col-span-2 flex flex-wrap gap-3 desk:col-span-4">
      <Segmented legend="Side" value={form.side} options={SIDES} choose={(side) => set({ side })} />
      <Segmented legend="Type" value={form.type} options={TYPES} choose={(type) => set({ type })} />
    </div>
    <Text
      label="Symbol"
      value={form.symbol}
      change={(text) => set({ symbol: text.toUpperCase() })}
      maxLength={20}
      autoCapitalize="characters"
      fault={faultOf('symbol')}
    />
    <Text
      label="Shares"
      value={form.quantity}
      change={(quantity) => set({ quantity })}
      inputMode="decimal"
      fault={faultOf('quantity')}
    />
    {hasStop(form) && (
      <Text
        label="Stop, $ a share"
        value={form.stop}
        change={(stop) => set({ stop })}
        inputMode="decimal"
        fault={faultOf('stopPrice')}
      />
    )}
    {hasLimit(form) && (
      <Text
        label="Limit, $ a share"
        value={form.limit}
        change={(limit) => set({ limit })}
        inputMode="decimal"
        fault={faultOf('limitPrice')}
      />
    )}
    <AccountSelect
      value={account?.id}
      choose={(id) => set({ account: id })}
      className="max-desk:col-span-2 desk:col-start-1 desk:col-span-2"
    />
    <Select
      label="Good"
      value={form.lifetime}
      options={LIFETIME_NAMES}
      choose={(lifetime) => set({ lifetime })}
      className="max-desk:col-span-2 desk:col-span-2"
    />
    <Checkbox
      checked={form.extended}
      onChange={() => set({ extended: !form.extended })}
      className="col-span-2 min-h-11 items-center gap-2 desk:col-span-4 desk:min-h-6"
    >
      Before and after the session too
    </Checkbox>
    <Market form={form} account={account} />
    {account === undefined && (
      <div className="col-span-2 desk:col-span-4">
        <Empty title="No account">Connect a broker before you place orders.</Empty>
      </div>
    )}
  </>
)

type TextProps = Omit<ComponentProps<typeof Field>, 'onChange'> & { change: (text: string) => void }

const Text = ({ change, ...rest }: TextProps) => (
  <Field required autoComplete="off" onChange={({ target }) => change(target.value)} {...rest} />
)

/** What the market says of the symbol, and what the order would take or bring at that. */
function Market({ form, account }: { form: Form; account: Account | undefined }) {
  const symbol = useSettled(form.symbol)
  const isSymbol = symbol === form.symbol && /^[A-Z][A-Z0-9.]*$/.test(symbol)
  const { data, isError } = useQuotes(isSymbol ? [symbol] : [], account?.id)
  const quote = data?.quotes.get(form.symbol)
  const price = hasLimit(form) ? Number(form.limit) : form.side === 'BUY' ? quote?.ask : quote?.bid
  const cost = price == null ? Number.NaN : Number(form.quantity) * price
  return (
    <dl
      aria-live="polite"
      className="col-span-2 grid gap-x-6 gap-y-2 rounded-card bg-sunken p-4 desk:col-span-4 desk:grid-cols-3"
    >
      <Figure name={isSymbol ? `${form.symbol} now` : 'Price now'}>
        {quote?.last == null ? (isError ? 'not known' : '–') : money(quote.last)}{' '}
        {quote && <Gain rate={quote.dayChangePercent} className="text-sm" />}
        <span className="block text-xs font-normal text-muted">
          {quote
            ? `bid ${quote.bid === null ? '–' : money(quote.bid)} · ask ${quote.ask === null ? '–' : money(quote.ask)} · as of ${marketTime(data!.asOf)}`
            : data && isSymbol
              ? 'the broker does not know it'
              : ''}
        </span>
      </Figure>
      <Figure name={form.side === 'BUY' ? 'Takes' : 'Brings'}>
        {Number.isFinite(cost) && cost > 0 ? money(cost) : '–'}
        <span className="block text-xs font-normal text-muted">
          {Number.isFinite(cost) && cost > 0
            ? `${hasLimit(form) ? 'at the limit' : 'about'}, before fees`
            : ''}
        </span>
      </Figure>
      <Figure name="Buying power">
        {account ? money(account.buyingPower) : '–'}
        <span className="block text-xs font-normal text-muted">
          {account?.lastSyncedAt ? `as of ${marketTime(account.lastSyncedAt)}` : ''}
        </span>
      </Figure>
    </dl>
  )
}

const Figure = ({ name, children }: { name: string; children: React.ReactNode }) => (
  <div>
    <dt className="text-xs text-muted">{name}</dt>
    <dd className="text-lg font-bold">{children}</dd>
  </div>
)
