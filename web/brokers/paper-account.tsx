import type { BrokerConnection, BrokerType } from '#client/types.ts'
import { ask } from '../connection/ask.ts'
import { useIsLive } from '../connection/live.ts'
import { useAction } from '../parts/action.ts'
import { Button } from '../parts/button.tsx'
import { ProblemNotice } from '../parts/notice.tsx'
import { useBrokers } from '../records/accounts.ts'
import { brokersChanged } from './data.ts'

interface Props {
  types: readonly BrokerType[]
  connected?: (broker: BrokerConnection) => void
}

/** An own account at the paper venue with one press, where the service opens them and the person has none yet. */
export function PaperAccount({ types, connected }: Props) {
  const isLive = useIsLive()
  const { data: brokers } = useBrokers()
  const { state, run } = useAction<void>()
  const isOffered = types.some(({ opensAccounts }) => opensAccounts)
  if (!isOffered || !brokers || brokers.some(({ brokerType }) => brokerType === 'paper')) return null
  const open = () =>
    void run(async () => {
      const { body } = await ask('POST /api/v1/brokers/paper-account')
      await brokersChanged()
      connected?.(body.data.broker)
    })
  return (
    <section
      aria-label="Paper account"
      className="mb-4 grid justify-items-start gap-3 rounded-card border border-line bg-surface p-4"
    >
      <p className="text-muted">
        An account of your own, without real money, at the paper venue of this service.
      </p>
      <Button kind="primary" size="big" disabled={!isLive || state.is === 'busy'} onClick={open}>
        {state.is === 'busy' ? 'One moment…' : 'Open a paper account with $100,000'}
      </Button>
      {state.is === 'failed' && <ProblemNotice title="Not opened" problem={state.problem} />}
    </section>
  )
}
