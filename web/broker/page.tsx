import { Link } from '@tanstack/react-router'
import { CircleCheck, Plus, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { BrokerConnection, BrokerType } from '#client/types.ts'
import { ask } from '../connection/ask.ts'
import { useIsLive } from '../connection/live.ts'
import { useAction } from '../parts/action.ts'
import { Button, buttonClass } from '../parts/button.tsx'
import { Fact, Facts } from '../parts/facts.tsx'
import { useBrokers } from '../records/accounts.ts'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { Notice, ProblemNotice } from '../parts/notice.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Chip, Panel } from '../parts/panel.tsx'
import { useNow } from '../parts/time.ts'
import { ActingFor } from '../parts/acting-for.tsx'
import { ModePill } from '../parts/mode-pill.tsx'
import { age, bothTimes } from '../words/times.ts'
import { useBrokerTypes } from './data.ts'
import { NewKeys, Remove, Rename } from './sheets.tsx'
import { isReal, kindWords, lastContact } from './words.ts'
import { readChanged } from '../connection/queries.ts'

export function BrokersPage() {
  const brokers = useBrokers()
  const types = useBrokerTypes()
  const now = useNow()
  const [message, setMessage] = useState<string | null>(null)
  return (
    <>
      <PageHead name="Brokers" note="where orders are sent">
        <Link to="/set-up/brokers/new" className={buttonClass('primary')}>
          <Plus aria-hidden="true" className="size-4" /> Connect a broker
        </Link>
      </PageHead>
      <div className="mb-4 empty:hidden">
        <ActingFor />
      </div>
      <div role="status" className="not-empty:mb-4">
        {message !== null && <Notice kind="info" title={message} />}
      </div>
      <Loaded query={brokers} name="The connections">
        {(all) =>
          all.length === 0 ? (
            <Panel title="Connections">
              <Empty title="No broker is connected">
                Connect the paper venue to try everything without money, or an account at a broker.
              </Empty>
            </Panel>
          ) : (
            <ul className="grid items-start gap-4 wide:grid-cols-2">
              {all.map((broker) => (
                <li key={broker.id} className="min-w-0">
                  <Connection broker={broker} types={types.data ?? []} now={now} done={setMessage} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </>
  )
}

interface Props {
  broker: BrokerConnection
  types: readonly BrokerType[]
  now: number
  done: (message: string) => void
}

function Connection({ broker, types, now, done }: Props) {
  const isLive = useIsLive()
  const [asking, setAsking] = useState<'name' | 'keys' | 'removal' | null>(null)
  const { state, run } = useAction<void>()
  const test = () =>
    void run(async () => {
      try {
        await ask('POST /api/v1/brokers/{brokerId}/test', { path: { brokerId: broker.id } })
      } finally {
        await readChanged('brokers')
      }
    })
  const close = () => setAsking(null)
  const sheet = {
    broker,
    close,
    done: (message: string) => {
      close()
      done(message)
    },
  }
  const type = types.find((each) => each.type === broker.brokerType)
  return (
    <div data-mode={isReal(broker) ? 'live' : 'paper'}>
      <Panel
        title={<span className="wrap-anywhere">{broker.name}</span>}
        aside={
          <span className="flex flex-wrap items-center gap-2">
            <Health broker={broker} />
            <ModePill isLive={isReal(broker)} />
          </span>
        }
      >
        <Failing broker={broker} now={now} />
        <Figures broker={broker} types={types} now={now} />
        <div aria-live="polite" className="px-4 not-empty:pb-4">
          {state.is === 'done' && <Notice kind="info" title="Connected: the broker accepts these keys" />}
          {state.is === 'failed' && <ProblemNotice title="Tested" problem={state.problem} />}
        </div>
        <div className="flex flex-wrap gap-2 border-t border-line p-4">
          <Button
            disabled={!isLive || state.is === 'busy'}
            onClick={test}
            aria-label={`${state.is === 'busy' ? 'Testing…' : 'Test'} ${broker.name}`}
            className="max-desk:grow"
          >
            {state.is === 'busy' ? 'Testing…' : 'Test'}
          </Button>
          <Button
            onClick={() => setAsking('name')}
            aria-label={`Rename ${broker.name}`}
            className="max-desk:grow"
          >
            Rename…
          </Button>
          <Button
            disabled={!type}
            onClick={() => setAsking('keys')}
            aria-label={`New keys for ${broker.name}`}
            className="max-desk:grow"
          >
            New keys…
          </Button>
          <Button
            kind="danger"
            onClick={() => setAsking('removal')}
            aria-label={`Remove ${broker.name}`}
            className="max-desk:grow desk:ml-auto"
          >
            Remove…
          </Button>
        </div>
      </Panel>
      {asking === 'name' && <Rename {...sheet} />}
      {asking === 'keys' && type && <NewKeys {...sheet} type={type} />}
      {asking === 'removal' && <Remove {...sheet} />}
    </div>
  )
}

const Health = ({ broker }: { broker: BrokerConnection }) =>
  broker.status === 'connected' ? (
    <Chip kind="good">
      <CircleCheck aria-hidden="true" /> connected
    </Chip>
  ) : (
    <Chip kind="warn">
      <TriangleAlert aria-hidden="true" /> failing
    </Chip>
  )

function Failing({
  broker: { status, statusDetail, failingSince },
  now,
}: {
  broker: BrokerConnection
  now: number
}) {
  if (status !== 'error') return null
  return (
    <div className="p-4 pb-0">
      <Notice
        kind="warn"
        title={failingSince === null ? 'Connection failing' : `Failing since ${bothTimes(failingSince, now)}`}
      >
        {statusDetail ?? 'Reason unknown'}. Exits wait and are retried automatically; positions stay open
        meanwhile.
      </Notice>
    </div>
  )
}

function Figures({ broker, types, now }: Omit<Props, 'done'>) {
  const contact = lastContact(broker)
  const restrictions = broker.accounts.flatMap((account) => account.restrictions)
  return (
    <Facts>
      <Fact name="Broker">{kindWords(broker, types)}</Fact>
      {broker.accounts.map(({ id, brokerAccountId, isPrimary }) => (
        <Fact key={id} name="Account">
          {brokerAccountId}
          {isPrimary && <span className="text-muted"> · primary</span>}
        </Fact>
      ))}
      {restrictions.length > 0 && (
        <Fact name="Restricted">
          <span className="wrap-anywhere text-warn">{restrictions.join('. ')}</span>
        </Fact>
      )}
      <Fact name="Last contact">{contact === null ? 'none yet' : age(now - Date.parse(contact))}</Fact>
      <Fact name="Last check">
        {broker.lastCheckedAt === null ? 'never' : age(now - Date.parse(broker.lastCheckedAt))}
      </Fact>
    </Facts>
  )
}
