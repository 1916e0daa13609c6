import type { Account, SignalDetail } from '#client/types.ts'
import { haltAgainst } from '#domain/risk/halt.ts'
import { EXIT_SIDE, isOpening } from '#domain/signal/signal.ts'
import { Direction } from '../parts/direction.tsx'
import { PageTitle, BackLink } from '../parts/page-head.tsx'
import { useAccounts, useBrokers, useStrategies } from '../records/accounts.ts'
import { CLOSING, useHalts } from '../records/halts.ts'
import { heldWords } from '../words/agenda.ts'
import { silenceOf } from '../words/brokers.ts'
import { number } from '../words/figures.ts'
import { sideWord } from '../words/order.ts'
import { exitSchedule, headline, isBuy, modeOf, sentence } from '../words/signal.ts'
import { asProblem } from '../connection/problem.ts'
import { Notice, ProblemNotice, NotLiveNotice, Messages } from '../parts/notice.tsx'
import { useNow } from '../parts/time.ts'
import { ModePill } from '../parts/mode-pill.tsx'
import { ExitSizeChoice } from './exit-size.tsx'
import { GroupCard } from './group-card.tsx'
import { ResultCard, SpeedCard, SourceCard, TermsCard, OrdersCard } from './story-cards.tsx'
import { Stages, NextBand } from './stages.tsx'
import { StatusChip } from './status-chip.tsx'
import { StoryActions } from './story-actions.tsx'
import { useOrders, useSignal, useStoryNews, useTimeline } from './story-data.ts'
import { isAllClosed, openShares } from './result.ts'
import { nextOf, stagesOf } from './story.ts'
import { TimelineCard } from './timeline-card.tsx'
import { ExitCard } from './exit-card.tsx'
import { otherAdvisories } from '../words/status.ts'

export function StoryPage({ id }: { id: string }) {
  const signal = useSignal(id)
  useStoryNews(id)
  return (
    <>
      <PageTitle name={signal.data ? headline(signal.data) : 'Signal'} />
      <BackLink to="/signals" name="Signals" />
      <NotLiveNotice>Last known state.</NotLiveNotice>
      {signal.isError && !signal.data && (
        <ProblemNotice
          title="The signal could not be read"
          problem={asProblem(signal.error)}
          again={() => void signal.refetch()}
        />
      )}
      {signal.isPending && <Loading />}
      {signal.data && <Story signal={signal.data} />}
    </>
  )
}

function Story({ signal }: { signal: SignalDetail }) {
  const now = useNow()
  const timeline = useTimeline(signal.id)
  const orders = useOrders(signal.id)
  const account = useAccounts().get(signal.accountId)
  const strategies = useStrategies().data ?? []
  const known = { signal, events: timeline.data ?? [], orders: orders.data ?? [] }
  const names = { entry: sentence(signal), exit: exitSentence(signal) }
  const next = nextOf(known, names, useHeld(signal, now), useSilence(account, now))
  const failed = timeline.error ?? orders.error
  return (
    <div data-mode={modeOf(account)} className="grid gap-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h1 className="flex min-w-0 items-center gap-3 text-xl font-bold">
          <Direction isBuy={isBuy(signal)} />
          <span className="min-w-0 wrap-anywhere">{headline(signal)}</span>
        </h1>
        <StatusChip signal={signal} />
        {account && !account.isDemo && <ModePill isLive />}
        <span className="grow" />
        <StoryActions signal={signal} />
      </div>
      {failed && (
        <ProblemNotice
          title="Some details of the signal could not be read"
          problem={asProblem(failed)}
          again={() => void Promise.all([timeline.refetch(), orders.refetch()])}
        />
      )}
      <ExitSizeChoice signal={signal} />
      <section aria-label="Story" className="overflow-clip rounded-card border border-line bg-surface">
        <Stages stages={stagesOf(known)} now={now} />
        {next && <NextBand next={next} id={signal.id} now={now} />}
      </section>
      {!isAllClosed(signal) && otherAdvisories(signal.advisories).length > 0 && (
        <Notice kind="warn" title="Notes">
          <Messages of={otherAdvisories(signal.advisories)} />
        </Notice>
      )}
      <div className="grid items-start gap-4 wide:grid-cols-[minmax(0,1fr)_340px]">
        <div className="grid min-w-0 gap-4">
          <TimelineCard {...known} next={next} />
          <OrdersCard orders={known.orders} />
        </div>
        <div className="grid min-w-0 gap-4">
          <GroupCard signal={signal} />
          <ExitCard signal={signal} account={account} now={now} />
          <ResultCard signal={signal} now={now} />
          <SpeedCard signal={signal} />
          <TermsCard
            signal={signal}
            account={account}
            strategy={strategies.find(({ id }) => id === signal.strategyId)?.name}
            now={now}
          />
          <SourceCard id={signal.id} />
        </div>
      </div>
    </div>
  )
}

/** Effect of a halt on the next order, in words; null for none. */
function useHeld({ accountId, action, status }: SignalDetail, now: number): string | null {
  const entersNext = status === 'scheduled' && isOpening(action)
  const halt = haltAgainst(useHalts(), accountId, { ...CLOSING, reducing: !entersNext })
  return halt && heldWords(halt.setAt, now, entersNext)
}

/** "Paper venue has not answered for 8 s"; null while the account's broker answers. */
function useSilence(account: Account | undefined, now: number): string | null {
  const broker = useBrokers().data?.find(({ id }) => id === account?.brokerId)
  const silence = broker ? silenceOf(broker, now) : null
  return broker && silence !== null ? `${broker.name} ${silence}` : null
}

/** "Sell 10 AAPL, 15 minutes before the close" */
function exitSentence(signal: SignalDetail): string {
  const plan = exitSchedule(signal)
  if (!plan || !isOpening(signal.action)) return 'The exit is sent'
  const much = signal.filledQuantity > 0 ? `${number(openShares(signal))} ${signal.symbol}` : signal.symbol
  const how = plan.what.slice(plan.what.indexOf(',') + 2)
  return `${sideWord({ side: EXIT_SIDE[signal.action] })} ${much} ${how}, ${plan.when}`
}

const Loading = () => (
  <div aria-hidden="true" className="grid gap-4">
    <span className="waiting-shape h-8 w-60" />
    <span className="waiting-shape h-44 w-full" />
    <span className="waiting-shape h-80 w-full" />
  </div>
)
