import { useState } from 'react'
import type { Account, Position } from '#client/types.ts'
import { askOnce } from '../connection/ask.ts'
import { readChanged } from '../connection/queries.ts'
import { PartButtons } from '../order/part-buttons.tsx'
import { PriceOffers } from '../order/price-offers.tsx'
import { useAction } from '../parts/action.ts'
import { ConfirmSheet } from '../parts/confirm-sheet.tsx'
import { Field } from '../parts/field.tsx'
import { Segmented } from '../parts/segmented.tsx'
import { useQuotes } from '../records/quotes.ts'
import { money, number, partOf } from '../words/figures.ts'
import { closingVerb } from '../words/order.ts'
import { CloseOutcome, type Closing } from './close-outcome.tsx'
import { ChangedNotice, ExitLine, Refusal, useClosed } from './close-parts.tsx'
import type { Cover } from './list.ts'

interface Props {
  /** Undefined once the position is gone. */
  position: Position | undefined
  account: Account
  coverOf: ((position: Position) => Cover) | undefined
  now: number
  /** Action for half of the position. It outlives the sheet, so that a lost answer causes no second order. */
  half?: ReturnType<typeof useAction<Closing>>
  close: () => void
}

const TYPES = { market: 'At market', limit: 'At a limit' } as const

/** Asks before a position is closed, whole or in part, and shows the outcome. */
export function CloseSheet({ position: held, account, coverOf, now, half, close }: Props) {
  const own = useAction<Closing>()
  const { state, run } = half ?? own
  const { asked, isOther, askForChanged } = useClosed(held, coverOf, now)
  const [quantity, setQuantity] = useState(half && held ? (partOf(0.5, held.quantity) ?? '') : '')
  const [type, setType] = useState<keyof typeof TYPES>('market')
  const [limit, setLimit] = useState('')
  if (!asked) return null
  const { position } = asked
  const shares = quantity.trim() === '' ? position.quantity : Number(quantity)
  const verb = closingVerb(position.side)
  const confirm = () =>
    void run(async (key) => {
      const result =
        type === 'market'
          ? await closedAtMarket(key, position, quantity)
          : await closedAtLimit(key, position, { quantity: quantity.trim() || position.quantity, limit })
      void readChanged('orders')
      void readChanged('positions')
      return result
    })
  const faultOf = (field: string): string | undefined =>
    state.is === 'failed' ? state.problem.faults.find((fault) => fault.field === field)?.message : undefined
  const isAsking = state.is === 'idle' || state.is === 'failed'
  return (
    <ConfirmSheet
      isOpen
      close={close}
      title={`Close ${shares < position.quantity ? `${number(shares)} of ` : ''}${position.symbol}?`}
      account={account}
      verb={verb}
      kind={position.side === 'LONG' ? 'sell' : 'buy'}
      state={state}
      confirm={confirm}
      isBlocked={(isAsking && isOther) || (type === 'limit' && limit.trim() === '')}
      renderOutcome={(result) => <CloseOutcome result={result} position={position} />}
    >
      <div className="grid items-start gap-2 desk:grid-cols-[minmax(0,1fr)_auto]">
        <Field
          label="Shares"
          hint={`Empty: all ${number(position.quantity)}`}
          inputMode="decimal"
          autoComplete="off"
          value={quantity}
          onChange={(event) => setQuantity(event.target.value)}
          fault={faultOf('quantity')}
        />
        <div className="flex gap-2 desk:pt-6">
          <PartButtons
            whole="the position"
            sharesOf={(part) => (part === 1 ? '' : partOf(part, position.quantity))}
            choose={setQuantity}
          />
        </div>
      </div>
      <Segmented legend="Price" value={type} options={TYPES} choose={setType} />
      {type === 'limit' && (
        <Limit position={position} value={limit} choose={setLimit} fault={faultOf('limitPrice')} />
      )}
      {isAsking && isOther && (
        <ChangedNotice
          askForChanged={() => {
            askForChanged()
            if (half && held) setQuantity(partOf(0.5, held.quantity) ?? '')
          }}
        />
      )}
      <Refusal position={position} now={now} />
      <ol className="grid gap-2" aria-label="What it does">
        <ExitLine
          closed={asked}
          shares={shares}
          price={type === 'limit' && Number(limit) > 0 ? Number(limit) : position.currentPrice}
          priced={
            type === 'market' || !(Number(limit) > 0)
              ? TYPES[type].toLowerCase()
              : `limit ${money(Number(limit))}, today`
          }
        />
      </ol>
    </ConfirmSheet>
  )
}

async function closedAtMarket(key: string, position: Position, quantity: string): Promise<Closing> {
  const { accountId, symbol } = position
  const { body } = await askOnce(key, 'POST /api/v1/positions/{accountId}/{symbol}/close', {
    path: { accountId, symbol },
    body: quantity.trim() === '' ? {} : { quantity: quantity.trim() },
  })
  return body
}

/** The limit order may only reduce: if the position is gone by then, it opens none. */
async function closedAtLimit(
  key: string,
  { accountId, symbol, side }: Position,
  { quantity, limit }: { quantity: string | number; limit: string },
): Promise<Closing> {
  const { body } = await askOnce(key, 'POST /api/v1/orders', {
    body: {
      accountId,
      symbol,
      side: side === 'LONG' ? 'SELL' : 'BUY',
      orderType: 'LIMIT',
      quantity,
      limitPrice: limit.trim(),
      reduceOnly: true,
    },
  })
  if (!('order' in body)) throw new TypeError('The service did not answer with an order')
  const { order, requestId } = body
  return { success: true, accountId, requestId, orders: [{ symbol, order }] }
}

function Limit({
  position: { symbol, accountId },
  value,
  choose,
  fault,
}: {
  position: Position
  value: string
  choose: (limit: string) => void
  fault: string | undefined
}) {
  const quote = useQuotes([symbol], accountId).data?.quotes.get(symbol)
  return (
    <div className="grid gap-2">
      <Field
        label="Limit, $ a share"
        inputMode="decimal"
        autoComplete="off"
        value={value}
        onChange={(event) => choose(event.target.value)}
        fault={fault}
      />
      <PriceOffers quote={quote} choose={choose} />
    </div>
  )
}
