import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useAccountList } from '../records/accounts.ts'
import { isRealMoney } from '../words/signal.ts'
import { buttonClass } from '../parts/button.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Notice } from '../parts/notice.tsx'
import { Panel } from '../parts/panel.tsx'
import { Segmented } from '../parts/segmented.tsx'
import { asCurl } from '../signal/templates.ts'
import { sampleBody } from './webhook.ts'
import { AccountSelect } from '../parts/account.tsx'

const FORMS = { curl: 'curl', tradingView: 'TradingView' } as const

/** A first signal to copy: one share that requires approval. */
export function Webhook({ token }: { token?: string }) {
  const [form, setForm] = useState<keyof typeof FORMS>('curl')
  const [chosen, setChosen] = useState('')
  const { data } = useAccountList()
  const accounts = data ?? []
  const account =
    accounts.find(({ id }) => id === chosen) ?? accounts.find((each) => !isRealMoney(each)) ?? accounts[0]
  return (
    <Panel
      title="Send a signal"
      aside={<Segmented legend="Sent by" options={FORMS} value={form} choose={setForm} />}
    >
      {form === 'tradingView' ? (
        <TradingView />
      ) : (
        <>
          <div className="grid gap-3 p-4">
            <p className="text-muted">
              It asks to buy one share of AAPL{account && ` for ${account.name}`}, waits for your approval,
              and is sold 15 minutes before the session ends.
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
          <Text label="curl" text={asCurl(sampleBody(account?.id), location.origin, token)}>
            {token === undefined ? 'Replace YOUR_TOKEN with your token.' : 'Your token is in it already.'}
          </Text>
        </>
      )}
    </Panel>
  )
}

/** TradingView sends no token: its alerts need a hook. */
const TradingView = () => (
  <div className="grid justify-items-start gap-3 p-4">
    <p>
      TradingView sends no headers, so its alerts cannot carry a token. Create a hook: an alert needs only its
      address, and the hook comes with the message of the alert.
    </p>
    <Link to="/set-up/hooks/new" className={buttonClass('primary')}>
      New hook
    </Link>
  </div>
)

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
