import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Check, Clock, X } from 'lucide-react'
import { useState } from 'react'
import type { Account, Position, Routes } from '#client/types.ts'
import { ask, askOnce } from '../connection/ask.ts'
import { money, number } from '../words/figures.ts'
import { closingVerb, orderSentence } from '../words/order.ts'
import { useAction } from '../parts/action.ts'
import { ConfirmSheet } from '../parts/confirm-sheet.tsx'
import { Field } from '../parts/field.tsx'
import { Notice } from '../parts/notice.tsx'
import { bothTimes, marketTime } from '../words/times.ts'
import type { Cover } from './list.ts'
import { readChanged } from '../connection/queries.ts'

type Closing = Routes['POST /api/v1/positions/{accountId}/close']['answers'][200]

interface Props {
  /** What is to be closed, all of one account. */
  positions: readonly Position[]
  isAll: boolean
  account: Account
  coverOf: ((position: Position) => Cover) | undefined
  now: number
  close: () => void
}

const closingWords = (position: Position, quantity: string): string =>
  `${closingVerb(position.side)} ${quantity} ${position.symbol} at market`

/** Tells what closing would do first, asks, and tells what came of each order. */
export function CloseSheet({ positions, isAll, account, coverOf, now, close }: Props) {
  const { state, run } = useAction<Closing>()
  const [quantity, setQuantity] = useState('')
  const [first] = positions
  const session = useSession(first)
  const one = isAll ? undefined : first
  const confirm = () =>
    void run(JSON.stringify([account.id, one?.symbol, quantity]), async (key) => {
      const { body } = one
        ? await askOnce(key, 'POST /api/v1/positions/{accountId}/{symbol}/close', {
            path: { accountId: account.id, symbol: one.symbol },
            body: quantity === '' ? {} : { quantity },
          })
        : await askOnce(key, 'POST /api/v1/positions/{accountId}/close', { path: { accountId: account.id } })
      void readChanged('orders')
      void readChanged('positions')
      return body
    })
  const fault =
    state.is === 'failed'
      ? state.problem.faults.find(({ field }) => field === 'quantity')?.message
      : undefined
  return (
    <ConfirmSheet
      isOpen
      close={close}
      title={one ? `Close ${one.symbol}?` : `Close all ${positions.length} positions?`}
      account={account}
      verb={one ? closingVerb(one.side) : 'Close all'}
      kind="stop"
      state={state}
      confirm={confirm}
      renderOutcome={(result) => <Outcome result={result} />}
    >
      {one && (
        <Field
          label="Shares"
          hint={`all ${number(one.quantity)} without a number`}
          inputMode="decimal"
          autoComplete="off"
          value={quantity}
          onChange={(event) => setQuantity(event.target.value)}
          fault={fault}
        />
      )}
      <ol className="grid gap-2" aria-label="What it does">
        {positions.map((position) => (
          <Plan
            key={position.id}
            position={position}
            quantity={one && quantity !== '' ? quantity : number(position.quantity)}
            cover={coverOf?.(position)}
            now={now}
          />
        ))}
      </ol>
      {session && !session.isOpen && (
        <Notice kind="warn" title="The market is closed">
          It opens {bothTimes(session.nextOpen, now)}.
        </Notice>
      )}
    </ConfirmSheet>
  )
}

/** What happens to one position, in the order in which it happens. */
function Plan({
  position,
  quantity,
  cover,
  now,
}: {
  position: Position
  quantity: string
  cover: Cover | undefined
  now: number
}) {
  const { currentPrice, lastUpdated } = position
  const value = Number(quantity.replaceAll(',', '')) * currentPrice
  const exits = (cover?.planned ?? []).flatMap(({ exit }) => (exit?.submitAt == null ? [] : [exit.submitAt]))
  return (
    <li className="rounded-card border border-line px-3 py-2">
      {(cover?.working ?? []).map((order) => (
        <p key={order.id} className="text-sm">
          First cancels “{orderSentence(order)}”, which holds its shares
        </p>
      ))}
      <p className="font-bold wrap-anywhere">{closingWords(position, quantity)}</p>
      <p className="text-xs text-muted">
        {Number.isFinite(value) && `about ${money(value)} at ${money(currentPrice)}, `}as of{' '}
        {marketTime(lastUpdated)}
      </p>
      {exits.length > 0 && (
        <p className="text-xs text-muted">
          The exit planned for {exits.map((at) => bothTimes(at, now)).join(' and ')} sells no more than is
          left
        </p>
      )}
    </li>
  )
}

const Outcome = ({ result }: { result: Closing }) => (
  <>
    {result.orders.length === 0 && <Notice kind="info" title="Nothing was held any more" />}
    <ul className="grid gap-2">
      {result.orders.map(({ symbol, order, error }) => (
        <li key={order.id} className="flex gap-2">
          {error === null && order.brokerOrderId === null ? (
            <Clock aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-warn" />
          ) : error === null ? (
            <Check aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-buy" />
          ) : (
            <X aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-danger" />
          )}
          <span className="min-w-0 wrap-anywhere">
            <b className="font-bold">{symbol}</b>: {order.message}
            {error !== null && <span className="font-mono text-xs"> {error}</span>}{' '}
            <Link to="/orders/$order" params={{ order: order.id }} className="text-sm underline">
              order
            </Link>
          </span>
        </li>
      ))}
    </ul>
    {!result.success && (
      <Notice kind="warn" title="Not everything is closed">
        What is left stays in the list of positions.
      </Notice>
    )}
  </>
)

/** Whether the market is open, by a dry run of a close: nothing is stored or sent. */
function useSession(position: Position | undefined) {
  const { data } = useQuery({
    queryKey: ['session', position?.accountId, position?.symbol],
    queryFn: async () => {
      const { accountId, symbol, quantity } = position!
      const { body } = await ask('POST /api/v1/signals', {
        body: {
          dryRun: true,
          executeMode: 'immediate',
          accountId,
          symbol,
          action: position!.side === 'LONG' ? 'closeLong' : 'closeShort',
          quantity,
        },
      })
      return 'dryRun' in body ? body.dryRun.session : null
    },
    enabled: position !== undefined,
    retry: false,
  })
  return data ?? null
}
