import { useState } from 'react'
import type { Alert, SignalDetail } from '#client/types.ts'
import { textOf, useSend, Form } from '../parts/form.tsx'
import { number } from '../words/figures.ts'
import { closingVerb } from '../words/order.ts'
import { isBuy } from '../words/signal.ts'
import { useOpenAlerts } from '../alert/list.ts'
import { ask } from '../connection/ask.ts'
import { useIsLive } from '../connection/live.ts'
import { Button } from '../parts/button.tsx'
import { Field } from '../parts/field.tsx'
import { Notice } from '../parts/notice.tsx'
import { useTakeOver } from './story-data.ts'

/** Shares that the broker shows, and the signal's. */
interface Beyond {
  shown: string
  own: string
  /** Split that explains the difference; `own` counts the signal's shares after it. */
  split?: { date: string; own: string }
}

/** Question in the open alert about a signal's exit; undefined for none. */
const questionIn = (alerts: readonly Alert[], signalId: string): Beyond | undefined =>
  alerts.find((alert) => alert.signalId === signalId && 'beyond' in alert.details)?.details['beyond'] as
    Beyond | undefined

/** Asks for the size of an exit that stopped because the broker shows more shares than its signal bought. */
export function ExitSizeChoice({ signal }: { signal: SignalDetail }) {
  const question = questionIn(useOpenAlerts().data?.alerts ?? [], signal.id)
  return question === undefined ? null : <Choice signal={signal} {...question} />
}

const PRICES = [
  ['limitPrice', 'Exit limit price ($)'],
  ['stopPrice', 'Exit stop price ($)'],
] as const

function Choice({ signal, shown, own, split }: { signal: SignalDetail } & Beyond) {
  const { id, symbol, exitRule } = signal
  const [quantity, setQuantity] = useState(split?.own ?? own)
  const isLive = useIsLive()
  const takeOver = useTakeOver()
  const [chosen, setChosen] = useState<string | null>(null)
  const verb = closingVerb(isBuy(signal) ? 'LONG' : 'SHORT')
  const form = useSend(async (fields) => {
    const [limitPrice, stopPrice] = [textOf(fields, 'limitPrice'), textOf(fields, 'stopPrice')]
    const body = { quantity, ...(limitPrice && { limitPrice }), ...(stopPrice && { stopPrice }) }
    const answer = await ask('POST /api/v1/signals/{id}/exit/size', { path: { id }, body })
    setChosen(quantity)
    takeOver(answer.body.data.signal)
  })
  const [all, of] = [number(Number(shown)), number(Number(own))]
  return (
    <Notice
      kind="danger"
      title={`The exit has stopped: choose how many ${symbol} it must ${verb.toLowerCase()}`}
    >
      <p className="text-sm">
        The broker shows {all} {symbol} where the fills of this signal give {of}
        {split ? `: a split was booked on ${split.date}` : ', as after a split'}. Nothing is sent until you
        choose.
      </p>
      {chosen !== null && (
        <p role="status" className="text-sm font-bold">
          Chosen: {number(Number(chosen))}. The exit is sent now.
        </p>
      )}
      <Form
        {...form}
        action={`${verb} ${quantity} ${symbol}`}
        kind="stop"
        isBlocked={!isLive}
        className="mt-2 gap-2"
      >
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => setQuantity(shown)}>All {all}</Button>
          {split && split.own !== shown && (
            <Button onClick={() => setQuantity(split.own)}>
              After the split: {number(Number(split.own))}
            </Button>
          )}
          <Button onClick={() => setQuantity(own)}>The signal’s {of}</Button>
        </div>
        <Field
          label="Shares"
          inputMode="decimal"
          autoComplete="off"
          value={quantity}
          onChange={(event) => setQuantity(event.target.value)}
          fault={form.faultOf('quantity')}
        />
        {PRICES.map(([name, label]) => {
          const was = exitRule?.[name]
          return was == null ? null : (
            <Field
              key={name}
              name={name}
              label={label}
              hint={`it was ${number(was)}, before the shares changed${split === undefined ? '' : '; adjusted by the split without a number'}`}
              inputMode="decimal"
              autoComplete="off"
            />
          )
        })}
      </Form>
    </Notice>
  )
}
