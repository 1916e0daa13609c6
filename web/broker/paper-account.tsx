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

/** Button for a first or further account at the paper venue, where the service opens them. */
export function PaperAccount({ types, connected }: Props) {
  const isLive = useIsLive()
  const { data: brokers } = useBrokers()
  const { state, run } = useAction<void>()
  const isOffered = types.some(({ opensAccounts }) => opensAccounts)
  if (!isOffered || !brokers) return null
  const held = brokers.filter(({ brokerType }) => brokerType === 'paper').length
  const open = () =>
    void run(async () => {
      // A removed account has freed its number, which a later one may have: that one is then the answer.
      const { body } = await ask('POST /api/v1/brokers/paper-account', { query: { number: held + 1 } })
      await brokersChanged()
      connected?.(body.data.broker)
    })
  return (
    <section
      aria-label="Paper account"
      className="mb-4 grid justify-items-start gap-3 rounded-card border border-line bg-surface p-4"
    >
      <p className="text-muted">
        {held === 0 ? 'An account' : 'A further account'} of your own, without real money, at the paper venue
        of this service. It needs no keys.
      </p>
      <Button
        kind="primary"
        size="big"
        // At most as wide as the card: two lines on a narrow phone.
        className="h-auto! min-h-13 max-w-full py-2 whitespace-normal! desk:min-h-12"
        disabled={!isLive || state.is === 'busy'}
        onClick={open}
      >
        {state.is === 'busy'
          ? 'One moment…'
          : `Open ${held === 0 ? 'a' : 'another'} paper account with $100,000`}
      </Button>
      {state.is === 'failed' && <ProblemNotice title="Not opened" problem={state.problem} />}
    </section>
  )
}
