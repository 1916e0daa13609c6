import { getRouteApi, Link } from '@tanstack/react-router'
import { useState, type ComponentProps } from 'react'
import type { Account, Routes } from '#client/types.ts'
import { askOnce } from '../connection/ask.ts'
import { useAction } from '../parts/action.ts'
import { Button } from '../parts/button.tsx'
import { Segmented } from '../parts/segmented.tsx'
import { ConfirmSheet } from '../parts/confirm-sheet.tsx'
import { Field, Select } from '../parts/field.tsx'
import { useSettled } from '../parts/time.ts'
import { useAccounts } from '../records/accounts.ts'
import { Gain } from '../parts/gain.tsx'
import { Empty } from '../parts/loaded.tsx'
import { Notice } from '../parts/notice.tsx'
import { PageHead, BackLink } from '../parts/page-head.tsx'
import { Panel } from '../parts/panel.tsx'
import { money } from '../words/figures.ts'
import { LIFETIMES } from '../words/order.ts'
import { useQuotes } from '../records/quotes.ts'
import { marketTime } from '../words/times.ts'
import { AccountSelect } from '../parts/account.tsx'
import { readChanged } from '../connection/queries.ts'
import { Checkbox } from '../parts/checkbox.tsx'

const route = getRouteApi('/gate/shell/orders/new')

type Wish = Routes['POST /api/v1/orders']['request'][0]['body']
type Placed = Routes['POST /api/v1/orders']['answers'][201]['order']

const TYPES = { MARKET: 'Market', LIMIT: 'Limit', STOP: 'Stop', STOP_LIMIT: 'Stop limit' } as const
/** A manual order ends by no date of its own. */
const LIFETIME_NAMES = Object.entries(LIFETIMES)
  .filter(([name]) => name !== 'gtd')
  .map(([name, words]) => [name.toUpperCase(), words] as const)
const SIDES = { BUY: 'Buy', SELL: 'Sell' } as const

interface Form {
  account: string
  symbol: string
  side: keyof typeof SIDES
  quantity: string
  type: keyof typeof TYPES
  limit: string
  stop: string
  lifetime: string
  extended: boolean
}

const hasLimit = ({ type }: Form): boolean => type === 'LIMIT' || type === 'STOP_LIMIT'
const hasStop = ({ type }: Form): boolean => type === 'STOP' || type === 'STOP_LIMIT'

const wishOf = (form: Form, accountId: string): Wish => ({
  accountId,
  symbol: form.symbol,
  side: form.side,
  orderType: form.type,
  quantity: form.quantity,
  ...(hasLimit(form) && { limitPrice: form.limit }),
  ...(hasStop(form) && { stopPrice: form.stop }),
  timeInForce: form.lifetime,
  extendedHours: form.extended,
})

function sentence(form: Form): string {
  const price = [hasStop(form) && `stop $${form.stop}`, hasLimit(form) && `limit $${form.limit}`].filter(
    Boolean,
  )
  return `${SIDES[form.side]} ${form.quantity} ${form.symbol} ${price.length === 0 ? 'at market' : price.join(', ')}`
}

/** A manual order: what to place, what it would take, and what came of it. */
export function NewOrderPage() {
  const search = route.useSearch()
  const accounts = useAccounts()
  const [form, setForm] = useState<Form>({
    account: search.account ?? '',
    symbol: search.symbol ?? '',
    side: 'BUY',
    quantity: '',
    type: 'LIMIT',
    limit: '',
    stop: '',
    lifetime: 'DAY',
    extended: false,
  })
  const [isAsking, setAsking] = useState(false)
  const { state, run, reset } = useAction<Placed>()
  const account = accounts.get(form.account) ?? [...accounts.values()][0]
  const set = (change: Partial<Form>): void => setForm((before) => ({ ...before, ...change }))
  const faultOf = (field: string) =>
    state.is === 'failed' ? state.problem.faults.find((fault) => fault.field === field)?.message : undefined
  const place = (): void => {
    if (!account) return
    const wish = wishOf(form, account.id)
    void run(JSON.stringify(wish), async (key) => {
      const { body } = await askOnce(key, 'POST /api/v1/orders', { body: wish })
      void readChanged('orders')
      return body.order
    })
  }
  return (
    <div className="max-w-180">
      <BackLink to="/orders" name="Orders" />
      <PageHead name="New order" />
      <Panel
        title="What to place"
        aside={<span className="text-xs text-muted">by you, without a signal</span>}
      >
        <form
          onSubmit={(event) => {
            event.preventDefault()
            reset()
            setAsking(true)
          }}
          className="grid grid-cols-2 gap-4 p-4 desk:grid-cols-4"
        >
          <Fields {...{ form, set, account, faultOf }} />
          <Button
            type="submit"
            kind="primary"
            size="big"
            disabled={!account}
            className="col-span-2 desk:col-start-3"
          >
            {SIDES[form.side]} {form.symbol}…
          </Button>
        </form>
      </Panel>
      <ConfirmSheet
        isOpen={isAsking}
        close={() => {
          setAsking(false)
          if (state.is === 'done') set({ quantity: '' })
        }}
        title={`${sentence(form)}?`}
        account={account}
        verb={SIDES[form.side]}
        state={state}
        confirm={place}
        renderOutcome={(order) => (
          <Notice kind={order.status === 'REJECTED' ? 'danger' : 'info'} title={order.message}>
            <Link to="/orders/$order" params={{ order: order.id }} className="text-sm underline">
              Show the order
            </Link>
          </Notice>
        )}
      >
        <p className="text-muted">It is sent at once. No exit is planned for it.</p>
      </ConfirmSheet>
    </div>
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
      <Figure name="Left to trade with">
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
