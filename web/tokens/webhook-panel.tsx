import { useState } from 'react'
import { useAccountList } from '../records/accounts.ts'
import { isRealMoney } from '../words/signal.ts'
import { CodeBlock } from '../parts/code-block.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Notice } from '../parts/notice.tsx'
import { Panel } from '../parts/panel.tsx'
import { Segmented } from '../parts/segmented.tsx'
import { ALERT_NOTES, AlertOnChoice } from '../signals/share-card.tsx'
import { newSourceId, type Body } from '../signals/draft.ts'
import { asCurl, asTradingView, type AlertOn } from '../signals/templates.ts'
import { sampleBody, signalsAddress, unreachableBecause } from './webhook.ts'
import { AccountSelect } from '../parts/account.tsx'

const FORMS = { curl: 'curl', tradingView: 'TradingView' } as const

/** A first signal to copy: one share that waits for a person. */
export function Webhook({ token }: { token?: string }) {
  const [form, setForm] = useState<keyof typeof FORMS>('curl')
  const [on, setOn] = useState<AlertOn>('alert')
  const [chosen, setChosen] = useState('')
  const { data } = useAccountList()
  const accounts = data ?? []
  const account =
    accounts.find(({ id }) => id === chosen) ?? accounts.find((each) => !isRealMoney(each)) ?? accounts[0]
  const body = sampleBody(account?.id)
  return (
    <Panel
      title="Send a signal"
      aside={<Segmented legend="Sent by" options={FORMS} value={form} choose={setForm} />}
    >
      <div className="grid gap-3 p-4">
        <p className="text-muted">
          {form === 'curl' || on === 'alert' ? (
            <>
              It asks to buy one share of {form === 'curl' ? 'AAPL' : 'the chart'}
              {account && ` for ${account.name}`}, waits for your approval, and is sold 15 minutes before the
              session ends.
            </>
          ) : (
            <>
              It asks for each order of the strategy{account && ` in ${account.name}`}, and each waits for
              your approval until you write “immediate” in the place of “pending”.
            </>
          )}
        </p>
        {accounts.length > 1 && (
          <AccountSelect value={account?.id} choose={setChosen} className="desk:w-80" />
        )}
        {data !== undefined && account === undefined && (
          <Notice kind="warn" title="There is no account yet">
            Connect a broker first, then put its account’s id in the place shown.
          </Notice>
        )}
      </div>
      {form === 'curl' ? (
        <Text label="curl" text={asCurl(body, location.origin, token)}>
          {token === undefined
            ? 'Put your token in the place of YOUR_TOKEN.'
            : 'Your token is in it already.'}
        </Text>
      ) : (
        <TradingView body={body} on={on} choose={setOn} />
      )}
    </Panel>
  )
}

function TradingView({ body, on, choose }: { body: Body; on: AlertOn; choose: (on: AlertOn) => void }) {
  const why = unreachableBecause(location.origin)
  // Two alerts whose messages are copied here do not share the names of their signals.
  const [sourceId] = useState(newSourceId)
  return (
    <>
      <div className="grid gap-3 px-4 pb-4 text-sm">
        {why !== null && (
          <Notice kind="warn" title="TradingView cannot use this address as it is">
            <p>{why}.</p>
          </Notice>
        )}
        <p>
          TradingView sends no header, so the token cannot stand in the alert. Either a proxy of yours adds{' '}
          <code className="wrap-anywhere">Authorization: Bearer …</code> on a path that only TradingView
          knows, or an administrator issues a key for addresses, which ends it as <code>?apiKey=dtk_…</code>:
        </p>
        <p>
          <code className="font-mono text-xs wrap-anywhere">
            npm run admin -- issue-key YOUR_EMAIL --label TradingView --scopes signals:write
          </code>
        </p>
      </div>
      <Text label="Webhook URL of the alert" text={signalsAddress(location.origin)} />
      <div className="border-t border-line px-4 py-3">
        <AlertOnChoice value={on} choose={choose} />
      </div>
      <Text label="Message of the alert" text={asTradingView({ ...body, sourceId }, on)}>
        {ALERT_NOTES[on]}
      </Text>
    </>
  )
}

const Text = ({ label, text, children }: { label: string; text: string; children?: string }) => (
  <div className="border-t border-line">
    <div className="flex min-h-13 items-center gap-3 px-4 py-1">
      <p className="min-w-0 grow">
        <span className="block font-medium">{label}</span>
        {children !== undefined && <span className="block text-xs text-muted">{children}</span>}
      </p>
      <CopyButton text={text} what={label} />
    </div>
    <CodeBlock label={label}>{text}</CodeBlock>
  </div>
)
