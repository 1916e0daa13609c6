import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Hook } from '#client/types.ts'
import { asSampleAlert } from '#domain/hook/sample-alert.ts'
import { alertMessage, takesExit, type AlertChoices } from '#domain/hook/templates.ts'
import { dataOf } from '../connection/ask.ts'
import { serviceNow } from '../connection/clock.ts'
import { useIsLive } from '../connection/live.ts'
import { asProblem } from '../connection/problem.ts'
import { Button } from '../parts/button.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Field } from '../parts/field.tsx'
import { ProblemNotice, Warning } from '../parts/notice.tsx'
import { Panel } from '../parts/panel.tsx'
import { Segmented } from '../parts/segmented.tsx'
import { useQuotes } from '../records/quotes.ts'
import { choicesOf, hasOwnSize, NOTES, type SizeOf } from './message.ts'
import { TrialResult } from './trial-result.tsx'

const ON = { strategy: 'A strategy', indicator: 'An indicator or a price' } as const
const WORDS = { buy: 'Buy', sell: 'Sell', close: 'Close' } as const
const ORDERS = { market: 'Market', limit: 'Limit' } as const
const SIZES = { strategy: 'As the strategy', hook: 'Size of the hook', fixed: 'Fixed' } as const
const { strategy: _, ...SIZES_OF_ALERTS } = SIZES

interface Props {
  hook: Hook
  title: string
}

export function MessagePanel({ hook, title }: Props) {
  const [on, setOn] = useState<AlertChoices['on']>('strategy')
  const [word, setWord] = useState<AlertChoices['word']>('buy')
  const [order, setOrder] = useState<AlertChoices['order']>('market')
  const [size, setSize] = useState<SizeOf>('strategy')
  const [shares, setShares] = useState('10')
  const [stop, setStop] = useState('')
  const [target, setTarget] = useState('')
  const choices = choicesOf({ on, word, order, size, shares, stop, target })
  const { text, pine } = alertMessage(hook.kind, choices, hook.template)
  const isSizeless = choices.size === 'hook' && !(on === 'indicator' && word === 'close') && !hasOwnSize(hook)
  return (
    <Panel title={title} aside={<CopyButton text={text} what="the message" kind="primary" />}>
      <div className="grid gap-3 p-4">
        <Choice name="The alert is on">
          <Segmented legend="The alert is on" options={ON} value={on} choose={setOn} />
        </Choice>
        {on === 'indicator' && (
          <Choice name="It says">
            <Segmented legend="It says" options={WORDS} value={word} choose={setWord} />
          </Choice>
        )}
        <Choice name="Order">
          <Segmented legend="Order" options={ORDERS} value={order} choose={setOrder} />
        </Choice>
        {!(on === 'indicator' && word === 'close') && (
          <Choice name="Quantity">
            <Segmented<SizeOf>
              legend="Quantity"
              options={(on === 'strategy' ? SIZES : SIZES_OF_ALERTS) as typeof SIZES}
              value={choices.size === 'hook' ? 'hook' : size}
              choose={setSize}
            />
            {typeof choices.size === 'object' && (
              <Field
                label="Shares"
                value={shares}
                onChange={({ target }) => setShares(target.value)}
                inputMode="decimal"
                autoComplete="off"
                className="desk:w-30"
              />
            )}
          </Choice>
        )}
        {takesExit(hook.kind, choices) && (
          <Choice name="Protection">
            <Field
              label="Stop, % from the fill"
              value={stop}
              onChange={(event) => setStop(event.target.value)}
              inputMode="decimal"
              autoComplete="off"
              className="desk:w-40"
            />
            <Field
              label="Target, % from the fill"
              value={target}
              onChange={(event) => setTarget(event.target.value)}
              inputMode="decimal"
              autoComplete="off"
              className="desk:w-40"
            />
          </Choice>
        )}
        {isSizeless && (
          <Warning>
            The hook has no size, so this message is refused: set one under Settings, or choose a fixed
            quantity
          </Warning>
        )}
        <p className="text-muted">{NOTES[on]}</p>
      </div>
      <CodeBlock label="Message of the alert">{text}</CodeBlock>
      {pine !== null && <Pine text={pine} />}
      <Check key={text} hook={hook} text={text} />
    </Panel>
  )
}

const Choice = ({ name, children }: { name: string; children: React.ReactNode }) => (
  <div className="grid items-start gap-1 desk:grid-cols-[120px_minmax(0,1fr)] desk:justify-items-start desk:gap-3">
    <p className="pt-1 font-medium">{name}</p>
    <div className="flex min-w-0 flex-wrap items-start gap-3 max-desk:w-full">{children}</div>
  </div>
)

/** Lines for the strategy's script. */
const Pine = ({ text }: { text: string }) => (
  <div className="border-t border-line">
    <div className="flex min-h-13 items-center gap-3 px-4 py-1">
      <p className="min-w-0 grow">
        <span className="block font-medium">In the script of the strategy</span>
        <span className="block text-xs text-muted">Each order says what it is in its alert_message</span>
      </p>
      <CopyButton text={text} what="the lines of the script" />
    </div>
    <CodeBlock label="Lines of Pine">{text}</CodeBlock>
  </div>
)

function Check({ hook, text }: { hook: Hook; text: string }) {
  const isLive = useIsLive()
  const [symbol, setSymbol] = useState('AAPL')
  const wanted = symbol.trim().toUpperCase()
  const { data: prices } = useQuotes(wanted === '' ? [] : [wanted], hook.accounts[0]?.accountId, {
    isWanted: text.includes('price') || text.includes('close'),
  })
  const price = String(prices?.quotes.get(wanted)?.last ?? 100)
  const check = useMutation({
    mutationFn: () =>
      dataOf('POST /api/v1/hooks/{hookId}/try', {
        path: { hookId: hook.id },
        body: {
          body: asSampleAlert(text, { ticker: wanted, price, now: new Date(serviceNow()).toISOString() }),
        },
      }),
  })
  return (
    <div className="grid gap-3 border-t border-line p-4">
      <form
        className="flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          check.mutate()
        }}
      >
        <Field
          label="Check it with"
          value={symbol}
          onChange={({ target }) => {
            setSymbol(target.value)
            check.reset()
          }}
          autoCapitalize="characters"
          autoComplete="off"
          maxLength={20}
          className="w-32"
        />
        <Button type="submit" className="desk:h-9" disabled={!isLive || check.isPending || wanted === ''}>
          {check.isPending ? 'One moment…' : 'Check it'}
        </Button>
        <p className="min-w-0 flex-1 basis-60 text-xs text-muted">
          The hook reads it as TradingView would send it: a strategy goes long with 10. Nothing is stored or
          sent.
        </p>
      </form>
      <div aria-live="polite" className="empty:hidden">
        {check.isError && <ProblemNotice title="It could not be checked" problem={asProblem(check.error)} />}
        {check.data && <TrialResult trial={check.data} />}
      </div>
    </div>
  )
}
