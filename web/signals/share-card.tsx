import { useState } from 'react'
import { Panel } from '../parts/panel.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Segmented } from '../parts/segmented.tsx'
import type { Body } from './draft.ts'
import { ALERT_NOTES, AlertOnChoice } from './alert-on.tsx'
import { asCurl, asJson, asTradingView, type AlertOn } from './templates.ts'

const FORMS = { json: 'JSON', curl: 'curl', tradingView: 'TradingView' } as const
type Form = keyof typeof FORMS

const NOTES: Record<Exclude<Form, 'tradingView'>, string> = {
  json: 'The body of POST /api/v1/signals.',
  curl: 'Put a token of yours in the place of YOUR_TOKEN.',
}

/** The same signal for programs, to be copied. */
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
