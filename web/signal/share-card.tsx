import { useState } from 'react'
import { CodeBlock } from '../parts/code-block.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Panel } from '../parts/panel.tsx'
import { Segmented } from '../parts/segmented.tsx'
import type { Body } from '../trade/requests.ts'
import { type AlertOn, asCurl, asJson, asTradingView } from './templates.ts'

const NAMES: Record<AlertOn, string> = {
  alert: 'Indicator',
  orders: 'One side',
  turns: 'Both sides',
}

const ALERT_NOTES: Record<AlertOn, string> = {
  alert: 'The message of an alert on an indicator or a price: each alert asks for this signal.',
  orders:
    'The message of an alert on a strategy that is only ever long, or only ever short. In its script each order carries its ' +
    'action: alert_message = "openLong", "closeLong", "openShort" or "closeShort".',
  turns:
    'The message of an alert on a strategy that turns from long to short: the account is brought to the position of the ' +
    'strategy. Its script needs nothing.',
}

const AlertOnChoice = (props: { value: AlertOn; choose: (value: AlertOn) => void }) => (
  <Segmented legend="The alert is on" options={NAMES} {...props} />
)

const FORMS = { json: 'JSON', curl: 'curl', tradingView: 'TradingView' } as const
type Form = keyof typeof FORMS

const NOTES: Record<Exclude<Form, 'tradingView'>, string> = {
  json: 'The body of POST /api/v1/signals.',
  curl: 'Replace YOUR_TOKEN with a token of yours.',
}

export function ShareCard({ body }: { body: Body }) {
  const [form, setForm] = useState<Form>('json')
  const [on, setOn] = useState<AlertOn>('alert')
  const text = {
    json: asJson(body),
    curl: asCurl(body, location.origin),
    tradingView: asTradingView(body, on),
  }[form]
  return (
    <Panel
      title="For programs"
      aside={<Segmented legend="Form" options={FORMS} value={form} choose={setForm} />}
    >
      {form === 'tradingView' && (
        <div className="px-4 pt-3">
          <AlertOnChoice value={on} choose={setOn} />
        </div>
      )}
      <div className="flex items-center gap-3 border-b border-line px-4 py-3">
        <p className="min-w-0 grow text-xs text-muted">
          {form === 'tradingView' ? ALERT_NOTES[on] : NOTES[form]}
        </p>
        <CopyButton text={text} what={FORMS[form]} />
      </div>
      <CodeBlock label={FORMS[form]}>{text}</CodeBlock>
    </Panel>
  )
}
