import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { BrokerConnection, BrokerType } from '#client/types.ts'
import { ask } from '../connection/ask.ts'
import { useIsLive } from '../connection/live.ts'
import { Problem } from '../connection/problem.ts'
import { Button, buttonClass } from '../parts/button.tsx'
import { Checkbox } from '../parts/checkbox.tsx'
import { Fact, Facts } from '../parts/facts.tsx'
import { Field, Select, FaultsOfForm } from '../parts/field.tsx'
import { textOf, useSend } from '../parts/form.tsx'
import { useAccounts, useBrokers } from '../records/accounts.ts'
import { Loaded } from '../parts/loaded.tsx'
import { Notice, ProblemNotice } from '../parts/notice.tsx'
import { PageHead, BackLink } from '../parts/page-head.tsx'
import { Panel } from '../parts/panel.tsx'
import { Segmented } from '../parts/segmented.tsx'
import { ActingFor } from '../parts/acting-for.tsx'
import { ModePill } from '../parts/mode-pill.tsx'
import { money } from '../words/figures.ts'
import { brokersChanged, useBrokerTypes } from './data.ts'
import { PaperAccount } from './paper-account.tsx'
import { KeyFields, keysOf } from './sheets.tsx'
import { isReal, kindsOf, kindWords } from './words.ts'

const KINDS = { paper: 'Paper', live: 'Live · real money' } as const

export function ConnectPage() {
  const types = useBrokerTypes()
  const [connected, setConnected] = useState<BrokerConnection | null>(null)
  // The offer of a paper account is above the form, which must not move under a press.
  const { isPending } = useBrokers()
  return (
    <div className="max-w-150">
      <BackLink to="/set-up/brokers" name="Brokers" />
      <PageHead name="Connect a broker" />
      <Loaded query={types} name="The kinds of broker">
        {(all) =>
          connected === null ? (
            <>
              <PaperAccount types={all} connected={setConnected} />
              {!isPending && <Connect types={all} connected={setConnected} />}
            </>
          ) : (
            <Connected broker={connected} types={all} />
          )
        }
      </Loaded>
    </div>
  )
}

function Connect({
  types,
  connected,
}: {
  types: readonly BrokerType[]
  connected: (broker: BrokerConnection) => void
}) {
  const isLive = useIsLive()
  // Brokers with keys come first: the button above opens a paper account.
  const first = types.find(({ opensAccounts }) => !opensAccounts) ?? types[0]
  const [chosen, setChosen] = useState(first?.type ?? '')
  const [wanted, setWanted] = useState<keyof typeof KINDS>('paper')
  const type = types.find((each) => each.type === chosen)
  const kinds = type ? kindsOf(type) : []
  const kind = kinds.includes(wanted) ? wanted : kinds[0]
  const [isShared, setShared] = useState(false)
  const form = useSend(async (data) => {
    if (!type) return
    const name = textOf(data, 'name').trim()
    const { body } = await ask('POST /api/v1/brokers', {
      body: {
        brokerType: type.type,
        isDemo: kind === 'paper',
        credentials: keysOf(type, data),
        ...(name !== '' && { name }),
        ...(data.get('mayShare') === 'on' && { mayShare: true }),
      },
    }).catch((error: unknown) => {
      if (error instanceof Problem && error.code === 'ACCOUNT_SHARED') setShared(true)
      throw error
    })
    void brokersChanged()
    connected(body.data.broker)
  })
  if (!type) return <Notice kind="warn" title="No brokers are available" />
  return (
    <form
      onSubmit={form.submit}
      noValidate
      aria-label="Connect a broker"
      data-mode={kind === 'live' ? 'live' : 'paper'}
    >
      <Panel title="The account" aside={<ModePill isLive={kind === 'live'} />}>
        <div className="grid gap-5 p-4">
          <FaultsOfForm value={form.faultOf}>
            <ActingFor />
            <Select
              label="Broker"
              value={type.type}
              options={types.map((each) => [each.type, each.name] as const)}
              choose={(next) => {
                setChosen(next)
                form.clear()
                setShared(false)
              }}
            />
            {kinds.length > 1 && (
              <Segmented
                legend="Kind of account"
                options={KINDS}
                value={kind}
                choose={(next) => setWanted(next)}
              />
            )}
            {kind === 'live' && (
              <Notice kind="warn" title="Orders of this account move real money">
                Connecting it sends nothing. Orders go to it when you switch the mode to LIVE, under Accounts.
              </Notice>
            )}
            <KeyFields type={type} />
            <Field
              label="Name (optional)"
              name="name"
              hint={`Any name; “${type.name}” without one`}
              autoComplete="off"
              maxLength={100}
            />
          </FaultsOfForm>
          {isShared ? (
            <Notice kind="warn" title="Another user of this service follows this account">
              <p>
                Both of you see all positions of the account, get alerts about missing exits, and may close
                them. An exit of one may sell shares of the other.
              </p>
              <Checkbox name="mayShare" className="min-h-11 items-center gap-2">
                Connect it all the same
              </Checkbox>
            </Notice>
          ) : (
            form.problem && <ProblemNotice title="Not connected" problem={form.problem} />
          )}
          {!isLive && <p className="text-sm text-warn">Testing keys needs a connection to the service.</p>}
          <Button type="submit" kind="primary" size="big" disabled={form.isBusy || !isLive}>
            {form.isBusy ? 'Testing the keys…' : 'Test keys and connect'}
          </Button>
          <p className="text-xs text-muted">
            The keys are tested with the broker first and stored only if they work. They are stored encrypted
            and never shown again.
          </p>
        </div>
      </Panel>
    </form>
  )
}

/** State of the connected account, and links to the next steps. */
function Connected({ broker, types }: { broker: BrokerConnection; types: readonly BrokerType[] }) {
  const accounts = useAccounts()
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => place.current?.focus(), [])
  return (
    <div ref={place} tabIndex={-1} className="outline-none" data-mode={isReal(broker) ? 'live' : 'paper'}>
      <Panel
        title={<span className="wrap-anywhere">{broker.name} is connected</span>}
        aside={<ModePill isLive={isReal(broker)} />}
      >
        <p role="status" className="px-4 pt-4">
          The broker accepted the keys. They belong to this account:
        </p>
        {broker.accounts.map(({ id, brokerAccountId, isPrimary }) => {
          const account = accounts.get(id)
          return (
            <Facts key={id}>
              <Fact name="Broker">{kindWords(broker, types)}</Fact>
              <Fact name="Account">{brokerAccountId}</Fact>
              {account && (
                <>
                  <Fact name="Equity">{money(account.equity)}</Fact>
                  <Fact name="Cash">{money(account.cashBalance)}</Fact>
                  <Fact name="Buying power">{money(account.buyingPower)}</Fact>
                </>
              )}
              <Fact name="Primary">{isPrimary ? 'yes' : 'no'}</Fact>
            </Facts>
          )
        })}
        <div className="flex flex-wrap gap-2 border-t border-line p-4">
          <Link to="/set-up/hooks/new" className={buttonClass('primary')}>
            Create a hook for alerts
          </Link>
          <Link to="/set-up/tokens/new" className={buttonClass()}>
            Create a token for signals
          </Link>
          <Link to="/set-up/accounts" className={buttonClass()}>
            Show the accounts
          </Link>
          <Link to="/set-up/limits" search={{}} className={buttonClass()}>
            Set its limits
          </Link>
        </div>
      </Panel>
    </div>
  )
}
