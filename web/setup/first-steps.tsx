import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Circle, CircleCheck } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { dataOf } from '../connection/ask.ts'
import { useBrokerTypes } from '../broker/data.ts'
import { PaperAccount } from '../broker/paper-account.tsx'
import { onNews } from '../connection/live.ts'
import { useHooks } from '../hook/data.ts'
import { buttonClass } from '../parts/button.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Disclosure } from '../parts/disclosure.tsx'
import { Panel } from '../parts/panel.tsx'
import { useAccountList, useBrokers } from '../records/accounts.ts'
import { useTokenRoom, useTokens } from '../records/person.ts'
import { asCurl } from '../signal/templates.ts'
import { sampleBody } from '../token/webhook.ts'
import { isRealMoney } from '../words/signal.ts'
import { stepsOf, type StepName } from './words.ts'
import { queries } from '../connection/queries.ts'

export function FirstSteps() {
  return useHasSignal() === false ? <Steps /> : null
}

function Steps() {
  const { data: brokers } = useBrokers()
  const { data: accounts } = useAccountList()
  const { data: tokens } = useTokens()
  const { data: hooks } = useHooks()
  const holdsTokens = useTokenRoom() !== 0
  const steps = stepsOf({ brokers, accounts, tokens, hooks, hasSignal: false, holdsTokens })
  if (!steps) return null
  const left = steps.filter(({ isDone }) => !isDone).length
  return (
    <Panel title="First steps" aside={<span className="text-xs text-muted">{left} to go</span>}>
      <ol aria-label="First steps">
        {steps.map(({ name, isDone, isNext }, at) => (
          <li key={name} className="flex items-start gap-3 border-line px-4 py-3 not-last:border-b">
            {isDone ? (
              <CircleCheck aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-buy" />
            ) : (
              <Circle aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-muted" />
            )}
            <div className="grid min-w-0 grow grid-cols-1 gap-2">
              <p className={isNext ? 'font-bold' : isDone ? 'text-muted' : ''}>
                {at + 1}. {TITLES[name]}
                <span className="sr-only">{isDone ? ', done' : ', to do'}</span>
              </p>
              {isNext && WAYS[name]()}
            </div>
          </li>
        ))}
      </ol>
    </Panel>
  )
}

const TITLES: Record<StepName, string> = {
  broker: 'Connect a broker',
  account: 'See its account with its balances',
  sender: 'Make an address for the alerts, or a token for a program',
  signal: 'Send a first signal',
}

const Way = ({ note, children }: { note: string; children: ReactNode }) => (
  <>
    <p className="text-muted">{note}</p>
    <p>{children}</p>
  </>
)

const WAYS: Record<StepName, () => ReactNode> = {
  broker: () => <Broker />,
  account: () => (
    <Way note="The account has no balances yet.">
      <Link to="/set-up/accounts" className={buttonClass('primary')}>
        Sync it
      </Link>
    </Way>
  ),
  sender: () => (
    <>
      <Way note="A hook is an address for TradingView and other senders of alerts; it comes with the message to put into the alert.">
        <Link to="/set-up/hooks/new" className={buttonClass('primary')}>
          New hook
        </Link>
      </Way>
      <Way note="Your script sends signals with a token.">
        <Link to="/set-up/tokens/new" className={buttonClass()}>
          New token
        </Link>
      </Way>
    </>
  ),
  signal: () => <Send />,
}

function Broker() {
  const { data: types = [] } = useBrokerTypes()
  return (
    <>
      <PaperAccount types={types} />
      <Way note="Or connect an account that you have, with its keys.">
        <Link to="/set-up/brokers/new" className={buttonClass()}>
          Connect
        </Link>
      </Way>
    </>
  )
}

function Send() {
  const { data: accounts } = useAccountList()
  const account = accounts?.find((each) => !isRealMoney(each)) ?? accounts?.[0]
  const command = asCurl(sampleBody(account?.id), location.origin)
  return (
    <>
      <Way note="It needs your approval, so nothing is bought before you approve it.">
        <Link to="/signals/new" search={{}} className={buttonClass('primary')}>
          Write it here
        </Link>
      </Way>
      <Disclosure name="Send it by a program" note="With curl and your token">
        <p className="text-muted">Replace YOUR_TOKEN with your token.</p>
        <CodeBlock label="A first signal, by curl">{command}</CodeBlock>
        <p>
          <CopyButton text={command} what="the command" />
        </p>
      </Disclosure>
    </>
  )
}

const KEY = ['signals', 'any']

/** Whether a signal was ever sent; undefined while unknown. Once there is one, it is not read again. */
export function useHasSignal(): boolean | undefined {
  useEffect(() => onNews(({ name }) => name === 'signal' && queries.setQueryData<boolean>(KEY, true)), [])
  const { data, isError } = useQuery({
    queryKey: KEY,
    queryFn: async () => (await dataOf('GET /api/v1/signals', { query: { limit: 1 } })).signals.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  // Steps for beginners do not show while the answer is unknown.
  return isError ? true : data
}
